/* Warps that wait for registers (setmaxnreg.inc): how many they lack, and which warps of their block have them. */
#include "gpu/waits.h"
#include "sm/pool.h"

bool waits_for_registers(const struct waits_warp *node)
{
    return node->kind == WAITS_REGISTERS && node->state.pool;
}

uint32_t waits_registers_pc(const struct waits_warp *node)
{
    return node->state.pool->pc[node->state.index / SM_GROUP_WARPS];
}

bool waits_same_registers(const struct waits_warp *a, const struct waits_warp *b)
{
    const struct sm_pool *p = a->state.pool, *q = b->state.pool;
    if (!waits_for_registers(a) || !waits_for_registers(b))
        return true;
    return p->free == q->free && p->has[a->state.index] == q->has[b->state.index] &&
           p->wants[a->state.index] == q->wants[b->state.index] && waits_registers_pc(a) == waits_registers_pc(b);
}

/* The warp of the node's block with that index, if it has not ended; else NULL. */
static const struct waits_warp *warp_of(const struct waits *w, const struct waits_warp *node, uint32_t index)
{
    for (uint32_t i = 0; i < w->warp_count; i++)
        if (w->warps[i].state.index == index && w->warps[i].state.warp->block == node->state.warp->block)
            return &w->warps[i];
    return NULL;
}

static uint32_t place_of(const struct waits_warp *node)
{
    return waits_for_registers(node) ? waits_registers_pc(node) : node->state.pc;
}

/* The report says the same of two warps of the block, which have as many registers. */
static bool joins(const struct waits_warp *a, const struct waits_warp *b)
{
    if (!a || !b)
        return a == b;
    return a->kind == b->kind && place_of(a) == place_of(b) && a->state.barrier == b->state.barrier;
}

static void add_state(const struct waits_warp *node, struct strbuf *out)
{
    if (!node) {
        strbuf_add(out, " (ended)");
        return;
    }
    strbuf_add(out, node->kind == WAITS_BARRIER ? " (at " : " (");
    if (node->kind == WAITS_BARRIER)
        waits_add_barrier(&node->state, out);
    else
        strbuf_add(out, waits_words(node->kind)->label);
    strbuf_add(out, node->kind == WAITS_BARRIER ? ", before " : ", at ");
    waits_pos(node->state.warp->block->grid->code->module, place_of(node), out);
    strbuf_add(out, ")");
}

void waits_add_registers(const struct waits *w, const struct waits_warp *node, struct strbuf *out)
{
    const struct sm_pool *pool = node->state.pool;
    uint32_t own = node->state.index, lacks = (uint32_t)(pool->wants[own] - pool->has[own]);
    strbuf_addf(out, "\n    it has %u registers a thread and asks for %u, and of the %u more %u are free in its block",
                pool->has[own], pool->wants[own], lacks, pool->free);
    for (uint32_t first = 0, last; first < pool->warps; first = last + 1) {
        const struct waits_warp *holder = warp_of(w, node, first);
        for (last = first; last + 1 < pool->warps && pool->has[last + 1] == pool->has[first] &&
                           joins(holder, warp_of(w, node, last + 1));)
            last++;
        strbuf_add(out, first ? ", " : "\n    held by ");
        strbuf_addf(out, first == last ? "warp %u" : "warps %u-%u", first, last);
        strbuf_addf(out, ": %u", pool->has[first]);
        add_state(holder, out);
    }
}
