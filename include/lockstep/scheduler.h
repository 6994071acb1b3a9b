/* The interface of a warp scheduler: which of the warps that could issue this cycle does. A policy is one file that
 * fills in one `struct lockstep_scheduler`; it sees its warps as 64-bit masks and read-only facts, keeps its state in
 * memory that Lockstep gives it (no pointers: checkpoints save it as it is), allocates nothing and prints nothing.
 *
 * An SM has several schedulers; each owns the warps of its mask. Every cycle in which at least one of its warps is
 * ready, pick() is asked; then issued() tells it what was issued. */
#ifndef LOCKSTEP_SCHEDULER_H
#define LOCKSTEP_SCHEDULER_H

#include <stddef.h>
#include <stdint.h>

/* What a scheduler knows of a warp slot. */
struct lockstep_warp_view {
    uint64_t age;   /* launch order on this SM: smaller is older; unique among resident warps */
    uint32_t block; /* thread block slot of the SM */
    uint32_t pc;    /* of the next instruction */
};

struct lockstep_scheduler_view {
    uint64_t cycle;
    uint64_t ready;                         /* warps that can issue now; pick one of these */
    uint64_t members;                       /* warps this scheduler owns that are resident and not finished */
    uint64_t waiting;                       /* members at a barrier or a fence, or with an atomic outstanding */
    const struct lockstep_warp_view *warps; /* by warp slot, 64 of them */
};

struct lockstep_scheduler_setup {
    unsigned index, count; /* this scheduler and how many the SM has */
    uint64_t slots;        /* all warp slots it owns */
    uint64_t age_rotation; /* sm.age_rotation */
};

struct lockstep_scheduler {
    const char *name, *doc;
    size_t state_bytes;
    /* state is zeroed memory of state_bytes, aligned for any type. */
    void (*reset)(void *state, const struct lockstep_scheduler_setup *setup);
    /* Called before each pick(), to change state that depends on time (ages that rotate); may be called after any
     * number of cycles without a pick. May be NULL. */
    void (*advance)(void *state, const struct lockstep_scheduler_view *view);
    /* Returns a member of view->ready, which is not empty. Must depend on state and view alone, and change neither. */
    unsigned (*pick)(const void *state, const struct lockstep_scheduler_view *view);
    /* Warp issued one instruction at view->cycle. May be NULL. */
    void (*issued)(void *state, unsigned warp, const struct lockstep_scheduler_view *view);
    /* A warp was launched into a slot, or ended. May be NULL. */
    void (*launched)(void *state, unsigned warp, uint64_t age, uint64_t cycle);
    void (*ended)(void *state, unsigned warp, uint64_t cycle);
};

#endif
