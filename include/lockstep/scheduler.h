/* The interface of a warp scheduler: which of the warps that could issue this cycle does. A policy is one file that
 * fills in one `struct lockstep_scheduler`; it sees its warps as 64-bit masks and read-only facts, keeps its state in
 * memory that Lockstep gives it (no pointers: checkpoints save it as it is), allocates nothing and prints nothing.
 *
 * An SM has several schedulers; each owns the warps of its mask, and the warps of a block are spread over all of them.
 * Every cycle in which at least one of its warps is ready, pick() is asked; then issued() tells it what was issued.
 * Cycles in which none is ready may pass unseen. fetch() lets a policy say for whom instructions are fetched, too.
 *
 * A policy of your own is a shared object with one function, lockstep_scheduler_plugin; `lockstep run --sched ./it.so`
 * loads it. examples/scheduler/ is one, docs/schedulers.md says the rest. */
#ifndef LOCKSTEP_SCHEDULER_H
#define LOCKSTEP_SCHEDULER_H

#include <stddef.h>
#include <stdint.h>

#include <lockstep/instruction.h>

/* Of everything in this file. Changes whenever a policy that was built for the version before would not work.
 * 3: blocks and barriers in the view, arrived() and released(), launched() is told the block, options that begin with a
 * parameter's value in place of setup->age_rotation. 4: hardware_bits(). 5: fetch(), entries().
 * 6: instruction(), memory. */
#define LOCKSTEP_SCHEDULER_VERSION 6

/* pick() returns this for "nobody in this cycle". */
#define LOCKSTEP_NO_WARP 64u

#define LOCKSTEP_SCHEDULER_STATE 65536 /* bytes of state that a policy can have */
#define LOCKSTEP_SCHEDULER_OPTIONS 8   /* options that it can have */

/* A scheduler's view of a warp slot. An instruction's pc is its number in the module; a function's instructions
 * follow each other. */
struct lockstep_warp_view {
    uint64_t age;       /* launch order on this SM: smaller is older; unique among resident warps */
    uint64_t issued;    /* instructions since its launch */
    uint64_t completed; /* of them, those whose results are written and whose memory accesses are done */
    uint32_t block;     /* thread block slot of the SM */
    uint32_t pc;        /* of the next instruction; 0 when there is none */
    uint32_t issued_pc; /* of the last one that was issued; of the first one before that */
};

/* A thread block slot as it was at the end of the last cycle. All schedulers of the SM see the same view, in whatever
 * order they look. */
struct lockstep_block_view {
    uint64_t number;        /* launch order on this SM in this kernel: smaller is older */
    uint64_t warps;         /* the slots of its warps, those that have ended too */
    uint64_t first_arrival; /* cycle in which the first of the `arrived` came; 0 where there is none */
    uint32_t live;          /* warps that have not ended; 0 where no block is in the slot */
    uint32_t arrived;       /* of them, those that wait at a barrier */
    uint32_t ended;         /* warps that have ended */
};

/* The kind of an instruction. */
struct lockstep_instruction_view {
    uint32_t instruction_class; /* enum lockstep_class */
    uint32_t space;             /* enum lockstep_space, of a load, store or atomic: as the instruction says */
};

/* A warp's record with the L1 data cache of its SM, since its launch. Loads that go past the cache do not count. */
#define LOCKSTEP_LOST_LINES 16 /* lines that are remembered of each warp */
struct lockstep_memory_view {
    uint64_t misses;    /* transactions for which it has requested a line; not those that joined a request */
    uint64_t lost;      /* lines that it had requested, and that were given up for others */
    uint64_t lost_hits; /* misses on one of the last LOCKSTEP_LOST_LINES lines that it lost so: with more of the cache for
                           itself they would have hit (victim tags; "lost locality" of CCWS) */
    uint32_t mshrs;     /* of the cache, that its requests hold now */
};

struct lockstep_scheduler_view {
    uint64_t cycle;
    uint64_t ready;      /* warps that can issue now; pick one of these */
    uint64_t members;    /* warps this scheduler owns that are resident and not finished */
    uint64_t waiting;    /* members at a barrier or a fence, with an atomic outstanding, asleep, or held
                            back for some time by spin control */
    uint64_t at_barrier; /* of `waiting`, those at a barrier */
    uint64_t long_wait;  /* members whose next instruction reads a register that a load from global,
                            local or parameter memory has still to write; only if the policy needs it */
    const struct lockstep_memory_view *memory; /* by warp slot, 64 of them; NULL unless the policy needs it */
    const struct lockstep_warp_view *warps;   /* by warp slot, 64 of them */
    const struct lockstep_block_view *blocks; /* by block slot, 64 of them */
    /* Where a warp's threads stand when they have diverged: the smallest pc behind `pc` that is the next instruction of
     * some of them, or the smallest of all when none is behind it. Where they go on together, that is warps[warp].pc.
     */
    uint32_t (*next_pc)(const struct lockstep_scheduler_view *view, unsigned warp, uint32_t pc);
    /* Instructions in a warp's buffer. */
    unsigned (*entries)(const struct lockstep_scheduler_view *view, unsigned warp);
    /* The instruction at a pc. That of warps[warp].pc is the one that the warp issues next. */
    struct lockstep_instruction_view (*instruction)(const struct lockstep_scheduler_view *view, uint32_t pc);
    const void *context; /* theirs */
};

struct lockstep_scheduler_setup {
    unsigned index, count;   /* this scheduler and how many the SM has */
    uint64_t slots;          /* all warp slots it owns */
    uint64_t cycle;          /* in which the kernel begins on the SM */
    uint32_t instructions;   /* static instructions of the kernel */
    const uint64_t *options; /* the values of the policy's options, in their order */
    void *user;              /* of a policy that a program gives (lockstep/device.h): what it gave with it; else NULL */
};

/* An option: `--sched NAME:OPTION=VALUE:OPTION=VALUE`. */
struct lockstep_scheduler_option {
    const char *name, *doc;
    const char *const *choices; /* NULL-terminated; the value is the index of one. NULL: the value is a number */
    uint64_t initial, minimum, maximum;
    const char *parameter; /* NULL, or a parameter of group sm, a number, whose value it has where the name says none */
};

/* A warp that begins. */
struct lockstep_launch {
    unsigned warp, block;  /* slots */
    uint64_t age;          /* of the warp */
    uint64_t block_number; /* lockstep_block_view.number */
    uint64_t cycle;
};

/* Facts that cost something and are only there for policies that need them. */
enum {
    LOCKSTEP_NEEDS_LONG_WAIT = 1,
    LOCKSTEP_NEEDS_MEMORY = 2, /* view->memory; not under a protocol whose L1s keep what they have written */
};

struct lockstep_scheduler {
    uint32_t version; /* LOCKSTEP_SCHEDULER_VERSION */
    uint32_t needs;   /* set of LOCKSTEP_NEEDS_* */
    const char *name, *doc;
    const struct lockstep_scheduler_option *options; /* ends with one without a name; NULL: none */
    size_t state_bytes;
    /* Called when a kernel begins. state is zeroed memory of state_bytes, aligned for any type. */
    void (*reset)(void *state, const struct lockstep_scheduler_setup *setup);
    /* Called once in a cycle before pick(), to change state that depends on time (ages that rotate) or on who waits;
     * may be called after any number of cycles without a pick. May be NULL. */
    void (*advance)(void *state, const struct lockstep_scheduler_view *view);
    /* Returns a member of view->ready, which is not empty, or LOCKSTEP_NO_WARP: then nothing is issued and the next
     * cycle asks again. Must depend on state and view alone, and change neither. May be asked several times in a cycle,
     * with other sets of ready warps: an order of preference is what it should stand for. */
    unsigned (*pick)(const void *state, const struct lockstep_scheduler_view *view);
    /* Warp issued one instruction at view->cycle; its view is that after the issue. Called again in the same cycle for
     * every further one, where sm.issue_width allows more. May be NULL. */
    void (*issued)(void *state, unsigned warp, const struct lockstep_scheduler_view *view);
    /* A warp was launched into a slot, or ended (before the call of issued() for its last instruction). Only who owns
     * it is told. May be NULL. */
    void (*launched)(void *state, const struct lockstep_launch *launch);
    void (*ended)(void *state, unsigned warp, uint64_t cycle);
    /* A warp of a block came to a barrier at which it waits; a barrier opened, and these warps of the block wait no
     * more (among them the one that came last). Every scheduler of the SM is told, whoever owns the warps, at the end
     * of the cycle, in the order in which it happened. May be NULL. */
    void (*arrived)(void *state, unsigned warp, unsigned block, uint64_t cycle);
    void (*released)(void *state, uint64_t warps, unsigned block, uint64_t cycle);
    /* Storage in bits that the policy takes of an SM with so many warp slots, block slots and schedulers, beyond what a
     * scheduler has anyway: statistic sm.scheduler_bits. May be NULL: nothing is said of it. */
    uint64_t (*hardware_bits)(unsigned warps, unsigned blocks, unsigned schedulers, const uint64_t *options);
    /* For which of `warps`, members whose instruction buffer is to be filled and at least one, fetch is to go to the
     * instruction cache; or LOCKSTEP_NO_WARP: the next scheduler is asked. Asked where the fetch policy is one that
     * follows the schedulers (--fetch cff). Must depend on its arguments alone, and change nothing. May be NULL: the one
     * that pick() would name if all of those that wait for no event were ready. */
    unsigned (*fetch)(const void *state, const struct lockstep_scheduler_view *view, uint64_t warps);
};

/* A shared object defines this. The structure must live as long as the object is loaded: a constant. */
const struct lockstep_scheduler *lockstep_scheduler_plugin(void);

#endif
