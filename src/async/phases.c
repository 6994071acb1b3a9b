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

/* The cycle in which a wait for phases that are over has its result, as far as they have to settle; 0: they have. */
static uint64_t settled(const struct async *async, unsigned slot, const struct simt_access *access)
{
    uint64_t last = 0, now = async->agenda->now;
    for (size_t i = 0; i < async->settling.count; i++) {
        const struct async_settling *s = &async->settling.items[i];
        if (s->until <= now || s->block != async->warp->slots[slot].block)
            continue;
        for (uint64_t rest = access->mask; rest; rest &= rest - 1)
            if (access->address[mask_first(rest)] == s->address)
                last = cycle_max(last, s->until);
    }
    return last;
}

bool async_settles(const struct async *async, unsigned slot, const struct simt_access *access)
{
    return async->settling.count && settled(async, slot, access);
}

/* Keeps an op until that cycle. */
static bool keep(struct async *async, uint32_t op, uint64_t cycle)
{
    if (!cycle)
        return false;
    vec_push(&async->suspended, (struct async_suspended){op, cycle, cycle});
    async_note(async, cycle);
    return true;
}

bool async_suspend(struct async *async, uint32_t op)
{
    const struct core_op *o = &async->ops->items[op];
    uint64_t until = limit_of(async, o);
    if (!simt_mbarrier_look(warp_of(async, o), o->access))
        return async->settling.count && keep(async, op, settled(async, o->slot, o->access));
    if (until <= async->agenda->now)
        return false;
    vec_push(&async->suspended, (struct async_suspended){op, until, CYCLE_NEVER});
    async_note(async, until);
    return true;
}

/* Notes that a phase has ended, in the place of one that has settled. */
static void settle(struct async *async, unsigned block, uint32_t address, uint32_t cycles)
{
    uint64_t now = async->agenda->now;
    struct async_settling ended = {now + cycles, block, address};
    for (size_t i = 0; i < async->settling.count; i++) {
        if (async->settling.items[i].until > now)
            continue;
        async->settling.items[i] = ended;
        return;
    }
    vec_push(&async->settling, ended);
}

/* When waits of that phase may have their result, and when its waiters go on. An operation with .expect_tx holds its warp up
 * until it is performed: there is nothing to settle behind it. Bytes that come are not on their way through the pipeline of an
 * instruction, so that waiters hear of them sooner. */
static uint32_t settle_cycles(const struct sm_params *p, enum async_ender by)
{
    uint32_t expects = p->mbarrier_expect_interval;
    return by == ASYNC_BY_EXPECT && expects && expects < p->mbarrier_settle ? expects : p->mbarrier_settle;
}
static uint32_t wake_cycles(const struct sm_params *p, enum async_ender by)
{
    return by == ASYNC_BY_BYTES && p->mbarrier_wake_bytes ? p->mbarrier_wake_bytes : p->mbarrier_wake;
}

void async_phase_ended(struct async *async, unsigned block, uint32_t address, enum async_ender by)
{
    uint32_t settles = settle_cycles(async->params, by), wakes = wake_cycles(async->params, by);
    async->phases_ended++;
    if (settles)
        settle(async, block, address, settles);
    for (size_t i = 0; i < async->suspended.count; i++) {
        struct async_suspended *s = &async->suspended.items[i];
        const struct core_op *o = &async->ops->items[s->op];
        if (s->wake != CYCLE_NEVER || async->warp->slots[o->slot].block != block ||
            simt_mbarrier_look(warp_of(async, o), o->access))
            continue;
        s->wake = async->agenda->now + wakes;
        async_note(async, s->wake);
    }
}
