/* Control-flow graph of one function and its post-dominators, from which branches take their reconvergence points.
 *
 * A block ends at a branch, ret, exit or trap, or where something jumps to the next instruction; calls do not end
 * blocks, for control comes back behind them, but for calls of functions that always fail. Immediate post-dominators
 * follow Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001), on the reversed graph with the
 * virtual exit as its root. Code that can never leave has no path to that root, so each such region (a strongly
 * connected component without an edge out) gets one edge to the exit; it changes no execution, only gives its branches
 * a post-dominator. Unreachable blocks stay in the graph: they cannot change the post-dominator of a block that never
 * reaches them.
 *
 * A trap ends the kernel, so no lane waits for one that goes there: for post-dominators, ways that can only end in a
 * trap are left out, or a check inside a critical section would have no reconvergence point but the end of the thread,
 * and lanes that have the lock would wait there for those that spin. */
#include <string.h>

#include "base/vec.h"
#include "ptx/analyse.h"

#define UNSEEN UINT32_MAX

static bool jumps(const struct isa_instr *instr)
{
    return isa_op_info(instr->op)->flags & (ISA_FLAG_BRANCH | ISA_FLAG_RET | ISA_FLAG_EXIT);
}

static bool ends_block(const struct isa_module *module, const struct isa_instr *instr)
{
    return jumps(instr) || isa_fails(module, instr) || instr->target != ISA_PC_NONE;
}

static bool leaves(const struct isa_instr *instr)
{
    return isa_op_info(instr->op)->flags & (ISA_FLAG_RET | ISA_FLAG_EXIT);
}

/* The labels an instruction may jump to. */
static uint32_t jump_targets(const struct isa_instr *instr, const uint32_t **targets)
{
    if (instr->op == ISA_OP_BRX) {
        *targets = instr->targets;
        return instr->target_count;
    }
    *targets = &instr->target;
    return instr->target != ISA_PC_NONE;
}

static void find_blocks(struct ptx_cfg *cfg, const struct isa_module *module, const struct isa_function *function,
                        struct arena *scratch)
{
    const struct isa_instr *code = module->instrs + function->first;
    uint8_t *leader = ARENA_NEW(scratch, uint8_t, function->count + 1);
    leader[0] = 1;
    for (uint32_t i = 0; i < function->count; i++) {
        const uint32_t *targets;
        uint32_t n = jump_targets(&code[i], &targets);
        for (uint32_t t = 0; t < n; t++)
            if (targets[t] - function->first < function->count)
                leader[targets[t] - function->first] = 1;
        if (ends_block(module, &code[i]))
            leader[i + 1] = 1;
    }
    for (uint32_t i = 0; i < function->count; i++) {
        cfg->count += leader[i];
        cfg->block_of[i] = cfg->count - 1;
    }
    cfg->blocks = ARENA_NEW(scratch, struct ptx_block, cfg->count);
    for (uint32_t i = 0; i < function->count; i++) {
        struct ptx_block *b = &cfg->blocks[cfg->block_of[i]];
        if (leader[i])
            b->first = function->first + i;
        b->end = function->first + i + 1;
    }
}

/* Adds an edge unless the block has it; `seen` holds for each block the last one (plus 1) that listed it. */
static void add_edge(const struct ptx_cfg *cfg, uint32_t *succ, uint32_t from, uint32_t to, uint32_t *seen)
{
    if (seen[to] == from + 1)
        return;
    seen[to] = from + 1;
    succ[cfg->blocks[from].succ_count++] = to;
}

static void find_successors(struct ptx_cfg *cfg, const struct isa_module *module, const struct isa_function *function,
                            struct arena *scratch)
{
    uint32_t *seen = ARENA_NEW(scratch, uint32_t, cfg->count + 1);
    for (uint32_t b = 0; b < cfg->count; b++) {
        struct ptx_block *block = &cfg->blocks[b];
        const struct isa_instr *last = &module->instrs[block->end - 1];
        const uint32_t *targets;
        uint32_t n = jump_targets(last, &targets);
        /* Room for the fall-through, the exit and an edge that break_out may add. */
        uint32_t *succ = ARENA_NEW(scratch, uint32_t, n + 3);
        block->succ = succ;
        if (last->guarded || !jumps(last))
            add_edge(cfg, succ, b, b + 1, seen);
        for (uint32_t t = 0; t < n; t++) {
            uint32_t i = targets[t] - function->first;
            add_edge(cfg, succ, b, i < function->count ? cfg->block_of[i] : cfg->count, seen);
        }
        if (leaves(last))
            add_edge(cfg, succ, b, cfg->count, seen);
    }
}

static void find_predecessors(struct ptx_cfg *cfg, struct arena *scratch)
{
    uint32_t **pred = ARENA_NEW(scratch, uint32_t *, cfg->count);
    uint32_t *room = ARENA_NEW(scratch, uint32_t, cfg->count + 1);
    for (uint32_t b = 0; b < cfg->count; b++)
        for (uint32_t s = 0; s < cfg->blocks[b].succ_count; s++)
            room[cfg->blocks[b].succ[s]]++;
    for (uint32_t b = 0; b < cfg->count; b++)
        cfg->blocks[b].pred = pred[b] = ARENA_NEW(scratch, uint32_t, room[b]);
    for (uint32_t b = 0; b < cfg->count; b++)
        for (uint32_t s = 0; s < cfg->blocks[b].succ_count; s++) {
            uint32_t to = cfg->blocks[b].succ[s];
            if (to < cfg->count)
                pred[to][cfg->blocks[to].pred_count++] = b;
        }
}

static bool has_exit_edge(const struct ptx_cfg *cfg, uint32_t b)
{
    for (uint32_t s = 0; s < cfg->blocks[b].succ_count; s++)
        if (cfg->blocks[b].succ[s] == cfg->count)
            return true;
    return false;
}

/* Marks the blocks from which the exit can be reached. */
static uint8_t *find_leaving(const struct ptx_cfg *cfg, struct arena *scratch)
{
    uint8_t *leaving = ARENA_NEW(scratch, uint8_t, cfg->count);
    uint32_t *work = ARENA_NEW(scratch, uint32_t, cfg->count), n = 0;
    for (uint32_t b = 0; b < cfg->count; b++)
        if (has_exit_edge(cfg, b)) {
            leaving[b] = 1;
            work[n++] = b;
        }
    while (n) {
        const struct ptx_block *block = &cfg->blocks[work[--n]];
        for (uint32_t p = 0; p < block->pred_count; p++)
            if (!leaving[block->pred[p]]) {
                leaving[block->pred[p]] = 1;
                work[n++] = block->pred[p];
            }
    }
    return leaving;
}

/* Tarjan's strongly connected components, over the blocks that cannot reach the exit. */
struct components {
    const struct ptx_cfg *cfg;
    uint32_t *number, *low;    /* order of visit from 1, lowest number reachable; low UNSEEN: complete */
    uint32_t *next_succ;
    uint32_t *path, *open;     /* depth-first path; visited blocks without a complete component */
    uint32_t path_count, open_count, visits;
};

static void component_enter(struct components *c, uint32_t b)
{
    c->number[b] = c->low[b] = ++c->visits;
    c->path[c->path_count++] = b;
    c->open[c->open_count++] = b;
}

/* Takes the component with root `root` off the open list. If nothing leads out of it, its last block gets an edge to
 * the exit. */
static void component_close(struct components *c, uint32_t root)
{
    uint32_t first = c->open_count, last = 0;
    do {
        first--;
        if (c->open[first] > last)
            last = c->open[first];
    } while (c->open[first] != root);
    bool terminal = true;
    for (uint32_t i = first; i < c->open_count; i++) {
        const struct ptx_block *block = &c->cfg->blocks[c->open[i]];
        /* A successor whose component is complete, or the exit given to one, lies outside this one. */
        for (uint32_t s = 0; s < block->succ_count; s++)
            terminal = terminal && c->low[block->succ[s]] != UNSEEN;
    }
    for (uint32_t i = first; i < c->open_count; i++)
        c->low[c->open[i]] = UNSEEN;
    c->open_count = first;
    if (terminal) {
        struct ptx_block *block = &c->cfg->blocks[last];
        ((uint32_t *)block->succ)[block->succ_count++] = c->cfg->count;
    }
}

static void component_search(struct components *c, uint32_t start)
{
    component_enter(c, start);
    while (c->path_count) {
        uint32_t b = c->path[c->path_count - 1];
        const struct ptx_block *block = &c->cfg->blocks[b];
        if (c->next_succ[b] < block->succ_count) {
            uint32_t to = block->succ[c->next_succ[b]++];
            if (!c->number[to])
                component_enter(c, to);
            else if (c->low[to] != UNSEEN && c->number[to] < c->low[b])
                c->low[b] = c->number[to];
            continue;
        }
        c->path_count--;
        uint32_t low = c->low[b];
        if (low == c->number[b])
            component_close(c, b);
        else if (low < c->low[c->path[c->path_count - 1]])
            c->low[c->path[c->path_count - 1]] = low;
    }
}

static void break_out(struct ptx_cfg *cfg, struct arena *scratch)
{
    const uint8_t *leaving = find_leaving(cfg, scratch);
    if (!memchr(leaving, 0, cfg->count))
        return;
    struct components c = {
        .cfg = cfg,
        .number = ARENA_NEW(scratch, uint32_t, cfg->count + 1),
        .low = ARENA_NEW(scratch, uint32_t, cfg->count + 1),
        .next_succ = ARENA_NEW(scratch, uint32_t, cfg->count),
        .path = ARENA_NEW(scratch, uint32_t, cfg->count),
        .open = ARENA_NEW(scratch, uint32_t, cfg->count),
    };
    c.number[cfg->count] = 1;
    c.low[cfg->count] = UNSEEN;
    for (uint32_t b = 0; b < cfg->count; b++)
        if (!leaving[b] && !c.number[b])
            component_search(&c, b);
}

/* Blocks in reverse postorder of a depth-first search over the reversed graph; the exit comes first. Returns how many,
 * all but for none unreached once break_out has run. */
static uint32_t reversed_order(const struct ptx_cfg *cfg, uint32_t *order, struct arena *scratch)
{
    uint32_t n = cfg->count, at = n + 1, exits = 0, depth = 0;
    uint8_t *seen = ARENA_NEW(scratch, uint8_t, n + 1);
    uint32_t *exit_pred = ARENA_NEW(scratch, uint32_t, n);
    uint32_t *path = ARENA_NEW(scratch, uint32_t, n + 1), *next = ARENA_NEW(scratch, uint32_t, n + 1);
    for (uint32_t b = 0; b < n; b++)
        if (has_exit_edge(cfg, b))
            exit_pred[exits++] = b;
    path[depth++] = n;
    seen[n] = 1;
    while (depth) {
        uint32_t b = path[depth - 1];
        const uint32_t *pred = b == n ? exit_pred : cfg->blocks[b].pred;
        uint32_t count = b == n ? exits : cfg->blocks[b].pred_count;
        if (next[b] == count) {
            order[--at] = b;
            depth--;
            continue;
        }
        uint32_t to = pred[next[b]++];
        if (!seen[to]) {
            seen[to] = 1;
            path[depth++] = to;
        }
    }
    return at;
}

static uint32_t intersect(const uint32_t *dominator, const uint32_t *rank, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (rank[a] > rank[b])
            a = dominator[a];
        while (rank[b] > rank[a])
            b = dominator[b];
    }
    return a;
}

static void find_post_dominators(struct ptx_cfg *cfg, struct arena *scratch)
{
    uint32_t n = cfg->count;
    uint32_t *order = ARENA_NEW(scratch, uint32_t, n + 1), *rank = ARENA_NEW(scratch, uint32_t, n + 1);
    uint32_t *dominator = ARENA_NEW(scratch, uint32_t, n + 1);
    uint32_t first = reversed_order(cfg, order, scratch);
    for (uint32_t i = 0; i <= n; i++)
        dominator[i] = UNSEEN;
    for (uint32_t i = first; i <= n; i++)
        rank[order[i]] = i;
    dominator[n] = n;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = first + 1; i <= n; i++) {
            const struct ptx_block *block = &cfg->blocks[order[i]];
            uint32_t found = UNSEEN;
            for (uint32_t s = 0; s < block->succ_count; s++) {
                uint32_t to = block->succ[s];
                if (dominator[to] != UNSEEN)
                    found = found == UNSEEN ? to : intersect(dominator, rank, found, to);
            }
            changed = changed || dominator[order[i]] != found;
            dominator[order[i]] = found;
        }
    }
    for (uint32_t b = 0; b < n; b++)
        cfg->blocks[b].post_dominator = dominator[b];
}

/* Marks the blocks from which every way ends in a trap. */
static uint8_t *find_lost(const struct ptx_cfg *cfg, const struct isa_module *module, struct arena *scratch)
{
    uint8_t *lost = ARENA_NEW(scratch, uint8_t, cfg->count + 1);
    uint32_t *ways = ARENA_NEW(scratch, uint32_t, cfg->count); /* that are not lost */
    uint32_t *work = ARENA_NEW(scratch, uint32_t, cfg->count), n = 0;
    for (uint32_t b = 0; b < cfg->count; b++) {
        const struct isa_instr *last = &module->instrs[cfg->blocks[b].end - 1];
        ways[b] = isa_fails(module, last) ? 1 : cfg->blocks[b].succ_count; /* where the guard is false */
        if (isa_fails(module, last) && !last->guarded) {
            lost[b] = 1;
            work[n++] = b;
        }
    }
    while (n) {
        uint32_t b = work[--n];
        for (uint32_t p = 0; p < cfg->blocks[b].pred_count; p++) {
            uint32_t from = cfg->blocks[b].pred[p];
            if (!lost[from] && --ways[from] == 0) {
                lost[from] = 1;
                work[n++] = from;
            }
        }
    }
    return lost;
}

/* The graph without the edges into lost blocks, but for those between them, and without the exits of guarded traps. */
static struct ptx_cfg without_lost(const struct ptx_cfg *cfg, const struct isa_module *module, const uint8_t *lost,
                                   struct arena *scratch)
{
    struct ptx_cfg kept = *cfg;
    kept.blocks = ARENA_NEW(scratch, struct ptx_block, cfg->count);
    for (uint32_t b = 0; b < cfg->count; b++) {
        const struct ptx_block *from = &cfg->blocks[b];
        bool falls_through = isa_fails(module, &module->instrs[from->end - 1]);
        uint32_t *succ = ARENA_NEW(scratch, uint32_t, from->succ_count + 1); /* break_out may add one */
        kept.blocks[b] = (struct ptx_block){.first = from->first, .end = from->end, .succ = succ};
        for (uint32_t s = 0; s < from->succ_count; s++)
            if (lost[b] || (!lost[from->succ[s]] && (!falls_through || from->succ[s] == b + 1)))
                succ[kept.blocks[b].succ_count++] = from->succ[s];
    }
    return kept;
}

static bool has_traps(const struct isa_module *module, const struct isa_function *function)
{
    for (uint32_t i = function->first; i < function->first + function->count; i++)
        if (isa_fails(module, &module->instrs[i]))
            return true;
    return false;
}

static void post_dominate(struct ptx_cfg *cfg, struct arena *scratch)
{
    break_out(cfg, scratch);
    find_post_dominators(cfg, scratch);
}

static struct ptx_cfg *build_graph(const struct isa_module *module, const struct isa_function *function,
                                   struct arena *scratch)
{
    struct ptx_cfg *cfg = ARENA_NEW(scratch, struct ptx_cfg, 1);
    cfg->block_of = ARENA_NEW(scratch, uint32_t, function->count);
    if (!function->count)
        return cfg;
    find_blocks(cfg, module, function, scratch);
    find_successors(cfg, module, function, scratch);
    find_predecessors(cfg, scratch);
    return cfg;
}

static bool never_returns(const struct isa_module *module, const struct isa_function *function, struct arena *scratch)
{
    if (!function->is_defined)
        return function->intrinsic == ISA_INTRINSIC_ASSERTFAIL;
    return has_traps(module, function) && *find_lost(build_graph(module, function, scratch), module, scratch);
}

void ptx_find_failing(struct isa_module *module)
{
    struct arena scratch;
    arena_init(&scratch);
    for (bool found = true; found;) {
        found = false;
        for (uint32_t f = 0; f < module->function_count; f++) {
            struct isa_function *function = &module->functions[f];
            if (function->never_returns || !never_returns(module, function, &scratch))
                continue;
            function->never_returns = found = true;
        }
        arena_free(&scratch);
    }
}

struct ptx_cfg *ptx_cfg_build(const struct isa_module *module, const struct isa_function *function,
                              struct arena *scratch)
{
    struct ptx_cfg *cfg = build_graph(module, function, scratch);
    if (!cfg->count)
        return cfg;
    if (!has_traps(module, function)) {
        post_dominate(cfg, scratch);
        return cfg;
    }
    struct ptx_cfg kept = without_lost(cfg, module, find_lost(cfg, module, scratch), scratch);
    find_predecessors(&kept, scratch);
    post_dominate(&kept, scratch);
    for (uint32_t b = 0; b < cfg->count; b++)
        cfg->blocks[b].post_dominator = kept.blocks[b].post_dominator;
    return cfg;
}

void ptx_set_reconvergence(struct isa_module *module, struct isa_function *function, const struct ptx_cfg *cfg)
{
    (void)function;
    for (uint32_t b = 0; b < cfg->count; b++) {
        const struct ptx_block *block = &cfg->blocks[b];
        struct isa_instr *last = &module->instrs[block->end - 1];
        if (ends_block(module, last))
            last->reconverge =
                block->post_dominator < cfg->count ? cfg->blocks[block->post_dominator].first : ISA_PC_NONE;
    }
}
