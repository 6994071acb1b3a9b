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
    const struct sm_lsu *lsu = &sm->lsu;
    uint8_t *is_free = base_calloc(lsu->transactions.count + 1, 1);
    for (uint32_t i = lsu->free_transaction; i != SM_NONE; i = lsu->transactions.items[i].next)
        is_free[i] = 1;
    for (uint32_t i = 0; i < lsu->transactions.count; i++)
        if (!is_free[i]) {
            of[lsu->transactions.items[i].op]++;
            ++*live;
        }
    for (uint32_t i = 0; i < lsu->pipe_count; i++)
        of[lsu->pipe[(lsu->pipe_head + i) % sm->params->l1d_latency].transaction.op]++;
    if (lsu->op != SM_NONE && !lsu->cycles)
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
    const struct sm_lsu *lsu = &sm->lsu;
    bool next = lsu->op == SM_NONE && sm->oc_ex[WARP_UNIT_OF_MEMORY].count, held = lsu->op != SM_NONE;
    return (sm_writeback_clients(sm) ? SM_DUE_PORT : 0) |
           (next || (held && lsu->served == SM_SERVED) ? SM_DUE_DISPATCH : 0) |
           (held && lsu->served == SM_REFUSED ? SM_DUE_REFUSED : 0);
}

static bool collects(const struct sm *sm)
{
    for (unsigned unit = 0; unit < WARP_UNIT_COUNT; unit++) {
        const struct sm_collectors *l = &sm->collect.classes[unit];
        if ((l->ready && !sm_fifo_full(&sm->oc_ex[unit])) || (sm->id_oc[unit].count && l->used != l->all))
            return true;
    }
    return sm->collect.waiting;
}

/* A stage may be asked to look although it has nothing to do; it is never passed over when it has. What waits in a
 * queue is told exactly. */
static void check_due(struct sm *sm, struct check *c)
{
    const struct sm_lsu *lsu = &sm->lsu;
    uint32_t least = due_of_lsu(sm) | (collects(sm) ? SM_DUE_COLLECT : 0) | (sm_fetch_busy(sm) ? SM_DUE_FETCH : 0);
    uint32_t queues = (lsu->responses.count || l1_has_done(&lsu->l1d) ? SM_DUE_RESPONSE : 0) |
                      (sm_has_queued(sm) ? SM_DUE_SEND : 0) | (lsu->pipe_count ? SM_DUE_PIPE : 0) |
                      sm_due_of_probes(sm) | sm_due_of_stages(sm);
    for (uint32_t rest = least; rest; rest &= rest - 1)
        check_bits(c, "sm.due", 0, &sm->agenda.due, sizeof sm->agenda.due, rest & -rest, rest & -rest);
    check_bits(c, "sm.due: queues", 0, &sm->agenda.due, sizeof sm->agenda.due,
               SM_DUE_RESPONSE | SM_DUE_SEND | SM_DUE_PIPE | SM_DUE_PROBES | SM_DUE_UNITS | SM_DUE_DECODE |
                   SM_DUE_SHARED | SM_DUE_EJECT,
               queues);
}

void sm_lsu_check(struct sm *sm, struct check *c)
{
    const struct sm_lsu *lsu = &sm->lsu;
    check_transactions(sm, c);
    check_due(sm, c);
    check_holds(c, "lsu.at", 0, lsu->at <= lsu->count);
    check_holds(c, "lsu.pipe_refused", 0, !lsu->pipe_refused || lsu->pipe_count);
    CHECK_FACT(c, "lsu.ready", 0, sm->lsu.ready, sm_find_ready(sm));
    check_holds(c, "lsu.shared_head", 0, lsu->shared_head <= lsu->shared_done.count);
}
