/* A streaming multiprocessor: fetch, instruction buffers, scoreboard, issue, operand collection, pipelines, load/store
 * unit, barriers. It meets the rest of the machine only through packets in the two networks and through the block
 * dispatcher's calls. Stages run back to front in a cycle; the order and the rules follow GPGPU-Sim 3.2.2 (issue at
 * most one instruction per scheduler, functional execution at issue, global values when the memory system serves them).
 */
#ifndef LOCKSTEP_SM_SM_H
#define LOCKSTEP_SM_SM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "lockstep/scheduler.h"
#include "memory/agent.h"
#include "memory/cache.h"
#include "memory/packet.h"
#include "memory/partition.h"
#include "memory/store.h"
#include "network/network.h"
#include "sim/cycle.h"
#include "simt/warp.h"
#include "fetch/policy.h"
#include "sm/lines.h"
#include "sm/strays.h"
#include "sm/unsynced.h"
#include "core/sm_params.h"
#include "core/stalls.h"
#include "lsu/lsu.h"
#include "core/sched/control.h"
#include "watch/spin/spin.h"
#include "warp/waits.h"
#include "stats/stat.h"
#include "watch/progress.h"
#include "watch/phases.h"
#include "watch/watch.h"
#include "warp/account.h"

struct sm_stats {
#include "stats/stat_fields.h"
#include "sm/sm_stats.def"
#include "stats/stat_end.h"
};
extern const struct stat_group sm_stat_group;

extern const struct stat_group sm_stall_group;
/* The parts that an SM is built from. Pointers must outlive it. */
struct sm_setup {
    unsigned index, sm_count;
    const struct sm_params *params;
    const struct cache_params *l1i, *l1c, *l1d;
    const struct coherence_protocol *protocol; /* of the L1D; NULL: the one that machines have by default */
    const struct coherence_params *coherence;  /* may be NULL where the protocol keeps nothing written in L1s */
    const struct partition_params *partition;
    const struct fetch_policy *fetch;
    struct sm *const *neighbours; /* with sm.l1i_sharers: the SMs of its instruction cache, from the first one on, which
                                     is made first; else NULL */
    const struct lockstep_scheduler *scheduler;
    const uint64_t *scheduler_options;         /* their values; may be NULL where it has none */
    void *scheduler_user;                      /* lockstep_scheduler_setup.user */
    const struct spin_params *spin;            /* NULL: as if spin.measure were off */
    const struct sched_control *spin_control;  /* over the scheduler, or NULL */
    struct network *requests, *replies;        /* this SM is input `index` of requests, output `index` of replies */
    struct network *probes, *acknowledgements; /* output and input likewise; NULL: the protocol does not probe */
    struct network *cluster_requests, *cluster_replies; /* this SM is input and output `index` of both; NULL: none */
    struct packet_list *casts;      /* of this SM (partition_open_casts); NULL: slices answer one SM */
    bool early;                     /* partition_opposes_early */
    const struct store *store;      /* asked who owns which addresses; with sm.values_at_issue, also loads and stores
                                       take effect in it when they issue */
    uint64_t code_base, local_base; /* device addresses at which instructions and local memory appear to the caches */
};

/* A launch as the SM needs it, prepared once per launch (sm_prepare). */
struct sm_kernel {
    const struct simt_grid *grid;
    struct decoded_instr *decoded; /* per instruction of the module: banks, latency */
    unsigned scoreboard_words;
    bool one_in_flight; /* of a warp: each instruction writes one more number in the scoreboard, the last there is. By
                           the machine, or under every divergence model that forms warps, also where this kernel's
                           threads stay */
    uint64_t *command; /* with sm.bulk_issue, what a command for the asynchronous unit writes in the scoreboard: a number that
                          no register has, by which others of its warp wait for it; NULL: they do not */
    uint32_t longest;   /* latency of an instruction of the module, cycles */
    unsigned warps_per_block, threads_per_block;
    uint32_t shared_bytes;                                    /* static and dynamic */
    uint32_t registers;                                       /* per thread, rounded */
    unsigned max_blocks;                                      /* that fit on an SM at once */
    bool (*read_only)(const void *context, uint64_t address); /* constant memory: stores fault */
    const void *context;
    const struct sm_bounds *bounds; /* where the grid is bounded, else NULL */
    const struct watch_launch *watched; /* its observers, or NULL */
    bool log_phases;                    /* for sm_phase_rows */
    bool comes_early;                   /* launches that it comes after have not ended: written between windows */
    bool cluster_barrier;               /* its code knows barriers of clusters */
    bool mbarriers;                     /* and mbarriers: who arrives at them is noted */
    bool pools;                         /* its warps give registers back and ask for them (setmaxnreg) */
    const struct coherence_protocol *protocol; /* which releases wait, and for what (lsu/fence.c) */
};

/* A fault with where it happened. */
struct sm_fault {
    struct simt_fault fault;
    uint32_t block[3];
    uint32_t warp; /* in the block */
    uint64_t cycle;
    const struct simt_warp *executing; /* where the thread is, and its lane there */
    unsigned lane;
    bool by_scheduler; /* not the program's: this scheduler of this SM picked warp slot `picked`, which was not ready;
                          only these and the cycle are set */
    unsigned sm, scheduler, picked;
};

struct sm;

struct sm *sm_create(const struct sm_setup *setup, struct arena *arena);
void sm_destroy(struct sm *sm);
/* Fills kernel->decoded and scoreboard_words for the grid's code; memory belongs to arena. */
/* What a class of operations takes, on a machine: the kind of units (enum isa_unit), and cycles. */
struct sm_class_times {
    uint8_t unit;
    uint32_t latency, interval;
};
struct sm_class_times sm_class_times(const struct sm_params *params, enum isa_latency latency);
void sm_prepare(struct sm_kernel *kernel, const struct sm_params *params, struct arena *arena);
/* The bytes of an SM's shared memory that a block takes that has so many of its own. */
static inline uint32_t sm_shared_taken(const struct sm_params *params, uint32_t own)
{
    return own + params->shared_reserved;
}
/* Blocks of this shape that fit at once, and what binds. */
unsigned sm_occupancy(const struct sm_params *params, unsigned threads, uint32_t shared_bytes, uint32_t registers,
                      const char **limiter);
/* The bytes that the L1D may take in a launch of the kernel (sm.l1_array_bytes), or 0: all that it has. */
uint64_t sm_l1_bytes(const struct sm_params *params, const struct sm_kernel *kernel);
/* Starts a launch: the SM must be empty. */
void sm_begin(struct sm *sm, const struct sm_kernel *kernel, uint64_t cycle);
/* The launch has ended, however it did, and is settled: observers are told that the warps which are left go. */
void sm_end(struct sm *sm);
bool sm_can_launch(const struct sm *sm);
/* True: a block may end, and make place, in the next cycle: not while each has a warp that goes on. */
bool sm_block_may_end(const struct sm *sm);
/* Takes a block; index in the grid; peers: the SMs of its cluster's blocks, by rank; NULL: it has none. */
void sm_launch(struct sm *sm, const uint32_t index[3], const uint16_t *peers, uint64_t cycle);
/* Places for blocks that no block has. */
unsigned sm_free_places(const struct sm *sm);
/* The state of an SM after a call, as far as the rest of the machine has to know. */
enum sm_state {
    SM_STATE_IDLE = 1,       /* no warps, no packets out, no probes inside */
    SM_STATE_FAULTED = 2,    /* see sm_faulted */
    SM_STATE_SENDING = 4,    /* requests, or answers to probes, wait for the network: see sm_can_send */
    SM_STATE_HOLDING = 8,    /* holds packets from the network that have not been passed on */
    SM_STATE_ARRIVALS = 16,  /* a step has something to do with what was taken: a packet goes through two buffers, a
                                cycle each */
    SM_STATE_NEIGHBOUR = 256 /* times a set of SMs that share the instruction cache, by number: a line has come for
                                them, and they are to be stepped */
};
struct sm_turn {
    uint64_t next; /* the next cycle at which a step changes anything by itself, or CYCLE_NEVER: an arriving packet or a
                      new block may come earlier */
    uint32_t state; /* IDLE, FAULTED, SENDING */
};
/* Takes what the reply network has for this SM (at most one packet a cycle). Called before the networks tick, in every
 * cycle in which the network has something or the call before answered HOLDING:
 * packets are left to be passed on. Answers with IDLE, HOLDING, ARRIVALS, NEIGHBOUR. */
uint32_t sm_eject(struct sm *sm, uint64_t now);
/* Takes a probe, which the network of probes has for this SM, if there is room. The SM is to be stepped in this cycle.
 */
void sm_take_probe(struct sm *sm);
/* Takes what the networks from SM to SM have brought for this SM, as far as it passes it. The SM is to be stepped in this
 * cycle. */
void sm_take_message(struct sm *sm, uint64_t now);
/* One core cycle. Cycles between this and the last one that was stepped are accounted as waiting for the same reason.
 */
struct sm_turn sm_step(struct sm *sm, uint64_t cycle);
/* True: a request, or an answer to a probe, that waits for the network could leave now: then the SM must be stepped,
 * whatever the last step said. */
bool sm_can_send(const struct sm *sm);
/* Accounts waiting up to and including `cycle` - 1, at the end of a launch. */
void sm_settle(struct sm *sm, uint64_t cycle);
/* No warps, no packets out, no probes inside. */
bool sm_idle(const struct sm *sm);
/* True: nothing lies in the SM that memory has sent and it has not taken, and it has nothing to send that could leave
 * now. */
bool sm_memory_rests(const struct sm *sm);
const struct sm_fault *sm_faulted(const struct sm *sm); /* NULL when all is well */
/* Unsynced instructions of this launch so far. */
const struct sm_unsynced_list *sm_unsynced_of(const struct sm *sm);
/* Stray accesses of this launch so far. */
const struct sm_stray_list *sm_strays_of(const struct sm *sm);
/* The lines that atomic accesses of this launch have touched so far; none unless sm.counts_lines. */
const struct sm_lines *sm_lines_of(const struct sm *sm);
/* Empties the L1 caches; that of instructions only with `code`. */
void sm_flush(struct sm *sm, bool code);
/* Between launches: these bytes lie in the constant cache, with the values that sm_refresh gives them. */
void sm_bring_constants(struct sm *sm, uint64_t address, uint32_t bytes);
/* Gives the lines that stayed in the L1 caches since the last kernel the values that memory holds now; see
 * cache_refresh. */
void sm_refresh(struct sm *sm, bool (*read)(void *context, uint64_t address, uint8_t *to, uint32_t bytes),
                void *context);

/* Puts the bytes written in lines that stay in the L1D between kernels into the memory that the host sees. */
void sm_publish(struct sm *sm, void (*put)(void *context, uint64_t address, const uint8_t *data, uint32_t bytes),
                void *context);

/* For the progress watch and its diagnosis. */
/* agent_peek of the SM's L1D. */
void sm_peek(const struct sm *sm, uint64_t address, uint8_t *to, uint32_t bytes);
struct sm_warp_state {
    bool resident, finished;
    uint32_t waits;    /* set of enum warp_wait */
    bool in_flight;    /* instructions of it are under way */
    bool needs_access; /* and its next instruction needs the registers that one of them writes */
    uint32_t block[3], index;
    uint32_t pc;
    uint64_t mask, live;
    const struct simt_warp *warp;
    uint64_t last_sync_address; /* of the last atomic, volatile or bypassing load, lane by lane lowest */
    uint32_t last_sync_pc;
    bool last_sync_shared;            /* the address is one of the block's shared memory */
    bool last_sync_cluster;           /* or one of that of a block of its cluster */
    uint64_t shared_base;             /* sm_find_holder knows addresses of the block's shared memory behind this one */
    uint64_t written;                 /* hash of what it wrote since the last progress; see writers.h */
    uint64_t issued, sync_ops, takes; /* since sm_watch_reset; takes: of locks in global memory */
    unsigned barrier;                 /* that it waits at; SM_GRID_BARRIER, SM_CLUSTER_BARRIER: the grid's, the cluster's */
    uint32_t barrier_threads;         /* that it waits for; 0: those of its block */
    const struct sm_pool *pool;       /* its block's registers, where its launch moves them, or NULL */
    uint16_t missing;                 /* waiting for its cluster: blocks of that, by rank, that have not come */
    unsigned cause;                   /* enum warp_cause: where its cycles go now */
};
void sm_warp_state(const struct sm *sm, unsigned slot, struct sm_warp_state *state);
/* Bytes that copies in bulk of this SM's warps are still to bring for the mbarrier at that offset of a block. */
uint64_t sm_bytes_for(const struct sm *sm, const struct simt_block *block, uint32_t mbarrier);
/* Slots with resident warps. */
uint64_t sm_residents(const struct sm *sm);
/* Begins to count anew what warps do. progress: and to note what they write. */
void sm_watch_reset(struct sm *sm, bool progress);
/* Grows with each write that changes a location, as far as that was noted since the last progress, and with each phase of
 * an mbarrier that ends: warps that wait for one go on by that alone. */
uint64_t sm_changes(const struct sm *sm);
/* The barrier of the grid, of which an SM knows its own blocks. */
struct sm_grid_barrier {
    uint32_t blocks; /* that have come to it */
    bool open;       /* in the next step they go on */
    uint64_t last;   /* cycle in which the last of them came */
};
const struct sm_grid_barrier *sm_grid_barrier(const struct sm *sm);
/* It opens in the next step, which the SM must be woken for. */
void sm_open_grid(struct sm *sm);
uint64_t sm_threads_ended(const struct sm *sm); /* since creation */
/* The cycle behind the one in which the last block of this launch retired, or 0: none has. */
uint64_t sm_retired_at(const struct sm *sm);
/* Blocks of this launch that let dependent launches begin (griddepcontrol.launch_dependents), or have ended. */
uint64_t sm_blocks_let(const struct sm *sm);
/* In a cycle in which the SM has not been stepped: the launches that its kernel comes after have ended, and what they wrote is
 * seen. Warps that wait for that go on; the SM is to be stepped. */
void sm_end_primary(struct sm *sm, uint64_t cycle);
/* Warp instructions issued, and blocks that have ended, in this launch so far: as sm_stats_of has them. */
uint64_t sm_issued(const struct sm *sm);
uint64_t sm_blocks_ended(const struct sm *sm);
uint64_t sm_threads_issued(const struct sm *sm); /* instructions of all lanes */
/* Grows when a program does what one that only waits does not: once after each sm_watch_reset a store or an atomic
 * gives a location a value that is new there. */
uint64_t sm_work_done(const struct sm *sm);
/* Finds who last took a lock by compare-and-swap on this SM. Returns false if the SM does not remember. */
bool sm_find_holder(const struct sm *sm, uint64_t address, struct watch_holder *holder);
/* Tells if warps of this SM wrote to `bytes` bytes at an address, which hold `value` now, since sm_watch_reset with
 * progress, provided that there was no work since. *slot: who wrote that value. */
enum sm_wrote {
    SM_WROTE_NOTHING,
    SM_WROTE_PERHAPS, /* or something else that is noted at the same place */
    SM_WROTE_VALUE,
};
enum sm_wrote sm_find_writer(const struct sm *sm, uint64_t address, unsigned bytes, uint64_t value, unsigned *slot);

/* units_check.c: recomputes what the SM's caches and warps keep (base/check.h). */
struct check;
void sm_check_units(struct sm *sm, struct check *c);
/* sm_check.c: recomputes what the SM's stages keep, but for the load/store unit. */
void sm_check(struct sm *sm, struct check *c);

/* archive.c: describes everything but the parameters for a checkpoint. When loading, the SM has begun the same launch
 * (sm_begin) and was not used before. */
struct archive;
void sm_archive(struct sm *sm, struct archive *ar, const struct packet_source *source);
/* A packet of this SM that is loaded, wherever it is met: it counts among the SM's packets already. */
struct packet *sm_archive_packet(struct sm *sm, unsigned kind);

/* All zero when no spin detector runs. */
const struct spin_stats *sm_spin_stats(const struct sm *sm);
/* Up to date with the last step. */
const struct sm_stats *sm_stats_of(struct sm *sm);
const struct core_stalls *sm_stalls_of(struct sm *sm);
const struct warp_causes *sm_causes_of(struct sm *sm);
/* As sm_causes_of, up to `cycle`, before which the SM need not be stepped. */
struct warp_causes sm_causes_at(const struct sm *sm, uint64_t cycle);
const struct watch_phase_stats *sm_phase_stats_of(const struct sm *sm);
/* Those of this launch, by the end of their phases; none unless sm_kernel.log_phases. */
const struct watch_phase_row *sm_phase_rows(const struct sm *sm, size_t *count);
/* All zero where the L1D keeps nothing that it has written. */
const struct agent_stats *sm_agent_stats(const struct sm *sm);
/* Likewise. */
const struct lsu_latency_stats *sm_latencies(const struct sm *sm);
struct coherence_side;
/* The L1D's side of the protocol, for what it has counted (coherence_collect). */
const struct coherence_side *sm_coherence(const struct sm *sm);
const struct cache_stats *sm_l1_stats(const struct sm *sm, unsigned which); /* 0 L1I, 1 L1C, 2 L1D */
void sm_stats_reset(struct sm *sm);

#endif
