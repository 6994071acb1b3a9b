/* Warps that mbarrier.try_wait has suspended: see async.h. A warp is looked at again when a phase of its block ends, not in
 * between, so that one that waits costs nothing. PTX ISA, "mbarrier.test_wait / mbarrier.try_wait". */
#include "async/async.h"

static struct simt_warp *warp_of(const struct async *async, const struct core_op *o)
{
    return &async->warp->slots[o->slot].simt;
}

/* The cycle up to which the op may be suspended: what its lanes ask for, or what the machine does. */
static uint64_t limit_of(const struct async *async, const struct core_op *o)
{
    uint64_t ns = async->params->mbarrier_hints ? simt_mbarrier_hint(o->access) : 0, mhz = warp_of(async, o)->block->grid->core_mhz;
    return o->access->since + (ns ? ns * mhz / 1000 : async->params->mbarrier_limit);
}

bool async_suspend(struct async *async, uint32_t op)
{
    const struct core_op *o = &async->ops->items[op];
    uint64_t until = limit_of(async, o);
    if (!simt_mbarrier_look(warp_of(async, o), o->access) || until <= async->agenda->now)
        return false;
    vec_push(&async->suspended, (struct async_suspended){op, until, CYCLE_NEVER});
    async_note(async, until);
    return true;
}

void async_phase_ended(struct async *async, unsigned block)
{
    for (size_t i = 0; i < async->suspended.count; i++) {
        struct async_suspended *s = &async->suspended.items[i];
        const struct core_op *o = &async->ops->items[s->op];
        if (s->wake != CYCLE_NEVER || async->warp->slots[o->slot].block != block ||
            simt_mbarrier_look(warp_of(async, o), o->access))
            continue;
        s->wake = async->agenda->now + async->params->mbarrier_wake;
        async_note(async, s->wake);
    }
}
