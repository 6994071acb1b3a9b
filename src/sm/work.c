/* Classifies static instructions by the work that they are: see work.h. The classes are those by which GPGPU-Sim's
 * power model counts, with two choices of ours: a fused multiply-add counts as a multiplication like mad, and a
 * remainder as a division. */
#include "sm/work.h"

/* The counters of lanes lie side by side, so that a class can index them. */
_Static_assert(offsetof(struct sm_stats, lanes_sin) - offsetof(struct sm_stats, lanes_int_alu) ==
                   SM_LANE_OP_sin * sizeof(uint64_t),
               "one counter of lanes per class");
_Static_assert(offsetof(struct sm_stats, idle_sin) - offsetof(struct sm_stats, idle_int_alu) ==
                   SM_LANE_OP_sin * sizeof(uint64_t),
               "one counter of idle lanes per class");

static bool is_float(const struct isa_instr *instr)
{
    return isa_type_info(instr->type)->family == ISA_CLASS_FLOAT || instr->type == ISA_F16X2 ||
           instr->type == ISA_BF16X2;
}

bool sm_is_scheduled(const struct isa_instr *instr)
{
    const uint32_t control =
        ISA_FLAG_BRANCH | ISA_FLAG_CALL | ISA_FLAG_RET | ISA_FLAG_EXIT | ISA_FLAG_BARRIER | ISA_FLAG_FENCE;
    switch (instr->op) {
    case ISA_OP_NOP:
    case ISA_OP_BRKPT:
    case ISA_OP_PMEVENT:
    case ISA_OP_GRIDDEPCONTROL:
    case ISA_OP_SETMAXNREG:
    case ISA_OP_APPLYPRIORITY:
    case ISA_OP_DISCARD:
    case ISA_OP_NANOSLEEP:
    case ISA_OP_PREFETCH:
    case ISA_OP_PREFETCHU:
    case ISA_OP_OUTSIDE:
        return false;
    default:
        return !(isa_op_info(instr->op)->flags & control);
    }
}

static enum sm_lane_op lane_op_of(const struct isa_instr *instr)
{
    if (!sm_is_scheduled(instr) || (isa_op_info(instr->op)->flags & ISA_FLAG_MEMORY))
        return SM_LANE_OP_NONE;
    switch (instr->op) {
    case ISA_OP_MUL:
    case ISA_OP_MAD:
    case ISA_OP_MADC:
    case ISA_OP_FMA:
    case ISA_OP_DP4A:
    case ISA_OP_DP2A:
    case ISA_OP_VMAD:
    case ISA_OP_MMA:
    case ISA_OP_WGMMA:
        if (is_float(instr))
            return SM_LANE_OP_fp_mul;
        return isa_type_bits(instr->type) == 32 ? SM_LANE_OP_int_mul32 : SM_LANE_OP_int_mul;
    case ISA_OP_MUL24:
    case ISA_OP_MAD24:
        return SM_LANE_OP_int_mul24;
    case ISA_OP_DIV:
    case ISA_OP_REM:
        return is_float(instr) ? SM_LANE_OP_fp_div : SM_LANE_OP_int_div;
    case ISA_OP_RCP:
        return SM_LANE_OP_fp_div;
    case ISA_OP_SQRT:
    case ISA_OP_RSQRT:
        return SM_LANE_OP_sqrt;
    case ISA_OP_LG2:
        return SM_LANE_OP_log;
    case ISA_OP_EX2:
    case ISA_OP_TANH:
        return SM_LANE_OP_exp;
    case ISA_OP_SIN:
    case ISA_OP_COS:
        return SM_LANE_OP_sin;
    default:
        return is_float(instr) ? SM_LANE_OP_fp_add : SM_LANE_OP_int_alu;
    }
}

void sm_decode_work(struct decoded_instr *decoded, const struct isa_instr *instr)
{
    decoded->lane_op = (uint8_t)lane_op_of(instr);
    for (unsigned i = 0; i < instr->src_count; i++) {
        uint8_t kind = instr->src[i].kind;
        decoded->other_count += kind != ISA_OPERAND_NONE && kind != ISA_OPERAND_REG && kind != ISA_OPERAND_PRED;
    }
}
