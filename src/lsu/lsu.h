/* The load/store unit of an SM, which its cores share: a port that takes their memory instructions one after the other,
 * the transactions that these become, the L1 data and constant caches, shared memory's pipeline, the order that fences
 * and releases wait for, the SM's ends of the networks, and one port by which results are written back. What an
 * instruction that is complete means for its warp, and what answers of atomics mean for spin detectors and the progress
 * watch, is the SM's: `struct lsu_port`. Timing follows GPGPU-Sim 3.2.2 (shader.cc: ldst_unit). Written by the files of
 * this room alone. */
#ifndef LOCKSTEP_LSU_LSU_H
#define LOCKSTEP_LSU_LSU_H

#include "core/core.h"
#include "lsu/cluster.h"
#include "lsu/early.h"
#include "lsu/fence.h"
#include "lsu/interface.h"
#include "lsu/locality.h"
#include "memory/l1.h"
#include "memory/packet_queue.h"
#include "network/network.h"
#include "stats/stat.h"
#include "watch/watch.h"

/* One memory transaction of an op, in half a cache line. */
struct lsu_transaction {
    uint64_t lanes;
    uint64_t address;
    uint32_t op;
    uint32_t bytes;
    uint32_t chunks; /* while it is made: set of the 32-byte parts that its lanes touch */
    uint32_t next;   /* free list; while it is made: others with the same hash */
};

/* The outcome of the last try to serve a transaction. */
enum lsu_served {
    LSU_SERVED,
    LSU_REFUSED, /* tried again when something has changed */
    LSU_NO_PLACE /* on the way to the L1D: tried again when there is one */
};

/* The clients that compete for the writeback port: clients.def. */
enum lsu_client {
#define CLIENT(name, doc) LSU_CLIENT_##name,
#include "lsu/clients.def"
#undef CLIENT
    LSU_CLIENT_COUNT
};
#define LSU_CLIENT(name) (1u << LSU_CLIENT_##name)

/* An access on its way to the L1D. */
struct lsu_delayed {
    struct lsu_transaction transaction;
    uint64_t ready; /* cycle at which it reaches the tags */
};

/* Transactions of an op that have hit in one cycle. */
struct lsu_hit {
    uint32_t op, transactions;
    uint64_t ready; /* cycle at which they are over */
};
/* Those on their way to their registers, the oldest at `head`. */
struct lsu_hits {
    struct lsu_hit *ring;
    uint32_t head, count, size; /* size: a place for each cycle of sm.l1d_hit_latency, and one more */
};

struct lsu_latency_stats {
#include "stats/stat_fields.h"
#include "lsu/latency_stats.def"
#include "stats/stat_end.h"
};
extern const struct stat_group lsu_latency_group;

/* The SM around the unit. `sm` is lsu->sm. */
struct lsu_port {
    /* All transactions of an op are answered: its registers have their values. */
    void (*complete)(void *sm, uint32_t op);
    /* The last instruction or store that something of the warp may wait for is done. */
    void (*warp_rests)(void *sm, unsigned slot);
    /* An op became so many transactions. NULL where nobody wants to know. */
    void (*coalesced)(void *sm, const struct core_op *op, unsigned transactions);
    /* An atomic's old values are back: those of the packet's lanes. Before the lanes get them. */
    void (*answered)(void *sm, const struct core_op *op, const struct message_atomic *reply);
    /* A queue has answered a lane that asked for a lock: it has it; or, `stays`, the queue knew no request of the lane,
     * which wanted to leave. */
    void (*lock_answered)(void *sm, const struct core_op *op, unsigned lane, bool stays);
    /* An op that waits for an mbarrier's phase has come out of shared memory. True: it is not complete, and somebody else
     * keeps it. */
    bool (*suspends)(void *sm, uint32_t op);
    /* A request of the asynchronous unit is answered. */
    void (*copied)(void *sm, const struct packet *reply);
    /* The SM of the block of that rank in the cluster of the warp's block; *cluster: the number of that. */
    unsigned (*peer)(void *sm, unsigned slot, unsigned rank, uint64_t *cluster);
    /* A request that a block of a cluster has sent to one of this SM is performed (cluster.h): it has the values of an
     * answer then, or says that the block is not there any more. */
    void (*perform)(void *sm, struct packet *request);
    /* Such a block was not there, to which a lane of the warp has sent an access. */
    void (*absent)(void *sm, unsigned slot, uint32_t pc, unsigned lane, uint64_t address);
};

struct lsu_setup {
    const struct sm_shared *shared;
    unsigned index, sm_count; /* of the SM */
    const struct cache_params *l1i, *l1c, *l1d;
    const struct coherence_protocol *protocol; /* as in struct sm_setup, like those that follow */
    const struct coherence_params *coherence;
    const struct partition_params *partition;
    struct network *requests, *replies, *probes, *acknowledgements;
    struct network *cluster_requests, *cluster_replies; /* NULL: the machine has no clusters */
    struct packet_list *casts; /* of this SM (partition_open_casts); NULL: slices answer one SM */
    bool early;                /* partition_opposes_early */
    uint64_t local_base;
    const struct lsu_port *port;
    struct core *core, *core_end;
    struct lsu_locality *locality;
    const struct watch *watch;
};

/* A launch, as the unit needs it. */
struct lsu_launch {
    const struct isa_module *module;
    bool lock_queues;                       /* the slices have queues of locks */
    bool clusters;                          /* of several blocks */
    unsigned threads_per_block, max_blocks; /* max_blocks: on this SM at once */
    uint64_t l1_bytes;                      /* that the L1D may take; 0: all that it has */
};

/* A thread block slot: the order that its warps give each other, and their slots. */
struct lsu_block {
    struct block_order order;
    uint64_t warps;
};

struct lsu {
    /* As sm_shared and lsu_setup have them. */
    struct agenda *ROOM_KEPT agenda;
    const struct sm_params *ROOM_KEPT params;
    struct warp_table *ROOM_KEPT warp;
    struct core_ops *ROOM_KEPT ops;
    struct core *ROOM_KEPT core, *ROOM_KEPT core_end;
    struct core_line *ROOM_KEPT line;
    struct lsu_locality *ROOM_KEPT locality; /* NULL: the scheduler does not ask who misses in the L1D */
    const struct watch *ROOM_KEPT watch;     /* observers */
    const struct lsu_port *ROOM_KEPT port;
    void *ROOM_KEPT sm;
    ROOM_KEPT struct lsu_launch launch;
    ROOM_KEPT unsigned next_core; /* that is asked first for an instruction, where they need not keep their order */

    ROOM_KEPT uint8_t served;     /* enum lsu_served, of the transaction in the dispatch register */
    ROOM_KEPT uint8_t ready;      /* set of enum lsu_client: caches with lines that came for accesses that wait */
    ROOM_KEPT bool own_was_last;  /* of the answers, the last one taken was the L1D's own */
    ROOM_KEPT bool pipe_refused;  /* the tags refused the first access of the pipe */
    ROOM_KEPT uint32_t op;        /* in the dispatch register, or CORE_NONE */
    ROOM_KEPT uint32_t count, at; /* its transactions, and the next one to be served: in `list` */
    ROOM_KEPT uint64_t behind;    /* lanes of it, a read of a texture, whose transactions are made once these are served */
    ROOM_KEPT uint32_t cycles;    /* shared memory: bank-conflict cycles left */
    ROOM_KEPT uint32_t after;     /* of a load or atomic there: cycles from then on to its result */
    ROOM_KEPT uint64_t loop_word; /* 1 + the lowest word of the last loop (sm.shared_loop_interval); 0: none */
    ROOM_KEPT uint32_t banks;     /* cycles for which a cache serves other words of the op, before the last lookups */
    ROOM_KEPT uint32_t writeback_from;
    ROOM_KEPT uint32_t pipe_head, pipe_count, pipe_size; /* size: sm.l1_lookups for each cycle of sm.l1d_latency */
    ROOM_KEPT uint32_t shared_head;
    ROOM_KEPT VEC(uint32_t) shared_done;   /* ops out of the shared memory pipeline, oldest first */
    struct packet *ROOM_KEPT bypass_reply; /* next global-bypass reply to write back */
    ROOM_KEPT struct l1 l1d;
    struct cache *ROOM_KEPT l1c;
    ROOM_KEPT struct packet_ring l1c_queue;             /* requests of the constant cache that wait for the network */
    ROOM_KEPT struct packet_ring responses;             /* what the network brought for this unit */
    ROOM_KEPT VEC(struct lsu_transaction) transactions; /* pool of those that wait for an answer */
    ROOM_KEPT uint32_t free_transaction, transactions_live;
    ROOM_KEPT struct lsu_transaction list[2 * WARP_SLOTS];
    struct lsu_delayed *ROOM_KEPT pipe; /* ring of accesses on their way to the L1D */
    ROOM_KEPT struct lsu_hits hits;
    ROOM_KEPT struct core_wheel shared; /* shared memory pipeline */
    ROOM_KEPT struct lsu_net net;
    ROOM_KEPT struct lsu_cluster cluster;
    ROOM_KEPT struct lsu_fences fences;
    ROOM_KEPT struct lsu_early early;
    ROOM_KEPT struct lsu_block blocks[WARP_SLOTS];
    ROOM_KEPT uint64_t transactions_made, shared_conflict_cycles; /* counts: sm_stats.def has them */
    ROOM_KEPT struct lsu_latency_stats latencies;                 /* zero unless the L1D keeps what it has written */
    ROOM_KEPT uint64_t local_base;
    ROOM_KEPT unsigned sm_count;
    ROOM_KEPT uint32_t const_sector, const_line; /* of the constant cache, bytes */
};

/* Lines of an instruction that the L1D looks up in one cycle; transactions that go past its tags go one by one. */
static inline uint32_t lsu_lookups(const struct lsu *lsu, const struct core_op *o)
{
    bool tags = !o->bypasses && o->access->space != ISA_SPACE_CONST && !o->access->samples;
    return tags ? lsu->params->l1_lookups : 1;
}

/* Tells observers, where one listens: the L1D took a transaction, which is to be answered (waits); an answer has come
 * from an L2 slice. */
void lsu_tell_transaction(const struct lsu *lsu, const struct core_op *o, const struct lsu_transaction *t, bool waits);
void lsu_tell_served(const struct lsu *lsu, const struct packet *p);

/* The core of a warp slot. */
static inline struct core *lsu_core(const struct lsu *lsu, unsigned slot)
{
    return core_having(lsu->core, lsu->core_end, slot);
}

/* The kind of an instruction or access by its ISA_FLAG_*. */
static inline enum order_kind lsu_order_kind(unsigned flags)
{
    return flags & ISA_FLAG_LOAD     ? ORDER_LOAD
           : flags & ISA_FLAG_STORE  ? ORDER_STORE
           : flags & ISA_FLAG_ATOMIC ? ORDER_ATOMIC
                                     : ORDER_FENCE;
}
/* The meaning of a memory instruction or fence under a coherence protocol (memory/order.def). */
static inline const struct order_meaning *lsu_meaning(const struct coherence_protocol *protocol,
                                                      const struct isa_instr *instr)
{
    enum order_kind kind = lsu_order_kind(isa_op_info((enum isa_op)instr->op)->flags);
    return order_meaning(kind, instr->mods.order, order_scope(protocol, isa_scope_of(instr)));
}

/* Making one, and launches */

void lsu_init(struct lsu *lsu, const struct lsu_setup *setup, struct arena *own);
void lsu_free(struct lsu *lsu);
/* A launch begins; a block of these warps comes to a slot, and in it a warp. */
void lsu_begin(struct lsu *lsu, const struct lsu_launch *launch);
void lsu_block_begins(struct lsu *lsu, unsigned block, uint64_t warps);
static inline void lsu_warp_begins(struct lsu *lsu, unsigned slot)
{
    lsu->fences.of[slot].order = (struct order_wait){0};
    lsu->early.ordered |= BIT64(slot);
}
/* Forgets what was counted. */
void lsu_reset_stats(struct lsu *lsu);
/* Empties the L1 caches; gives the lines that stay the values that memory holds now (cache_refresh); tells what is
 * written in lines that stay (l1_publish). */
void lsu_flush(struct lsu *lsu);
/* Between launches: these bytes lie in the constant cache; lsu_refresh gives them their values. */
void lsu_bring_constants(struct lsu *lsu, uint64_t address, uint32_t bytes);
void lsu_refresh(struct lsu *lsu, bool (*read)(void *context, uint64_t address, uint8_t *to, uint32_t bytes),
                 void *context);
void lsu_publish(struct lsu *lsu, void (*put)(void *context, uint64_t address, const uint8_t *data, uint32_t bytes),
                 void *context);
/* Every set of warp slots that the unit keeps beside the warp table, once: see warp_each_set. */
void lsu_each_set(struct lsu *lsu, void (*visit)(uint64_t *set, void *context), void *context);

/* Issue */

/* The event that an access of global or local memory is to the L1D. */
unsigned lsu_l1_event(const struct lsu *lsu, const struct simt_access *access);
/* 1 + the order (enum l1_order) to the L1D when an access has its value; 0: none. */
static inline uint8_t lsu_drops_after(const struct lsu *lsu, const struct order_meaning *meaning)
{
    return lsu->params->fence_l1 == SM_FENCE_INVALIDATE ? meaning->after : 0;
}
/* The L1D gets such an order: 1 + enum l1_order. */
static inline void lsu_drop(struct lsu *lsu, uint8_t drops)
{
    l1_order(&lsu->l1d, (enum l1_order)(drops - 1));
}
/* A global load or store of a warp issues. */
void lsu_access_begins(struct lsu *lsu, struct core_op *o);
/* Warps of the block have synchronised with each other. */
static inline void lsu_synchronise_block(struct lsu *lsu, unsigned block)
{
    if (lsu->params->fence_is_cumulative)
        block_order_synchronise(&lsu->blocks[block].order);
}
/* Threads go from warp to warp of the block, with what they have done before. */
static inline void lsu_block_exchanges(struct lsu *lsu, unsigned block)
{
    block_order_synchronise(&lsu->blocks[block].order);
    lsu->early.ordered |= lsu->blocks[block].warps;
}
/* A global load or store, which is complete, was performed. */
void lsu_access_ends(struct lsu *lsu, const struct core_op *o);

/* Stages, each called in a cycle in which it is due */

/* One result a cycle is written back. */
void lsu_writeback(struct lsu *lsu);
/* One cycle: a reply is taken, requests leave, accesses reach the L1D, the dispatch register goes on. */
void lsu_step(struct lsu *lsu);
/* The tries of the first cycle that was not stepped, behind a step that made progress: everything that was
 * refused is refused again and counted. */
void lsu_count_refusals(struct lsu *lsu);
/* An access that the L1D refused is tried again after a step that made progress. True: such a try may succeed,
 * and not only count another refusal. */
bool lsu_must_retry(const struct lsu *lsu);
/* A packet that the next step takes has come: its values are fetched into the host's caches. */
void lsu_expect(const struct lsu *lsu, const struct packet *p);
/* Something was done to the L1D outside of the unit's turn: looks for what it has to do now. */
void lsu_l1_changed(struct lsu *lsu);
/* The last block of the SM has ended: what the L1D has written leaves it. */
void lsu_end_writes(struct lsu *lsu);
/* coalesce.c: fills `list` with the transactions of an access; with those of the lanes that are left of a read of a
 * texture (lsu->behind). */
void lsu_coalesce(struct lsu *lsu, uint32_t op);
void lsu_coalesce_behind(struct lsu *lsu, uint32_t op);

/* early.c, where lsu->early.on: a warp issues an instruction, which is not counted among what is out yet; a request for what a
 * transaction of a load reads, past the L1D, is about to leave, and gets what the slice needs to answer it early. */
void lsu_early_issued(struct lsu *lsu, unsigned slot, const struct isa_instr *instr);
void lsu_early_ask(const struct lsu *lsu, const struct core_op *o, const struct lsu_transaction *t, struct message_read *m);

/* fill.c: the bytes that a transaction of a store brings, under the message's mask; the lanes of one of an atomic. */
void lsu_store_bytes(const struct simt_access *access, const struct lsu_transaction *t, struct message_write *m);
void lsu_fill_atomic(const struct lsu *lsu, const struct core_op *o, const struct lsu_transaction *t,
                     struct message_atomic *m);

/* The next cycle, `now` or later, with an event of this unit, or CYCLE_NEVER. */
static inline uint64_t lsu_next(const struct lsu *lsu, uint64_t now)
{
    uint64_t next = core_wheel_next(&lsu->shared, now);
    if (RARELY(lsu->cluster.coming.first != NULL))
        next = cycle_min(next, lsu->cluster.coming.first->ready);
    if (lsu->hits.count)
        next = cycle_min(next, lsu->hits.ring[lsu->hits.head].ready);
    return lsu->pipe_count && !lsu->pipe_refused ? cycle_min(next, lsu->pipe[lsu->pipe_head].ready) : next;
}
static inline bool lsu_shared_due(const struct lsu *lsu, uint64_t cycle)
{
    return core_wheel_due(&lsu->shared, cycle);
}
/* The core whose memory instruction the unit takes next, or NULL: none has one that may go. */
struct core *lsu_core_of_several(const struct lsu *lsu);
static inline struct core *lsu_next_core(const struct lsu *lsu)
{
    if (RARELY(lsu->core + 1 != lsu->core_end))
        return lsu_core_of_several(lsu);
    return core_has_access(lsu->core) ? lsu->core : NULL;
}

/* Facts of the writeback port's clients: that one has a result. */
static inline bool lsu_has_shared(const struct lsu *lsu)
{
    return lsu->shared_head < lsu->shared_done.count;
}
static inline bool lsu_has_bypass(const struct lsu *lsu)
{
    return lsu->bypass_reply != NULL;
}
static inline bool lsu_has_const(const struct lsu *lsu)
{
    return cache_has_ready(lsu->l1c);
}
static inline bool lsu_has_l1d(const struct lsu *lsu)
{
    return l1_has_ready(&lsu->l1d);
}
/* lsu->ready: the caches with lines that came for accesses that wait. */
static inline uint8_t lsu_find_ready(const struct lsu *lsu)
{
    return (uint8_t)((unsigned)lsu_has_const(lsu) << LSU_CLIENT_const | (unsigned)lsu_has_l1d(lsu) << LSU_CLIENT_l1d);
}
void lsu_note_ready(struct lsu *lsu);
/* The clients that have a result: a set of enum lsu_client. */
static inline unsigned lsu_clients(const struct lsu *lsu)
{
    return (unsigned)lsu_has_shared(lsu) << LSU_CLIENT_shared | (unsigned)lsu_has_bypass(lsu) << LSU_CLIENT_bypass |
           lsu->ready;
}

/* interface.c: the SM's ends of the networks */

void lsu_net_init(struct lsu *lsu, const struct lsu_setup *setup, struct arena *own);
/* The SM's port takes a request in this cycle (sm.request_port_bytes). */
static inline bool lsu_port_is_free(const struct lsu *lsu)
{
    return lsu->net.port_at <= lsu->agenda->now;
}
/* When it does, if that is to come; else CYCLE_NEVER. */
static inline uint64_t lsu_port_opens(const struct lsu *lsu)
{
    return lsu_port_is_free(lsu) ? CYCLE_NEVER : lsu->net.port_at;
}
/* Room in the network for a request of so many bytes, and the port is free. */
static inline bool lsu_has_room(const struct lsu *lsu, uint32_t bytes)
{
    return lsu_port_is_free(lsu) && network_can_send(lsu->net.requests, lsu->net.index, bytes);
}
/* Puts a request into one of the rings that wait for the network. */
static inline void lsu_request(struct lsu *lsu, struct packet_ring *queue, struct packet *p)
{
    packet_ring_push(queue, p);
    agenda_add(lsu->agenda, DUE_SEND);
}
/* A packet of this SM that a checkpoint holds: it counts among the SM's packets already. */
struct packet *lsu_archive_packet(struct lsu *lsu, unsigned kind);
/* The instruction cache asks for a line, or for a part of one: the bytes at an address, for a fill of its. */
void lsu_request_instructions(struct lsu *lsu, uint64_t address, uint32_t bytes, uint16_t fill);
/* Requests of the asynchronous unit, which pass the L1D: how many have a place in its queue; a new one for some sectors of a
 * line of global memory, READ, WRITE or ATOMIC, which has relaxed order; it goes. Its answer comes to lsu_port.copied with
 * its number as the waiter's. */
uint32_t lsu_async_room(const struct lsu *lsu);
struct packet *lsu_async_request(struct lsu *lsu, unsigned kind, uint64_t address, uint32_t bytes, uint32_t number);
void lsu_async_send(struct lsu *lsu, struct packet *p);
/* A copy begins that the warp in that slot has asked for, and that writes global memory; it ends, with what the
 * beginning has returned. Fences of the warp wait for it, and those of other warps of the block that are ordered behind
 * it. */
uint8_t lsu_async_begins(struct lsu *lsu, unsigned slot);
void lsu_async_ends(struct lsu *lsu, unsigned slot, uint8_t epoch);
/* Requests of it that have a place in its queue. */
static inline uint32_t lsu_instruction_room(const struct lsu *lsu)
{
    return packet_ring_room(&lsu->net.instructions);
}
/* A packet enters the network, which has room for it (lsu_has_room). */
void lsu_send(struct lsu *lsu, struct packet *p);
/* Sends what waits: a request of each of the unit's caches; of the instruction cache. */
void lsu_send_requests(struct lsu *lsu);
void lsu_send_instructions(struct lsu *lsu);
/* Sends the oldest answer to a probe, if the network has room for it, and lets the L1D answer another probe. */
void lsu_serve_probes(struct lsu *lsu);
/* Takes a probe from its network, if there is room. */
void lsu_take_probe(struct lsu *lsu);
/* Takes a packet from the network of replies, if there is one and room for it, in this cycle. */
void lsu_eject(struct lsu *lsu, uint64_t now);
/* The oldest packet that was taken and not passed on, if it is for the instruction cache; else NULL. */
struct packet *lsu_first_instructions(const struct lsu *lsu);
/* Gives that one back, when the instruction cache has it; else passes the oldest packet on to the unit, if it has room.
 */
void lsu_pass_on(struct lsu *lsu);
/* Bytes in the network of the request that the transaction in the dispatch register enters it with by itself, or 0. */
uint32_t lsu_entering_bytes(const struct lsu *lsu);
/* Requests wait for the network, or answers; one of them could leave now. */
bool lsu_has_requests(const struct lsu *lsu);
bool lsu_can_send(const struct lsu *lsu);
/* Nothing lies here that memory has sent and the unit has not taken, and there is nothing to send that could leave now.
 */
bool lsu_memory_rests(const struct lsu *lsu);
/* No packet is out, no probe inside. */
static inline bool lsu_idle(const struct lsu *lsu)
{
    return !lsu->net.packets.out && !agenda_has(lsu->agenda, DUE_PROBES | DUE_MESSAGE | DUE_COMING) &&
           l1_idle(&lsu->l1d);
}

/* True: requests wait in a queue for the network. */
static inline bool lsu_has_queued(const struct lsu *lsu)
{
    return lsu->l1d.requests.count | lsu->l1c_queue.count | lsu->net.instructions.count | l1_drains(&lsu->l1d);
}
/* The agenda's bits of probes, which follow from their queues. */
static inline uint32_t lsu_due_of_probes(const struct lsu *lsu)
{
    return (lsu->net.probes.count ? DUE_PROBE : 0) | (lsu->l1d.answers.count ? DUE_ANSWER : 0);
}
/* And what it says exactly of all that waits in a queue of the unit. */
static inline uint32_t lsu_due_of_queues(const struct lsu *lsu)
{
    return (lsu->responses.count || l1_has_done(&lsu->l1d) ? DUE_RESPONSE : 0) | (lsu_has_queued(lsu) ? DUE_SEND : 0) |
           (lsu->pipe_count ? DUE_PIPE : 0) | (lsu->hits.count ? DUE_HIT : 0) | (lsu->shared.count ? DUE_SHARED : 0) |
           (lsu->net.ejected.count ? DUE_EJECT : 0) | lsu_due_of_probes(lsu) | lsu_due_of_cluster(lsu);
}

/* fence.c */

/* A warp has issued a fence at a scope wider than the block. */
void lsu_reach_fence(struct lsu *lsu, unsigned slot);
/* The head of a warp's buffer has its registers, and waits like a fence before it issues. */
void lsu_reach_release(struct lsu *lsu, unsigned slot);
/* Ends the wait of a warp at a fence or before a release, if that has nothing more to wait for. */
void lsu_check_fence(struct lsu *lsu, unsigned slot);
/* lsu_check_fence for the warps that came to a fence in this step or the one before. */
void lsu_check_reached(struct lsu *lsu);
/* lsu_check_fence for the warps that wait for a flush, when something that the L1D has written has arrived. */
void lsu_check_flushes(struct lsu *lsu);
/* An access of the epoch, or a part of it, is performed. */
void lsu_performed(struct lsu *lsu, unsigned block, uint8_t epoch);

struct check;
struct archive;
/* check.c: recomputes what the unit keeps although it follows from something else (base/check.h). */
void lsu_check(struct lsu *lsu, struct check *c);
/* Of the agenda, what must be due by what the unit holds. */
uint32_t lsu_least_due(const struct lsu *lsu);
/* archive.c: the transactions; what else the unit holds; its caches. */
void lsu_archive_transactions(struct lsu *lsu, struct archive *ar);
void lsu_archive(struct lsu *lsu, struct archive *ar, const struct packet_source *source);
void lsu_archive_caches(struct lsu *lsu, struct archive *ar, const struct packet_source *source);

#endif
