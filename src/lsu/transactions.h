/* Transactions that the load/store unit has served and that are not over: those that wait for an answer, in a pool, and
 * hits of the L1D on their way to their registers (sm.l1d_hit_latency), in a ring. */
#ifndef LOCKSTEP_LSU_TRANSACTIONS_H
#define LOCKSTEP_LSU_TRANSACTIONS_H

#include "lsu/lsu.h"

/* The number that keep_transaction will give. */
static inline uint32_t next_transaction(const struct lsu *lsu)
{
    return lsu->free_transaction != CORE_NONE ? lsu->free_transaction : (uint32_t)lsu->transactions.count;
}
/* Keeps a transaction until it is answered. */
static inline uint32_t keep_transaction(struct lsu *lsu, const struct lsu_transaction *t)
{
    uint32_t index = next_transaction(lsu);
    if (index == lsu->transactions.count)
        vec_push(&lsu->transactions, (struct lsu_transaction){.next = CORE_NONE});
    lsu->free_transaction = lsu->transactions.items[index].next;
    lsu->transactions.items[index] = *t;
    lsu->transactions_live++;
    return index;
}
/* Takes an answered transaction out of the pool. */
static inline struct lsu_transaction take_transaction(struct lsu *lsu, uint32_t index)
{
    struct lsu_transaction *t = &lsu->transactions.items[index], taken = *t;
    contract(index < lsu->transactions.count && lsu->transactions_live);
    t->next = lsu->free_transaction;
    lsu->free_transaction = index;
    lsu->transactions_live--;
    return taken;
}

/* A transaction of the op has hit. The tags look up lines of one op alone in a cycle, so that a place of the ring holds
 * all hits of a cycle. */
static inline void hold_hit(struct lsu *lsu, uint32_t op)
{
    struct lsu_hits *h = &lsu->hits;
    uint64_t ready = lsu->agenda->now + lsu->params->l1d_hit_latency;
    uint32_t at = h->head + h->count;
    struct lsu_hit *next = &h->ring[at < h->size ? at : at - h->size];
    struct lsu_hit *newest = next == h->ring ? next + h->size - 1 : next - 1;
    if (h->count && newest->ready == ready) {
        contract(newest->op == op);
        newest->transactions++;
        return;
    }
    contract(h->count < h->size);
    *next = (struct lsu_hit){.op = op, .transactions = 1, .ready = ready};
    h->count++;
    agenda_add(lsu->agenda, DUE_HIT);
}
/* Takes the hits that come to their registers in this cycle; false: there are none. */
static inline bool take_hit(struct lsu *lsu, struct lsu_hit *hit)
{
    struct lsu_hits *h = &lsu->hits;
    *hit = h->ring[h->head];
    if (hit->ready > lsu->agenda->now)
        return false;
    h->head = h->head + 1 < h->size ? h->head + 1 : 0;
    if (!--h->count)
        agenda_done(lsu->agenda, DUE_HIT);
    return true;
}

#endif
