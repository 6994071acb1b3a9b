/* Matrix instructions: how large their matrices are, and how the lanes of a warp hold them.
 *
 * A lane has its elements in registers of 32 bits, those of 64 bits in one each; e elements lie in a register, the first in its
 * lowest bits. Of lane l, g = l / 4 and t = l % 4. PTX ISA, "Matrix Fragments for mma.m16n8k16" and the like, which all are:
 *     A, m x k     element i of register r: row g + 8 (r % 2), column 4e (r / 2) + e t + i
 *     B, k x n     element i of register r: row 4e r + e t + i, column g
 *     C and D, m x n     element i, through all registers: row g + 8 (i / 2 % 2), column 8 (i / 4) + 2t + i % 2 */
#ifndef LOCKSTEP_ISA_MATRIX_H
#define LOCKSTEP_ISA_MATRIX_H

#include "isa/program.h"

#define ISA_MATRIX_ROWS 16    /* most rows of a warp's matrix A */
#define ISA_MATRIX_DEPTH 32   /* most columns of A */
#define ISA_MATRIX_COLUMNS 256 /* most columns of B */

/* A product as a warp has it: rows (of wgmma a quarter), columns and depth, and how many operands are D, A, B and C: registers of a
 * lane, or 1 for the descriptor of a matrix in shared memory. */
struct isa_matrix {
    uint16_t m, n, k;
    uint8_t d, a, b, c;
    bool a_shared, b_shared;
};

/* Four products at a time, each by two quads of the warp: the instruction of Volta (simt/product_quads.c). */
static inline bool isa_is_of_quads(const struct isa_instr *instr)
{
    return instr->op == ISA_OP_MMA && instr->mods.shape == ISA_SHAPE_M8N8K4 && instr->stype == ISA_F16;
}
/* Columns of A that are there: half of them where it is sparse (simt/product_small.c). */
static inline unsigned isa_stored_depth(const struct isa_instr *instr, const struct isa_matrix *x)
{
    return instr->mods.sparse ? x->k / 2 : x->k;
}
/* Of a sparse product: how many of four lanes give what the others need of the metadata: 1, 2 or 4. Their place among the four is the selector
 * times that. PTX ISA, "Matrix multiply-accumulate operation using mma.sp instruction with sparse matrix A". */
static inline unsigned isa_metadata_lanes(const struct isa_instr *instr, const struct isa_matrix *x)
{
    unsigned bits = isa_type_bits(instr->stype), units = bits == 32 ? 2 * x->k : bits == 4 ? x->k / 2 : x->k;
    return units / 16;
}
/* The shape of an instruction for which isa_is_product is true. */
struct isa_matrix isa_matrix_of(const struct isa_instr *instr);
/* Of wgmma.mma_async, the operands behind its predicate: NONE where they are not written. */
enum isa_product_option { ISA_SCALE_A, ISA_SCALE_B, ISA_TRANS_A, ISA_TRANS_B, ISA_PRODUCT_OPTIONS };
static inline const struct isa_operand *isa_product_option(const struct isa_instr *instr, enum isa_product_option option)
{
    return &instr->src[instr->src_count - ISA_PRODUCT_OPTIONS + option];
}
/* True: the operand is written, for these types. */
static inline bool isa_has_option(const struct isa_instr *instr, bool a_shared, enum isa_product_option option)
{
    bool is_half = instr->stype == ISA_F16 || instr->stype == ISA_BF16;
    return instr->type != ISA_S32 && (option <= ISA_SCALE_B || (is_half && (a_shared || option == ISA_TRANS_B)));
}
/* How many steps of its class's row in latencies.def the instruction takes; 1 for all but products. */
unsigned isa_matrix_steps(const struct isa_instr *instr);
/* The matrices that ldmatrix or stmatrix moves: 1, 2 or 4. */
static inline unsigned isa_matrix_count(const struct isa_instr *instr)
{
    return 1u << (instr->mods.number - 1);
}
/* The type of D's registers: untyped, of 32 or 64 bits. */
static inline enum isa_type isa_matrix_register(enum isa_type element)
{
    return isa_type_bits(element) == 64 ? ISA_B64 : ISA_B32;
}

#endif
