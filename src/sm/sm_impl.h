/* The state of an SM, shared by the files of room sm and by nobody else. Warps are numbered by slot and kept as 64-bit
 * sets; an instruction between issue and completion is a `struct sm_op` in a pool. What follows from something else is
 * stated in sm_check.c. */
#ifndef LOCKSTEP_SM_SM_IMPL_H
#define LOCKSTEP_SM_SM_IMPL_H

#include "base/bits.h"
#include "base/hot.h"
#include "base/vec.h"
#include "memory/l1.h"
#include "memory/packet_queue.h"
#include "sm/barrier.h"
#include "sm/fetch.h"
#include "sm/novel.h"
#include "sm/order.h"
#include "sm/sm.h"
#include "sm/spin/spin.h"
#include "sm/written.h"

#define SM_SLOTS 64
#define SM_MAX_COLLECTORS 32
#define SM_NONE UINT32_MAX
#define SM_HOLDERS 4096

enum sm_class { SM_SP, SM_SFU, SM_MEM, SM_CLASSES };

/* What of the past an instruction waits for before it issues, besides the values of its registers. */
enum sm_after {
    SM_AFTER_NOTHING,
    SM_AFTER_OWN,  /* its warp's instructions and stores: a call of printf, malloc or free, which touches memory at once
                    */
    SM_AFTER_FENCE /* what a fence would wait for: a store or atomic that releases at a scope wider than the block */
};

/* What is asked of an instruction on its way from issue to completion. */
struct sm_way {
    const uint64_t *writes; /* set of registers in the scoreboard that it writes; behind that set, those it reads */
    uint16_t latency, interval;
    uint8_t unit;        /* enum isa_unit */
    uint8_t write_count; /* registers in the scoreboard */
    uint8_t src_count;   /* in the register banks */
    bool src_apart;      /* no two of these share a bank */
};

/* What timing needs of a static instruction. It fills one cache line. */
struct sm_decoded {
    _Alignas(64) const uint64_t *uses; /* set of registers in the scoreboard: those it reads or writes */
    struct sm_way way;
    uint64_t src_set, dst_set; /* banks of its registers, for warp slot 0 */
    uint8_t dst_count;         /* in the register banks */
    uint8_t other_count;       /* source operands that are no registers */
    uint16_t back_branch;      /* number of a backward branch, from 1 (spin_number_branches) */
    uint8_t lane_op;           /* enum sm_lane_op, see work.h */
    bool scheduled;            /* all but control flow, barriers and fences */
    bool changes_frame;        /* call and return: register numbers mean others behind it */
    uint8_t after;             /* enum sm_after */
    uint8_t src_banks[12];
    uint32_t scheduled_before; /* of the module's instructions before this one, those that are `scheduled` */
};

/* A warp instruction in flight: in one cache line, all that its way through the pipelines asks for. */
struct sm_op {
    _Alignas(64) const struct sm_decoded *decoded;
    struct sm_way way; /* the decoded instruction's */
    uint64_t src_banks, dst_banks;
    struct simt_access *access;
    uint32_t next;    /* free list, wheel list */
    uint16_t pending; /* transactions not yet answered */
    uint8_t slot, class;
    bool in_memory;   /* has an access to serve */
    bool bypasses;    /* it goes past the L1D whatever that holds */
    uint8_t event;    /* enum l1_event */
    bool performed;   /* its values were taken or given at issue (sm.values_at_issue) */
    bool acquires;    /* at a scope wider than the block */
    bool blocks_warp; /* the warp waits until it is complete */
    uint8_t era;      /* of its block, in which it issued: see order.h */
};

/* One memory transaction of an op, in half a cache line. */
struct sm_transaction {
    uint64_t lanes;
    uint64_t address;
    uint32_t op;
    uint32_t bytes;
    uint32_t chunks; /* while it is made: set of the 32-byte parts that its lanes touch */
    uint32_t next;   /* free list; while it is made: others with the same hash */
};

/* Pipeline registers of one class: FIFOs of ops, in rings. */
#define SM_FIFO_ITEMS 16
struct sm_fifo {
    uint32_t *items; /* apart: every step asks for the counts of all FIFOs */
    uint8_t count, size;
    uint8_t head; /* place of the oldest */
};

static inline uint32_t *sm_fifo_item(struct sm_fifo *fifo, unsigned i)
{
    return &fifo->items[(fifo->head + i) % SM_FIFO_ITEMS];
}
static inline bool sm_fifo_full(const struct sm_fifo *fifo)
{
    return fifo->count == fifo->size;
}
static inline void sm_fifo_push(struct sm_fifo *fifo, uint32_t op)
{
    *sm_fifo_item(fifo, fifo->count++) = op;
}
/* Takes the oldest op of a FIFO that is not empty. */
static inline uint32_t sm_fifo_pop(struct sm_fifo *fifo)
{
    uint32_t op = fifo->items[fifo->head];
    fifo->head = (fifo->head + 1) % SM_FIFO_ITEMS;
    fifo->count--;
    return op;
}

/* What the operand collectors of one class hold. */
struct sm_collected {
    uint8_t line[SM_MAX_COLLECTORS];   /* a ring: see sm_collectors */
    uint8_t behind[SM_MAX_COLLECTORS]; /* operands whose turn at their bank has not come */
    uint64_t turn[SM_MAX_COLLECTORS];  /* set of banks at which it is an operand's turn to be read */
    uint32_t op[SM_MAX_COLLECTORS];
};

/* Operand collectors of one class. */
struct sm_collectors {
    uint32_t used;    /* set of collectors: holding an op */
    uint32_t all;     /* those there are */
    uint32_t ready;   /* with all operands */
    uint32_t reading; /* with operands to read */
    uint8_t count, ports;
    uint8_t last_left; /* collector that an op left last */
    /* Collectors in use, oldest op first, where ops must leave in the order of issue (MEM): held->line. */
    uint8_t line_head, line_count;
    struct sm_collected *held; /* apart: every step looks at the sets of all classes */
};

/* Reads of register banks: one place for every operand of every collector. A bank is one collector's turn; the reads
 * behind that one are linked, oldest first. */
#define SM_MAX_READS 16 /* of an op, rounded up to a power of two */
#define SM_READS (SM_CLASSES * SM_MAX_COLLECTORS * SM_MAX_READS)
struct sm_bank {
    uint16_t first, last;
};

/* Results on their way: a ring of lists by cycle. As much of it is in use as the latencies at hand need, so that it
 * stays in the host's caches. */
#define SM_WHEEL 1024
struct sm_wheel {
    uint32_t count, mask; /* ops; size - 1 */
    uint64_t occupied[SM_WHEEL / 64];
    uint32_t head[SM_WHEEL]; /* op lists, SM_NONE empty */
};

/* The size of a ring of cycles that looks `cycles` ahead: a power of two, 64 at least. */
static inline uint32_t sm_ring_of_cycles(uint32_t cycles)
{
    uint32_t size = 64;
    while (size <= cycles)
        size *= 2;
    return size;
}

/* The results of SP and SFU that are due in one cycle: each unit ends at most one, and there are so many result buses.
 */
struct sm_results {
    uint32_t mark;          /* that cycle + 1 (low 32 bits): else this is an old entry of the ring */
    uint8_t ending[SM_MEM]; /* units that end one, of SP and of SFU */
    uint8_t count;
};

struct sm_warp {
    _Alignas(64) struct simt_warp simt;
    uint8_t block;                 /* block slot */
    uint8_t buffered;              /* instructions in the buffer: consecutive ones from head_pc on */
    uint8_t unit;                  /* of the head instruction: the set of sm.wants that the warp is in */
    uint8_t bank_shift, bank_back; /* added to its registers' decoded banks; the way round from there to the first */
    uint32_t head_pc;
    uint32_t fetch_pc;           /* next to fetch: behind what is in the buffer, if anything is */
    uint32_t asked_pc;           /* what the instruction cache was last asked for */
    uint32_t in_flight;          /* ops between issue and completion */
    uint32_t stores_out;         /* writes not acknowledged */
    uint32_t pending_registers;  /* bits set in the scoreboard */
    uint32_t fence_after;        /* at a fence: it waits for the block's accesses of the eras before this one */
    uint64_t *scoreboard;        /* bit number: register waits for its value; part of sm.storage */
    uint64_t *from_memory;       /* of the registers that wait: those that a load from beyond the SM writes; kept only
                                    for schedulers that need it; part of sm.storage */
    uint64_t wake;               /* asleep or delayed: cycle in which that ends */
    struct simt_barrier barrier; /* the one it waits at */
    const struct isa_instr *barrier_instr;
    uint64_t age;
    uint64_t issued, sync_ops, takes, last_sync_address; /* counts: since sm_watch_reset */
    uint32_t last_sync_pc;
    bool last_sync_shared;
};

struct sm_block {
    bool used;
    struct simt_block simt;
    uint64_t warps;      /* slots */
    uint64_t incomplete; /* slots not yet retired */
    struct sm_barriers barriers;
    struct sm_order order;
    uint64_t first_arrival; /* cycle in which the first of those that wait at its barriers came */
};

/* A warp came to a barrier, or a barrier opened: what schedulers are told at the end of the cycle. */
struct sm_barrier_event {
    uint64_t warps; /* slots: the one that came; those that go on */
    uint8_t block;
    bool opened;
};

/* Reply kinds that write registers back compete for one port. */
enum sm_writeback { SM_WB_SHARED, SM_WB_CONST, SM_WB_BYPASS, SM_WB_L1D, SM_WB_COUNT };

/* What there is to do in the next step: set by whoever brings it, cleared by a stage that is left with nothing. */
enum sm_due {
    SM_DUE_PORT = 1,      /* a result waits for the load/store unit's writeback port */
    SM_DUE_COLLECT = 2,   /* an op can enter or leave the collectors, or its operands be read */
    SM_DUE_FETCH = 4,     /* there is a warp to fetch for, or to retire */
    SM_DUE_RESPONSE = 8,  /* the load/store unit was sent a packet */
    SM_DUE_DISPATCH = 16, /* it has an instruction that goes on by itself */
    SM_DUE_NEXT = 31,     /* all of these need the next cycle; what follows is served when the SM is stepped: */
    SM_DUE_SEND = 32,     /* requests wait for the network */
    SM_DUE_PIPE = 64,     /* accesses are on their way to the L1D */
    SM_DUE_REFUSED = 128, /* the load/store unit's instruction was refused: it may go on when something has moved */
    SM_DUE_LSU = SM_DUE_RESPONSE | SM_DUE_DISPATCH | SM_DUE_SEND | SM_DUE_PIPE | SM_DUE_REFUSED
};

/* What became of a transaction when the load/store unit last tried to serve it. */
enum sm_served {
    SM_SERVED,
    SM_REFUSED, /* tried again when something has changed */
    SM_NO_PLACE /* on the way to the L1D: tried again when there is one */
};

/* What warps and blocks keep their state in: see storage.c. */
struct sm_storage {
    struct arena *device; /* what all SMs are made of; used between launches only */
    uint8_t *memory;
    size_t bytes;
};

/* SMs may be stepped by different threads: none shares a cache line with another. What every step looks at comes first,
 * side by side. */
struct sm {
    _Alignas(128) uint64_t now;
    const struct sm_params *params;
    const struct sm_kernel *kernel;
    bool moved, moved_before; /* something changed in this step so far; in the step before: when nothing did, nothing
                                 will until an event */
    uint8_t lsu_served;       /* enum sm_served, of the transaction in the dispatch register */
    bool l1d_pipe_refused;
    bool has_fault;
    uint32_t due; /* set of enum sm_due */
    uint8_t scheduler_count;
    uint8_t turns;                 /* schedulers that take turns in looking first */
    uint8_t looks_first;           /* of the cycle in which schedulers look */
    uint8_t overtakes[SM_CLASSES]; /* sm.overtakes; 0 for classes in which the registers are never too few */
    uint32_t first_look; /* scheduler that was overtaken so often: it looks first until it is not any more; SM_NONE: the
                            cycle says whose turn it is */
    uint32_t scoreboard_words; /* of sm_kernel */
    uint8_t stall_of[8];       /* per scheduler: enum sm_stall of the last cycle, until one of its warps changes */
    uint64_t blocks_changed; /* in this cycle: block slots of which a warp came to a barrier, went on or ended */
    uint64_t changed;        /* warp slots of which something that issue looks at has changed since, or that could issue */
    /* Cycles are counted when what they count for changes: from `counted` on those of warps, from `owned` on those of a
     * scheduler, are not yet. */
    uint64_t counted, owned[8];

    /* Sets of warp slots. */
    uint64_t resident, finished;    /* finished: no lanes left */
    struct sm_waits waits;          /* by reason */
    uint64_t waiting;               /* finished, or in one of `waits` */
    uint64_t buffered;              /* has an instruction in its buffer */
    uint64_t mispredicted;          /* its buffer does not hold what comes next */
    uint64_t flushed;               /* buffer flushed by control flow and not yet refilled */
    uint64_t cleared;               /* head instruction passes the scoreboard */
    uint64_t backed_off;            /* held back by spin control, with a delay (waits.delay) or without */
    uint64_t fence_invalidates;     /* of waits.fence: those whose fence empties the L1D of global lines */
    uint64_t fence_reached;         /* of waits.fence: those that came to it in this step or the one before */
    uint64_t wants[ISA_UNIT_COUNT]; /* unit of the head instruction, where that is not mispredicted */

    struct sm_fetch fetch;

    /* Operand collection and pipelines. */
    struct sm_fifo id_oc[SM_CLASSES], oc_ex[SM_CLASSES];
    struct sm_collectors collectors[SM_CLASSES];
    unsigned bank_from;
    uint64_t banks_waiting, banks_queued; /* sets of banks: someone's turn; more reads behind that */
    uint64_t banks_written, banks_all;

    /* Per class and scheduler, how often in a row another one took the last free pipeline register while a warp of it
     * waited for nothing else and its look in that cycle was still to come; not beyond `overtakes`. Kept by
     * note_overtaken. */
    uint8_t overtaken[SM_CLASSES][8];

    /* Load/store unit. */
    uint32_t lsu_op; /* in the dispatch register */
    uint32_t lsu_count, lsu_at;
    uint32_t lsu_cycles; /* shared memory: bank-conflict cycles left */
    uint32_t writeback_from;
    uint32_t l1d_pipe_head, l1d_pipe_count;
    uint32_t shared_head;
    VEC(uint32_t) shared_done;   /* ops out of the shared memory pipeline, oldest first */
    struct packet *bypass_reply; /* next global-bypass reply to write back */
    struct l1 l1d;
    struct cache *l1i, *l1c;
    struct packet_ring l1c_queue, l1i_queue; /* requests waiting for the network */
    uint64_t l1i_since;                             /* cycle since which the oldest of l1i_queue is the oldest */
    struct packet_ring ejected, responses;              /* from the network; the load/store unit's */

    /* Pools. */
    VEC(struct sm_op) ops;
    uint32_t free_op, ops_live;
    VEC(struct sm_transaction) transactions;
    uint32_t free_transaction, transactions_live;
    VEC(struct simt_access *) accesses; /* free ones */
    struct packet_pool packets;

    struct sm_stalls stalls;
    uint64_t scheduler_slots[8];
    void *scheduler_state[8];
    struct spin *spin; /* NULL: nobody looks at spinning warps */
    struct sm_setup setup;
    struct memory_map map; /* of setup.partition */
    uint32_t fifo_items[2 * SM_CLASSES][SM_FIFO_ITEMS];
    struct sm_collected collected[SM_CLASSES];
    uint64_t sp_free_at[8], sfu_free_at[8]; /* cycle at which a unit's dispatch register is free again */
    struct sm_stats stats;
    struct sm_bank banks[64];
    struct sm_wheel wheel;
    struct sm_wheel shared_wheel; /* shared memory pipeline */
    struct sm_results results[SM_WHEEL];
    uint16_t next_read[SM_READS];
    struct sm_transaction lsu_list[2 * SM_SLOTS];
    struct sm_delayed {
        struct sm_transaction transaction;
        uint64_t ready; /* cycle at which it reaches the tags */
    } * l1d_pipe;       /* ring of sm.l1d_latency accesses on their way to the L1D */

    struct sm_warp warps[SM_SLOTS];
    struct lockstep_warp_view views[SM_SLOTS];
    struct lockstep_block_view block_views[SM_SLOTS]; /* as of the end of the last cycle */
    VEC(struct sm_barrier_event) barrier_events;      /* of this cycle, if the policy wants to know */
    struct lockstep_scheduler_view view;              /* what the schedulers are shown, one after the other */
    struct sm_block blocks[SM_SLOTS];
    uint64_t free_blocks;
    unsigned free_threads;
    uint32_t free_shared, free_registers;
    uint64_t next_age;

    uint64_t threads_ended, work_done;
    bool seeks_work;                      /* nothing was work since the progress watch last asked for work */
    struct sm_novel novel;                /* what locations took by atomics */
    struct sm_novel stored;               /* what they took by those stores that were looked at */
    struct sm_written written;            /* and what they hold since then */
    struct sm_holder holders[SM_HOLDERS]; /* by hash of the address; the latest stays */
    struct sm_fault fault;
    struct sm_unsynced_list unsynced;
    struct sm_storage storage;
    struct arena arena; /* this SM's own */
};

/* storage.c */
void sm_storage_init(struct sm *sm, struct arena *device);
/* Gives every warp and block slot that this launch can use its place. */
void sm_storage_begin(struct sm *sm);

/* pool.c */
uint32_t sm_op_grow(struct sm *sm);
static inline uint32_t sm_op_new(struct sm *sm)
{
    uint32_t index = sm->free_op;
    if (index == SM_NONE)
        index = sm_op_grow(sm);
    else
        sm->free_op = sm->ops.items[index].next;
    sm->ops.items[index] = (struct sm_op){.next = SM_NONE};
    sm->ops_live++;
    return index;
}
/* The op, whose access is the caller's to give back, can be taken again. */
static inline void sm_op_recycle(struct sm *sm, uint32_t op)
{
    sm->ops.items[op].next = sm->free_op;
    sm->free_op = op;
    sm->ops_live--;
}
static inline void sm_op_free(struct sm *sm, uint32_t op)
{
    struct sm_op *o = &sm->ops.items[op];
    if (o->access)
        vec_push(&sm->accesses, o->access);
    o->access = NULL;
    sm_op_recycle(sm, op);
}
/* The number that sm_transaction_new will give. */
static inline uint32_t sm_transaction_next(const struct sm *sm)
{
    return sm->free_transaction != SM_NONE ? sm->free_transaction : (uint32_t)sm->transactions.count;
}
/* Keeps a transaction until it is answered. */
static inline uint32_t sm_transaction_new(struct sm *sm, const struct sm_transaction *t)
{
    uint32_t index = sm_transaction_next(sm);
    if (index == sm->transactions.count)
        vec_push(&sm->transactions, (struct sm_transaction){.next = SM_NONE});
    sm->free_transaction = sm->transactions.items[index].next;
    sm->transactions.items[index] = *t;
    sm->transactions_live++;
    return index;
}
/* Takes an answered transaction out of the pool. */
static inline struct sm_transaction sm_transaction_take(struct sm *sm, uint32_t index)
{
    struct sm_transaction *t = &sm->transactions.items[index], taken = *t;
    t->next = sm->free_transaction;
    sm->free_transaction = index;
    sm->transactions_live--;
    return taken;
}
struct simt_access *sm_access_new(struct sm *sm);
void sm_wheel_init(struct sm_wheel *wheel);
/* Prepares an empty wheel for additions up to `cycles` ahead. */
void sm_wheel_begin(struct sm_wheel *wheel, uint32_t cycles);
/* Ops of one cycle keep the order in which they were added. */
static inline void sm_wheel_add(struct sm *sm, struct sm_wheel *wheel, uint64_t cycle, uint32_t op)
{
    unsigned at = (unsigned)cycle & wheel->mask;
    uint32_t *link = &wheel->head[at];
    while (*link != SM_NONE)
        link = &sm->ops.items[*link].next;
    *link = op;
    sm->ops.items[op].next = SM_NONE;
    wheel->occupied[at / 64] |= BIT64(at % 64);
    wheel->count++;
}
/* Whether ops are due at cycle. */
static inline bool sm_wheel_due(const struct sm_wheel *wheel, uint64_t cycle)
{
    unsigned at = (unsigned)cycle & wheel->mask;
    return mask_has(wheel->occupied[at / 64], at % 64);
}
/* Takes the list of ops due at cycle; there is one. */
static inline uint32_t sm_wheel_take(struct sm_wheel *wheel, uint64_t cycle)
{
    unsigned at = (unsigned)cycle & wheel->mask;
    uint32_t list = wheel->head[at];
    wheel->head[at] = SM_NONE;
    wheel->occupied[at / 64] &= ~BIT64(at % 64);
    return list;
}
/* The first cycle >= from with an entry, or CYCLE_NEVER. */
uint64_t sm_wheel_next(const struct sm_wheel *wheel, uint64_t from);
/* Puts a request into one of the rings that wait for the network. */
static inline void sm_request(struct sm *sm, struct packet_ring *queue, struct packet *p)
{
    packet_ring_push(queue, p);
    sm->due |= SM_DUE_SEND;
}
/* The banks of a warp's registers, from those for warp slot 0. */
static inline uint64_t sm_banks_of(const struct sm *sm, const struct sm_warp *warp, uint64_t set)
{
    return (set << warp->bank_shift | set >> warp->bank_back) & sm->banks_all;
}

/* Names the instruction that an op of the warp is. */
static inline void sm_op_name(const struct sm *sm, const struct sm_warp *warp, struct sm_op *o,
                              const struct sm_decoded *d)
{
    o->decoded = d;
    o->way = d->way;
    o->src_banks = sm_banks_of(sm, warp, d->src_set);
    o->dst_banks = sm_banks_of(sm, warp, d->dst_set);
}

/* `finished` or one of the sets of `waits` has lost a warp. */
static inline void sm_waits_changed(struct sm *sm)
{
    sm->waiting = sm->finished | sm_waits_any(&sm->waits);
}
/* The warps wait for that reason from now on. */
static inline void sm_wait_begin(struct sm *sm, enum sm_wait wait, uint64_t slots)
{
    sm->waits.of[wait] |= slots;
    sm->waiting |= slots;
}
/* The warps wait for that reason no more: issue has to look at them. */
static inline void sm_wait_end(struct sm *sm, enum sm_wait wait, uint64_t slots)
{
    sm->waits.of[wait] &= ~slots;
    sm->changed |= slots;
    sm_waits_changed(sm);
}

/* Warps whose buffer holds what comes next, or what does not, and that do not wait: issue has to look at them. */
static inline uint64_t sm_wide_awake(const struct sm *sm)
{
    return (sm->cleared | sm->mispredicted) & ~sm->waiting;
}

/* Whether requests wait in a queue for the network. */
static inline bool sm_has_queued(const struct sm *sm)
{
    return sm->l1d.requests.count | sm->l1c_queue.count | sm->l1i_queue.count;
}

/* Every stage is to look for work. */
static inline void sm_all_due(struct sm *sm)
{
    sm->due = SM_DUE_PORT | SM_DUE_COLLECT | SM_DUE_FETCH | SM_DUE_DISPATCH |
              (sm->responses.count ? SM_DUE_RESPONSE : 0) | (sm_has_queued(sm) ? SM_DUE_SEND : 0) |
              (sm->l1d_pipe_count ? SM_DUE_PIPE : 0);
}

/* fetch.c */
/* Warps to fetch for. */
static inline uint64_t sm_fetch_for(const struct sm *sm)
{
    return sm->resident & ~sm->finished & ~*sm->fetch.stocked & ~sm->fetch.under_way;
}
/* Whether fetch has anything to do: a warp to serve or to retire, an instruction line that arrived or one taken. */
static inline bool sm_fetch_busy(const struct sm *sm)
{
    return sm_fetch_for(sm) || sm->fetch.retiring || sm->fetch.line_taken || cache_has_ready(sm->l1i);
}
/* The warp has ended and drained: it can be retired. */
static inline void sm_fetch_retires(struct sm *sm, uint64_t bit)
{
    sm->fetch.retiring |= bit;
    sm->due |= SM_DUE_FETCH;
}
/* An instruction of the warp's buffer was issued. */
void sm_fetch_has_room(struct sm *sm, unsigned slot);
void sm_fetch_begin(struct sm *sm);
void sm_fetch(struct sm *sm);
void sm_decode(struct sm *sm);
void sm_flush_buffer(struct sm *sm, unsigned slot);
/* Whether all registers that an instruction reads or writes have their values. Calls and returns change the frame that
 * register numbers name, so they wait for every value under way. */
static inline bool sm_scoreboard_clear(const struct sm *sm, const struct sm_warp *warp, const struct sm_decoded *d)
{
    if (d->after == SM_AFTER_OWN && (warp->in_flight || warp->stores_out))
        return false;
    if (!warp->pending_registers)
        return true;
    if (d->changes_frame)
        return false;
    const uint64_t *board = warp->scoreboard, *uses = d->uses;
    uint64_t pending = board[0] & uses[0];
    for (unsigned i = 1; i < sm->scoreboard_words; i++)
        pending |= board[i] & uses[i];
    return !pending;
}
/* fence.c: the head of a warp's buffer has its registers, and waits like a fence before it issues. */
void sm_reach_release(struct sm *sm, struct sm_warp *warp, uint64_t bit);
/* The head of a warp's buffer has the values of its registers. */
static inline void sm_head_cleared(struct sm *sm, struct sm_warp *warp, uint64_t bit)
{
    sm->cleared |= bit;
    if (sm->kernel->decoded[warp->head_pc].after == SM_AFTER_FENCE)
        sm_reach_release(sm, warp, bit);
}
/* The head of a warp's buffer changed: brings the sets that issue looks at up to date. next: the instruction that the
 * warp needs next; of a warp that has ended, any. */
static inline void sm_head_changed(struct sm *sm, struct sm_warp *warp, uint64_t bit, uint32_t next)
{
    sm->changed |= bit;
    sm->wants[warp->unit] &= ~bit;
    sm->cleared &= ~bit;
    uint64_t mispredicted = sm->mispredicted & ~bit;
    if (!warp->buffered) {
        sm->buffered &= ~bit;
        sm->due |= SM_DUE_FETCH;
    } else {
        sm->buffered |= bit;
        uint32_t pc = warp->head_pc;
        const struct sm_decoded *d = &sm->kernel->decoded[pc];
        if (pc != next) {
            mispredicted |= bit;
        } else {
            warp->unit = d->way.unit;
            sm->wants[d->way.unit] |= bit;
            if (sm_scoreboard_clear(sm, warp, d))
                sm_head_cleared(sm, warp, bit);
        }
    }
    sm->mispredicted = mispredicted;
}
/* Something that the head may have waited for is done. */
static inline void sm_registers_written(struct sm *sm, struct sm_warp *warp, uint64_t bit)
{
    if ((sm->buffered & ~sm->cleared & ~sm->mispredicted & bit) &&
        sm_scoreboard_clear(sm, warp, &sm->kernel->decoded[warp->head_pc])) {
        sm_head_cleared(sm, warp, bit);
        sm->changed |= bit;
    }
}

/* archive.c: every set of warp slots that says how a resident warp stands, once: all but `resident` itself and what is
 * derived from these. A launch clears them. */
void sm_each_set(struct sm *sm, void (*visit)(uint64_t *set, void *context), void *context);
/* sm.c: counts the cycles before `cycle` for the warps that are resident and at barriers: before either changes. */
void sm_count_warps(struct sm *sm, uint64_t cycle);

/* barriers.c */
/* A warp has issued a barrier instruction. */
void sm_reach_barrier(struct sm *sm, unsigned slot, const struct simt_result *r);
/* A warp's last lanes have ended: barriers that only waited for it open. */
void sm_finish_warp(struct sm *sm, unsigned slot);
/* At the end of a cycle in which blocks changed: the schedulers see and are told what happened. */
void sm_show_blocks(struct sm *sm);

/* issue.c */
/* Whether an instruction is a store or atomic that releases at a scope wider than the block. */
bool sm_releases(const struct isa_instr *instr);
void sm_issue(struct sm *sm);
/* Fills in what is the same in every view. */
void sm_open_view(struct sm *sm);
/* Which of these warps a scheduler would issue first, if it could issue those that wait for no event; or
 * LOCKSTEP_NO_WARP. */
unsigned sm_preferred(const struct sm *sm, unsigned scheduler, uint64_t warps);
/* Gives a scheduler's cycles before `cycle` that are not yet counted to the cause that it last had. */
static inline void sm_give_cycles(struct sm *sm, unsigned scheduler, uint64_t cycle)
{
    (&sm->stalls.issued)[sm->stall_of[scheduler]] += cycle - sm->owned[scheduler];
    sm->owned[scheduler] = cycle;
}
/* Warps whose next instruction takes a pipeline register of the class. */
static inline uint64_t sm_wanted(const struct sm *sm, enum sm_class class)
{
    if (class == SM_MEM)
        return sm->wants[ISA_UNIT_MEM];
    return sm->wants[class == SM_SP ? ISA_UNIT_SP : ISA_UNIT_SFU] | sm->wants[ISA_UNIT_EITHER];
}

/* Warps whose next instruction finds a pipeline register. */
static inline uint64_t sm_units_free(const struct sm *sm)
{
    uint64_t sp = sm_fifo_full(&sm->id_oc[SM_SP]) ? 0 : sm_wanted(sm, SM_SP);
    uint64_t sfu = sm_fifo_full(&sm->id_oc[SM_SFU]) ? 0 : sm_wanted(sm, SM_SFU);
    return sp | sfu | (sm_fifo_full(&sm->id_oc[SM_MEM]) ? 0 : sm_wanted(sm, SM_MEM));
}
/* To whom a scheduler's cycle goes in which the SM need not be stepped: nothing has changed since the last step, and
 * nothing can issue. */
enum sm_stall sm_skipped_stall(const struct sm *sm, unsigned scheduler);
void sm_record_fault(struct sm *sm, unsigned slot, const struct simt_fault *fault);

/* complete.c */
/* The op is complete: its registers have their values; free it. */
void sm_complete(struct sm *sm, uint32_t op);
/* Completes what SP and SFU have computed for this cycle. */
void sm_writeback(struct sm *sm);
/* A warp's op or store was completed: ends its fence, lets it retire or call the device's functions, if that was the
 * last. */
void sm_check_retire(struct sm *sm, unsigned slot);

/* fence.c */
/* A warp has issued a fence at a scope wider than the block. */
void sm_reach_fence(struct sm *sm, unsigned slot);
/* Ends the wait of a warp at a fence or before a release, if that has nothing more to wait for. */
void sm_check_fence(struct sm *sm, unsigned slot);
/* An access of the era, or a part of it, is performed. */
void sm_performed(struct sm *sm, const struct sm_warp *warp, uint8_t era);
/* Warps of the block have synchronised with each other. */
static inline void sm_synchronise_block(const struct sm *sm, struct sm_block *block)
{
    if (sm->params->fence_is_cumulative)
        sm_order_synchronise(&block->order);
}

/* collect.c: operand collectors, SP and SFU pipelines */
void sm_execute_units(struct sm *sm);
void sm_collect(struct sm *sm);
static inline void sm_write_banks(struct sm *sm, const struct sm_op *op)
{
    sm->banks_written |= op->dst_banks;
}
/* Empties the register banks' queues. */
void sm_reset_banks(struct sm *sm);

/* holder.c: an atomic was answered with these old values: notes who holds locks, and work done */
void sm_note_holders(struct sm *sm, const struct sm_op *op, const struct packet *p);
/* holder.c: a store while sm->seeks_work: work if a location takes a value that it was not seen to take before. One
 * such store is enough until the watch asks again. */
void sm_note_store(struct sm *sm, const struct sm_warp *warp, const struct simt_access *access);
/* holder.c: a lane may have taken a lock at an address as the notes name it, by a compare-and-swap or exchange. */
void sm_note_holder(struct sm *sm, unsigned slot, const struct simt_access *access, unsigned lane, uint64_t address);
/* holder.c: an atomic of the warp in `slot` gave a location another value: while sm->seeks_work, the same as a store.
 */
void sm_note_change(struct sm *sm, unsigned slot, uint64_t address, uint64_t value);
/* As the notes name them, the locations of all blocks of an SM lie apart, and from those of global memory. */
static inline uint64_t sm_shared_base(const struct sm_warp *warp)
{
    return (uint64_t)(warp->block + 1u) << 32;
}
static inline uint64_t sm_noted_address(const struct sm_warp *warp, const struct simt_access *access, unsigned lane)
{
    return (access->space == ISA_SPACE_SHARED ? sm_shared_base(warp) : 0) + access->address[lane];
}

/* lsu.c */
/* The clients of the writeback port that have a result. */
static inline unsigned sm_writeback_clients(const struct sm *sm)
{
    return (unsigned)(sm->shared_head < sm->shared_done.count) << SM_WB_SHARED |
           (unsigned)cache_has_ready(sm->l1c) << SM_WB_CONST | (unsigned)(sm->bypass_reply != NULL) << SM_WB_BYPASS |
           (unsigned)l1_has_ready(&sm->l1d) << SM_WB_L1D;
}
void sm_lsu_writeback(struct sm *sm);
void sm_lsu(struct sm *sm);
/* What an access of global or local memory is to the L1D. */
enum l1_event sm_l1_event(const struct sm *sm, const struct simt_access *access);
void sm_send_requests(struct sm *sm);
void sm_send_instruction_requests(struct sm *sm);
/* Whether requests wait for the network. */
bool sm_has_requests(const struct sm *sm);
/* The tries of the first cycle that was not stepped, behind a step in which something has moved: everything that was
 * refused is refused again and counted. */
void sm_count_refusals(struct sm *sm);
/* What was refused is tried again behind a step in which something has moved. Whether such a try may do anything but
 * count. */
bool sm_must_retry(const struct sm *sm);
/* coalesce.c: fills lsu_list with the transactions of an access */
void sm_coalesce(struct sm *sm, uint32_t op);

#endif
