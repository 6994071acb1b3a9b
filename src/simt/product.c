/* Products of matrices: see docs/arithmetic.md, "Products of matrices". What is multiplied is exact in double, as is each
 * product of two such numbers; sums go in double from c on, in the order of k, and are rounded once to the type of d.
 * Sums of integers are exact that way. f64 is summed by fused multiply-add. */
#include <math.h>

#include "simt/lanes_float.h"
#include "simt/matrix.h"

/* A number of 8 bits: of 4 exponent bits, without infinity and with one NaN; of 5 it is the upper half of an f16. */
static double e4m3_of(unsigned byte)
{
    unsigned magnitude = byte & 0x7F, exponent = magnitude >> 3, fraction = magnitude & 7;
    double value = exponent ? ldexp(8 + fraction, (int)exponent - 10) : ldexp(fraction, -9);
    if (magnitude == 0x7F)
        value = NAN;
    return byte & 0x80 ? -value : value;
}

/* Element i of a register. */
static double element(enum isa_type type, uint64_t word, unsigned i)
{
    switch (type) {
    case ISA_E4M3: return e4m3_of(word >> 8 * i & 0xFF);
    case ISA_E5M2: return lane_widen_f16((uint32_t)(word >> 8 * i & 0xFF) << 8);
    case ISA_F16: return lane_widen_f16((uint32_t)word >> 16 * i);
    case ISA_BF16: return lane_widen_bf16((uint32_t)word >> 16 * i);
    case ISA_TF32: return lane_f32((uint32_t)word & ~UINT32_C(0x1FFF)); /* the low bits do not count */
    case ISA_F32: return lane_f32((uint32_t)word);
    case ISA_F64: return lane_f64(word);
    case ISA_U8: return (uint8_t)(word >> 8 * i);
    case ISA_S8: return (int8_t)(word >> 8 * i);
    case ISA_U4: return word >> 4 * i & 15;
    case ISA_S4: return (double)(word >> 4 * i & 7) - (double)(word >> 4 * i & 8);
    case ISA_B1: return word >> i & 1;
    default: return (int32_t)word; /* s32 */
    }
}

static inline uint64_t word_of(enum isa_type type, const void *row, unsigned lane)
{
    return type == ISA_F64 ? ((const uint64_t *)row)[lane] : ((const uint32_t *)row)[lane];
}

/* Elements in a register. */
static inline unsigned held(enum isa_type type)
{
    return isa_type_bits(type) < 32 ? 32 / isa_type_bits(type) : 1;
}

static void read_a(const struct isa_instr *instr, const struct isa_matrix *x, const void *const *rows, struct simt_product *p)
{
    enum isa_type type = instr->stype;
    unsigned e = held(type);
    for (unsigned r = 0; r < x->a; r++)
        for (unsigned lane = 0; lane < ISA_WARP_SZ; lane++)
            for (unsigned i = 0; i < e; i++)
                p->a[lane / 4 + 8 * (r % 2)][4 * e * (r / 2) + e * (lane % 4) + i] =
                    element(type, word_of(type, rows[r], lane), i);
}

enum isa_type simt_matrix_type_of_b(const struct isa_instr *instr)
{
    switch (instr->mods.btype) {
    case ISA_BTYPE_U8: return ISA_U8;
    case ISA_BTYPE_S8: return ISA_S8;
    case ISA_BTYPE_E4M3: return ISA_E4M3;
    case ISA_BTYPE_E5M2: return ISA_E5M2;
    case ISA_BTYPE_U4: return ISA_U4;
    case ISA_BTYPE_S4: return ISA_S4;
    default: return instr->stype;
    }
}

static void read_b(const struct isa_instr *instr, const struct isa_matrix *x, const void *const *rows, struct simt_product *p)
{
    enum isa_type type = simt_matrix_type_of_b(instr);
    unsigned e = held(type);
    for (unsigned r = 0; r < x->b; r++)
        for (unsigned lane = 0; lane < ISA_WARP_SZ; lane++)
            for (unsigned i = 0; i < e; i++)
                p->b[4 * e * r + e * (lane % 4) + i][lane / 4] = element(type, word_of(type, rows[r], lane), i);
}

/* ---- matrices in shared memory ---- */

/* A matrix descriptor: PTX ISA, "Matrix-descriptor". Its units are of 16 bytes, e elements in the direction in which elements
 * follow each other in memory: along k, or, transposed, along rows of A and columns of B. 8 rows of `width` units lie one
 * behind the other; where width is not 1, the units of a row change places by the number of the row (swizzle). */
struct tile {
    uint32_t start, leading, stride; /* bytes */
    unsigned width, base;
};

static struct tile tile_of(uint64_t descriptor)
{
    static const uint8_t widths[] = {1, 8, 4, 2};
    return (struct tile){.start = (uint32_t)(descriptor & 0x3FFF) << 4,
                         .leading = (uint32_t)(descriptor >> 16 & 0x3FFF) << 4,
                         .stride = (uint32_t)(descriptor >> 32 & 0x3FFF) << 4,
                         .width = widths[descriptor >> 62],
                         .base = (unsigned)(descriptor >> 49 & 7)};
}

/* The address of a unit: the u-th in the direction of memory, of row r across it. */
static uint32_t unit_address(const struct tile *t, bool trans, unsigned u, unsigned r)
{
    uint32_t row = r % 8 * t->width * 16, address = t->start + row;
    if (t->width == 1)
        address += trans ? u * t->stride + r / 8 * t->leading : u * t->leading + r / 8 * t->stride;
    else
        address += u % t->width * 16 + u / t->width * t->leading + r / 8 * t->stride;
    return address ^ (((address >> 7) - t->base) & (t->width - 1)) << 4;
}

/* The element at (k, mn): mn is the row of A or the column of B. Returns 0, or an address beyond shared memory. */
static uint32_t read_shared(const struct simt_fragments *f, const struct tile *t, bool trans, enum isa_type type, unsigned k,
                            unsigned mn, double *value)
{
    unsigned bytes = isa_type_bits(type) / 8, e = 16 / bytes, along = trans ? mn : k, across = trans ? k : mn;
    uint32_t address = unit_address(t, trans, along / e, across) + along % e * bytes, word = 0;
    if (address >= f->shared_bytes || bytes > f->shared_bytes - address)
        return address ? address : 1;
    memcpy(&word, f->shared + address, bytes);
    *value = element(type, word, 0);
    return 0;
}

static uint32_t read_shared_a(const struct isa_instr *instr, const struct isa_matrix *x, const struct simt_fragments *f,
                              struct simt_product *p)
{
    struct tile t = tile_of(*(const uint64_t *)f->a[0]);
    bool trans = isa_product_option(instr, ISA_TRANS_A)->value;
    uint32_t beyond = 0;
    for (unsigned row = 0; row < x->m && !beyond; row++)
        for (unsigned k = 0; k < x->k && !beyond; k++)
            beyond = read_shared(f, &t, trans, instr->stype, k, f->first_row + row, &p->a[row][k]);
    return beyond;
}

static uint32_t read_shared_b(const struct isa_instr *instr, const struct isa_matrix *x, const struct simt_fragments *f,
                              struct simt_product *p)
{
    struct tile t = tile_of(*(const uint64_t *)f->b[0]);
    bool trans = isa_product_option(instr, ISA_TRANS_B)->value;
    uint32_t beyond = 0;
    for (unsigned k = 0; k < x->k && !beyond; k++)
        for (unsigned n = 0; n < x->n && !beyond; n++)
            beyond = read_shared(f, &t, trans, simt_matrix_type_of_b(instr), k, n, &p->b[k][n]);
    return beyond;
}

/* The scales of wgmma: 1 or -1. */
static void scale(const struct isa_instr *instr, const struct isa_matrix *x, struct simt_product *p)
{
    bool a = (int32_t)isa_product_option(instr, ISA_SCALE_A)->value < 0;
    bool b = (int32_t)isa_product_option(instr, ISA_SCALE_B)->value < 0;
    for (unsigned row = 0; a != b && row < x->m; row++)
        for (unsigned k = 0; k < x->k; k++)
            p->a[row][k] = -p->a[row][k];
}

/* Where element i of C and D lies. */
static inline double *element_of_c(struct simt_product *p, unsigned lane, unsigned i)
{
    return &p->c[lane / 4 + 8 * (i / 2 % 2)][8 * (i / 4) + 2 * (lane % 4) + i % 2];
}

static void read_c(const struct isa_instr *instr, const struct isa_matrix *x, const void *const *rows, struct simt_product *p)
{
    unsigned e = held(instr->type);
    for (unsigned r = 0; r < x->d; r++)
        for (unsigned lane = 0; lane < ISA_WARP_SZ; lane++)
            for (unsigned i = 0; i < e; i++)
                *element_of_c(p, lane, e * r + i) = element(instr->type, word_of(instr->type, rows[r], lane), i);
}

static uint32_t rounded_f32(double value)
{
    return value != value ? LANE_NAN32 : lane_f32_bits((float)value);
}

/* A sum of integers, exact in double: wrapped, or clamped where .satfinite asks for it. */
static uint32_t integer(const struct isa_instr *instr, double value)
{
    int64_t sum = (int64_t)value;
    if (instr->mods.sat == ISA_SAT_FINITE)
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (uint32_t)sum;
}

static uint64_t pattern(const struct isa_instr *instr, double value)
{
    switch (instr->type) {
    case ISA_F16: return lane_narrow_half(false, value);
    case ISA_F32: return rounded_f32(value);
    case ISA_F64: return value != value ? LANE_NAN64 : lane_f64_bits(value);
    default: return integer(instr, value);
    }
}

double simt_matrix_element(enum isa_type type, uint32_t word, unsigned i)
{
    return element(type, word, i);
}

uint64_t simt_matrix_pattern(const struct isa_instr *instr, double value)
{
    return pattern(instr, value);
}

static void write_d(const struct isa_instr *instr, const struct isa_matrix *x, struct simt_product *p, void *const *rows)
{
    unsigned e = held(instr->type);
    for (unsigned r = 0; r < x->d; r++)
        for (unsigned lane = 0; lane < ISA_WARP_SZ; lane++) {
            uint64_t word = 0;
            for (unsigned i = 0; i < e; i++)
                word |= pattern(instr, *element_of_c(p, lane, e * r + i)) << 16 * i;
            if (instr->type == ISA_F64)
                ((uint64_t *)rows[r])[lane] = word;
            else
                ((uint32_t *)rows[r])[lane] = (uint32_t)word;
        }
}

static void multiply(const struct isa_matrix *x, struct simt_product *p)
{
    for (unsigned row = 0; row < x->m; row++)
        for (unsigned k = 0; k < x->k; k++) {
            double a = p->a[row][k], *c = p->c[row];
            const double *b = p->b[k];
            for (unsigned n = 0; n < x->n; n++)
                c[n] += a * b[n];
        }
}

static void multiply_f64(const struct isa_matrix *x, struct simt_product *p)
{
    for (unsigned row = 0; row < x->m; row++)
        for (unsigned k = 0; k < x->k; k++)
            for (unsigned n = 0; n < x->n; n++)
                p->c[row][n] = fma(p->a[row][k], p->b[k][n], p->c[row][n]);
}

/* The operands. Returns 0, or an address beyond shared memory. */
static uint32_t read_operands(const struct isa_instr *instr, const struct isa_matrix *x, const struct simt_fragments *f,
                              struct simt_product *p)
{
    uint32_t beyond = 0;
    if (x->a_shared)
        beyond = read_shared_a(instr, x, f, p);
    else
        read_a(instr, x, f->a, p);
    if (x->b_shared)
        beyond = beyond ? beyond : read_shared_b(instr, x, f, p);
    else
        read_b(instr, x, f->b, p);
    if (f->no_c)
        memset(p->c, 0, sizeof p->c);
    else
        read_c(instr, x, f->c, p);
    if (instr->op == ISA_OP_WGMMA)
        scale(instr, x, p);
    return beyond;
}

uint32_t simt_product(const struct isa_instr *instr, const struct simt_fragments *f)
{
    struct isa_matrix x = isa_matrix_of(instr);
    struct simt_product p;
    if (simt_is_small(instr)) {
        simt_product_small(instr, f);
        return 0;
    }
    if (isa_is_of_quads(instr)) {
        simt_product_quads(instr, f);
        return 0;
    }
    uint32_t beyond = read_operands(instr, &x, f, &p);
    if (beyond)
        return beyond;
    if (instr->type == ISA_F64)
        multiply_f64(&x, &p);
    else
        multiply(&x, &p);
    write_d(instr, &x, &p, f->d);
    return 0;
}
