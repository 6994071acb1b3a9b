/* Recomputes what the load/store unit keeps although it follows from its transactions (base/check.h). All of it holds
 * between two cycles. */
#include <stdlib.h>

#include "base/arena.h"
#include "base/check.h"
#include "lsu/lsu.h"

/* Transactions of each op that are not yet answered: those in the pool, on their way to the L1D or from
 * there, and still to be served. */
static void count_transactions(const struct lsu *lsu, uint32_t *of, uint32_t *live)
{
    uint8_t *is_free = base_calloc(lsu->transactions.count + 1, 1);
    for (uint32_t i = lsu->free_transaction; i != CORE_NONE; i = lsu->transactions.items[i].next)
        is_free[i] = 1;
    for (uint32_t i = 0; i < lsu->transactions.count; i++)
        if (!is_free[i]) {
            of[lsu->transactions.items[i].op]++;
            ++*live;
        }
    for (uint32_t i = 0; i < lsu->pipe_count; i++)
        of[lsu->pipe[(lsu->pipe_head + i) % lsu->pipe_size].transaction.op]++;
    for (uint32_t i = 0; i < lsu->hits.count; i++) {
        const struct lsu_hit *hit = &lsu->hits.ring[(lsu->hits.head + i) % lsu->hits.size];
        of[hit->op] += hit->transactions;
    }
    if (lsu->op != CORE_NONE && !lsu->cycles)
        of[lsu->op] += lsu->count - lsu->at;
    free(is_free);
}

static void check_transactions(struct lsu *lsu, struct check *c)
{
    uint32_t *of = base_calloc(lsu->ops->count + 1, sizeof *of), live = 0;
    count_transactions(lsu, of, &live);
    CHECK_FACT(c, "lsu.transactions_live", 0, lsu->transactions_live, live);
    for (uint32_t i = 0; i < lsu->ops->count; i++)
        if (of[i])
            CHECK_FACT(c, "op.pending", i, lsu->ops->items[i].pending, of[i]);
    free(of);
}

uint32_t lsu_least_due(const struct lsu *lsu)
{
    bool held = lsu->op != CORE_NONE, next = !held && lsu_next_core(lsu);
    return (lsu_clients(lsu) ? DUE_PORT : 0) | (next || (held && lsu->served == LSU_SERVED) ? DUE_DISPATCH : 0) |
           (held && lsu->served == LSU_REFUSED ? DUE_REFUSED : 0);
}

/* The sets of warps that fences look at. */
static void check_fences(struct lsu *lsu, struct check *c)
{
    uint64_t flushing = 0, waits = lsu->warp->waits.fence;
    for (uint64_t rest = lsu->warp->resident; rest; rest &= rest - 1)
        flushing |= lsu->fences.of[mask_first(rest)].order.flushing ? rest & -rest : 0;
    check_holds(c, "lsu.fences.reached", 0, !(lsu->fences.reached & ~waits));
    CHECK_FACT(c, "lsu.fences.flushes", 0, lsu->fences.flushes, flushing);
    check_holds(c, "lsu.fences.invalidates", 0, !(lsu->fences.invalidates & ~waits));
}

void lsu_check(struct lsu *lsu, struct check *c)
{
    check_transactions(lsu, c);
    check_fences(lsu, c);
    core_check_wheel(&lsu->shared, lsu->ops, 1, c);
    check_holds(c, "lsu.at", 0, lsu->at <= lsu->count);
    check_holds(c, "lsu.pipe_refused", 0, !lsu->pipe_refused || lsu->pipe_count);
    CHECK_FACT(c, "lsu.ready", 0, lsu->ready, lsu_find_ready(lsu));
    check_holds(c, "lsu.shared_head", 0, lsu->shared_head <= lsu->shared_done.count);
}
