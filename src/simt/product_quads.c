/* mma.m8n8k4 of f16: four products of 8 x 4 by 4 x 8, each by two quads of lanes, 4q to 4q + 3 and 16 + 4q to 19 + 4q. PTX ISA,
 * "Matrix Fragments for mma.m8n8k4 with .f16 floating point type". */
#include "simt/matrix.h"

enum { QUADS = 4, EDGE = 8, DEPTH = 4 };

/* One of the four. */
struct quads {
    double a[EDGE][DEPTH], b[DEPTH][EDGE], c[EDGE][EDGE];
};

static inline uint32_t word_of(const void *row, unsigned lane)
{
    return ((const uint32_t *)row)[lane];
}

/* Where element i of C or D of a lane lies: halves along a row, numbers of 32 bits in squares of two. */
static double *element_of_c(struct quads *q, enum isa_type type, unsigned lane, unsigned i)
{
    unsigned upper = lane >= 16 ? 4 : 0;
    return type == ISA_F16 ? &q->c[lane % 4 + upper][i] : &q->c[(lane & 1) + (i & 2) + upper][(i & 4) + (lane & 2) + (i & 1)];
}

static enum isa_type type_of_c(const struct isa_instr *instr)
{
    return instr->mods.ctype == ISA_CTYPE_F16 ? ISA_F16 : ISA_F32;
}

static void read_lane(const struct isa_instr *instr, const struct simt_fragments *f, unsigned lane, struct quads *q)
{
    unsigned upper = lane >= 16 ? 4 : 0, t = lane % 4;
    enum isa_type type = type_of_c(instr);
    for (unsigned i = 0; i < DEPTH; i++) {
        double a = simt_matrix_element(ISA_F16, word_of(f->a[i / 2], lane), i % 2);
        double b = simt_matrix_element(ISA_F16, word_of(f->b[i / 2], lane), i % 2);
        if (instr->mods.alayout == ISA_ALAYOUT_ROW)
            q->a[t + upper][i] = a;
        else
            q->a[i + upper][t] = a;
        if (instr->mods.blayout == ISA_BLAYOUT_ROW)
            q->b[t][i + upper] = b;
        else
            q->b[i][t + upper] = b;
    }
    for (unsigned i = 0; i < EDGE; i++)
        *element_of_c(q, type, lane, i) =
            type == ISA_F16 ? simt_matrix_element(ISA_F16, word_of(f->c[i / 2], lane), i % 2)
                            : simt_matrix_element(ISA_F32, word_of(f->c[i], lane), 0);
}

static void write_lane(const struct isa_instr *instr, const struct simt_fragments *f, unsigned lane, struct quads *q)
{
    bool halves = instr->type == ISA_F16;
    for (unsigned i = 0; i < EDGE; i += halves ? 2 : 1) {
        uint32_t word = (uint32_t)simt_matrix_pattern(instr, *element_of_c(q, (enum isa_type)instr->type, lane, i));
        if (halves)
            word |= (uint32_t)simt_matrix_pattern(instr, *element_of_c(q, ISA_F16, lane, i + 1)) << 16;
        ((uint32_t *)f->d[halves ? i / 2 : i])[lane] = word;
    }
}

void simt_product_quads(const struct isa_instr *instr, const struct simt_fragments *f)
{
    struct quads all[QUADS];
    for (unsigned lane = 0; lane < ISA_WARP_SZ; lane++)
        read_lane(instr, f, lane, &all[lane % 16 / 4]);
    for (unsigned which = 0; which < QUADS; which++) {
        struct quads *q = &all[which];
        for (unsigned row = 0; row < EDGE; row++)
            for (unsigned column = 0; column < EDGE; column++)
                for (unsigned k = 0; k < DEPTH; k++)
                    q->c[row][column] += q->a[row][k] * q->b[k][column];
    }
    for (unsigned lane = 0; lane < ISA_WARP_SZ; lane++)
        write_lane(instr, f, lane, &all[lane % 16 / 4]);
}
