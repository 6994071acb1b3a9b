/* Loops in which a lane may wait for others: what there is in a loop, from its first instruction to a branch back. */
#include <stdlib.h>

#include "base/bits.h"
#include "simt/code.h"

/* True if a lane may learn from the instruction that another one has done something: it takes a lock, reads a word that
 * others write meanwhile, or lets time pass. */
static bool looks_at_others(const struct isa_instr *instr)
{
    uint32_t flags = isa_op_info(instr->op)->flags;
    if (flags & ISA_FLAG_ATOMIC)
        return instr->dst_count != 0 || instr->op == ISA_OP_LOCK_TIMED;
    return ((flags & ISA_FLAG_LOAD) && instr->mods.order > ISA_ORDER_WEAK) || instr->op == ISA_OP_NANOSLEEP;
}

static bool any_looks_at_others(const struct isa_module *module, uint32_t first, uint32_t behind)
{
    for (uint32_t i = first; i < behind; i++)
        if (looks_at_others(&module->instrs[i]))
            return true;
    return false;
}

/* A loop polls if an instruction from its first to the branch back does, or one of a function that is called there; of
 * what that calls in turn nothing is known. */
bool simt_loop_polls(const struct isa_module *module, uint32_t branch)
{
    uint32_t first = module->instrs[branch].target;
    if (any_looks_at_others(module, first, branch))
        return true;
    for (uint32_t i = first; i < branch; i++) {
        const struct isa_call *call = module->instrs[i].call;
        const struct isa_function *callee =
            call && call->callee != UINT32_MAX ? &module->functions[call->callee] : NULL;
        if (callee && callee->is_defined && any_looks_at_others(module, callee->first, callee->first + callee->count))
            return true;
    }
    return false;
}

/* True if the instruction may bring about the event that another lane waits for. */
static bool may_help_others(const struct isa_instr *instr)
{
    uint32_t flags = isa_op_info(instr->op)->flags;
    return ((flags & ISA_FLAG_STORE) && instr->mods.space != ISA_SPACE_LOCAL) ||
           (flags & (ISA_FLAG_CALL | ISA_FLAG_BARRIER | ISA_FLAG_TAKE | ISA_FLAG_GIVE)) ||
           ((flags & ISA_FLAG_ATOMIC) && !instr->dst_count);
}

/* Registers by number. */
struct numbers {
    uint64_t words[1024];
};

static bool any_of(const struct numbers *set, const uint16_t *numbers, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (set->words[numbers[i] / 64] & BIT64(numbers[i] % 64))
            return true;
    return false;
}

/* Adds what the instruction writes, if that comes from the set or from others. Returns whether the set is larger. */
static bool follow(struct numbers *set, const struct isa_instr *instr)
{
    bool more = false;
    if (!looks_at_others(instr) && !any_of(set, instr->reads, instr->read_count))
        return false;
    for (unsigned i = 0; i < instr->write_count; i++) {
        uint64_t *word = &set->words[instr->writes[i] / 64], bit = BIT64(instr->writes[i] % 64);
        more |= !(*word & bit);
        *word |= bit;
    }
    return more;
}

bool simt_loop_waits(const struct isa_module *module, uint32_t branch)
{
    uint32_t first = module->instrs[branch].target;
    unsigned atomics = 0;
    for (uint32_t i = first; i < branch; i++) {
        atomics += (isa_op_info(module->instrs[i].op)->flags & ISA_FLAG_ATOMIC) != 0;
        if (atomics > 1 || may_help_others(&module->instrs[i]))
            return false;
    }
    struct numbers *seen = base_calloc(1, sizeof *seen);
    bool more = true;
    while (more) {
        more = false;
        for (uint32_t i = first; i < branch; i++)
            more |= follow(seen, &module->instrs[i]);
    }
    bool waits = any_of(seen, module->instrs[branch].reads, module->instrs[branch].read_count);
    free(seen);
    return waits;
}
