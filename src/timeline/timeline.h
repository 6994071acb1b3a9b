/* The timeline of a launch: what every warp did when. A consumer of events that is part of Lockstep and joins the
 * observers where the user asks for it (--timeline); like all of them it changes no result.
 *
 * A *life* is the time of one warp in a slot of an SM, from its block's launch to the block's retirement. It is made of
 * *phases*, one behind the other: stays at one cause and one instruction, or several short ones that count as the one
 * with the most cycles. Locks come from the profile (profile/words.h), which joins as well.
 *
 * Each SM has a state of fixed size. What has no place any more is counted and not kept. */
#ifndef LOCKSTEP_TIMELINE_TIMELINE_H
#define LOCKSTEP_TIMELINE_TIMELINE_H

#include <stdbool.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "watch/watch.h"

#define TIMELINE_SMS 4096      /* that an option can name */
#define TIMELINE_RESOLUTION 64 /* cycles, where no option says how many */
#define TIMELINE_RESOLUTION_MOST (1u << 20)

/* The part of each launch that is kept. */
struct timeline_options {
    uint64_t from, until; /* cycles of the launch: those before `until`; 0: all */
    uint32_t resolution;  /* phases are that long, but for the last one of a life; 1: nothing is put together */
    bool some;            /* only the SMs of `sms` */
    uint64_t sms[TIMELINE_SMS / 64];
};

#define TIMELINE_NEEDS_TIMING "a timeline (--timeline) needs timing mode: functional mode has no cycles"

/* Reads the options, as users write them: "FROM:TO" (either may be missing), "0,3-5", "64"; NULL: not given. -1 with a
 * diagnostic. */
int timeline_read_options(struct timeline_options *options, const char *window, const char *sms, const char *resolution,
                          struct diag_sink *sink);
bool timeline_wants(const struct timeline_options *options, uint32_t sm);
/* Appends them in words that differ where they do. */
void timeline_identify(const struct timeline_options *options, struct strbuf *out);

/* Gives watch_join its observer. */
const struct lockstep_observer *timeline_observer(void);
/* Sets up the states of a launch that begins at a cycle of the device: to be called behind watch_launch_begin. */
void timeline_begin(const struct watch_launch *launch, const struct timeline_options *options, uint64_t start);

#endif
