/* When each register of a function needs its row. Inside room ptx only.
 *
 * Positions count half instructions from the function's start: instruction i reads at 2i and writes at 2i + 1. A
 * register needs its row in [start, end) where its value may still be read, at the point of a write even if nobody
 * reads it, and from a load or atomic until the first later instruction that names the register: the value arrives some
 * cycles after the instruction was issued, the scoreboard holds back only instructions that name the register, so until
 * then nobody else may own the row. */
#ifndef LOCKSTEP_PTX_LIVENESS_H
#define LOCKSTEP_PTX_LIVENESS_H

#include "ptx/analyse.h"

struct ptx_span {
    uint32_t start, end;
    struct ptx_span *next; /* later, not touching */
};

struct ptx_liveness {
    struct ptx_span **spans;  /* by register, ascending; NULL: never named */
    uint32_t *span_counts;
    uint32_t pressure;        /* 32-bit words that hold live registers, predicates left out, at the worst position */
    int64_t *pressures;       /* and at each position */
};

/* The register (index into the function's regs) an operand names, or UINT32_MAX. */
static inline uint32_t ptx_operand_register(const struct isa_operand *operand)
{
    return operand->kind == ISA_OPERAND_REG || operand->kind == ISA_OPERAND_PRED ? operand->reg : UINT32_MAX;
}

/* Operand i of an instruction: its destinations, its sources, the target of an indirect call; NULL behind the last. They
 * are this room's to change until the module is handed out. */
static inline struct isa_operand *ptx_operand(const struct isa_instr *instr, unsigned i)
{
    if (i < instr->dst_count)
        return (struct isa_operand *)&instr->dst[i];
    i -= instr->dst_count;
    if (i < instr->src_count)
        return (struct isa_operand *)&instr->src[i];
    return i == instr->src_count && instr->call ? (struct isa_operand *)&instr->call->target : NULL;
}

/* Rows of a register of that type: 1, 2 or 4. Predicates have one index. */
static inline unsigned ptx_register_rows(const struct isa_reg *reg)
{
    unsigned bits = isa_type_info(reg->type)->bits;
    return bits <= 32 ? 1 : bits <= 64 ? 2 : 4;
}

struct ptx_liveness *ptx_find_liveness(const struct isa_module *module, const struct isa_function *function,
                                       const struct ptx_cfg *cfg, struct arena *scratch);

#endif
