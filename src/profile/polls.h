/* The words that threads poll: they load the same word over and over until another thread has written it. A thread
 * waits so at a flag, at a barrier of its own making, or for its turn at a ticket lock (polls.def). Which instructions
 * write such a word is known as well. Each SM fills in a state of its own as events happen; profile_polls_gather brings
 * the states together. */
#ifndef LOCKSTEP_PROFILE_POLLS_H
#define LOCKSTEP_PROFILE_POLLS_H

#include <stdint.h>

#include "isa/program.h"
#include "lockstep/observer.h"
#include "profile/words.h"

#define PROFILE_POLL_PCS 4 /* instructions that poll a word, or write it, of which the word knows: the first ones */

enum profile_poll_count {
#define PROFILE_POLL(name, doc) PROFILE_POLL_##name,
#include "profile/polls.def"
#undef PROFILE_POLL
    PROFILE_POLL_COUNTS
};

struct profile_poll {
    uint64_t address;                     /* of the device, or in the shared memory of a block */
    uint32_t space;                       /* enum lockstep_space; 0: no word */
    uint32_t polled_at[PROFILE_POLL_PCS]; /* pc + 1; 0 ends */
    uint64_t counts[PROFILE_POLL_COUNTS];
};

struct profile_polls;

/* Bytes of the state of an SM, which begins as zeros. */
size_t profile_polls_bytes(void);
void profile_polls_accessed(struct profile_polls *s, const struct lockstep_access_event *e);
/* Any access: nothing is done for loads by which threads do not wait for each other. */
static inline void profile_polls_access(struct profile_polls *s, const struct lockstep_access_event *e)
{
    if (e->instruction_class != LOCKSTEP_LOAD || e->synchronises)
        profile_polls_accessed(s, e);
}
/* The threads of the warp in that slot have ended, or are other ones from now on. */
void profile_polls_forget(struct profile_polls *s, uint32_t slot);

/* A word, over all SMs. */
struct profile_poll_sum {
    struct profile_poll poll;
    uint32_t written_at[PROFILE_POLL_PCS]; /* pc + 1; 0 ends: stores and atomics, as far as they are known */
    char *name;                            /* NULL until somebody who knows names sets it; freed with the list */
};
struct profile_poll_list {
    struct profile_poll_sum *of; /* those with the most warps_waited first */
    uint32_t count;
    uint64_t unlisted; /* polls for whose word a full table had no place */
};
/* states: those of `sms` SMs; module: of the kernel. Words that only plain loads polled are left out. The list is to be
 * freed by profile_polls_free. */
struct profile_poll_list profile_polls_gather(const struct profile_polls *const *states, uint32_t sms,
                                              const struct isa_module *module);
/* Of words that were taken and not seen to be given back: which other instructions write them, but for
 * compare-and-swaps, which take them or do not. So threads of another SM than theirs give them back. */
void profile_polls_find_writes(const struct profile_polls *const *states, uint32_t sms, const struct isa_module *module,
                               struct profile_word_list *words);
void profile_polls_free(struct profile_poll_list *list);
/* The name of a count in results. */
const char *profile_poll_name(enum profile_poll_count count);

#endif
