/* Liveness by iterative data flow over blocks, with bit sets. Registers are taken in groups of GROUP, each solved and
 * swept by itself, so that the sets of a function with thousands of blocks and registers stay small.
 *
 * Two problems have the same shape: state(block) = made(block) | (meet of the neighbours' states & ~ended(block)),
 * where the meet is a union.
 *   live     neighbours = successors,   made = read before any full write, ended = fully written first
 *   pending  neighbours = predecessors, made = loaded and not named after it, ended = named
 * A guarded write does not end a live range: lanes whose guard is false keep the old value; but that of a temporary does,
 * which the next instruction reads under the same guard. */
#include "ptx/liveness.h"

#include <string.h>

#include "base/bits.h"

#define GROUP 1024
#define WORDS (GROUP / 64)
#define SPAN_LIMIT 32 /* spans of one register; more are merged, which wastes rows and is never wrong */

enum access_kind {
    ACCESS_READ = 1,
    ACCESS_HELD = 2,  /* read: the source must outlast the writes of its instruction */
    ACCESS_WRITE = 4,
    ACCESS_FULL = 8,  /* written in every executing lane */
    ACCESS_LATE = 16, /* written some time after the instruction was issued */
};

struct access {
    uint32_t reg;
    uint8_t kind, rows; /* rows 0: a predicate */
};

struct set {
    uint64_t word[WORDS];
};

struct flow {
    const struct ptx_cfg *cfg;
    bool forward;
    struct set *made, *ended, *state; /* by block */
    uint32_t *queue;                  /* ring of cfg->count places */
    uint8_t *queued;
};

struct sweep {
    const struct isa_function *function;
    const struct ptx_cfg *cfg;
    struct arena *scratch;
    struct access *accesses;
    uint32_t *first_access;   /* by instruction; reads stand before writes */
    struct flow live, pending;
    uint32_t base;            /* first register of the group */
    struct set of_rows[3];    /* registers of 1, 2, 4 rows in the group */
    uint32_t edge[GROUP];     /* where the open span of each register ends (live) or starts (pending) */
    int64_t *pressure;        /* by position */
    struct ptx_liveness *result;
};

static bool set_has(const struct set *s, uint32_t i)
{
    return s->word[i / 64] >> i % 64 & 1;
}

static void set_add(struct set *s, uint32_t i)
{
    s->word[i / 64] |= UINT64_C(1) << i % 64;
}

static void set_remove(struct set *s, uint32_t i)
{
    s->word[i / 64] &= ~(UINT64_C(1) << i % 64);
}

/* ---- accesses ---- */

static unsigned register_destinations(const struct isa_instr *instr)
{
    unsigned n = 0;
    for (unsigned d = 0; d < instr->dst_count; d++)
        n += instr->dst[d].kind == ISA_OPERAND_REG;
    return n;
}

/* A source may give its row to the destination only where the instruction can work in place: one destination of the
 * same size, lane by lane. Elsewhere the row of one value would be overwritten before another lane or destination has
 * used it. */
static uint8_t read_kind(const struct isa_function *function, const struct isa_instr *instr, uint32_t reg)
{
    if (!instr->dst_count || register_destinations(instr) == 0)
        return ACCESS_READ;
    if (register_destinations(instr) > 1 || isa_op_info(instr->op)->flags & ISA_FLAG_WARP)
        return ACCESS_READ | ACCESS_HELD;
    unsigned rows = ptx_register_rows(&function->regs[reg]);
    for (unsigned d = 0; d < instr->dst_count; d++)
        if (instr->dst[d].kind == ISA_OPERAND_REG && ptx_register_rows(&function->regs[instr->dst[d].reg]) != rows)
            return ACCESS_READ | ACCESS_HELD;
    return ACCESS_READ;
}

static void add_access(struct sweep *s, uint32_t *n, uint32_t reg, unsigned kind)
{
    if (reg >= s->function->reg_count)
        return;
    const struct isa_reg *r = &s->function->regs[reg];
    s->accesses[(*n)++] = (struct access){reg, (uint8_t)kind, r->type == ISA_PRED ? 0 : (uint8_t)ptx_register_rows(r)};
}

static void list_accesses(struct sweep *s, const struct isa_instr *code)
{
    uint32_t count = s->function->count, n = 0;
    for (uint32_t i = 0; i < count; i++)
        n += code[i].dst_count + code[i].src_count + 2u;
    s->accesses = ARENA_NEW(s->scratch, struct access, n);
    s->first_access = ARENA_NEW(s->scratch, uint32_t, count + 1);
    n = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct isa_instr *instr = &code[i];
        s->first_access[i] = n;
        if (instr->guarded)
            add_access(s, &n, instr->guard_reg, ACCESS_READ);
        for (unsigned k = 0; k < instr->src_count; k++) {
            uint32_t reg = ptx_operand_register(&instr->src[k]);
            if (reg < s->function->reg_count)
                add_access(s, &n, reg, read_kind(s->function, instr, reg));
        }
        if (instr->call)
            add_access(s, &n, ptx_operand_register(&instr->call->target), ACCESS_READ);
        unsigned late = isa_op_info(instr->op)->flags & ISA_FLAG_MEMORY ? ACCESS_LATE : 0;
        for (unsigned k = 0; k < instr->dst_count; k++) {
            uint32_t reg = ptx_operand_register(&instr->dst[k]);
            bool full = !instr->guarded || reg >= s->function->reg_count - s->function->temporaries;
            add_access(s, &n, reg, ACCESS_WRITE | (full ? ACCESS_FULL : 0) | late);
        }
    }
    s->first_access[count] = n;
}

/* ---- data flow ---- */

/* The union of the neighbours' states: live-out of a block, or what is pending where it begins. */
static struct set flow_meet(const struct flow *f, uint32_t b)
{
    const struct ptx_block *block = &f->cfg->blocks[b];
    const uint32_t *from = f->forward ? block->pred : block->succ;
    uint32_t n = f->forward ? block->pred_count : block->succ_count;
    struct set all = {0};
    for (uint32_t k = 0; k < n; k++)
        if (from[k] < f->cfg->count)
            for (unsigned w = 0; w < WORDS; w++)
                all.word[w] |= f->state[from[k]].word[w];
    return all;
}

static bool flow_update(struct flow *f, uint32_t b)
{
    struct set all = flow_meet(f, b);
    uint64_t changed = 0;
    for (unsigned w = 0; w < WORDS; w++) {
        uint64_t next = f->made[b].word[w] | (all.word[w] & ~f->ended[b].word[w]);
        changed |= next ^ f->state[b].word[w];
        f->state[b].word[w] = next;
    }
    return changed != 0;
}

static void flow_solve(struct flow *f)
{
    uint32_t count = f->cfg->count, head = 0, waiting = count;
    for (uint32_t i = 0; i < count; i++) {
        f->queue[i] = f->forward ? i : count - 1 - i;
        f->queued[i] = 1;
        f->state[i] = (struct set){0};
    }
    while (waiting) {
        uint32_t b = f->queue[head];
        head = head + 1 < count ? head + 1 : 0;
        waiting--;
        f->queued[b] = 0;
        if (!flow_update(f, b))
            continue;
        const struct ptx_block *block = &f->cfg->blocks[b];
        const uint32_t *to = f->forward ? block->succ : block->pred;
        uint32_t n = f->forward ? block->succ_count : block->pred_count;
        for (uint32_t k = 0; k < n; k++)
            if (to[k] < count && !f->queued[to[k]]) {
                f->queued[to[k]] = 1;
                f->queue[(uint32_t)(((uint64_t)head + waiting++) % count)] = to[k];
            }
    }
}

static void flow_init(struct flow *f, const struct ptx_cfg *cfg, bool forward, struct arena *scratch)
{
    *f = (struct flow){
        .cfg = cfg,
        .forward = forward,
        .made = ARENA_NEW(scratch, struct set, cfg->count),
        .ended = ARENA_NEW(scratch, struct set, cfg->count),
        .state = ARENA_NEW(scratch, struct set, cfg->count),
        .queue = ARENA_NEW(scratch, uint32_t, cfg->count),
        .queued = ARENA_NEW(scratch, uint8_t, cfg->count),
    };
}

/* The effect of one block on the group's registers, seen from its start (live) and from its end (pending). Returns
 * whether it names any. */
static bool summarize_block(struct sweep *s, uint32_t b)
{
    const struct ptx_block *block = &s->cfg->blocks[b];
    struct set read = {0}, full = {0}, named = {0}, late = {0};
    bool any = false;
    uint32_t first = s->first_access[block->first - s->function->first];
    uint32_t end = s->first_access[block->end - s->function->first];
    for (uint32_t a = first; a < end; a++) {
        uint32_t r = s->accesses[a].reg - s->base;
        unsigned kind = s->accesses[a].kind;
        if (r >= GROUP)
            continue;
        any = true;
        if (kind & ACCESS_READ && !set_has(&full, r))
            set_add(&read, r);
        if (kind & ACCESS_FULL && !set_has(&read, r))
            set_add(&full, r);
        set_add(&named, r);
        set_remove(&late, r);
        if (kind & ACCESS_LATE)
            set_add(&late, r);
    }
    s->live.made[b] = read;
    s->live.ended[b] = full;
    s->pending.made[b] = late;
    s->pending.ended[b] = named;
    return any;
}

/* ---- spans ---- */

/* Adds [start, end) to a register's list, joining what it touches. Over the limit it is joined to its nearest
 * neighbour. */
static void add_span(struct sweep *s, uint32_t reg, uint32_t start, uint32_t end)
{
    struct ptx_span **at = &s->result->spans[reg];
    uint32_t *count = &s->result->span_counts[reg];
    struct ptx_span *before = NULL;
    while (*at && (*at)->end < start) {
        before = *at;
        at = &(*at)->next;
    }
    struct ptx_span *here = *at;
    if (!here || here->start > end) {
        if (*count < SPAN_LIMIT) {
            struct ptx_span *fresh = ARENA_NEW(s->scratch, struct ptx_span, 1);
            *fresh = (struct ptx_span){start, end, here};
            *at = fresh;
            ++*count;
            return;
        }
        here = here ? here : before;
    }
    here->start = start < here->start ? start : here->start;
    here->end = end > here->end ? end : here->end;
    while (here->next && here->next->start <= here->end) {
        here->end = here->next->end > here->end ? here->next->end : here->end;
        here->next = here->next->next;
        --*count;
    }
}

/* Rows of the live registers of the group. */
static unsigned group_rows(const struct sweep *s, const struct set *set)
{
    unsigned rows = 0;
    for (unsigned w = 0; w < WORDS; w++)
        for (unsigned k = 0; k < 3; k++)
            rows += mask_count(set->word[w] & s->of_rows[k].word[w]) << k;
    return rows;
}

static void sort_by_rows(struct sweep *s)
{
    memset(s->of_rows, 0, sizeof s->of_rows);
    for (uint32_t r = 0; r < GROUP && s->base + r < s->function->reg_count; r++) {
        const struct isa_reg *reg = &s->function->regs[s->base + r];
        if (reg->type != ISA_PRED)
            set_add(&s->of_rows[ptx_register_rows(reg) / 2], r);
    }
}

/* Where the sweep passes from one block to the next: registers in one set and not in the other open or close a span at
 * `position`. */
static void cross_edge(struct sweep *s, const struct set *before, const struct set *after, uint32_t position,
                       bool forward)
{
    for (unsigned w = 0; w < WORDS; w++)
        for (uint64_t rest = before->word[w] ^ after->word[w]; rest; rest &= rest - 1) {
            uint32_t r = w * 64 + (uint32_t)__builtin_ctzll(rest);
            if (set_has(after, r))
                s->edge[r] = position;
            else if (forward)
                add_span(s, s->base + r, s->edge[r], position);
            else
                add_span(s, s->base + r, position, s->edge[r]);
        }
}

/* One instruction, backwards: its writes, then its reads. rows: of the live set, kept current. */
static void sweep_live_instr(struct sweep *s, uint32_t i, struct set *live, unsigned *rows)
{
    uint32_t a = s->first_access[i + 1], first = s->first_access[i];
    unsigned dead = 0;
    for (; a > first && s->accesses[a - 1].kind & ACCESS_WRITE; a--) {
        const struct access *access = &s->accesses[a - 1];
        uint32_t r = access->reg - s->base;
        if (r >= GROUP)
            continue;
        if (!set_has(live, r)) {
            add_span(s, access->reg, 2 * i + 1, 2 * i + 2);
            dead += access->rows;
        } else if (access->kind & ACCESS_FULL) {
            add_span(s, access->reg, 2 * i + 1, s->edge[r]);
            set_remove(live, r);
            *rows -= access->rows;
            dead += access->rows; /* live at the write, no longer before it */
        }
    }
    s->pressure[2 * i + 1] += *rows + dead;
    for (; a > first; a--) {
        const struct access *access = &s->accesses[a - 1];
        uint32_t r = access->reg - s->base;
        if (r >= GROUP)
            continue;
        uint32_t end = access->kind & ACCESS_HELD ? 2 * i + 2 : 2 * i + 1;
        if (!set_has(live, r)) {
            set_add(live, r);
            s->edge[r] = end;
            *rows += access->rows;
        } else if (s->edge[r] < end) {
            s->edge[r] = end;
        }
    }
    s->pressure[2 * i] += *rows;
}

static void sweep_live(struct sweep *s)
{
    struct set live = {0};
    for (uint32_t b = s->cfg->count; b-- > 0;) {
        const struct ptx_block *block = &s->cfg->blocks[b];
        struct set out = flow_meet(&s->live, b);
        cross_edge(s, &live, &out, 2 * (block->end - s->function->first), false);
        live = out;
        unsigned rows = group_rows(s, &live);
        for (uint32_t i = block->end - s->function->first; i-- > block->first - s->function->first;)
            sweep_live_instr(s, i, &live, &rows);
    }
    cross_edge(s, &live, &(struct set){0}, 0, false);
}

static void sweep_pending(struct sweep *s)
{
    struct set pending = {0};
    for (uint32_t b = 0; b < s->cfg->count; b++) {
        const struct ptx_block *block = &s->cfg->blocks[b];
        struct set in = flow_meet(&s->pending, b);
        cross_edge(s, &pending, &in, 2 * (block->first - s->function->first), true);
        pending = in;
        for (uint32_t i = block->first - s->function->first; i < block->end - s->function->first; i++)
            for (uint32_t a = s->first_access[i]; a < s->first_access[i + 1]; a++) {
                uint32_t r = s->accesses[a].reg - s->base;
                if (r >= GROUP)
                    continue;
                if (set_has(&pending, r) && s->edge[r] < 2 * i)
                    add_span(s, s->accesses[a].reg, s->edge[r], 2 * i);
                set_remove(&pending, r);
                if (s->accesses[a].kind & ACCESS_LATE) {
                    set_add(&pending, r);
                    s->edge[r] = 2 * i + 1;
                }
            }
    }
    cross_edge(s, &pending, &(struct set){0}, 2 * s->function->count, true);
}

struct ptx_liveness *ptx_find_liveness(const struct isa_module *module, const struct isa_function *function,
                                       const struct ptx_cfg *cfg, struct arena *scratch)
{
    struct ptx_liveness *result = ARENA_NEW(scratch, struct ptx_liveness, 1);
    result->spans = ARENA_NEW(scratch, struct ptx_span *, function->reg_count);
    result->span_counts = ARENA_NEW(scratch, uint32_t, function->reg_count);
    if (!function->count)
        return result;
    struct sweep *s = ARENA_NEW(scratch, struct sweep, 1);
    s->function = function;
    s->cfg = cfg;
    s->scratch = scratch;
    s->result = result;
    s->pressure = result->pressures = ARENA_NEW(scratch, int64_t, 2 * (size_t)function->count);
    list_accesses(s, module->instrs + function->first);
    flow_init(&s->live, cfg, false, scratch);
    flow_init(&s->pending, cfg, true, scratch);
    for (s->base = 0; s->base < function->reg_count; s->base += GROUP) {
        bool any = false;
        for (uint32_t b = 0; b < cfg->count; b++)
            any = summarize_block(s, b) || any;
        if (!any)
            continue;
        sort_by_rows(s);
        flow_solve(&s->live);
        flow_solve(&s->pending);
        sweep_live(s);
        sweep_pending(s);
    }
    for (uint32_t p = 0; p < 2 * function->count; p++)
        if (s->pressure[p] > result->pressure)
            result->pressure = (uint32_t)s->pressure[p];
    return result;
}
