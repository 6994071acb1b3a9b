/* Lanes that pass by a barrier to which others of their warp have come (--check sync). For targets of sm_70 and later
 * these wait until the others have ended, so that the barrier does what nobody meant, or nothing goes on at all: the
 * CUDA C++ Programming Guide wants __syncthreads() where all threads of the block come to it or none does.
 *
 * Lanes that end first, as by a `return` in front of it, are not waited for and are none of these: the code of both
 * joins nowhere but at the end. Nor are lanes that may still come, to it or on their way to another barrier, as far as
 * the code tells. */
#include <stdlib.h>

#include "base/bits.h"
#include "simt/exchange.h"

static bool ends(const struct isa_instr *instr)
{
    return (instr->op == ISA_OP_EXIT || instr->op == ISA_OP_RET) && !instr->guarded;
}

static bool is_barrier(const struct isa_instr *instr)
{
    return isa_op_info((enum isa_op)instr->op)->flags & ISA_FLAG_BARRIER && instr->mods.barrier != ISA_BARRIER_WARP;
}

/* Instructions of a function that are still to be looked at, from which others follow. */
struct search {
    const struct isa_module *module;
    const struct isa_function *function;
    uint32_t end;   /* the search does not go past this instruction */
    bool *seen;     /* by instruction of the function */
    uint32_t *todo; /* a stack */
    uint32_t count;
};

static void add(struct search *s, uint32_t pc)
{
    uint32_t at = pc - s->function->first;
    if (pc == s->end || at >= s->function->count || s->seen[at])
        return;
    s->seen[at] = true;
    s->todo[s->count++] = pc;
}

static void add_following(struct search *s, uint32_t pc)
{
    const struct isa_instr *instr = &s->module->instrs[pc];
    bool jumps = instr->op == ISA_OP_BRA || instr->op == ISA_OP_BRX;
    if (instr->target != ISA_PC_NONE)
        add(s, instr->target);
    for (uint32_t i = 0; i < instr->target_count; i++)
        add(s, instr->targets[i]);
    if (!ends(instr) && (!jumps || instr->guarded))
        add(s, pc + 1);
}

/* There is a way from `from`, which does not go over `end`, to the instruction `to`; ISA_PC_NONE: to any barrier, or to a
 * call, behind which one may be. */
static bool leads(const struct isa_module *module, const struct isa_function *function, uint32_t from, uint32_t end,
                  uint32_t to)
{
    struct search s = {module,
                       function,
                       end,
                       base_calloc(function->count, sizeof *s.seen),
                       base_calloc(function->count + 1, sizeof *s.todo),
                       0};
    bool found = false;
    add(&s, from);
    while (s.count && !found) {
        uint32_t pc = s.todo[--s.count];
        found = to != ISA_PC_NONE ? pc == to : is_barrier(&module->instrs[pc]) || module->instrs[pc].call;
        add_following(&s, pc);
    }
    free(s.seen);
    free(s.todo);
    return found;
}

/* Lanes at `at` pass by the barrier `pc`: the code of both joins behind it, they come to none on the way there, and not to
 * this one later, as in a loop in which lanes come by turns. */
static bool passes_by(const struct isa_module *module, const struct isa_function *function, uint32_t at, uint32_t pc)
{
    uint32_t join = isa_reconvergence_point(module, function, pc, at);
    return join != ISA_PC_NONE && join != pc && !ends(&module->instrs[join]) &&
           !leads(module, function, at, join, ISA_PC_NONE) && !leads(module, function, join, ISA_PC_NONE, pc);
}

uint64_t simt_skipping(const struct simt_warp *warp, uint64_t missing, uint32_t pc)
{
    const struct isa_module *module = warp->code->module;
    const struct isa_function *function = isa_function_at(module, pc);
    uint64_t found = 0;
    if (!function->is_kernel) /* lanes that leave it may be called to it again, and come then */
        return 0;
    for (struct simt_walk walk = simt_walk(&warp->paths); simt_walk_next(&walk);) {
        uint32_t at = walk.path->pc;
        if (!(walk.lanes & missing) || &module->functions[walk.path->frame.function] != function || at == pc)
            continue;
        if (passes_by(module, function, at, pc))
            found |= walk.lanes & missing;
    }
    return found;
}
