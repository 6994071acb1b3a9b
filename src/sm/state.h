/* An SM: its rooms, its blocks, and what it keeps itself. Shared by the files of room sm. Warps are numbered by slot
 * and kept as 64-bit sets; an instruction between issue and completion is a `struct core_op` in a pool. What follows
 * from something else is stated in sm_check.c. */
#ifndef LOCKSTEP_SM_STATE_H
#define LOCKSTEP_SM_STATE_H

#include "async/async.h"
#include "base/bits.h"
#include "base/check.h"
#include "base/hot.h"
#include "base/vec.h"
#include "core/core.h"
#include "fetch/fetch.h"
#include "lsu/lsu.h"
#include "sm/barrier.h"
#include "sm/cluster.h"
#include "sm/clusters.h"
#include "sm/complete.h"
#include "sm/form.h"
#include "sm/pool.h"
#include "sm/products.h"
#include "sm/sm.h"
#include "sm/spinning.h"
#include "simt/lanes.h"
#include "warp/table.h"
#include "watch/consumers.h"

struct sm_block {
    bool used;
    bool lets; /* it lets dependent launches begin (griddepcontrol.launch_dependents) */
    struct simt_block simt;
    uint64_t warps;      /* slots */
    uint64_t incomplete; /* slots not yet retired */
    uint64_t at_grid;    /* warps, by their index, that wait for other blocks: all that have not ended */
    struct sm_barriers barriers;
    struct sm_pool *pool;                    /* its registers; NULL: the launch moves none */
    struct sm_cluster cluster;               /* where the launch has barriers of clusters */
    uint64_t cluster_number;                 /* in the grid */
    uint16_t peers[LANE_CLUSTER_BLOCKS];     /* the SMs of the cluster's blocks, by rank */
};

struct sm_cycles {
    uint64_t warp_cycles, busy_cycles, barrier_cycles; /* up to sm->counted */
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
    _Alignas(128) struct sm_completion completion; /* at the SM's own address, which every step has in a register */
    struct agenda agenda;
    const struct sm_params *params;
    const struct sm_kernel *kernel;
    bool has_fault;
    bool looks_at_issue;     /* something is to be done behind each instruction: observers hear it, warps are formed,
                                spinning is watched, stays are kept, an adversary has loads answered early */
    bool looks_at_rest;      /* likewise, but for stays and splits: instructions of whole warps matter, too */
    struct core *core_end;   /* behind the last of `cores` */
    uint64_t blocks_changed; /* in this cycle: block slots of which a warp came to a barrier, went on or ended */
    struct sm_spinning spinning;
    struct watch watch; /* observers: see tell.h */
    uint64_t out;       /* see form.h: warps that have issued since they were last in the pool */
    struct sm_grid_barrier grid;
    uint64_t barrier_free; /* the cycle in which it has taken up all warps that came to barriers (sm.barrier_interval) */
    struct warp_table warp;

    _Alignas(CACHE_LINE) struct fetch fetch;

    struct core_ops ops;
    struct core_line line;
    struct lsu lsu;
    struct async async;

    struct core_stalls stalls; /* of all cores: see sm_stalls_of */
    struct warp_causes causes; /* for whoever asked for them */
    struct sm_setup setup;
    /* Cycles of warps are counted when what they count for changes: from this one on they are not yet. */
    uint64_t counted;
    _Alignas(CACHE_LINE) struct sm_stats performed; /* what instructions have counted: other stages count the rest */
    struct sm_cycles cycles;
    uint64_t blocks_retired;
    uint64_t let;        /* blocks that let dependent launches begin, or have ended */
    uint64_t retired_at; /* the cycle behind the one in which the last block retired */
    uint64_t barrier_count; /* barrier instructions */
    struct sm_stats stats;  /* of all stages: see sm_stats_of */
    struct core_views views;
    VEC(struct core_barrier_event) barrier_events; /* of this cycle, if the policy wants to know */
    struct sm_block blocks[WARP_SLOTS];
    struct simt_barrier barrier_of[WARP_SLOTS]; /* by warp slot: the one it waits at */
    uint64_t barrier_since[WARP_SLOTS];         /* the cycle in which it came there */
    struct sm_products products[WARP_SLOTS];    /* likewise */
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
    struct sm_stray_list strays;
    struct sm_lines lines; /* under sm.counts_lines */
    struct sm_storage storage;
    struct arena arena; /* this SM's own */
    struct core cores[];
};

/* Over all cores of an SM, of which it has one at least: most have one. */
#define EACH_CORE(sm, name) for (struct core *name = sm_first_core(sm); name != (sm)->core_end; name++)
static inline struct core *sm_first_core(const struct sm *sm)
{
    if (sm->cores == sm->core_end)
        __builtin_unreachable();
    return (struct core *)sm->cores;
}

/* The core that has a warp slot. */
static inline struct core *sm_core(const struct sm *sm, unsigned slot)
{
    return core_having(sm_first_core(sm), sm->core_end, slot);
}
/* Warps that spin control holds back. */
static inline uint64_t sm_backed_off(const struct sm *sm)
{
    uint64_t warps = 0;
    EACH_CORE (sm, core)
        warps |= core->issue.backed_off;
    return warps;
}

/* storage.c: gives every warp and block slot that this launch can use its place. */
void sm_storage_begin(struct sm *sm);

#endif
