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

static void add_standing(const struct isa_module *code, const struct waits_standing *standing, struct strbuf *out)
{
    struct strbuf text = {0};
    waits_add_standing(code, standing, &text);
    add_quoted(strbuf_text(&text), out);
    strbuf_free(&text);
}

static void add_warp(const struct isa_module *code, const struct waits *w, uint32_t index, struct strbuf *out)
{
    const struct waits_warp *node = &w->warps[index];
    const struct sm_warp_state *s = &node->state;
    strbuf_addf(out, "  w%u [label=\"block (%u,%u,%u) warp %u\\n", index, s->block[0], s->block[1], s->block[2],
                s->index);
    if (w->source.timed)
        strbuf_addf(out, "SM %u: ", node->sm);
    strbuf_add(out, waits_words(node->kind)->label);
    if (node->kind == WAITS_BARRIER) {
        strbuf_add(out, " ");
        waits_add_barrier(s, out);
    }
    strbuf_add(out, "\\n");
    add_pos(code, node->kind == WAITS_LOCK ? s->last_sync_pc : s->pc, out);
    struct strbuf calls = {0};
    waits_add_callers(s->warp, s->warp->paths.now, "called", &calls);
    if (calls.length)
        strbuf_add(out, "\\n");
    add_quoted(strbuf_text(&calls), out);
    strbuf_free(&calls);
    struct waits_standing list[WAITS_STANDING];
    for (uint32_t i = 0, n = waits_inactive(node, list, WAITS_STANDING); i < n; i++) {
        strbuf_add(out, "\\n");
        add_standing(code, &list[i], out);
    }
    strbuf_addf(out, "\"%s%s];\n", node->kind == WAITS_STARVED ? ",style=filled,fillcolor=orange" : "",
                node->circle ? ",color=red,penwidth=2" : "");
}

/* Who may write a word that is polled. */
static void add_writers(const struct isa_module *code, const struct waits *w, const struct gpu_run *run, uint32_t index,
                        struct strbuf *out)
{
    struct waits_writer writer;
    uint32_t from = 0, shown = 0;
    for (; waits_next_writer(w, &w->locks[index], &from, &writer); shown++) {
        strbuf_addf(out, "  l%u -> w%u [style=dotted,label=\"may be written by ", index, writer.warp);
        waits_add_lanes(writer.lanes, out);
        strbuf_add(out, " at\\n");
        add_pos(code, writer.at, out);
        strbuf_add(out, "\"];\n");
    }
    uint32_t warp;
    for (from = 0; waits_next_absent(w, &w->locks[index], &from, &warp);)
        strbuf_addf(out, "  l%u -> w%u [style=dashed,label=\"its block has not come to the grid's barrier\"];\n", index,
                    warp);
    if (!shown && w->begun < w->blocks && !w->locks[index].shared)
        strbuf_addf(out, "  l%u -> blocks [style=dotted,label=\"may be written by those that have not begun\"];\n",
                    index);
    if (waits_host_writes(run, &w->locks[index]))
        strbuf_addf(out, "  l%u -> host [style=dotted,label=\"can write it\"];\n", index);
}

static void add_lock(const struct isa_module *code, const struct waits *w, const struct gpu_run *run, uint32_t index,
                     struct strbuf *out)
{
    const struct waits_lock *lock = &w->locks[index];
    struct strbuf place = {0};
    waits_add_place(w, lock, w->warps[0].state.warp->block->grid, &place);
    strbuf_addf(out, "  l%u [shape=ellipse,label=\"", index);
    add_quoted(strbuf_text(&place), out);
    strbuf_free(&place);
    if (lock->shared)
        strbuf_addf(out, "\\nof block (%u,%u,%u)", lock->block[0], lock->block[1], lock->block[2]);
    if (lock->holder == HOLDER_UNKNOWN)
        waits_add_last_writer(w, run, lock, "\\n", out);
    if (lock->holder == HOLDER_WARP_ENDED || lock->holder == HOLDER_LANE_ENDED)
        strbuf_addf(out, "\\nkept by block (%u,%u,%u) warp %u lane %u, which ended", lock->taken.block[0],
                    lock->taken.block[1], lock->taken.block[2], lock->taken.warp, lock->taken.lane);
    strbuf_add(out, "\"];\n");
    if (lock->holder == HOLDER_UNKNOWN)
        add_writers(code, w, run, index, out);
    if (lock->holder < HOLDER_INACTIVE)
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
        if (!waits_awaits(here, &w->warps[i].state))
            continue;
        strbuf_addf(out, "  w%u -> w%u [style=dashed,label=\"", index, i);
        waits_add_barrier(here, out);
        strbuf_add(out, "\"];\n");
    }
}

static void add_claim(uint32_t index, const struct waits_claim *claim, struct strbuf *out)
{
    strbuf_addf(out, "  w%u -> l%u [label=\"", index, claim->lock);
    waits_add_lanes(claim->lanes, out);
    strbuf_add(out, "\"];\n");
}

/* The blocks of the grid, and the host, as far as there is something to say of them. */
static void add_others(const struct waits *w, const struct gpu_run *run, struct strbuf *out)
{
    struct strbuf blocks = {0};
    waits_add_blocks(w, &blocks);
    if (blocks.length)
        strbuf_addf(out, "  blocks [shape=note,label=\"blocks: %s\"];\n", blocks.text);
    strbuf_free(&blocks);
    if (!run->why_alone)
        return;
    strbuf_add(out, "  host [shape=note,label=\"host: ");
    add_quoted(run->why_alone, out);
    strbuf_add(out, "\"];\n");
}

void waits_dot(const struct waits *w, const struct gpu_run *run, struct strbuf *out)
{
    const struct isa_module *code = run->launch->module->code;
    strbuf_add(out, "digraph waits {\n  node [shape=box];\n");
    add_others(w, run, out);
    for (uint32_t i = 0; i < w->warp_count; i++)
        add_warp(code, w, i, out);
    for (uint32_t i = 0; i < w->lock_count; i++)
        add_lock(code, w, run, i, out);
    for (uint32_t i = 0; i < w->warp_count; i++) {
        const struct waits_warp *node = &w->warps[i];
        for (uint32_t k = 0; k < node->claim_count; k++)
            add_claim(i, &node->claims[k], out);
        if (node->kind == WAITS_BARRIER)
            add_barrier(w, i, out);
    }
    strbuf_add(out, "}\n");
}
