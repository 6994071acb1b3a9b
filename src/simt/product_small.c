/* mma of numbers of 4 bits and of single bits, and mma.sp of all types. PTX ISA, "Matrix multiply-accumulate operation using mma instruction"
 * and "... using mma.sp instruction with sparse matrix A". How lanes hold the matrices is told in isa/matrix.h.
 *
 * Of a sparse A half of the columns are there. In each row, of each four *units* that follow each other two are there: a unit is an element of 8
 * or 16 bits, a pair of elements of 4 bits, or half of one of 32 bits (whose two halves stand together, so that of each two such elements one is
 * there). The metadata say which, by two bits for each unit that is there, in the order of the units. Of the four lanes of row g
 * (isa/matrix.h) those give metadata that the selector names (isa_metadata_lanes), of which number i has in its register
 *     of elements of 16 and 32 bits, those of units 16 i to 16 i + 15 of A: of row g in the lower half, of row g + 8 in the upper half;
 *     of others, those of units 32 (i / 2) to 32 (i / 2) + 31, of row g + 8 (i % 2).
 *
 * Sums go from c on in the order of the elements that are there. */
#include "simt/matrix.h"

enum { COLUMNS = 8, DEPTH = 256 };

struct small {
    double a[ISA_MATRIX_ROWS][DEPTH];
    uint16_t at[ISA_MATRIX_ROWS][DEPTH]; /* the row of B that meets it */
    double b[DEPTH][COLUMNS];
    double c[ISA_MATRIX_ROWS][COLUMNS];
};

static inline uint32_t word_of(const void *row, unsigned lane)
{
    return ((const uint32_t *)row)[lane];
}

/* Elements in a register. */
static inline unsigned held(enum isa_type type)
{
    return 32 / isa_type_bits(type);
}

static void read_a(const struct isa_instr *instr, const struct isa_matrix *x, const void *const *rows, struct small *p)
{
    enum isa_type type = instr->stype;
    unsigned e = held(type);
    bool tall = x->m > 8;
    for (unsigned r = 0; r < x->a; r++)
        for (unsigned lane = 0; lane < ISA_WARP_SZ; lane++)
            for (unsigned i = 0; i < e; i++) {
                unsigned row = lane / 4 + (tall ? 8 * (r % 2) : 0), column = 4 * e * (tall ? r / 2 : r) + e * (lane % 4) + i;
                p->a[row][column] = simt_matrix_element(type, word_of(rows[r], lane), i);
            }
}

static void read_b(const struct isa_instr *instr, const struct isa_matrix *x, const void *const *rows, struct small *p)
{
    enum isa_type type = simt_matrix_type_of_b(instr);
    unsigned e = held(type);
    for (unsigned r = 0; r < x->b; r++)
        for (unsigned lane = 0; lane < ISA_WARP_SZ; lane++)
            for (unsigned i = 0; i < e; i++)
                p->b[4 * e * r + e * (lane % 4) + i][lane / 4] = simt_matrix_element(type, word_of(rows[r], lane), i);
}

/* The place of a unit among its four, of which it is number `n` of those that are there in the row. */
static unsigned chosen(const struct isa_instr *instr, const struct isa_matrix *x, const struct simt_fragments *f, unsigned row, unsigned n)
{
    unsigned first = 4 * (row % 8) + f->selector * isa_metadata_lanes(instr, x);
    if (isa_type_bits(instr->stype) <= 8)
        return word_of(f->metadata, first + row / 8 + 2 * (n / 16)) >> 2 * (n % 16) & 3;
    return word_of(f->metadata, first + n / 8) >> (16 * (row / 8) + 2 * (n % 8)) & 3;
}

/* Where the elements of A lie among the columns. */
static void find_columns(const struct isa_instr *instr, const struct isa_matrix *x, const struct simt_fragments *f, struct small *p)
{
    unsigned bits = isa_type_bits(instr->stype);
    for (unsigned row = 0; row < x->m; row++)
        for (unsigned i = 0; i < isa_stored_depth(instr, x); i++) {
            unsigned at = i;
            if (instr->mods.sparse && bits == 32)
                at = 2 * i + chosen(instr, x, f, row, 2 * i) / 2;
            else if (instr->mods.sparse && bits == 4)
                at = 2 * (i / 4 * 4 + chosen(instr, x, f, row, i / 2)) + i % 2;
            else if (instr->mods.sparse)
                at = i / 2 * 4 + chosen(instr, x, f, row, i);
            p->at[row][i] = (uint16_t)at;
        }
}

/* Where element i of C and D lies. */
static inline double *element_of_c(struct small *p, unsigned lane, unsigned i)
{
    return &p->c[lane / 4 + 8 * (i / 2)][2 * (lane % 4) + i % 2];
}

static void read_c(const struct isa_instr *instr, const struct isa_matrix *x, const void *const *rows, struct small *p)
{
    enum isa_type type = instr->type;
    unsigned e = held(type);
    for (unsigned i = 0; i < x->c * e; i++)
        for (unsigned lane = 0; lane < ISA_WARP_SZ; lane++)
            *element_of_c(p, lane, i) = simt_matrix_element(type, word_of(rows[i / e], lane), i % e);
}

static void write_d(const struct isa_instr *instr, const struct isa_matrix *x, struct small *p, void *const *rows)
{
    unsigned e = held(instr->type);
    for (unsigned r = 0; r < x->d; r++)
        for (unsigned lane = 0; lane < ISA_WARP_SZ; lane++) {
            uint32_t word = 0;
            for (unsigned i = 0; i < e; i++)
                word |= (uint32_t)simt_matrix_pattern(instr, *element_of_c(p, lane, e * r + i)) << 16 * i;
            ((uint32_t *)rows[r])[lane] = word;
        }
}

/* Of single bits the product is that of a logical operation, and the sum counts those that are 1. */
static inline double term(const struct isa_instr *instr, double a, double b)
{
    return instr->mods.bitop == ISA_BITOP_XOR ? (double)(a != b) : a * b;
}

void simt_product_small(const struct isa_instr *instr, const struct simt_fragments *f)
{
    struct isa_matrix x = isa_matrix_of(instr);
    struct small p;
    read_a(instr, &x, f->a, &p);
    read_b(instr, &x, f->b, &p);
    read_c(instr, &x, f->c, &p);
    find_columns(instr, &x, f, &p);
    for (unsigned row = 0; row < x.m; row++)
        for (unsigned i = 0; i < isa_stored_depth(instr, &x); i++)
            for (unsigned n = 0; n < x.n; n++)
                p.c[row][n] += term(instr, p.a[row][i], p.b[p.at[row][i]][n]);
    write_d(instr, &x, &p, f->d);
}
