/* An SM's spinning warps, as the files of watch/spin share them; nothing else includes this. */
#ifndef LOCKSTEP_WATCH_SPIN_SPIN_IMPL_H
#define LOCKSTEP_WATCH_SPIN_SPIN_IMPL_H

#include "watch/spin/spin.h"

#define SPIN_LOCKS 1024
#define SPIN_PLACES 8 /* looked at for one location */

/* A backward branch as this SM met it. */
struct spin_met {
    uint64_t first, last, found_at; /* cycles */
    bool met, found, spins;         /* spins: it is truly spin-inducing */
};

/* The pass of each lane of a warp through a marked loop. */
struct spin_pass {
    uint32_t instructions[SIMT_MAX_WIDTH], accesses[SIMT_MAX_WIDTH]; /* since the pass began */
    uint8_t taken[SIMT_MAX_WIDTH]; /* locations taken by compare-and-swap and not given back by exchange */
    uint64_t open;                 /* lanes inside the loop */
    uint64_t acted;                /* lanes that stored something */
};

/* A location that a lane of this SM took by compare-and-swap. */
struct spin_lock {
    uint64_t address; /* 0: none */
    uint8_t warp;
};

struct spin {
    struct spin_setup setup;
    const struct isa_module *module;
    uint32_t first_pc, branches;
    void *detector, *judgement;
    size_t detector_bytes, judgement_bytes;
    struct spin_met *met; /* by branch */
    bool *tries;          /* by branch: its loop holds a compare-and-swap */
    struct spin_pass passes[SPIN_WARPS];
    struct spin_lock locks[SPIN_LOCKS];
    uint64_t changes; /* changes of memory that were told without knowing the value */
    struct spin_stats stats;
};

/* outcome.c: locks taken and missed, passes through marked loops. */
void spin_outcome_launched(struct spin *spin, unsigned warp);
void spin_outcome_issued(struct spin *spin, const struct spin_event *event, const struct simt_access *access);
/* A branch that closes a marked loop. */
void spin_outcome_branch(struct spin *spin, const struct spin_event *event);
/* One lane's atomic: it found `before` and left `after`. took: a compare-and-swap that took effect. */
void spin_outcome_atomic(struct spin *spin, unsigned warp, unsigned lane, const struct isa_instr *instr,
                         uint64_t address, bool took);

#endif
