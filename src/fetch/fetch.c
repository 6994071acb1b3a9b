/* Fetch and decode. Each cycle fetch serves one warp, or one of each scheduler (sm.fetch_per_scheduler): a *turn* of
 * fetch. Which warp a turn serves, the policy says that sm.fetch names (folder fetch/).
 * Offered are warps whose instruction buffer is empty, or has room where the policy fills buffers up, and warps that
 * have finished and drained: these retire when they are picked. A hit in the instruction cache fills the fetch buffer,
 * which decode empties into the warp's instruction buffer a cycle later; so, or by asking again, do warps whose missing
 * line has arrived, one a cycle. Fetch goes on in a straight line: it does not know of a taken branch until the
 * scheduler meets the wrong instruction and flushes. */
#include <string.h>

#include "base/check.h"
#include "fetch/fetch.h"

/* The fetch of another SM that shares the instruction cache. */
static struct fetch *neighbour(const struct fetch *fetch, unsigned member)
{
    return fetch->port->neighbour(fetch->sm, member);
}

/* Notes whether the warp's buffer has room for something that there is to fetch. */
static void note_full(struct fetch *fetch, unsigned slot)
{
    unsigned buffered = fetch->warp->slots[slot].buffered;
    bool full =
        buffered == fetch->params->instruction_buffer || (buffered && fetch->next_pc[slot] >= fetch->module_size);
    fetch->full = (fetch->full & ~BIT64(slot)) | (full ? BIT64(slot) : 0);
}

HOT void fetch_flush(struct fetch *fetch, unsigned slot)
{
    made_progress(fetch->agenda);
    if (!(fetch->warp->finished & BIT64(slot))) {
        fetch->next_pc[slot] = simt_pc(&fetch->warp->slots[slot].simt);
        fetch->stats.control_flushes++;
    }
    warp_flush(fetch->warp, slot);
    agenda_add(fetch->agenda, DUE_FETCH);
    if (fetch->fills)
        note_full(fetch, slot);
}

void fetch_launched(struct fetch *fetch, unsigned slot)
{
    fetch->next_pc[slot] = fetch->first_pc;
}

void fetch_goes_on(struct fetch *fetch, unsigned slot)
{
    fetch->retiring &= ~BIT64(slot);
    agenda_add(fetch->agenda, DUE_FETCH);
}

void fetch_from(struct fetch *fetch, unsigned slot)
{
    const struct warp_slot *warp = &fetch->warp->slots[slot];
    if (!warp->buffered && !mask_has(fetch->under_way, slot))
        fetch->next_pc[slot] = simt_pc(&warp->simt);
}

void fetch_has_room(struct fetch *fetch, unsigned slot)
{
    note_full(fetch, slot);
    agenda_add(fetch->agenda, DUE_FETCH);
}

/* A warp whose buffer was not empty may have left the straight line, or ended, since it was fetched for: what comes
 * then is dropped. */
static bool is_stale(const struct fetch *fetch, unsigned slot, uint32_t pc)
{
    return fetch->next_pc[slot] != pc || (fetch->warp->finished & BIT64(slot));
}

/* The turn's fetch buffer goes to its warp's. */
static inline void decode(struct fetch *fetch, struct fetch_turn *turn)
{
    unsigned slot = turn->slot;
    uint64_t bit = BIT64(slot);
    fetch->under_way &= ~bit;
    turn->slot = CORE_NONE;
    if (fetch->fills) {
        agenda_add(fetch->agenda, DUE_FETCH);
        if (is_stale(fetch, slot, turn->pc))
            return;
    }
    if (RARELY(fetch->warp->finished & bit)) { /* its threads have gone to other warps */
        agenda_add(fetch->agenda, DUE_FETCH);
        return;
    }
    uint32_t count = turn->count, pc = turn->pc;
    fetch->stats.decoded_instructions += count;
    const struct decoded_instr *d = &fetch->warp->decoded[pc];
    fetch->stats.decoded_operations += d[count].scheduled_before - d->scheduled_before;
    fetch->next_pc[slot] += count;
    contract(fetch->fills || !fetch->warp->slots[slot].buffered);
    if (warp_fetched(fetch->warp, slot, pc, count, simt_pc(&fetch->warp->slots[slot].simt)))
        fetch->port->reach_release(fetch->sm, slot);
    if (fetch->fills)
        note_full(fetch, slot);
}

HOT void fetch_decode(struct fetch *fetch)
{
    made_progress(fetch->agenda);
    agenda_done(fetch->agenda, DUE_DECODE);
    struct fetch_turn *turn = fetch->turns, *last = turn + fetch->turn_count - 1;
    do {
        if (turn->slot != CORE_NONE)
            decode(fetch, turn);
    } while (RARELY(turn++ < last));
}

/* Instructions that a fetch brings. Also at the end of a line: only the bytes asked of the cache end there. */
static uint32_t fetch_count(const struct fetch *fetch, unsigned slot)
{
    unsigned buffered = fetch->warp->slots[slot].buffered;
    uint32_t left = fetch->module_size - fetch->next_pc[slot], most = fetch->most;
    if (fetch->fills && most > fetch->params->instruction_buffer - buffered)
        most = fetch->params->instruction_buffer - buffered;
    return most < left ? most : left;
}

static void fill_buffer(struct fetch *fetch, struct fetch_turn *turn, unsigned slot, uint32_t count)
{
    contract(turn->slot == CORE_NONE);
    turn->slot = slot;
    agenda_add(fetch->agenda, DUE_DECODE);
    turn->count = count;
    turn->pc = fetch->next_pc[slot];
}

#define PREFETCHED (CACHE_NO_WAITER - 1) /* the waiter of a line that no warp asked for */

/* The lines behind one that missed are requested with it, as far as there is room for requests (sm.fetch_prefetch). */
NOT_INLINE void prefetch(struct fetch *fetch, uint64_t address)
{
    uint64_t end = fetch->code_base + ((uint64_t)fetch->module_size << fetch->pc_shift);
    uint64_t line = (address & ~(uint64_t)(fetch->line_bytes - 1)) + fetch->line_bytes;
    for (uint32_t left = fetch->params->fetch_prefetch; left && line < end; left--, line += fetch->line_bytes) {
        struct cache_effect effect;
        uint32_t room = packet_ring_room(fetch->queue), at;
        if (!room)
            return;
        if (cache_find(fetch->l1i, line, fetch->line_bytes, &at) == CACHE_ABSENT &&
            cache_read(fetch->l1i, line, fetch->line_bytes, PREFETCHED, room, &effect) == CACHE_MISS)
            fetch->port->request(fetch->sm, effect.fill_address, effect.fill_bytes, (uint16_t)effect.fill);
    }
}

/* Asks the instruction cache for the next instructions of a warp that the turn serves. */
static void fetch_warp(struct fetch *fetch, struct fetch_turn *turn, unsigned slot)
{
    uint32_t *next_pc = &fetch->next_pc[slot];
    uint64_t address = fetch->code_base + ((uint64_t)*next_pc << fetch->pc_shift);
    uint32_t line = fetch->line_bytes;
    uint32_t to_line_end = (line - (uint32_t)(address & (line - 1))) >> fetch->pc_shift;
    if (*next_pc >= fetch->module_size) { /* ran off the end on a wrong path: the scheduler will redirect it */
        *next_pc = simt_pc(&fetch->warp->slots[slot].simt);
        return;
    }
    uint32_t count = fetch_count(fetch, slot);
    struct cache_effect effect;
    fetch->asked_pc[slot] = *next_pc;
    uint32_t room = packet_ring_room(fetch->queue);
    switch (cache_read(fetch->l1i, address, (count < to_line_end ? count : to_line_end) << fetch->pc_shift,
                       fetch->member * WARP_SLOTS + slot, room, &effect)) {
    case CACHE_HIT:
        fill_buffer(fetch, turn, slot, count);
        fetch->under_way |= BIT64(slot);
        break;
    case CACHE_MISS:
        fetch->port->request(fetch->sm, effect.fill_address, effect.fill_bytes, (uint16_t)effect.fill);
        fetch->under_way |= BIT64(slot);
        if (RARELY(fetch->params->fetch_prefetch))
            prefetch(fetch, address);
        break;
    case CACHE_PENDING:
        fetch->under_way |= BIT64(slot);
        break;
    case CACHE_REFUSED:
        break;
    }
    turn->view.last = slot;
}

/* The lines of a shared cache are for those who wait for them, whichever of them asked the network. */
NOT_INLINE uint32_t share_line(struct fetch *fetch)
{
    uint32_t line, waiter, members = 0;
    while ((waiter = cache_ready(fetch->l1i, &line, &(const uint8_t *){NULL})) != CACHE_NO_WAITER) {
        if (waiter == PREFETCHED)
            continue;
        struct fetch *f = neighbour(fetch, waiter / WARP_SLOTS);
        contract(f->shared.count < WARP_SLOTS);
        f->shared.slots[(f->shared.head + f->shared.count++) % WARP_SLOTS] = (uint8_t)(waiter % WARP_SLOTS);
        f->came = true;
        agenda_add(f->agenda, DUE_FETCH);
        members |= 1u << f->member;
    }
    return members;
}

HOT uint32_t fetch_line(struct fetch *fetch, uint32_t fill)
{
    uint32_t members = 0;
    cache_end_fill(fetch->l1i, fill, NULL);
    agenda_add(fetch->agenda, DUE_FETCH);
    if (RARELY(fetch->shares))
        members = share_line(fetch);
    fetch->came = fetch_line_came(fetch);
    return members;
}

NOT_INLINE uint32_t next_of_shared(struct fetch *f)
{
    uint32_t slot = f->shared.slots[f->shared.head];
    f->shared.head = (uint8_t)((f->shared.head + 1) % WARP_SLOTS);
    f->shared.count--;
    return slot;
}

/* The warp for which a line came first. */
static uint32_t next_that_came(struct fetch *fetch)
{
    uint32_t line, slot;
    if (!fetch->came)
        return CACHE_NO_WAITER;
    if (RARELY(fetch->shares))
        slot = next_of_shared(fetch);
    else
        do
            slot = cache_ready(fetch->l1i, &line, &(const uint8_t *){NULL});
        while (RARELY(slot == PREFETCHED));
    fetch->came = fetch_line_came(fetch);
    return slot;
}

/* True: take_line has something to do, since a line has arrived or one was taken. */
static inline bool line_came(const struct fetch *fetch)
{
    return fetch->line_taken || fetch->came;
}

/* The turn that serves a warp. */
static inline struct fetch_turn *turn_of(struct fetch *fetch, unsigned slot)
{
    return &fetch->turns[fetch->turn_count > 1 ? slot % fetch->turn_count : 0];
}

/* One warp whose instruction line arrived: it fills its turn's fetch buffer, or may ask again from the next cycle on.
 * Returns that turn, or NULL where no line has. */
HOT static struct fetch_turn *take_line(struct fetch *fetch)
{
    uint32_t slot = next_that_came(fetch);
    fetch->line_taken = slot != CACHE_NO_WAITER;
    if (!fetch->line_taken)
        return NULL;
    struct fetch_turn *turn = turn_of(fetch, slot);
    made_progress(fetch->agenda);
    if (fetch->params->fetch_from_fill && !is_stale(fetch, slot, fetch->asked_pc[slot])) {
        fill_buffer(fetch, turn, slot, fetch_count(fetch, slot));
    } else {
        fetch->under_way &= ~BIT64(slot);
    }
    return turn;
}

/* The policy picks among the turn's warps to fetch for and those to retire, until it picks one to fetch for. A finished
 * warp for which instructions are still on their way retires when they have come. */
static inline void fetch_any(struct fetch *fetch, struct fetch_turn *turn)
{
    struct fetch *f = fetch;
    struct fetch_view *view = &turn->view;
    view->cycle = fetch->agenda->now;
    view->retiring = f->retiring & ~f->under_way & turn->warps;
    view->serve = (fetch_for(fetch) & turn->warps) | view->retiring;
    made_progress_if(fetch->agenda, view->serve != 0);
    while (view->serve) {
        unsigned slot = f->policy->pick(view);
        if (slot == FETCH_NOBODY)
            return;
        contract(mask_has(view->serve, slot));
        if (!mask_has(view->retiring, slot)) {
            fetch_warp(fetch, turn, slot);
            return;
        }
        f->retiring &= ~BIT64(slot);
        f->port->retire(f->sm, slot);
        view->serve &= ~BIT64(slot);
        view->retiring &= ~BIT64(slot);
    }
}

/* All turns but one, to which a line went in this cycle, serve a warp. Cycle by cycle another turn is the first to ask
 * the instruction cache, which may not take all that miss. */
NOT_INLINE void fetch_all(struct fetch *fetch, const struct fetch_turn *but)
{
    unsigned count = fetch->turn_count, first = (unsigned)(fetch->agenda->now % count);
    for (unsigned i = 0; i < count; i++) {
        struct fetch_turn *turn = &fetch->turns[first + i < count ? first + i : first + i - count];
        if (turn != but)
            fetch_any(fetch, turn);
    }
}

HOT void fetch_step(struct fetch *fetch)
{
    bool from_fill = fetch->params->fetch_from_fill;
    const struct fetch_turn *took = from_fill && line_came(fetch) ? take_line(fetch) : NULL;
    if (RARELY(fetch->turn_count > 1))
        fetch_all(fetch, took);
    else if (!took)
        fetch_any(fetch, fetch->turns);
    if (!from_fill && line_came(fetch))
        take_line(fetch);
    if (!fetch_busy(fetch))
        agenda_done(fetch->agenda, DUE_FETCH);
}

/* The policy's view of warps and their buffers */

static unsigned entries(const struct fetch_view *view, unsigned slot)
{
    return ((const struct fetch *)view->context)->warp->slots[slot].buffered;
}

static unsigned preferred(const struct fetch_view *view, unsigned scheduler, uint64_t warps)
{
    const struct fetch *fetch = view->context;
    return fetch->port->preferred(fetch->sm, view->first_scheduler + scheduler, warps);
}

/* Making one, and launches */

static void init_turns(struct fetch *fetch, const struct core_views *views)
{
    const struct sm_params *p = fetch->params;
    unsigned schedulers = core_schedulers(p);
    fetch->turn_count = p->fetch_per_scheduler ? schedulers : 1;
    contract(fetch->turn_count <= FETCH_TURNS);
    for (unsigned t = 0; t < fetch->turn_count; t++) {
        struct fetch_turn *turn = &fetch->turns[t];
        for (unsigned slot = t; slot < p->warps; slot += fetch->turn_count)
            turn->warps |= BIT64(slot);
        turn->slot = CORE_NONE;
        turn->view = (struct fetch_view){.warps = views->warps,
                                         .schedulers = schedulers / fetch->turn_count,
                                         .first_scheduler = t,
                                         .entries = entries,
                                         .preferred = preferred,
                                         .context = fetch};
    }
}

void fetch_init(struct fetch *fetch, const struct fetch_setup *setup, struct arena *own)
{
    const struct sm_shared *shared = setup->shared;
    const struct sm_params *p = shared->params;
    *fetch = (struct fetch){
        .agenda = shared->agenda,
        .params = p,
        .warp = shared->warp,
        .sm = shared->sm,
        .port = setup->port,
        .queue = setup->queue,
        .shares = setup->shares,
        .member = (uint8_t)setup->member,
        .policy = setup->policy,
        .fills = setup->policy->fills || p->fetch_fills,
        .most = sm_fetch_most(p) < p->instruction_buffer ? sm_fetch_most(p) : p->instruction_buffer,
        .pc_shift = mask_first(p->instruction_bytes),
        .line_bytes = setup->l1i->line_bytes,
        .code_base = setup->code_base,
    };
    init_turns(fetch, shared->views);
    fetch->stocked = fetch->fills ? &fetch->full : &fetch->warp->buffered;
    fetch->l1i = fetch->member ? neighbour(fetch, 0)->l1i : cache_create(setup->l1i, false, own);
}

void fetch_begin(struct fetch *fetch, const struct fetch_launch *launch)
{
    fetch->came = false;
    fetch->line_taken = true;
    fetch->under_way = fetch->retiring = fetch->full = 0;
    fetch->shared.head = fetch->shared.count = 0;
    fetch->module_size = launch->module_size;
    fetch->first_pc = launch->first_pc;
    for (struct fetch_turn *turn = fetch->turns; turn < fetch->turns + fetch->turn_count; turn++) {
        turn->slot = CORE_NONE;
        turn->count = turn->pc = 0;
        turn->view.last = fetch->params->warps - 1;
    }
    memset(fetch->next_pc, 0, sizeof fetch->next_pc);
    memset(fetch->asked_pc, 0, sizeof fetch->asked_pc);
}

void fetch_empty_cache(struct fetch *fetch)
{
    if (!fetch->member)
        cache_invalidate_all(fetch->l1i);
}

void fetch_reset_stats(struct fetch *fetch)
{
    fetch->stats = (struct fetch_stats){0};
    *cache_stats_of(fetch->l1i) = (struct cache_stats){0};
}

void fetch_each_set(struct fetch *fetch, void (*visit)(uint64_t *set, void *context), void *context)
{
    visit(&fetch->under_way, context);
    visit(&fetch->retiring, context);
    visit(&fetch->full, context);
}
