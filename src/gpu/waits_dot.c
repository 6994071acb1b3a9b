/* The graph of waiting as text that Graphviz draws: boxes are warps, ellipses what their lanes want. An arrow leads
 * from who waits to what it waits for, and from a lock to who holds it. */
#include <string.h>

#include "gpu/waits.h"

static void add_quoted(const char *text, struct strbuf *out)
{
    for (; *text; text++)
        strbuf_addf(out, "%s%c", *text == '"' || *text == '\\' ? "\\" : "", *text);
}

static void add_pos(const struct isa_module *code, uint32_t pc, struct strbuf *out)
{
    struct strbuf text = {0};
    waits_pos(code, pc, &text);
    add_quoted(strbuf_text(&text), out);
    strbuf_free(&text);
}

static void add_warp(const struct isa_module *code, const struct waits_warp *node, uint32_t index, struct strbuf *out)
{
    const struct sm_warp_state *s = &node->state;
    strbuf_addf(out, "  w%u [label=\"block (%u,%u,%u) warp %u\\nSM %u: %s\\n", index, s->block[0], s->block[1],
                s->block[2], s->index, node->sm, waits_words(node->kind)->label);
    add_pos(code, node->kind == WAITS_LOCK ? s->last_sync_pc : s->pc, out);
    struct strbuf calls = {0};
    waits_add_callers(s->warp, s->warp->paths.now, "called", &calls);
    if (calls.length)
        strbuf_add(out, "\\n");
    add_quoted(strbuf_text(&calls), out);
    strbuf_free(&calls);
    struct waits_standing list[WAITS_STANDING];
    for (uint32_t i = 0, n = waits_parked(node, list, WAITS_STANDING); i < n; i++) {
        strbuf_add(out, "\\n");
        waits_add_lanes(list[i].lanes, out);
        strbuf_add(out, " at ");
        add_pos(code, list[i].pc, out);
    }
    strbuf_addf(out, "\"%s%s];\n", node->kind == WAITS_STARVED ? ",style=filled,fillcolor=orange" : "",
                node->circle ? ",color=red,penwidth=2" : "");
}

/* Who may write a word that is polled. */
static void add_writers(const struct isa_module *code, const struct waits *w, uint32_t index, struct strbuf *out)
{
    struct waits_writer writer;
    for (uint32_t from = 0; waits_next_writer(w, &w->locks[index], &from, &writer);) {
        strbuf_addf(out, "  l%u -> w%u [style=dotted,label=\"may be written by ", index, writer.warp);
        waits_add_lanes(writer.lanes, out);
        strbuf_add(out, " at\\n");
        add_pos(code, writer.at, out);
        strbuf_add(out, "\"];\n");
    }
}

static void add_lock(const struct isa_module *code, const struct waits *w, uint32_t index, struct strbuf *out)
{
    const struct waits_lock *lock = &w->locks[index];
    struct strbuf place = {0};
    waits_add_place(w, lock, w->warps[0].state.warp->block->grid, &place);
    strbuf_addf(out, "  l%u [shape=ellipse,label=\"", index);
    add_quoted(strbuf_text(&place), out);
    strbuf_free(&place);
    if (lock->holder == HOLDER_WARP_ENDED || lock->holder == HOLDER_LANE_ENDED)
        strbuf_addf(out, "\\nkept by block (%u,%u,%u) warp %u lane %u, which ended", lock->taken.block[0],
                    lock->taken.block[1], lock->taken.block[2], lock->taken.warp, lock->taken.lane);
    strbuf_add(out, "\"];\n");
    if (lock->holder == HOLDER_UNKNOWN)
        add_writers(code, w, index, out);
    if (lock->holder < HOLDER_PARKED)
        return;
    strbuf_addf(out, "  l%u -> w%u [label=\"held by lane %u\\n", index, lock->holder_warp, lock->taken.lane);
    add_pos(code, lock->taken.pc, out);
    strbuf_add(out, "\"];\n");
}

/* Whom a warp at a barrier waits for. */
static void add_barrier(const struct waits *w, uint32_t index, struct strbuf *out)
{
    const struct sm_warp_state *here = &w->warps[index].state;
    for (uint32_t i = 0; i < w->warp_count; i++) {
        const struct sm_warp_state *s = &w->warps[i].state;
        if (memcmp(s->block, here->block, sizeof s->block) == 0 && !waits_at_barrier(s, here->barrier))
            strbuf_addf(out, "  w%u -> w%u [style=dashed,label=\"barrier %u\"];\n", index, i, here->barrier);
    }
}

void waits_dot(const struct waits *w, const struct isa_module *code, struct strbuf *out)
{
    strbuf_add(out, "digraph waits {\n  node [shape=box];\n");
    for (uint32_t i = 0; i < w->warp_count; i++)
        add_warp(code, &w->warps[i], i, out);
    for (uint32_t i = 0; i < w->lock_count; i++)
        add_lock(code, w, i, out);
    for (uint32_t i = 0; i < w->warp_count; i++) {
        const struct waits_warp *node = &w->warps[i];
        for (uint32_t k = 0; k < node->claim_count; k++)
            strbuf_addf(out, "  w%u -> l%u [label=\"%u lanes\"];\n", i, node->claims[k].lock,
                        mask_count(node->claims[k].lanes));
        if (node->kind == WAITS_BARRIER)
            add_barrier(w, i, out);
    }
    strbuf_add(out, "}\n");
}
