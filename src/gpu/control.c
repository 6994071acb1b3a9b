/* Which registers decide what a warp does as long as it stays in the loop that it is in: those from which guards,
 * addresses of loads that matter, operands of atomics, stored values and barriers inside the loop still follow. What is
 * left out can change for ever without anything to show for it: a counter that is only counted, or that is looked at or
 * stored once the loop is over. (Strong liveness, by backward data flow along the edges inside strongly connected
 * components: a warp that leaves the outermost loop around an instruction never comes back to it. Clocks count as one
 * more register, which an instruction that reads one uses. Local memory is looked at as a whole.) */
#include "gpu/control.h"

#include <string.h>

#include "base/bits.h"

#define ENDS (ISA_FLAG_RET | ISA_FLAG_EXIT)
#define EFFECTS                                                                                                        \
    (ISA_FLAG_BRANCH | ISA_FLAG_CALL | ENDS | ISA_FLAG_BARRIER | ISA_FLAG_STORE | ISA_FLAG_ATOMIC | ISA_FLAG_FENCE)

static uint64_t *set_at(const struct gpu_control *c, uint32_t pc)
{
    return c->sets + (size_t)(pc - c->function->first) * c->words;
}

static uint32_t clock_bit(const struct gpu_control *c)
{
    return c->function->row_count + c->function->pred_count;
}

/* True if the set holds a row, or the predicate, that the operand names. */
static bool any_of(const struct gpu_control *c, const struct isa_operand *o, const uint64_t *set)
{
    if (o->kind == ISA_OPERAND_PRED)
        return set[(c->function->row_count + o->row) / 64] >> (c->function->row_count + o->row) % 64 & 1;
    bool found = false;
    for (uint32_t row = o->row; o->kind == ISA_OPERAND_REG && row < o->row + (o->bits + 31u) / 32; row++)
        found |= set[row / 64] >> row % 64 & 1;
    return found;
}

static bool is_clock(const struct isa_operand *o)
{
    return o->kind == ISA_OPERAND_SREG && o->reg >= ISA_SREG_CLOCK && o->reg <= ISA_SREG_GLOBALTIMER_HI;
}
_Static_assert(ISA_SREG_GLOBALTIMER_HI == ISA_SREG_CLOCK + 5, "clocks and timers stand side by side in the table");

/* Puts them all in, or takes them out. */
static void put(const struct gpu_control *c, const struct isa_operand *o, uint64_t *set, bool in)
{
    uint32_t first = o->row, count = 0;
    if (o->kind == ISA_OPERAND_REG)
        count = (o->bits + 31u) / 32;
    else if (o->kind == ISA_OPERAND_PRED)
        first += c->function->row_count, count = 1;
    else if (is_clock(o))
        first = clock_bit(c), count = 1;
    for (uint32_t i = first; i < first + count; i++)
        set[i / 64] = in ? set[i / 64] | BIT64(i % 64) : set[i / 64] & ~BIT64(i % 64);
}

/* The number-th of the instructions that may come next; ISA_PC_NONE: there are no more. */
static uint32_t successor(const struct isa_instr *instr, uint32_t pc, uint32_t number)
{
    uint32_t flags = isa_op_info((enum isa_op)instr->op)->flags;
    bool branch = instr->target != ISA_PC_NONE, ends = flags & (ISA_FLAG_BRANCH | ENDS);
    if (number < instr->target_count)
        return instr->targets[number];
    number -= instr->target_count;
    if (branch && number == 0)
        return instr->target;
    if (number == branch && (instr->guarded || !ends))
        return pc + 1;
    return number == branch + 1u && (flags & ISA_FLAG_TAKE) ? pc
                                                            : ISA_PC_NONE; /* lanes that did not get it ask again */
}

/* Tarjan's search for strongly connected components, with a path of its own instead of recursion. */
struct search {
    const struct isa_instr *instrs; /* of the kernel; all numbers below are places in it */
    uint32_t count, visited;
    uint32_t *order, *low;      /* order in which they were visited, from 1; the earliest that is reached */
    uint32_t *loop;             /* the component: number of one of its members + 1; 0: not known yet */
    uint32_t *path, *next;      /* the walk, and which successor comes next */
    uint32_t *open, open_count; /* visited, component not known */
};

static void enter(struct search *s, uint32_t at, uint32_t *depth)
{
    s->order[at] = s->low[at] = ++s->visited;
    s->open[s->open_count++] = at;
    s->next[*depth] = 0;
    s->path[(*depth)++] = at;
}

static void leave(struct search *s, uint32_t at, uint32_t *depth)
{
    --*depth;
    if (*depth && s->low[s->path[*depth - 1]] > s->low[at])
        s->low[s->path[*depth - 1]] = s->low[at];
    while (s->low[at] == s->order[at] && !s->loop[at])
        s->loop[s->open[--s->open_count]] = at + 1;
}

static void search_from(struct search *s, uint32_t first, uint32_t start)
{
    uint32_t depth = 0;
    enter(s, start, &depth);
    while (depth > 0) {
        uint32_t at = s->path[depth - 1], to = successor(&s->instrs[at], first + at, s->next[depth - 1]++);
        if (to == ISA_PC_NONE)
            leave(s, at, &depth);
        else if (to - first >= s->count || s->loop[to - first])
            continue;
        else if (!s->order[to - first])
            enter(s, to - first, &depth);
        else if (s->low[at] > s->order[to - first])
            s->low[at] = s->order[to - first];
    }
}

static void find_loops(struct gpu_control *c, const struct isa_module *module, struct arena *arena)
{
    uint32_t n = c->function->count;
    struct search s = {.instrs = &module->instrs[c->function->first], .count = n};
    uint32_t *memory = ARENA_NEW(arena, uint32_t, 6 * (size_t)n + 1);
    s.order = memory, s.low = memory + n, s.path = memory + 2 * n, s.next = memory + 3 * n, s.open = memory + 4 * n;
    s.loop = c->loops = memory + 5 * (size_t)n;
    for (uint32_t i = 0; i < n; i++)
        if (!s.order[i])
            search_from(&s, c->function->first, i);
}

/* Collects the registers that matter after an instruction: those that matter to the instructions of its loop that may
 * come next. */
static void find_behind(const struct gpu_control *c, uint32_t pc, const struct isa_instr *instr, uint64_t *set)
{
    uint32_t first = c->function->first, to;
    memset(set, 0, c->words * sizeof *set);
    for (uint32_t k = 0; (to = successor(instr, pc, k)) != ISA_PC_NONE; k++)
        for (uint32_t i = 0;
             i < c->words && to - first < c->function->count && c->loops[to - first] == c->loops[pc - first]; i++)
            set[i] |= set_at(c, to)[i];
}

/* Turns what matters behind an instruction into what matters before it. */
static void step_back(const struct gpu_control *c, const struct isa_instr *instr, uint64_t *set)
{
    uint32_t flags = isa_op_info((enum isa_op)instr->op)->flags;
    bool matters = (flags & EFFECTS) || !instr->dst_count;
    for (unsigned i = 0; i < instr->dst_count; i++)
        matters |= any_of(c, &instr->dst[i], set);
    for (unsigned i = 0; i < instr->dst_count && !instr->guarded; i++)
        put(c, &instr->dst[i], set, false);
    if (!matters)
        return;
    for (unsigned i = 0; i < instr->src_count; i++)
        put(c, &instr->src[i], set, true);
    if (instr->guarded)
        put(c, &(struct isa_operand){.kind = ISA_OPERAND_PRED, .row = instr->guard}, set, true);
}

static bool reads_clock(const struct isa_module *module)
{
    for (uint32_t pc = 0; pc < module->instr_count; pc++)
        for (unsigned i = 0; i < module->instrs[pc].src_count; i++)
            if (is_clock(&module->instrs[pc].src[i]))
                return true;
    return false;
}

struct gpu_control *gpu_control_new(const struct isa_module *module, const struct isa_function *kernel,
                                    struct arena *arena)
{
    struct gpu_control *c = ARENA_NEW(arena, struct gpu_control, 1);
    c->function = kernel;
    c->words = (kernel->row_count + kernel->pred_count + 1 + 63) / 64;
    c->reads_clock = reads_clock(module);
    for (uint32_t i = 0; i < kernel->count; i++)
        if (isa_op_info((enum isa_op)module->instrs[kernel->first + i].op)->flags & ISA_FLAG_CALL)
            return c; /* frames of other functions: everything is taken to matter */
    find_loops(c, module, arena);
    c->sets = ARENA_NEW(arena, uint64_t, (size_t)kernel->count * c->words + 1);
    uint64_t *set = ARENA_NEW(arena, uint64_t, c->words + 1);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t pc = kernel->first + kernel->count; pc-- > kernel->first;) {
            find_behind(c, pc, &module->instrs[pc], set);
            step_back(c, &module->instrs[pc], set);
            changed |= memcmp(set, set_at(c, pc), c->words * sizeof *set) != 0;
            memcpy(set_at(c, pc), set, c->words * sizeof *set);
        }
    }
    return c;
}

const uint64_t *gpu_control_at(const struct gpu_control *c, uint32_t pc)
{
    bool inside = c->sets && pc >= c->function->first && pc < c->function->first + c->function->count;
    return inside ? set_at(c, pc) : NULL;
}

bool gpu_control_by_clock(const struct gpu_control *c, uint32_t pc)
{
    const uint64_t *set = gpu_control_at(c, pc);
    return c->reads_clock && (set ? set[clock_bit(c) / 64] >> clock_bit(c) % 64 & 1 : pc != ISA_PC_NONE);
}
