/* The load/store unit's own state: the dispatch register with the instruction that it serves, the transactions that
 * wait for an answer, the L1 data and constant caches, the shared memory pipeline and the writeback port. Written by
 * lsu.c and coalesce.c alone; others ask through the functions below. */
#ifndef LOCKSTEP_SM_LSU_H
#define LOCKSTEP_SM_LSU_H

#include "memory/l1.h"
#include "memory/packet_queue.h"
#include "core/op.h"

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

/* Reply kinds that write registers back compete for one port. */
enum sm_writeback { SM_WB_SHARED, SM_WB_CONST, SM_WB_BYPASS, SM_WB_L1D, SM_WB_COUNT };

/* An access on its way to the L1D. */
struct lsu_delayed {
    struct lsu_transaction transaction;
    uint64_t ready; /* cycle at which it reaches the tags */
};

struct lsu {
    uint8_t served;     /* enum lsu_served, of the transaction in the dispatch register */
    uint8_t ready;      /* set of enum sm_writeback: caches with lines that came for accesses that wait */
    bool own_was_last;  /* of the answers, the last one taken was the L1D's own */
    bool pipe_refused;  /* the tags refused the first access of the pipe */
    uint32_t op;        /* in the dispatch register, or CORE_NONE */
    uint32_t count, at; /* its transactions, and the next one to be served: in `list` */
    uint32_t cycles;    /* shared memory: bank-conflict cycles left */
    uint32_t writeback_from;
    uint32_t pipe_head, pipe_count;
    uint32_t shared_head;
    VEC(uint32_t) shared_done;   /* ops out of the shared memory pipeline, oldest first */
    struct packet *bypass_reply; /* next global-bypass reply to write back */
    struct l1 l1d;
    struct cache *l1c;
    struct packet_ring l1c_queue;             /* requests of the constant cache that wait for the network */
    struct packet_ring responses;             /* what the network brought for this unit */
    VEC(struct lsu_transaction) transactions; /* pool of those that wait for an answer */
    uint32_t free_transaction, transactions_live;
    struct lsu_transaction list[2 * WARP_SLOTS];
    struct lsu_delayed *pipe; /* ring of sm.l1d_latency accesses on their way to the L1D */
    struct core_wheel shared; /* shared memory pipeline */
};

/* The number that lsu_transaction_new will give. */
static inline uint32_t lsu_transaction_next(const struct lsu *lsu)
{
    return lsu->free_transaction != CORE_NONE ? lsu->free_transaction : (uint32_t)lsu->transactions.count;
}
/* Keeps a transaction until it is answered. */
static inline uint32_t lsu_transaction_new(struct lsu *lsu, const struct lsu_transaction *t)
{
    uint32_t index = lsu_transaction_next(lsu);
    if (index == lsu->transactions.count)
        vec_push(&lsu->transactions, (struct lsu_transaction){.next = CORE_NONE});
    lsu->free_transaction = lsu->transactions.items[index].next;
    lsu->transactions.items[index] = *t;
    lsu->transactions_live++;
    return index;
}
/* Takes an answered transaction out of the pool. */
static inline struct lsu_transaction lsu_transaction_take(struct lsu *lsu, uint32_t index)
{
    struct lsu_transaction *t = &lsu->transactions.items[index], taken = *t;
    contract(index < lsu->transactions.count && lsu->transactions_live);
    t->next = lsu->free_transaction;
    lsu->free_transaction = index;
    lsu->transactions_live--;
    return taken;
}

/* The next cycle, `now` or later, with an event of this unit, or CYCLE_NEVER. */
static inline uint64_t sm_lsu_next(const struct lsu *lsu, uint64_t now)
{
    uint64_t next = core_wheel_next(&lsu->shared, now);
    return lsu->pipe_count && !lsu->pipe_refused ? cycle_min(next, lsu->pipe[lsu->pipe_head].ready) : next;
}

struct sm;
void sm_lsu_init(struct sm *sm, struct arena *own);
/* A launch begins. */
void sm_lsu_begin(struct sm *sm);
/* One result a cycle is written back. */
void sm_lsu_writeback(struct sm *sm);
/* One cycle: a reply is taken, requests leave, accesses reach the L1D, the dispatch register goes on. */
void sm_lsu(struct sm *sm);
/* The event that an access of global or local memory is to the L1D. */
unsigned sm_l1_event(const struct sm *sm, const struct simt_access *access);
/* Bytes in the network of the request that the transaction in the dispatch register enters it with by itself, or 0. */
uint32_t sm_lsu_entering_bytes(const struct sm *sm);
/* The tries of the first cycle that was not stepped, behind a step that made progress: everything that was
 * refused is refused again and counted. */
void sm_count_refusals(struct sm *sm);
/* An access that the L1D refused is tried again after a step that made progress. True: such a try may succeed,
 * and not only count another refusal. */
bool sm_must_retry(const struct sm *sm);
/* A packet that the next step takes has come: its values are fetched into the host's caches. */
void sm_lsu_expect(const struct sm *sm, const struct packet *p);
struct check;
/* lsu_check.c */
void sm_lsu_check(struct sm *sm, struct check *c);
/* coalesce.c: fills `list` with the transactions of an access. */
void sm_coalesce(struct sm *sm, uint32_t op);

#endif
