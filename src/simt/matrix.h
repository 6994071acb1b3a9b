/* Instructions that all lanes of a warp execute together on matrices of which each holds a part; nothing outside room simt
 * includes this. How lanes hold them is told in isa/matrix.h. Machines whose warps have 64 lanes do not execute them. */
#ifndef LOCKSTEP_SIMT_MATRIX_H
#define LOCKSTEP_SIMT_MATRIX_H

#include "isa/matrix.h"
#include "simt/execute.h"

/* matrix.c: the lanes of r->mask, which are not none, came to such an instruction. PLAIN: r->mask are all 32 lanes; JUMP: they
 * wait for the others, and have not executed it; FAULTED: those will not come. */
enum simt_event simt_matrix_whole(struct simt_warp *warp, uint64_t cycle, struct simt_result *r);
/* matrix.c: what is wrong, in words, as a fault of a lane. */
enum simt_event simt_matrix_fault(struct simt_result *r, unsigned lane, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* gather.c: as simt_gather_warp, where every lane of the warp is named. */
enum simt_event simt_gather_whole(struct simt_warp *warp, uint64_t cycle, struct simt_result *r);
/* memory.c: ldmatrix, stmatrix. MEMORY: the access has the rows, by the lanes that gave their addresses; JUMP, FAULTED. */
enum simt_event simt_matrix_access(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle, struct simt_access *access,
                                   struct simt_result *r);
/* matrix.c: the matrices whose rows the access has, from the block's shared memory to registers, and from registers to the
 * access's data. */
void simt_matrix_load(struct simt_warp *warp, const struct simt_access *access);
void simt_matrix_gather(const struct simt_warp *warp, struct simt_access *access);
/* matrix.c: the others. PLAIN; PRODUCTS; JUMP, FAULTED. */
enum simt_event simt_matrix(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle, struct simt_result *r);

/* product.c: matrices in full, as numbers that double holds exactly. */
struct simt_product {
    double a[ISA_MATRIX_ROWS][ISA_MATRIX_DEPTH];
    double b[ISA_MATRIX_DEPTH][ISA_MATRIX_COLUMNS];
    double c[ISA_MATRIX_ROWS][ISA_MATRIX_COLUMNS]; /* then D */
};
/* Rows of registers: of the elements of A, B and C, or of the descriptors of A and B; and those that receive D. */
struct simt_fragments {
    const void *const *a, *const *b, *const *c;
    void *const *d;
    const void *metadata;  /* of a sparse A; and its selector */
    unsigned selector;
    bool no_c;             /* C counts as 0 */
    unsigned first_row;    /* of a matrix A in shared memory, the first that is this warp's */
    const uint8_t *shared; /* the block's shared memory, and its size */
    uint32_t shared_bytes;
};
/* d = a * b + c: docs/arithmetic.md has the rule. Returns 0, or, with d unchanged, the address behind shared memory that a
 * descriptor leads to. */
uint32_t simt_product(const struct isa_instr *instr, const struct simt_fragments *fragments);

/* product.c: element i of a register of 32 bits; what an element of D is, as bits. */
double simt_matrix_element(enum isa_type type, uint32_t word, unsigned i);
/* The type of B's elements: the third suffix. */
enum isa_type simt_matrix_type_of_b(const struct isa_instr *instr);
uint64_t simt_matrix_pattern(const struct isa_instr *instr, double value);
/* product_small.c: mma of numbers of less than 8 bits, and of a sparse A (simt_is_small). */
static inline bool simt_is_small(const struct isa_instr *instr)
{
    return instr->op == ISA_OP_MMA && (instr->mods.sparse || isa_type_bits(instr->stype) < 8);
}
void simt_product_small(const struct isa_instr *instr, const struct simt_fragments *fragments);
/* product_quads.c: mma.m8n8k4 of f16 (isa_is_of_quads). */
void simt_product_quads(const struct isa_instr *instr, const struct simt_fragments *fragments);

#endif
