/* Which registers lie in local memory where a thread has too few.
 *
 * As long as more registers are live somewhere than there may be, those are taken that are live over most of these places
 * for the least of loads and stores, which count tenfold for each loop around them (after Chaitin, 1982); of equals the
 * first. A taken register has no value between instructions any more (spill_code.c); its temporaries need places too, so
 * that another round may follow. Registers that cannot be taken, or would free nothing, stay: an instruction needs what
 * it names. */
#include "ptx/spill.h"

#include <string.h>

#include "base/bits.h"
#include "base/vec.h"

#define NUMBERS_MOST 65000 /* isa_reg.number has 16 bits */
#define DEPTH_MOST 5
#define ASSEMBLER_UNIT 8 /* NVIDIA's assembler allots registers by eights */
#define COST_OF_ACCESS 4   /* to local memory, where making a value again costs 1 */

struct round {
    struct ptx_spill *s;
    const struct ptx_liveness *liveness;
    struct arena *scratch;
    int64_t limit;
    uint32_t *weights; /* by instruction */
    uint64_t *costs;   /* by register; 0: not to be taken */
    uint32_t *over;    /* by position: how many before it have too many live registers */
    uint32_t *own;     /* by register: those of its own reads and writes */
    uint8_t *reads;    /* by register: somebody reads it */
    uint32_t *uses;    /* by register: instructions that name it, twice if they read and write it */
};

/* ---- what a thread may have ---- */

uint32_t ptx_bounded_registers(const struct isa_function *kernel, const struct ptx_budget *budget)
{
    uint64_t threads = kernel->max_threads[0];
    for (unsigned i = 1; i < 3; i++)
        threads *= kernel->max_threads[i] ? kernel->max_threads[i] : 1;
    threads = round_up_u64(threads, budget->warp_size) * kernel->min_blocks;
    if (!threads)
        return UINT32_MAX;
    uint64_t most = budget->registers / threads / budget->unit * budget->unit;
    return most ? (uint32_t)most : budget->unit;
}

static uint32_t lower(uint32_t a, uint32_t b)
{
    return b < a ? b : a;
}

static uint32_t limit_of_kernel(const struct isa_function *kernel, const struct ptx_budget *budget)
{
    uint32_t most = budget->most ? budget->most : UINT32_MAX;
    if (budget->thread)
        return lower(most, budget->thread);
    most = lower(most, kernel->max_registers ? kernel->max_registers : UINT32_MAX);
    return lower(most, ptx_bounded_registers(kernel, budget));
}

/* NVIDIA's assembler may have needed fewer than are live in the PTX: it spilled where its limit bound it, and its stack is
 * larger than what the PTX declares. */
static uint32_t limit_with_assembled(const struct isa_function *kernel, uint32_t limit,
                                     const struct ptx_assembled *known)
{
    if (limit < known->registers)
        return limit;
    bool spilled = known->most && known->registers + ASSEMBLER_UNIT > known->most && known->stack_bytes > kernel->local_bytes;
    return spilled ? known->registers : UINT32_MAX;
}

static const struct ptx_assembled *known_of(const struct ptx_options *options, const char *name)
{
    for (size_t i = 0; i < options->assembled_count; i++)
        if (strcmp(options->assembled[i].name, name) == 0)
            return &options->assembled[i];
    return NULL;
}

/* A function has no more than any kernel that may call it; of indirect calls any kernel counts. */
static void spread_limits(const struct isa_module *module, uint32_t *limits)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t f = 0; f < module->function_count; f++)
            for (uint32_t i = module->functions[f].first; i < module->functions[f].first + module->functions[f].count; i++) {
                const struct isa_call *call = module->instrs[i].call;
                bool indirect = call && call->callee == UINT32_MAX;
                uint32_t to = indirect || !call ? 0 : call->callee, end = indirect ? module->function_count : to + 1;
                for (; call && to < end; to++)
                    if (limits[f] < limits[to] && !module->functions[to].is_kernel) {
                        limits[to] = limits[f];
                        changed = true;
                    }
            }
    }
}

/* A warp may have more than its launch gave it: as many as any setmaxnreg of the kernel names. */
static uint32_t most_asked(const struct isa_module *module, const struct isa_function *kernel)
{
    uint32_t most = 0;
    for (uint32_t i = kernel->first; i < kernel->first + kernel->count; i++)
        if (module->instrs[i].op == ISA_OP_SETMAXNREG && module->instrs[i].src[0].value > most)
            most = (uint32_t)module->instrs[i].src[0].value;
    return most;
}

static uint32_t *find_limits(const struct isa_module *module, const struct ptx_options *options, struct arena *scratch)
{
    uint32_t *limits = ARENA_NEW(scratch, uint32_t, module->function_count + 1);
    for (uint32_t f = 0; f < module->function_count; f++) {
        const struct isa_function *function = &module->functions[f];
        limits[f] = function->is_kernel ? limit_of_kernel(function, &options->budget) : UINT32_MAX;
        const struct ptx_assembled *known = function->is_kernel ? known_of(options, function->name) : NULL;
        if (known)
            limits[f] = limit_with_assembled(function, limits[f], known);
        uint32_t asked = function->is_kernel ? most_asked(module, function) : 0;
        if (limits[f] < asked)
            limits[f] = lower(asked, options->budget.most ? options->budget.most : UINT32_MAX);
    }
    spread_limits(module, limits);
    return limits;
}

/* ---- costs ---- */

/* Operand k names a register that an earlier one of the same side, read or written, names already. */
static bool is_named_before(const struct isa_instr *instr, unsigned k)
{
    uint32_t reg = ptx_operand_register(ptx_operand(instr, k));
    for (unsigned before = k < instr->dst_count ? 0 : instr->dst_count; before < k; before++)
        if (ptx_operand_register(ptx_operand(instr, before)) == reg)
            return true;
    return false;
}

/* Ten for each loop around an instruction: all between a label and the last branch back to it. */
static void weigh(struct round *r)
{
    const struct isa_function *f = &r->s->function;
    uint32_t *end = ARENA_NEW(r->scratch, uint32_t, f->count + 1);
    int32_t *change = ARENA_NEW(r->scratch, int32_t, f->count + 1), depth = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        uint32_t target = r->s->view.instrs[i].target;
        if (target <= i)
            end[target] = i + 1;
    }
    for (uint32_t i = 0; i < f->count; i++)
        if (end[i]) {
            change[i]++;
            change[end[i]]--;
        }
    r->weights = ARENA_NEW(r->scratch, uint32_t, f->count + 1);
    for (uint32_t i = 0; i < f->count; i++) {
        depth += change[i];
        r->weights[i] = 1;
        for (int32_t d = 0; d < depth && d < DEPTH_MOST; d++)
            r->weights[i] *= 10;
    }
}

/* A write that may be skipped although its guard is true, or behind which the guard is another: nothing can be put behind
 * it. */
static bool must_stay(const struct isa_instr *instr)
{
    if (instr->target != ISA_PC_NONE || instr->target_count || instr->call)
        return true;
    for (unsigned d = 0; instr->guarded && d < instr->dst_count; d++)
        if (ptx_operand_register(&instr->dst[d]) == instr->guard_reg)
            return true;
    return false;
}

static void add_costs(struct round *r, uint32_t i)
{
    const struct isa_instr *instr = &r->s->view.instrs[i];
    const struct isa_function *f = &r->s->function;
    struct isa_operand *operand;
    for (unsigned k = 0; (operand = ptx_operand(instr, k)); k++) {
        uint32_t reg = ptx_operand_register(operand);
        if (reg >= f->reg_count || is_named_before(instr, k))
            continue;
        r->costs[reg] += r->weights[i] * COST_OF_ACCESS;
        r->uses[reg]++;
        if (k >= instr->dst_count) {
            r->reads[reg] = 1;
            continue;
        }
        r->s->kinds[reg] = r->s->writes[reg] == UINT32_MAX && ptx_can_repeat(f, instr) ? PTX_SPILL_AGAIN : PTX_SPILL_STORED;
        r->s->writes[reg] = must_stay(instr) || r->s->writes[reg] == UINT32_MAX - 1 ? UINT32_MAX - 1 : i;
    }
}

/* Fills costs; kinds become how each register would be spilled. Temporaries and predicates are not to be taken. */
static void find_costs(struct round *r)
{
    struct ptx_spill *s = r->s;
    const struct isa_function *f = &s->function;
    uint32_t own = f->reg_count - f->temporaries;
    r->costs = ARENA_NEW(r->scratch, uint64_t, f->reg_count + 1);
    r->reads = ARENA_NEW(r->scratch, uint8_t, f->reg_count + 1);
    r->uses = ARENA_NEW(r->scratch, uint32_t, f->reg_count + 1);
    s->kinds = ARENA_NEW(r->scratch, uint8_t, f->reg_count + 1);
    s->writes = ARENA_NEW(r->scratch, uint32_t, f->reg_count + 1);
    s->offsets = ARENA_NEW(r->scratch, uint32_t, f->reg_count + 1);
    memset(s->writes, 0xff, (f->reg_count + 1) * sizeof *s->writes);
    for (uint32_t i = 0; i < f->count; i++)
        add_costs(r, i);
    for (uint32_t reg = 0; reg < f->reg_count; reg++) {
        bool may = reg < own && r->reads[reg] && f->regs[reg].type != ISA_PRED && ptx_register_rows(&f->regs[reg]) <= 2 &&
                   s->writes[reg] < UINT32_MAX - 1;
        if (s->kinds[reg] == PTX_SPILL_AGAIN)
            r->costs[reg] /= COST_OF_ACCESS;
        r->costs[reg] = may ? r->costs[reg] : 0;
    }
}

/* ---- choice ---- */

/* Counts where too many are live, and how many of these places are each register's own. */
static uint32_t count_over(struct round *r)
{
    const struct isa_function *f = &r->s->function;
    uint32_t n = 0;
    for (uint32_t p = 0; p < 2 * f->count; p++) {
        r->over[p] = n;
        n += r->liveness->pressures[p] > r->limit;
    }
    r->over[2 * f->count] = n;
    memset(r->own, 0, f->reg_count * sizeof *r->own);
    for (uint32_t i = 0; i < f->count && n; i++) {
        const struct isa_instr *instr = &r->s->view.instrs[i];
        const struct isa_operand *operand;
        for (unsigned k = 0; (operand = ptx_operand(instr, k)); k++) {
            uint32_t reg = ptx_operand_register(operand), p = 2 * i + (k < instr->dst_count);
            if (reg < f->reg_count && !is_named_before(instr, k))
                r->own[reg] += r->over[p + 1] - r->over[p];
        }
    }
    return n;
}

/* Words that are free, summed over the places where too many are live, once the register is taken. */
static uint64_t benefit(const struct round *r, uint32_t reg)
{
    uint64_t places = 0;
    for (const struct ptx_span *span = r->liveness->spans[reg]; span; span = span->next)
        places += r->over[span->end] - r->over[span->start];
    return places > r->own[reg] ? (places - r->own[reg]) * ptx_register_rows(&r->s->function.regs[reg]) : 0;
}

/* The register that frees most for its cost; UINT32_MAX: none frees anything. */
static uint32_t choose(const struct round *r)
{
    uint32_t best = UINT32_MAX;
    uint64_t most = 0, cost = 1;
    for (uint32_t reg = 0; reg < r->s->function.reg_count; reg++) {
        uint64_t frees = r->costs[reg] ? benefit(r, reg) : 0;
        if (frees * cost > most * r->costs[reg]) {
            best = reg;
            most = frees;
            cost = r->costs[reg];
        }
    }
    return best;
}

/* Takes the register's words off where it was live, but for its own reads and writes, where a temporary has them. */
static void take(struct round *r, uint32_t reg)
{
    const struct isa_function *f = &r->s->function;
    unsigned rows = ptx_register_rows(&f->regs[reg]);
    int64_t *pressures = r->liveness->pressures;
    r->costs[reg] = 0;
    for (const struct ptx_span *span = r->liveness->spans[reg]; span; span = span->next)
        for (uint32_t p = span->start; p < span->end && p < 2 * f->count; p++)
            pressures[p] -= rows;
    for (uint32_t i = 0; i < f->count; i++) {
        const struct isa_instr *instr = &r->s->view.instrs[i];
        const struct isa_operand *operand;
        for (unsigned k = 0; (operand = ptx_operand(instr, k)); k++)
            if (ptx_operand_register(operand) == reg && !is_named_before(instr, k))
                pressures[2 * i + (k < instr->dst_count)] += rows;
    }
}

/* Marks in kinds those that are taken; how many. */
static uint32_t choose_all(struct round *r)
{
    const struct isa_function *f = &r->s->function;
    uint8_t *kinds = ARENA_NEW(r->scratch, uint8_t, f->reg_count + 1);
    uint32_t reg, taken = 0, numbers = f->number_count;
    r->over = ARENA_NEW(r->scratch, uint32_t, 2 * (size_t)f->count + 1);
    r->own = ARENA_NEW(r->scratch, uint32_t, f->reg_count + 1);
    while (count_over(r) && (reg = choose(r)) != UINT32_MAX && (numbers += r->uses[reg]) < NUMBERS_MOST) {
        kinds[reg] = r->s->kinds[reg];
        take(r, reg);
        taken++;
    }
    r->s->kinds = kinds;
    return taken;
}

/* One round; false: nothing was left to do, or could be done. */
static bool spill_some(struct ptx_spill *s, uint32_t limit)
{
    struct arena scratch;
    arena_init(&scratch);
    struct round r = {.s = s, .scratch = &scratch, .limit = limit};
    const struct ptx_cfg *cfg = ptx_cfg_build(&s->view, &s->function, &scratch);
    r.liveness = ptx_find_liveness(&s->view, &s->function, cfg, &scratch);
    bool spills = s->function.count && r.liveness->pressure > limit;
    if (spills) {
        weigh(&r);
        find_costs(&r);
        spills = choose_all(&r) > 0;
    }
    if (spills)
        ptx_rewrite_spilled(s);
    arena_free(&scratch);
    return spills;
}

/* ---- the module ---- */

struct code {
    VEC(struct isa_instr) instrs;
};

/* The function's instructions from `at` on, with targets that count from there. */
static void rebase(struct arena *arena, struct isa_instr *instrs, uint32_t count, uint32_t from, uint32_t at)
{
    for (uint32_t i = 0; i < count; i++) {
        if (instrs[i].target != ISA_PC_NONE)
            instrs[i].target = instrs[i].target - from + at;
        uint32_t *targets = instrs[i].target_count ? ARENA_NEW(arena, uint32_t, instrs[i].target_count) : NULL;
        for (uint32_t t = 0; t < instrs[i].target_count; t++)
            targets[t] = instrs[i].targets[t] - from + at;
        if (instrs[i].target_count)
            instrs[i].targets = targets;
    }
}

static void append(struct arena *arena, struct code *code, struct isa_function *function, struct isa_instr *instrs)
{
    uint32_t at = (uint32_t)code->instrs.count;
    rebase(arena, instrs, function->count, function->first, at);
    for (uint32_t i = 0; i < function->count; i++)
        vec_push(&code->instrs, instrs[i]);
    function->first = at;
}

/* Rewrites one function until it fits, and appends it. */
static void spill_function(struct isa_module *module, struct isa_function *function, uint32_t limit, struct code *code)
{
    struct ptx_spill s = {.module = module, .view = *module, .function = *function, .frame_bytes = function->local_bytes};
    s.view.instrs = arena_alloc(&module->arena, (function->count + 1) * sizeof *s.view.instrs, 16);
    memcpy(s.view.instrs, module->instrs + function->first, function->count * sizeof *s.view.instrs);
    s.function.first = 0;
    rebase(&module->arena, s.view.instrs, function->count, function->first, 0);
    while (spill_some(&s, limit))
        ;
    *function = s.function;
    append(&module->arena, code, function, s.view.instrs);
}

void ptx_spill(struct isa_module *module, const struct ptx_options *options)
{
    if (!options->budget.spills)
        return;
    struct arena scratch;
    struct code code = {0};
    arena_init(&scratch);
    const uint32_t *limits = find_limits(module, options, &scratch);
    for (uint32_t f = 0; f < module->function_count; f++) {
        struct isa_function *function = &module->functions[f];
        if (!function->is_defined || limits[f] == UINT32_MAX)
            append(&module->arena, &code, function, module->instrs + function->first);
        else
            spill_function(module, function, limits[f], &code);
    }
    module->instr_count = (uint32_t)code.instrs.count;
    module->instrs = arena_alloc(&module->arena, (code.instrs.count + 1) * sizeof *module->instrs, 16);
    if (code.instrs.count)
        memcpy(module->instrs, code.instrs.items, code.instrs.count * sizeof *module->instrs);
    vec_free(&code.instrs);
    arena_free(&scratch);
}
