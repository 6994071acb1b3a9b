/* Fetch and decode. Each cycle fetch serves one warp: which, the policy says that sm.fetch names (folder fetch/).
 * Offered are warps whose instruction buffer is empty, or has room where the policy fills buffers up, and warps that
 * have finished and drained: these retire when they are picked. A hit in the instruction cache fills the fetch buffer,
 * which decode empties into the warp's instruction buffer a cycle later; so, or by asking again, do warps whose missing
 * line has arrived, one a cycle. Fetch goes on in a straight line: it does not know of a taken branch until the
 * scheduler meets the wrong instruction and flushes. */
#include <string.h>

#include "base/check.h"
#include "sm/sm_impl.h"

/* Notes whether the warp's buffer has room for something that there is to fetch. */
static void note_full(struct sm *sm, unsigned slot)
{
    unsigned buffered = sm->warp.slots[slot].buffered;
    bool full =
        buffered == sm->params->instruction_buffer || (buffered && sm->fetch.next_pc[slot] >= sm->fetch.module_size);
    sm->fetch.full = (sm->fetch.full & ~BIT64(slot)) | (full ? BIT64(slot) : 0);
}

HOT void sm_flush_buffer(struct sm *sm, unsigned slot)
{
    made_progress(&sm->agenda);
    if (!(sm->warp.finished & BIT64(slot))) {
        sm->fetch.next_pc[slot] = simt_pc(&sm->warp.slots[slot].simt);
        sm->stats.control_flushes++;
    }
    warp_flush(&sm->warp, slot);
    agenda_add(&sm->agenda, DUE_FETCH);
    if (sm->fetch_fills)
        note_full(sm, slot);
}

void sm_fetch_launched(struct sm *sm, unsigned slot)
{
    sm->fetch.next_pc[slot] = sm->kernel->grid->kernel->first;
}

void sm_fetch_goes_on(struct sm *sm, unsigned slot)
{
    sm->fetch.retiring &= ~BIT64(slot);
    agenda_add(&sm->agenda, DUE_FETCH);
}

void sm_fetch_from(struct sm *sm, unsigned slot)
{
    const struct warp_slot *warp = &sm->warp.slots[slot];
    if (!warp->buffered && !mask_has(sm->fetch.under_way, slot))
        sm->fetch.next_pc[slot] = simt_pc(&warp->simt);
}

void sm_fetch_has_room(struct sm *sm, unsigned slot)
{
    note_full(sm, slot);
    agenda_add(&sm->agenda, DUE_FETCH);
}

/* A warp whose buffer was not empty may have left the straight line, or ended, since it was fetched for: what comes
 * then is dropped. */
static bool is_stale(const struct sm *sm, unsigned slot, uint32_t pc)
{
    return sm->fetch.next_pc[slot] != pc || (sm->warp.finished & BIT64(slot));
}

HOT void sm_decode(struct sm *sm)
{
    struct sm_fetch *f = &sm->fetch;
    unsigned slot = f->slot;
    uint64_t bit = BIT64(slot);
    made_progress(&sm->agenda);
    f->under_way &= ~bit;
    f->slot = CORE_NONE;
    agenda_done(&sm->agenda, DUE_DECODE);
    if (sm->fetch_fills) {
        agenda_add(&sm->agenda, DUE_FETCH);
        if (is_stale(sm, slot, f->pc))
            return;
    }
    if (RARELY(sm->warp.finished & bit)) { /* its threads have gone to other warps */
        agenda_add(&sm->agenda, DUE_FETCH);
        return;
    }
    uint32_t count = f->count, pc = f->pc;
    sm->stats.decoded_instructions += count;
    const struct decoded_instr *d = &sm->warp.decoded[pc];
    sm->stats.decoded_operations += d[count].scheduled_before - d->scheduled_before;
    f->next_pc[slot] += count;
    contract(sm->fetch_fills || !sm->warp.slots[slot].buffered);
    if (warp_fetched(&sm->warp, slot, pc, count, simt_pc(&sm->warp.slots[slot].simt)))
        lsu_reach_release(&sm->lsu, slot);
    if (sm->fetch_fills)
        note_full(sm, slot);
}

static void retire(struct sm *sm, unsigned slot)
{
    struct sm_block *block = &sm->blocks[sm->warp.slots[slot].block];
    uint64_t bit = BIT64(slot);
    block->incomplete &= ~bit;
    sm->fetch.retiring &= ~bit;
    if (block->incomplete)
        return;
    sm_count_warps(sm, sm->agenda.now + 1);
    warp_go(&sm->warp, block->warps);
    sm_form_retired(sm, block->warps);
    sm->free_threads += sm->kernel->threads_per_block;
    sm->free_shared += sm->kernel->shared_bytes;
    sm->free_registers += sm->kernel->registers * sm->kernel->threads_per_block;
    sm->free_blocks |= BIT64(sm->warp.slots[slot].block);
    block->used = false;
    core_view_block(&sm->views, (unsigned)(block - sm->blocks), &(struct lockstep_block_view){0});
    sm->stats.blocks++;
    if (sm->spin && !sm->warp.resident)
        spin_drained(sm->spin, sm->agenda.now);
}

/* Instructions that a fetch brings. Also at the end of a line: only the bytes asked of the cache end there. */
static uint32_t fetch_count(const struct sm *sm, unsigned slot)
{
    unsigned buffered = sm->warp.slots[slot].buffered;
    uint32_t left = sm->fetch.module_size - sm->fetch.next_pc[slot], most = sm->fetch.most;
    if (sm->fetch_fills && most > sm->params->instruction_buffer - buffered)
        most = sm->params->instruction_buffer - buffered;
    return most < left ? most : left;
}

static void fill_buffer(struct sm *sm, unsigned slot, uint32_t count)
{
    sm->fetch.slot = slot;
    agenda_add(&sm->agenda, DUE_DECODE);
    sm->fetch.count = count;
    sm->fetch.pc = sm->fetch.next_pc[slot];
}

/* Asks the instruction cache for the warp's next instructions. */
static void fetch_warp(struct sm *sm, unsigned slot)
{
    uint32_t *next_pc = &sm->fetch.next_pc[slot];
    uint64_t address = sm->fetch.code_base + (uint64_t)*next_pc * ISA_PC_BYTES;
    uint32_t line = sm->fetch.line_bytes;
    uint32_t to_line_end = (line - (uint32_t)(address & (line - 1))) / ISA_PC_BYTES;
    if (*next_pc >= sm->fetch.module_size) { /* ran off the end on a wrong path: the scheduler will redirect it */
        *next_pc = simt_pc(&sm->warp.slots[slot].simt);
        return;
    }
    uint32_t count = fetch_count(sm, slot);
    struct cache_effect effect;
    sm->fetch.asked_pc[slot] = *next_pc;
    uint32_t room = lsu_instruction_room(&sm->lsu);
    switch (cache_read(sm->fetch.l1i, address, (count < to_line_end ? count : to_line_end) * ISA_PC_BYTES,
                       sm->fetch.member * WARP_SLOTS + slot, room, &effect)) {
    case CACHE_HIT:
        fill_buffer(sm, slot, count);
        sm->fetch.under_way |= BIT64(slot);
        break;
    case CACHE_MISS: {
        struct packet *p = lsu_packet(&sm->lsu);
        p->kind = PACKET_READ;
        p->space = PACKET_INSTRUCTION;
        p->address = effect.fill_address;
        p->fill = (uint16_t)effect.fill;
        p->bytes = effect.fill_bytes;
        lsu_request_instructions(&sm->lsu, p);
        sm->fetch.under_way |= BIT64(slot);
        break;
    }
    case CACHE_PENDING:
        sm->fetch.under_way |= BIT64(slot);
        break;
    case CACHE_REFUSED:
        break;
    }
    sm->fetch.view.last = slot;
}

/* The lines of a shared cache are for those who wait for them, whichever of them asked the network. */
NOT_INLINE uint32_t share_line(struct sm *sm)
{
    uint32_t line, waiter, members = 0;
    while ((waiter = cache_ready(sm->fetch.l1i, &line, &(const uint8_t *){NULL})) != CACHE_NO_WAITER) {
        struct sm *other = sm->fetch.neighbours[waiter / WARP_SLOTS];
        struct sm_fetch *f = &other->fetch;
        contract(f->shared.count < WARP_SLOTS);
        f->shared.slots[(f->shared.head + f->shared.count++) % WARP_SLOTS] = (uint8_t)(waiter % WARP_SLOTS);
        f->came = true;
        agenda_add(&other->agenda, DUE_FETCH);
        members |= 1u << f->member;
    }
    return members;
}

HOT uint32_t sm_fetch_line(struct sm *sm, uint32_t fill)
{
    uint32_t members = 0;
    cache_end_fill(sm->fetch.l1i, fill, NULL);
    agenda_add(&sm->agenda, DUE_FETCH);
    if (RARELY(sm->fetch.neighbours))
        members = share_line(sm);
    sm->fetch.came = sm_line_came(sm);
    return members;
}

NOT_INLINE uint32_t next_of_shared(struct sm_fetch *f)
{
    uint32_t slot = f->shared.slots[f->shared.head];
    f->shared.head = (uint8_t)((f->shared.head + 1) % WARP_SLOTS);
    f->shared.count--;
    return slot;
}

/* The warp for which a line came first. */
static uint32_t next_that_came(struct sm *sm)
{
    uint32_t line, slot;
    if (!sm->fetch.came)
        return CACHE_NO_WAITER;
    if (RARELY(sm->fetch.neighbours))
        slot = next_of_shared(&sm->fetch);
    else
        slot = cache_ready(sm->fetch.l1i, &line, &(const uint8_t *){NULL});
    sm->fetch.came = sm_line_came(sm);
    return slot;
}

/* True: take_line has something to do, since a line has arrived or one was taken. */
static inline bool line_came(const struct sm *sm)
{
    return sm->fetch.line_taken || sm->fetch.came;
}

/* One warp whose instruction line arrived: it fills the fetch buffer, or may ask again from the next cycle on. */
HOT static bool take_line(struct sm *sm)
{
    uint32_t slot = next_that_came(sm);
    sm->fetch.line_taken = slot != CACHE_NO_WAITER;
    if (!sm->fetch.line_taken)
        return false;
    made_progress(&sm->agenda);
    if (sm->params->fetch_from_fill && !is_stale(sm, slot, sm->fetch.asked_pc[slot])) {
        fill_buffer(sm, slot, fetch_count(sm, slot));
    } else {
        sm->fetch.under_way &= ~BIT64(slot);
    }
    return true;
}

/* The policy picks among the warps to fetch for and those to retire, until it picks one to fetch for. A finished warp
 * for which instructions are still on their way retires when they have come. */
static void fetch_any(struct sm *sm)
{
    struct sm_fetch *f = &sm->fetch;
    struct sm_fetch_view *view = &f->view;
    view->cycle = sm->agenda.now;
    view->retiring = f->retiring & ~f->under_way;
    view->serve = sm_fetch_for(sm) | view->retiring;
    made_progress_if(&sm->agenda, view->serve != 0);
    while (view->serve) {
        unsigned slot = f->policy->pick(view);
        if (slot == SM_FETCH_NOBODY)
            return;
        contract(mask_has(view->serve, slot));
        if (!mask_has(view->retiring, slot)) {
            fetch_warp(sm, slot);
            return;
        }
        retire(sm, slot);
        view->serve &= ~BIT64(slot);
        view->retiring &= ~BIT64(slot);
    }
}

HOT void sm_fetch(struct sm *sm)
{
    bool from_fill = sm->params->fetch_from_fill;
    if (!from_fill || !line_came(sm) || !take_line(sm))
        fetch_any(sm);
    if (!from_fill && line_came(sm))
        take_line(sm);
    if (!sm_fetch_busy(sm))
        agenda_done(&sm->agenda, DUE_FETCH);
}

/* The policy's view of warps and their buffers */

static unsigned entries(const struct sm_fetch_view *view, unsigned slot)
{
    return ((const struct sm *)view->context)->warp.slots[slot].buffered;
}

static unsigned preferred(const struct sm_fetch_view *view, unsigned scheduler, uint64_t warps)
{
    const struct sm *sm = view->context;
    unsigned cores = sm->params->cores;
    return core_preferred(&sm->core[scheduler % cores], scheduler / cores, warps);
}

void sm_fetch_init(struct sm *sm, struct arena *own)
{
    sm->fetch.neighbours = sm->setup.neighbours;
    sm->fetch.member = (uint8_t)(sm->setup.neighbours ? sm->setup.index % sm->params->l1i_sharers : 0);
    sm->fetch.l1i = sm->fetch.member ? sm->fetch.neighbours[0]->fetch.l1i : cache_create(sm->setup.l1i, false, own);
    sm->fetch.slot = CORE_NONE;
}

void sm_fetch_begin(struct sm *sm)
{
    const struct sm_params *p = sm->params;
    const struct sm_fetch_policy *policy = sm->setup.fetch;
    struct sm_fetch *f = &sm->fetch;
    sm->fetch_fills = policy->fills || p->fetch_fills;
    *f = (struct sm_fetch){
        .l1i = f->l1i,
        .neighbours = f->neighbours,
        .member = f->member,
        .slot = CORE_NONE,
        .most = p->fetch_width < p->instruction_buffer ? p->fetch_width : p->instruction_buffer,
        .module_size = sm->kernel->grid->code->module->instr_count,
        .line_bytes = sm->setup.l1i->line_bytes,
        .code_base = sm->setup.code_base,
        .line_taken = true,
        .stocked = sm->fetch_fills ? &f->full : &sm->warp.buffered,
        .policy = policy,
        .view = {.warps = sm->views.warps,
                 .last = p->warps - 1,
                 .schedulers = core_schedulers(sm->params),
                 .entries = entries,
                 .preferred = preferred,
                 .context = sm},
    };
}
