/* The state of an SM, shared by the files of room sm and by nobody else. Warps are numbered by slot and kept as 64-bit
 * sets; an instruction between issue and completion is a `struct core_op` in a pool. What follows from something else
 * is stated in sm_check.c. */
#ifndef LOCKSTEP_SM_SM_IMPL_H
#define LOCKSTEP_SM_SM_IMPL_H

#include "base/bits.h"
#include "base/check.h"
#include "base/hot.h"
#include "base/vec.h"
#include "sm/barrier.h"
#include "core/core.h"
#include "fetch/fetch.h"
#include "sm/form.h"
#include "lsu/lsu.h"
#include "sm/sm.h"
#include "sm/spin/spin.h"
#include "warp/table.h"
#include "watch/consumers.h"

struct sm_block {
    bool used;
    struct simt_block simt;
    uint64_t warps;      /* slots */
    uint64_t incomplete; /* slots not yet retired */
    uint64_t at_grid;    /* warps, by their index, that wait for other blocks: all that have not ended */
    struct sm_barriers barriers;
};

/* Bytes between what SMs have one after the other: they are all alike, and without it what they look at in every step
 * would lie in the same few sets of the host's caches. */
#define SM_STAGGER ((size_t)17 * 64)

/* The memory that warps and blocks keep their state in: see storage.c. */
struct sm_storage {
    struct arena *device; /* what all SMs are made of; used between launches only */
    uint8_t *memory;
    size_t bytes;
};

/* SMs may be stepped by different threads: none shares a cache line with another. What every step looks at comes first,
 * and what is looked at together lies in the same cache lines: the sets and, behind them, the causes that most warps
 * stand at; fetch's buffer and sets; stages' counts. */
struct sm {
    _Alignas(128) struct agenda agenda;
    const struct sm_params *params;
    const struct sm_kernel *kernel;
    bool has_fault;
    bool looks_at_issue; /* something is to be done behind each instruction: warps are formed, or spinning is watched */
    struct core *core, *core_end; /* its cores; behind the last */
    uint64_t blocks_changed;      /* in this cycle: block slots of which a warp came to a barrier, went on or ended */
    struct spin *spin;            /* NULL: nobody looks at spinning warps */
    struct watch watch;           /* observers: see tell.h */
    uint64_t out;                 /* see form.h: warps that have issued since they were last in the pool */
    struct sm_grid_barrier grid;
    struct warp_table warp;

    _Alignas(CACHE_LINE) struct fetch fetch;

    struct core_ops ops;
    struct core_line line;
    struct lsu lsu;

    struct core_stalls stalls; /* of all cores: see sm_stalls_of */
    struct warp_causes causes; /* for whoever asked for them */
    struct sm_setup setup;
    /* Cycles of warps are counted when what they count for changes: from this one on they are not yet. */
    uint64_t counted;
    _Alignas(CACHE_LINE) struct sm_stats stats;
    struct core_views views;
    VEC(struct core_barrier_event) barrier_events; /* of this cycle, if the policy wants to know */
    struct sm_block blocks[WARP_SLOTS];
    struct simt_barrier barrier_of[WARP_SLOTS]; /* by warp slot: the one it waits at */
    uint64_t barrier_since[WARP_SLOTS];         /* the cycle in which it came there */
    uint64_t issued_before[WARP_SLOTS];         /* what views had counted as issued at sm_watch_reset, modulo 2^64 */
    uint64_t free_blocks;
    unsigned free_threads;
    uint32_t free_shared, free_registers;
    uint64_t next_age, next_block; /* warps and blocks are numbered as they come */

    uint64_t threads_ended;
    uint64_t told_waits[WARP_WAIT_COUNT]; /* sets of warps that wait, as observers were told last */
    struct watch_consumers consumers;
    struct sm_form form;
    struct sm_fault fault;
    struct sm_unsynced_list unsynced;
    struct sm_storage storage;
    struct arena arena; /* this SM's own */
};

/* storage.c */
/* Gives every warp and block slot that this launch can use its place. */
void sm_storage_begin(struct sm *sm);

/* Over all cores of an SM, of which it has one at least: most have one. */
#define EACH_CORE(sm, name) for (struct core *name = sm_first_core(sm); name != (sm)->core_end; name++)
static inline struct core *sm_first_core(const struct sm *sm)
{
    if (sm->core == sm->core_end)
        __builtin_unreachable();
    return sm->core;
}

/* The core that has a warp slot. */
static inline struct core *sm_core(const struct sm *sm, unsigned slot)
{
    return sm->core + 1 == sm->core_end ? sm->core : sm->core + core_of_slot(sm->params, slot);
}
/* Warps that spin control holds back. */
static inline uint64_t sm_backed_off(const struct sm *sm)
{
    uint64_t warps = 0;
    EACH_CORE (sm, core)
        warps |= core->issue.backed_off;
    return warps;
}

/* True: ops with their operands wait for a unit of side RESULT; for the load/store unit. */
static inline bool sm_results_wait(const struct sm *sm)
{
    bool wait = false;
    EACH_CORE (sm, core)
        wait |= core_results_wait(core);
    return wait;
}

/* What the agenda says of the stages in which an op, an instruction or a packet waits, or is on its way. */
static inline uint32_t sm_due_of_stages(const struct sm *sm)
{
    return (sm_results_wait(sm) ? DUE_UNITS : 0) | (sm->fetch.slot != CORE_NONE ? DUE_DECODE : 0) |
           lsu_due_of_queues(&sm->lsu);
}

/* Every stage is to look for work. */
static inline void sm_all_due(struct sm *sm)
{
    lsu_note_ready(&sm->lsu);
    agenda_put(&sm->agenda, UINT32_MAX,
               DUE_PORT | DUE_COLLECT | DUE_FETCH | DUE_DISPATCH | DUE_REFUSED | sm_due_of_stages(sm));
}

/* The instruction has what it acquires: the L1D is ordered so, if it is to be. */
void sm_acquire(struct sm *sm, const struct isa_instr *instr);
/* complete.c: the turn of the warp's paths may have changed, not by an instruction that it issued: what it needs next
 * is another instruction than its buffer was looked at for. */
void sm_turn_changed(struct sm *sm, unsigned slot);
/* Where the values of the registers come from that an op with an access writes. A warp whose atomic is under way waits
 * for that alone. */
static inline enum warp_source sm_source_of(const struct core_op *o)
{
    const struct simt_access *access = o->access;
    bool far = access->space == ISA_SPACE_GLOBAL || access->space == ISA_SPACE_LOCAL ||
               access->instr->mods.space == ISA_SPACE_PARAM;
    if (!o->in_memory || access->kind == ISA_FLAG_STORE || (far && access->kind != ISA_FLAG_LOAD))
        return WARP_FROM_OP;
    return far ? WARP_FROM_MEMORY : WARP_FROM_CHIP;
}
/* archive.c: every set of warp slots that a stage keeps beside the warp table, once. A launch clears them. */
void sm_each_set(struct sm *sm, void (*visit)(uint64_t *set, void *context), void *context);
/* sm.c: the policy and the spin control are told of a warp that is launched. */
void sm_warp_begins(struct sm *sm, unsigned slot, uint64_t cycle, bool again);
/* sm.c: counts the cycles before `cycle` for the warps that are resident and at barriers: before either changes. */
void sm_count_warps(struct sm *sm, uint64_t cycle);

/* barriers.c */
/* The grid's barrier opens for the blocks that wait at it. */
void sm_pass_grid(struct sm *sm);
/* A warp has issued a barrier instruction. */
void sm_reach_barrier(struct sm *sm, unsigned slot, const struct simt_result *r);
/* A warp's last lanes have ended: barriers that only waited for it open. */
void sm_finish_warp(struct sm *sm, unsigned slot);
/* The cycle in which the first of these warp slots, which wait at barriers, came there; 0 for none. */
uint64_t sm_first_arrival(const struct sm *sm, uint64_t slots);
/* At the end of a cycle in which blocks changed: the schedulers see and are told what happened. */
void sm_show_blocks(struct sm *sm);

/* issue.c: waits that end by the clock, and then every core's schedulers. */
void sm_issue(struct sm *sm);
/* Warps that issue could issue, or flush, in the next cycle. */
static inline uint64_t sm_can_go_on(const struct sm *sm)
{
    uint64_t free = 0;
    EACH_CORE (sm, core)
        free |= core_units_free(core);
    return warp_wide_awake(&sm->warp) & (sm->warp.mispredicted | free);
}
/* perform.c: what the SM is to its cores. fetch_fills: fetch fills up buffers that are not empty. */
const struct core_port *sm_core_port(bool fetch_fills);
COLD void sm_record_fault(struct sm *sm, unsigned slot, const struct simt_fault *fault);

/* complete.c */
/* Completes what a core's units of side RESULT have computed for this cycle. */
void sm_writeback(struct sm *sm, struct core *core);
/* A warp's op or store was completed: ends its fence, lets it retire or call the device's functions, if that was the
 * last. */
void sm_check_retire(struct sm *sm, unsigned slot);
/* complete.c: what the SM is to its load/store unit. spins: spin control is told of accesses. */
const struct lsu_port *sm_lsu_port(bool spins);

#endif
