/* Groups of copies: what cp.async.commit_group makes of them, what wait_group waits for, and arrivals at mbarriers that come
 * when copies are done. See async.h. Lanes of a warp may commit apart, so a group has a set of lanes, and how many groups
 * are behind it is counted lane by lane. PTX ISA, "cp.async.commit_group", "cp.async.wait_group", "cp.async.mbarrier.arrive".
 */
#include "async/async.h"

#include "simt/copy.h"
#include "simt/mbarrier.h"

void async_warp_begins(struct async *async, unsigned slot)
{
    async->commits[false][slot] = async->commits[true][slot] = (struct async_commits){0};
}

static uint32_t new_group(struct async *async)
{
    for (uint32_t i = 0; i < async->groups.count; i++)
        if (!async->groups.items[i].lanes)
            return i;
    vec_push(&async->groups, (struct async_group){0});
    return (uint32_t)async->groups.count - 1;
}

/* The warp issues nothing for so long. */
static void hold_up(struct async *async, unsigned slot, uint32_t cycles)
{
    warp_hold_up(async->warp, slot, async->agenda->now, async->agenda->now + cycles);
}

/* A copy joins the open group of its lanes, unless an arrival stands between. */
uint32_t async_group_begins(struct async *async, unsigned slot, uint64_t lanes, bool bulk)
{
    for (uint32_t i = 0; i < async->groups.count; i++) {
        struct async_group *g = &async->groups.items[i];
        if (g->lanes == lanes && g->slot == slot && g->open == lanes && g->bulk == bulk && !g->sealed) {
            g->out++;
            g->unread += bulk;
            return i;
        }
    }
    uint32_t number = new_group(async);
    async->groups.items[number] = (struct async_group){.lanes = lanes,
                                                       .open = lanes,
                                                       .serial = async->next_serial++,
                                                       .out = 1,
                                                       .unread = bulk,
                                                       .slot = (uint8_t)slot,
                                                       .bulk = bulk};
    return number;
}

static void commit(struct async *async, unsigned slot, uint64_t lanes, bool bulk)
{
    struct async_commits *c = &async->commits[bulk][slot];
    c->lanes[c->count++ % ASYNC_COMMITS] = lanes;
    for (size_t i = 0; i < async->groups.count; i++) {
        struct async_group *g = &async->groups.items[i];
        if (g->slot != slot || g->bulk != bulk || !(g->open & lanes))
            continue;
        g->committed = g->open == g->lanes ? c->count : g->committed; /* in parts: by the first */
        g->open &= ~lanes;
    }
}

/* The most groups that one of the lanes has committed behind that commit. */
static uint64_t commits_behind(const struct async_commits *c, uint64_t commit, uint64_t lanes)
{
    uint64_t most = 0;
    if (c->count - commit > ASYNC_COMMITS)
        return UINT64_MAX;
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        uint64_t behind = 0;
        for (uint64_t i = commit; i < c->count; i++)
            behind += mask_has(c->lanes[i % ASYNC_COMMITS], mask_first(rest));
        most = behind > most ? behind : most;
    }
    return most;
}

/* True: the wait of the warp in that slot is for this group too. */
static bool is_awaited(const struct async *async, unsigned slot, const struct async_group *g)
{
    const struct async_wait *wait = &async->waits[slot];
    uint64_t lanes = g->lanes & wait->lanes, closed = lanes & ~g->open;
    if (g->slot != slot || g->bulk != wait->bulk || !lanes || !(wait->read ? g->unread : g->out))
        return false;
    return wait->all || (closed && commits_behind(&async->commits[g->bulk][slot], g->committed, closed) >= wait->most);
}

static bool waits_on(const struct async *async, unsigned slot)
{
    for (size_t i = 0; i < async->groups.count; i++)
        if (is_awaited(async, slot, &async->groups.items[i]))
            return true;
    return false;
}

void async_reach_groups(struct async *async, unsigned slot, const struct simt_result *r)
{
    bool bulk = r->instr->op == ISA_OP_BULK_COMMIT || r->instr->op == ISA_OP_BULK_WAIT;
    if (r->copies == SIMT_COPIES_COMMIT) {
        commit(async, slot, r->mask, bulk);
        hold_up(async, slot, bulk ? 0 : async->params->copy_commit);
        return;
    }
    async->waits[slot] = (struct async_wait){.lanes = r->mask,
                                             .most = r->most,
                                             .all = r->copies == SIMT_COPIES_ALL,
                                             .bulk = bulk,
                                             .read = r->instr->mods.read};
    if (waits_on(async, slot))
        warp_wait_begin(async->warp, WARP_WAIT_copies, BIT64(slot));
    else
        hold_up(async, slot, bulk ? 0 : async->params->copy_wait);
}

/* Arrivals */

/* True: a copy that the arrival stands behind is not done. */
static bool is_held_up(const struct async *async, const struct async_arrival *a)
{
    for (size_t i = 0; i < async->groups.count; i++) {
        const struct async_group *g = &async->groups.items[i];
        if (g->slot == a->slot && !g->bulk && mask_has(g->lanes, a->lane) && g->serial < a->serial)
            return true;
    }
    return false;
}

static void arrive(struct async *async, const struct async_arrival *a)
{
    struct warp_slot *warp = &async->warp->slots[a->slot];
    struct mbarrier_step step = simt_mbarrier_take(warp->simt.block, a->address, ISA_OP_MBARRIER_ARRIVE, 1,
                                                   simt_thread_of(&warp->simt, a->lane));
    async->port->counted(
        async->sm, a->slot,
        &(struct async_counted){
            .pc = a->pc, .lane = a->lane, .address = (uint32_t)a->address, .ended = step.completed});
    if (step.completed)
        async_phase_ended(async, warp->block, (uint32_t)a->address, ASYNC_BY_WARP);
    if (!step.fault)
        return;
    struct simt_fault fault;
    simt_mbarrier_fault(&fault, &step, a->address, a->lane, a->pc);
    async->port->fault(async->sm, a->slot, &fault);
}

void async_arrive_behind(struct async *async, unsigned slot, const struct simt_access *access)
{
    for (size_t i = 0; i < async->groups.count; i++)
        async->groups.items[i].sealed |= async->groups.items[i].slot == slot;
    for (uint64_t rest = access->mask; rest; rest &= rest - 1) {
        struct async_arrival a = {.address = access->address[mask_first(rest)],
                                  .serial = async->next_serial,
                                  .pc = access->pc,
                                  .slot = (uint8_t)slot,
                                  .lane = (uint8_t)mask_first(rest)};
        if (is_held_up(async, &a))
            vec_push(&async->arrivals, a);
        else
            arrive(async, &a);
    }
}

static void arrive_all(struct async *async, unsigned slot)
{
    size_t kept = 0;
    for (size_t i = 0; i < async->arrivals.count; i++) {
        struct async_arrival a = async->arrivals.items[i];
        if (a.slot == slot && !is_held_up(async, &a))
            arrive(async, &a);
        else
            async->arrivals.items[kept++] = a;
    }
    async->arrivals.count = kept;
}

/* Ends the wait of the warp for copies if what it is for has happened. */
static void look_again(struct async *async, unsigned slot)
{
    if (!mask_has(async->warp->waits.copies, slot) || waits_on(async, slot))
        return;
    warp_wait_end(async->warp, WARP_WAIT_copies, BIT64(slot));
    hold_up(async, slot, async->waits[slot].bulk ? 0 : async->params->copy_wait);
    made_progress(async->agenda);
}

void async_source_read(struct async *async, unsigned slot, uint32_t group)
{
    async->groups.items[group].unread--;
    look_again(async, slot);
}

void async_copied(struct async *async, unsigned slot, uint32_t group)
{
    struct async_group *g = &async->groups.items[group];
    contract(group < async->groups.count && g->out && g->slot == slot);
    if (--g->out)
        return;
    g->lanes = g->open = 0; /* its copies may be done before it is committed */
    if (async->arrivals.count)
        arrive_all(async, slot);
    look_again(async, slot);
}
