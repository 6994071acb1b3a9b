/* Fetch and decode. Each cycle fetch serves one warp whose instruction buffer is empty, looking round robin behind the
 * last one served; it also retires warps that have finished and drained. A hit in the instruction cache fills the fetch
 * buffer, which decode empties into the warp's instruction buffer a cycle later; so, or by asking again, do warps whose
 * missing line has arrived, one a cycle. Fetch goes on in a straight line: it does not know of a taken branch until the
 * scheduler meets the wrong instruction and flushes. */
#include <string.h>

#include "sm/sm_impl.h"

HOT void sm_flush_buffer(struct sm *sm, unsigned slot)
{
    struct sm_warp *warp = &sm->warps[slot];
    sm->moved = true;
    warp->buffered = 0;
    if (!(sm->finished & BIT64(slot))) {
        warp->fetch_pc = simt_pc(&warp->simt);
        sm->flushed |= BIT64(slot);
        sm->stats.control_flushes++;
    }
    sm_head_changed(sm, warp, BIT64(slot), warp->fetch_pc);
}

HOT void sm_decode(struct sm *sm)
{
    unsigned slot = sm->fetch_slot;
    struct sm_warp *warp = &sm->warps[slot];
    sm->moved = true;
    sm->stats.decoded_instructions += sm->fetch_count;
    const struct sm_decoded *d = &sm->kernel->decoded[warp->fetch_pc];
    sm->stats.decoded_operations += d[sm->fetch_count].scheduled_before - d->scheduled_before;
    warp->head_pc = warp->fetch_pc;
    warp->buffered = (uint8_t)sm->fetch_count;
    warp->fetch_pc += sm->fetch_count;
    sm->fetching &= ~BIT64(slot);
    sm->flushed &= ~BIT64(slot);
    sm->fetch_slot = SM_NONE;
    sm_head_changed(sm, warp, BIT64(slot), simt_pc(&warp->simt));
}

static void retire(struct sm *sm, unsigned slot)
{
    struct sm_block *block = &sm->blocks[sm->warps[slot].block];
    uint64_t bit = BIT64(slot);
    block->incomplete &= ~bit;
    sm->retiring &= ~bit;
    if (block->incomplete)
        return;
    sm_count_warps(sm, sm->now + 1);
    sm->resident &= ~block->warps;
    sm->finished &= ~block->warps;
    sm_waits_changed(sm);
    sm->free_threads += sm->kernel->threads_per_block;
    sm->free_shared += sm->kernel->shared_bytes;
    sm->free_registers += sm->kernel->registers * sm->kernel->threads_per_block;
    sm->free_blocks |= BIT64(sm->warps[slot].block);
    sm->changed |= block->warps;
    block->used = false;
    sm->block_views[block - sm->blocks] = (struct lockstep_block_view){0};
    sm->stats.blocks++;
    if (sm->spin && !sm->resident)
        spin_drained(sm->spin, sm->now);
}

/* Instructions that a fetch brings. Also at the end of a line: only the bytes asked of the cache end there. */
static uint32_t fetch_count(const struct sm *sm, unsigned slot)
{
    uint32_t left = sm->instructions - sm->warps[slot].fetch_pc;
    return sm->fetch_most < left ? sm->fetch_most : left;
}

static void fill_buffer(struct sm *sm, unsigned slot, uint32_t count)
{
    sm->fetch_slot = slot;
    sm->fetch_count = count;
}

/* Asks the instruction cache for the warp's next instructions. */
static void fetch_warp(struct sm *sm, unsigned slot)
{
    struct sm_warp *warp = &sm->warps[slot];
    uint64_t address = sm->setup.code_base + (uint64_t)warp->fetch_pc * ISA_PC_BYTES;
    uint32_t line = sm->setup.l1i->line_bytes;
    uint32_t to_line_end = (line - (uint32_t)(address & (line - 1))) / ISA_PC_BYTES;
    if (warp->fetch_pc >= sm->instructions) { /* ran off the end on a wrong path: the scheduler will redirect it */
        warp->fetch_pc = simt_pc(&warp->simt);
        return;
    }
    uint32_t count = fetch_count(sm, slot);
    struct cache_effect effect;
    uint32_t room = sm->l1i_queue.size - sm->l1i_queue.count;
    switch (
        cache_read(sm->l1i, address, (count < to_line_end ? count : to_line_end) * ISA_PC_BYTES, slot, room, &effect)) {
    case CACHE_HIT:
        fill_buffer(sm, slot, count);
        sm->fetching |= BIT64(slot);
        break;
    case CACHE_MISS: {
        struct packet *p = sm_packet_new(sm);
        p->kind = PACKET_READ;
        p->class = PACKET_INSTRUCTION;
        p->address = effect.fill_address;
        p->fill = (uint16_t)effect.fill;
        p->bytes = effect.fill_bytes;
        if (!sm->l1i_queue.count)
            sm->l1i_since = sm->now;
        sm_request(sm, &sm->l1i_queue, p);
        sm->fetching |= BIT64(slot);
        break;
    }
    case CACHE_PENDING:
        sm->fetching |= BIT64(slot);
        break;
    case CACHE_REFUSED:
        break;
    }
    sm->last_fetched = slot;
}

/* Whether take_line is to be asked: a line has arrived, or one was taken. */
static inline bool line_came(const struct sm *sm)
{
    return sm->line_taken || cache_has_ready(sm->l1i);
}

/* One warp whose instruction line arrived: it fills the fetch buffer, or may ask again from the next cycle on. */
HOT static bool take_line(struct sm *sm)
{
    uint32_t line, slot = cache_ready(sm->l1i, &line, &(const uint8_t *){NULL});
    sm->line_taken = slot != CACHE_NO_WAITER;
    if (!sm->line_taken)
        return false;
    sm->moved = true;
    if (sm->params->fetch_from_fill) {
        fill_buffer(sm, slot, fetch_count(sm, slot));
    } else {
        sm->fetching &= ~BIT64(slot);
    }
    return true;
}

static void fetch_any(struct sm *sm)
{
    uint64_t eligible = sm->resident & ~sm->finished & ~sm->buffered & ~sm->fetching;
    uint64_t visit = eligible | sm->retiring;
    sm->moved |= visit != 0;
    /* Round robin from behind the last warp served; finished warps met on the way retire. */
    while (visit) {
        uint64_t behind = visit & (~UINT64_C(1) << sm->last_fetched);
        unsigned slot = mask_first(behind ? behind : visit);
        if (!mask_has(sm->retiring, slot)) {
            fetch_warp(sm, slot);
            return;
        }
        retire(sm, slot);
        visit &= ~BIT64(slot);
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
        sm->due &= ~(uint32_t)SM_DUE_FETCH;
}
