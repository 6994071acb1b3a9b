/* Which registers decide where a warp goes: those from which, at an instruction, guards, addresses of loads that
 * matter, operands of atomics and barriers still follow. What is left out can change for ever without anything to show
 * for it: a counter that is only counted, or stored once the loop is over. (Strong liveness, by backward data flow.
 * What a store writes is left out too: memory that it changes shows by itself, and local memory is looked at as a
 * whole.) */
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

/* Whether a row, or the predicate, that an operand names is in the set. */
static bool any_of(const struct gpu_control *c, const struct isa_operand *o, const uint64_t *set)
{
    if (o->kind == ISA_OPERAND_PRED)
        return set[(c->function->row_count + o->row) / 64] >> (c->function->row_count + o->row) % 64 & 1;
    bool found = false;
    for (uint32_t row = o->row; o->kind == ISA_OPERAND_REG && row < o->row + (o->bits + 31u) / 32; row++)
        found |= set[row / 64] >> row % 64 & 1;
    return found;
}

/* Puts them all in, or takes them out. */
static void put(const struct gpu_control *c, const struct isa_operand *o, uint64_t *set, bool in)
{
    uint32_t first = o->row, count = 0;
    if (o->kind == ISA_OPERAND_REG)
        count = (o->bits + 31u) / 32;
    else if (o->kind == ISA_OPERAND_PRED)
        first += c->function->row_count, count = 1;
    for (uint32_t i = first; i < first + count; i++)
        set[i / 64] = in ? set[i / 64] | BIT64(i % 64) : set[i / 64] & ~BIT64(i % 64);
}

static void add_successor(const struct gpu_control *c, uint32_t pc, uint64_t *set)
{
    if (pc < c->function->first || pc >= c->function->first + c->function->count)
        return;
    for (uint32_t i = 0; i < c->words; i++)
        set[i] |= set_at(c, pc)[i];
}

/* What matters behind an instruction: at those that may come next. */
static void find_behind(const struct gpu_control *c, uint32_t pc, const struct isa_instr *instr, uint64_t *set)
{
    uint32_t flags = isa_op_info((enum isa_op)instr->op)->flags;
    memset(set, 0, c->words * sizeof *set);
    if (instr->op == ISA_OP_BRA)
        add_successor(c, instr->target, set);
    for (uint32_t i = 0; i < instr->target_count; i++)
        add_successor(c, instr->targets[i], set);
    if (instr->guarded || !(flags & (ISA_FLAG_BRANCH | ENDS)))
        add_successor(c, pc + 1, set);
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
    unsigned sources = (flags & ISA_FLAG_STORE) && instr->src_count ? 1 : instr->src_count; /* a store's address */
    for (unsigned i = 0; i < sources; i++)
        put(c, &instr->src[i], set, true);
    if (instr->guarded)
        put(c, &(struct isa_operand){.kind = ISA_OPERAND_PRED, .row = instr->guard}, set, true);
}

struct gpu_control *gpu_control_new(const struct isa_module *module, const struct isa_function *kernel,
                                    struct arena *arena)
{
    struct gpu_control *c = ARENA_NEW(arena, struct gpu_control, 1);
    c->function = kernel;
    c->words = (kernel->row_count + kernel->pred_count + 63) / 64;
    for (uint32_t i = 0; i < kernel->count; i++)
        if (isa_op_info((enum isa_op)module->instrs[kernel->first + i].op)->flags & ISA_FLAG_CALL)
            return c; /* frames of other functions: everything is taken to matter */
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
