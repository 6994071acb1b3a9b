/* Loops in which threads wait, as the source says with `.pragma "lockstep.spin"`: the innermost loop around the pragma.
 * A loop is what lies between the target of a backward branch and that branch; all backward branches to the same
 * target close the same loop. */
#include "ptx/parse.h"

static bool goes_back(const struct isa_instr *instr, uint32_t pc)
{
    return instr->op == ISA_OP_BRA && instr->target <= pc;
}

static void mark_loop(struct isa_instr *instrs, uint32_t head, uint32_t end)
{
    uint32_t last = head;
    for (uint32_t pc = head; pc < end; pc++)
        if (goes_back(&instrs[pc], pc) && instrs[pc].target == head) {
            instrs[pc].spin |= ISA_SPIN_BRANCH;
            last = pc;
        }
    for (uint32_t pc = head; pc <= last; pc++)
        instrs[pc].spin |= ISA_SPIN_INSIDE;
}

void ptx_find_spins(struct isa_instr *instrs, uint32_t first, uint32_t end)
{
    for (uint32_t mark = first; mark < end; mark++) {
        if (!(instrs[mark].spin & ISA_SPIN_MARK))
            continue;
        uint32_t head = ISA_PC_NONE;
        for (uint32_t pc = mark; pc < end; pc++)
            if (goes_back(&instrs[pc], pc) && instrs[pc].target <= mark &&
                (head == ISA_PC_NONE || instrs[pc].target > head))
                head = instrs[pc].target;
        if (head != ISA_PC_NONE)
            mark_loop(instrs, head, end);
    }
}
