/* How long warps wait at the barriers of their blocks, by instruction (barriers.def). Each SM fills in a state of its
 * own as events happen; profile_barriers_add brings them together when the kernel has ended. */
#ifndef LOCKSTEP_PROFILE_BARRIERS_H
#define LOCKSTEP_PROFILE_BARRIERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"
#include "lockstep/observer.h"
#include "profile/comings.h"
#include "profile/lasts.h"
#include "profile/polls.h"

#define PROFILE_BARRIERS_WARPS 64

enum profile_barrier_count {
#define PROFILE_BARRIER(name, doc) PROFILE_BARRIER_##name,
#include "profile/barriers.def"
#undef PROFILE_BARRIER
    PROFILE_BARRIER_COUNTS
};

/* A warp at a barrier. */
struct profile_barrier_warp {
    uint64_t since;  /* the cycle in which it came */
    uint64_t spread; /* if it opened the barrier as it came: cycles since the first one had come, + 1; else 0 */
    uint32_t pc;     /* of the barrier, once its issue was told */
    uint8_t block;   /* of a wait for its cluster */
};

/* The waits of a block for its cluster. */
struct profile_barrier_cluster {
    uint32_t waiting; /* warps that wait */
    uint64_t slots;   /* set of those that have gone on while others waited */
};

/* The state of an SM, which begins as zeros. */
struct profile_barriers {
    uint64_t waiting; /* set of warps at a barrier */
    uint64_t fresh;   /* set of warps that have just come: the issue that brought them is about to be told */
    uint64_t clustered; /* set of warps that wait for their cluster */
    struct profile_barrier_warp warps[PROFILE_BARRIERS_WARPS];
    struct profile_barrier_cluster clusters[PROFILE_BARRIERS_WARPS]; /* by block slot */
    uint64_t ended;             /* set of warps that have ended and wait for their block */
    struct watch_samples first; /* of the warp that came first where the last one has just opened the barrier */
    struct profile_lasts lasts;
    uint64_t counts[]; /* by instruction: PROFILE_BARRIER_COUNTS */
};

/* Bytes of the state of an SM, for a module of so many instructions. The functions below follow the warps in `stays` from
 * one barrier to the next. */
size_t profile_barriers_bytes(uint32_t instructions);
void profile_barriers_arrive(struct profile_barriers *s, const struct lockstep_arrive_event *e);
/* polls: NULL, or the words that warps poll. comings: NULL, or those of blocks. */
void profile_barriers_open(struct profile_barriers *s, struct watch_stays *stays, struct profile_polls *polls,
                           struct profile_comings *comings, const struct lockstep_open_event *e);
/* A warp stands; waits: for the barrier of its cluster, at which it came by instruction pc. */
void profile_barriers_stand(struct profile_barriers *s, struct watch_stays *stays,
                            const struct lockstep_stand_event *e, uint32_t pc, bool waits);
/* The warp in that slot leaves, before that cycle. */
void profile_barriers_leave(struct profile_barriers *s, struct watch_stays *stays, uint32_t slot, uint64_t cycle);
/* The issue of a warp that has just come, by instruction pc. */
void profile_barriers_came(struct profile_barriers *s, struct watch_stays *stays, struct profile_comings *comings,
                           uint32_t warp, uint32_t pc);
/* The last threads of a warp ended. */
void profile_barriers_end(struct profile_barriers *s, struct watch_stays *stays, const struct lockstep_end_event *e);
/* These warps leave: a block's, if all of them have ended. */
void profile_barriers_retire(struct profile_barriers *s, const struct watch_stays *stays, uint64_t warps);
/* The threads of the warp in that slot have ended, or are other ones from now on. */
void profile_barriers_forget(struct profile_barriers *s, uint32_t slot);
/* Adds the counts of an SM to those of a launch, which are as many. */
void profile_barriers_add(uint64_t *counts, const struct profile_barriers *s, uint32_t instructions);
/* The name of a count in results. */
const char *profile_barrier_name(unsigned count);

/* The issue by which a warp came to wait for its cluster. */
void profile_barriers_issued(struct profile_barriers *s, const struct lockstep_issue_event *e);

/* Any issue: nothing is done unless it brought the warp to a barrier. */
static inline void profile_barriers_issue(struct profile_barriers *s, struct watch_stays *stays,
                                          struct profile_comings *comings, const struct lockstep_issue_event *e)
{
    if (mask_has(s->clustered, e->warp))
        profile_barriers_issued(s, e);
    if (mask_has(s->fresh, e->warp))
        profile_barriers_came(s, stays, comings, e->warp, e->pc);
}

#endif
