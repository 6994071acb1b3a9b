/* Issue's own state: the schedulers of a core, whose turn it is among them, and to what cause their cycles go. Written
 * by issue.c, and by the functions here. */
#ifndef LOCKSTEP_CORE_ISSUE_H
#define LOCKSTEP_CORE_ISSUE_H

#include "base/hot.h"
#include "core/op.h"
#include "lockstep/scheduler.h"

struct core_scheduler {
    uint64_t owned;   /* the cycles from this one on are not yet given to a cause */
    uint64_t slots;   /* its warps */
    void *state;      /* the policy's */
    uint8_t number;   /* among all of the SM */
    uint8_t stall_of; /* enum core_stall of the last cycle, until one of its warps changes */
};

/* The usual schedulers share one cache line of the host. */
struct core_issue {
    _Alignas(CACHE_LINE) struct core_scheduler of[8];
    const struct lockstep_scheduler *policy;
    uint64_t backed_off; /* warps that spin control holds back, with a delay (waits.delay) or without */
    uint32_t first_look; /* scheduler that looks first, since it was overtaken too often; CORE_NONE: they take turns by
                            the cycle */
    uint8_t count;       /* schedulers of the core */
    uint8_t turns;       /* of them, those that take turns in looking first */
    uint8_t looks_first; /* of the cycle in which schedulers look */
    uint8_t overtakes[WARP_UNIT_COUNT]; /* sm.overtakes; 0 for classes in which the registers are never too few */
    /* Per class and scheduler, how often in a row another one took the last free pipeline register while a warp of it
     * waited for nothing else and its look in that cycle was still to come; not beyond `overtakes`. Kept by
     * note_overtaken. */
    uint8_t overtaken[WARP_UNIT_COUNT][8];
    uint64_t extra_issues; /* instructions that were issued behind another one of their warp in one cycle */
    uint8_t lacking;       /* in the present cycle: schedulers whose preferred warp has no instruction in its buffer */
    uint64_t preferred_empty, preferred_passed; /* their cycles; of them, those in which they issued another warp */
    struct lockstep_scheduler_view view;        /* what the schedulers are shown, one after the other */
};

/* A warp came to a barrier, or a barrier opened: what policies are told at the end of the cycle. */
struct core_barrier_event {
    uint64_t warps; /* slots: the one that came; those that go on */
    uint8_t block;
    bool opened;
};

struct core;
struct arena;
void core_issue_init(struct core *core, const struct lockstep_scheduler *policy, struct arena *own);
/* A launch begins. index and slots of `setup` are each scheduler's own. */
void core_issue_begin(struct core *core, const struct lockstep_scheduler_setup *setup);

/* The policy is told of a warp that begins in the slot, as the views have it, and of one whose lanes have ended. */
void core_warp_launched(struct core *core, unsigned slot);
void core_warp_ended(struct core *core, unsigned slot);
/* And of what happened at a barrier, if it wants to know (arrived, released). */
void core_barrier_event(struct core *core, const struct core_barrier_event *event);

/* Gives all schedulers' cycles before `cycle` that are not yet counted to the causes that they last had. */
void core_give_all(struct core *core, uint64_t cycle);
/* A checkpoint was loaded: the cycles from this one on are not yet given to a cause. */
void core_own_from(struct core *core, uint64_t cycle);
/* Cycles from now to before `cycle` need not be stepped. A scheduler one of whose warps has changed since it last
 * looked has another cause to wait. */
void core_skip(struct core *core, uint64_t cycle);

/* Returns the warp, of these, for which a scheduler of the core wants instructions, or LOCKSTEP_NO_WARP: its policy's
 * answer where the policy has one, else the warp that it would issue first if all those that wait for no event could
 * issue. */
unsigned core_preferred(const struct core *core, unsigned scheduler, uint64_t warps);
/* Around core_issue in every cycle, where sm.counts_preferred is set: before it, notes which schedulers prefer a warp
 * that has no instruction in its buffer; after it, counts them. */
void core_note_preferred(struct core *core);
void core_count_preferred(struct core *core);

#endif
