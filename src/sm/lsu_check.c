/* Recomputes what the load/store unit keeps although it follows from its transactions, and what `due` says of an SM's
 * stages (base/check.h). All of it holds between two cycles. */
#include <stdlib.h>

#include "base/arena.h"
#include "base/check.h"
#include "sm/sm_impl.h"

/* Transactions of each op that are not yet answered: those in the pool, on their way to the L1D, and still to be
 * served.
 */
static void count_transactions(const struct sm *sm, uint32_t *of, uint32_t *live)
{
    const struct lsu *lsu = &sm->lsu;
    uint8_t *is_free = base_calloc(lsu->transactions.count + 1, 1);
    for (uint32_t i = lsu->free_transaction; i != CORE_NONE; i = lsu->transactions.items[i].next)
        is_free[i] = 1;
    for (uint32_t i = 0; i < lsu->transactions.count; i++)
        if (!is_free[i]) {
            of[lsu->transactions.items[i].op]++;
            ++*live;
        }
    for (uint32_t i = 0; i < lsu->pipe_count; i++)
        of[lsu->pipe[(lsu->pipe_head + i) % sm->params->l1d_latency].transaction.op]++;
    if (lsu->op != CORE_NONE && !lsu->cycles)
        of[lsu->op] += lsu->count - lsu->at;
    free(is_free);
}

static void check_transactions(struct sm *sm, struct check *c)
{
    uint32_t *of = base_calloc(sm->ops.count + 1, sizeof *of), live = 0;
    count_transactions(sm, of, &live);
    CHECK_FACT(c, "lsu.transactions_live", 0, sm->lsu.transactions_live, live);
    for (uint32_t i = 0; i < sm->ops.count; i++)
        if (of[i])
            CHECK_FACT(c, "op.pending", i, sm->ops.items[i].pending, of[i]);
    free(of);
}

static uint32_t due_of_lsu(const struct sm *sm)
{
    const struct lsu *lsu = &sm->lsu;
    bool next = lsu->op == CORE_NONE && core_has_access(sm->core), held = lsu->op != CORE_NONE;
    return (sm_writeback_clients(sm) ? DUE_PORT : 0) |
           (next || (held && lsu->served == LSU_SERVED) ? DUE_DISPATCH : 0) |
           (held && lsu->served == LSU_REFUSED ? DUE_REFUSED : 0);
}

static bool collects(const struct sm *sm)
{
    bool due = false;
    for (unsigned i = 0; i < sm->core_count; i++)
        due |= core_collects(&sm->core[i]);
    return due;
}

/* A stage may be asked to look although it has nothing to do; it is never passed over when it has. What waits in a
 * queue is told exactly. */
static void check_due(struct sm *sm, struct check *c)
{
    const struct lsu *lsu = &sm->lsu;
    uint32_t least = due_of_lsu(sm) | (collects(sm) ? DUE_COLLECT : 0) | (sm_fetch_busy(sm) ? DUE_FETCH : 0);
    uint32_t queues = (lsu->responses.count || l1_has_done(&lsu->l1d) ? DUE_RESPONSE : 0) |
                      (sm_has_queued(sm) ? DUE_SEND : 0) | (lsu->pipe_count ? DUE_PIPE : 0) | sm_due_of_probes(sm) |
                      sm_due_of_stages(sm);
    for (uint32_t rest = least; rest; rest &= rest - 1)
        check_bits(c, "sm.due", 0, &sm->agenda.due, sizeof sm->agenda.due, rest & -rest, rest & -rest);
    check_bits(c, "sm.due: queues", 0, &sm->agenda.due, sizeof sm->agenda.due,
               DUE_RESPONSE | DUE_SEND | DUE_PIPE | DUE_PROBES | DUE_UNITS | DUE_DECODE | DUE_SHARED | DUE_EJECT,
               queues);
}

void sm_lsu_check(struct sm *sm, struct check *c)
{
    const struct lsu *lsu = &sm->lsu;
    check_transactions(sm, c);
    check_due(sm, c);
    check_holds(c, "lsu.at", 0, lsu->at <= lsu->count);
    check_holds(c, "lsu.pipe_refused", 0, !lsu->pipe_refused || lsu->pipe_count);
    CHECK_FACT(c, "lsu.ready", 0, sm->lsu.ready, sm_find_ready(sm));
    check_holds(c, "lsu.shared_head", 0, lsu->shared_head <= lsu->shared_done.count);
}
