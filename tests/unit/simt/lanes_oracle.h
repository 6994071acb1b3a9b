/* The oracle of the floating-point lane tests: MPFR for values and rounding, plain C for how values lie in bits. It
 * shares nothing with the code under test but the names of opcodes and types. Also here: where operands come from, and
 * how a row is run and compared. */
#ifndef LOCKSTEP_TESTS_LANES_ORACLE_H
#define LOCKSTEP_TESTS_LANES_ORACLE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <mpfr.h>

#include "simt/lanes.h"
#include "effort.h"

struct oracle_format {
    int precision, max_exponent, bits;
    uint64_t nan;
};

static const struct oracle_format oracle_f16 = {11, 15, 16, 0x7FFF};
static const struct oracle_format oracle_bf16 = {8, 127, 16, 0x7FFF};
static const struct oracle_format oracle_f32 = {24, 127, 32, 0x7FFFFFFF};
static const struct oracle_format oracle_f64 = {53, 1023, 64, UINT64_C(0xFFF8000000000000)};

/* How many rows of 32 operands each case takes: LANES_ROWS in the environment multiplies it. */
static inline unsigned oracle_rows(unsigned rows)
{
    const char *factor = getenv("LANES_ROWS");
    return factor ? rows * (unsigned)atoi(factor) : (rows + effort_step(30) - 1) / effort_step(30);
}

static inline uint64_t oracle_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static inline uint64_t oracle_sign(const struct oracle_format *f)
{
    return UINT64_C(1) << (f->bits - 1);
}

static inline uint64_t oracle_infinity(const struct oracle_format *f)
{
    return (uint64_t)(2 * f->max_exponent + 1) << (f->precision - 1);
}

static inline bool oracle_is_nan(const struct oracle_format *f, uint64_t bits)
{
    return (bits & (oracle_sign(f) - 1)) > oracle_infinity(f);
}

static inline uint64_t oracle_flush(const struct oracle_format *f, uint64_t bits)
{
    uint64_t exponent_field = bits & oracle_infinity(f);
    return exponent_field ? bits : bits & oracle_sign(f);
}

/* The value of a pattern, exact in double. */
static inline double oracle_value(const struct oracle_format *f, uint64_t bits)
{
    uint64_t magnitude = bits & (oracle_sign(f) - 1), fraction = magnitude & ((UINT64_C(1) << (f->precision - 1)) - 1);
    int field = (int)(magnitude >> (f->precision - 1));
    double value;
    if (magnitude > oracle_infinity(f))
        return NAN;
    if (magnitude == oracle_infinity(f))
        value = INFINITY;
    else if (field == 0)
        value = ldexp((double)fraction, 2 - f->max_exponent - f->precision);
    else
        value =
            ldexp((double)(fraction + (UINT64_C(1) << (f->precision - 1))), field + 1 - f->max_exponent - f->precision);
    return bits & oracle_sign(f) ? -value : value;
}

/* The pattern of a double that the format holds exactly. */
static inline uint64_t oracle_pattern(const struct oracle_format *f, double value)
{
    uint64_t sign = signbit(value) ? oracle_sign(f) : 0;
    int exponent;
    if (isnan(value))
        return f->nan;
    if (isinf(value))
        return sign | oracle_infinity(f);
    double fraction = frexp(fabs(value), &exponent); /* in [0.5, 1) */
    if (fraction == 0.0)
        return sign;
    exponent--;
    if (exponent < 1 - f->max_exponent)
        return sign | (uint64_t)ldexp(fabs(value), f->max_exponent + f->precision - 2);
    uint64_t significand = (uint64_t)ldexp(fraction, f->precision);
    uint64_t hidden = UINT64_C(1) << (f->precision - 1);
    return sign | (uint64_t)(exponent + f->max_exponent) << (f->precision - 1) | (significand - hidden);
}

static inline mpfr_rnd_t oracle_mode(unsigned round)
{
    return round == ISA_ROUND_RZ   ? MPFR_RNDZ
           : round == ISA_ROUND_RM ? MPFR_RNDD
           : round == ISA_ROUND_RP ? MPFR_RNDU
                                   : MPFR_RNDN;
}

/* The pattern of r, a result of f's precision computed over an unbounded exponent range with this ternary value:
 * brought into the format's range, subnormals included. */
static inline uint64_t oracle_settle(const struct oracle_format *f, mpfr_t r, int ternary, mpfr_rnd_t mode)
{
    mpfr_exp_t low = mpfr_get_emin(), high = mpfr_get_emax();
    mpfr_set_emin(3 - f->max_exponent - f->precision);
    mpfr_set_emax(f->max_exponent + 1);
    ternary = mpfr_check_range(r, ternary, mode);
    mpfr_subnormalize(r, ternary, mode);
    uint64_t bits = oracle_pattern(f, mpfr_get_d(r, MPFR_RNDN));
    mpfr_set_emin(low);
    mpfr_set_emax(high);
    return bits;
}

/* a op b op c in format f, rounded once; NaN as the format's canonical one. */
static inline uint64_t oracle_arith(const struct oracle_format *f, unsigned op, unsigned round,
                                    const uint64_t operand[3])
{
    mpfr_rnd_t mode = oracle_mode(round);
    mpfr_t a, b, c, r;
    int ternary;
    mpfr_inits2(53, a, b, c, (mpfr_ptr)0);
    mpfr_init2(r, f->precision);
    mpfr_set_d(a, oracle_value(f, operand[0]), MPFR_RNDN);
    mpfr_set_d(b, oracle_value(f, operand[1]), MPFR_RNDN);
    mpfr_set_d(c, oracle_value(f, operand[2]), MPFR_RNDN);
    switch (op) {
    case ISA_OP_ADD: ternary = mpfr_add(r, a, b, mode); break;
    case ISA_OP_SUB: ternary = mpfr_sub(r, a, b, mode); break;
    case ISA_OP_MUL: ternary = mpfr_mul(r, a, b, mode); break;
    case ISA_OP_DIV: ternary = mpfr_div(r, a, b, mode); break;
    case ISA_OP_RCP: ternary = mpfr_ui_div(r, 1, a, mode); break;
    case ISA_OP_SQRT: ternary = mpfr_sqrt(r, a, mode); break;
    default: ternary = mpfr_fma(r, a, b, c, mode); break;
    }
    uint64_t bits = oracle_settle(f, r, ternary, mode);
    mpfr_clears(a, b, c, r, (mpfr_ptr)0);
    return bits;
}

static inline uint64_t oracle_saturate(const struct oracle_format *f, uint64_t bits)
{
    double value = oracle_value(f, bits);
    if (isnan(value) || value <= 0.0)
        return 0;
    return value >= 1.0 ? oracle_pattern(f, 1.0) : bits;
}

/* Patterns where rules change: zeros, the ends of the subnormal and normal ranges, one and its neighbours, infinity,
 * NaN of both kinds. */
static inline uint64_t oracle_edge(const struct oracle_format *f, uint64_t random)
{
    uint64_t infinity = oracle_infinity(f), least_normal = UINT64_C(1) << (f->precision - 1),
             one = oracle_pattern(f, 1.0);
    const uint64_t edges[] = {0,
                              1,
                              2,
                              least_normal - 1,
                              least_normal,
                              least_normal + 1,
                              infinity - 1,
                              infinity - 2,
                              infinity,
                              infinity | 1,
                              f->nan & (oracle_sign(f) - 1),
                              infinity | least_normal >> 1,
                              one,
                              one - 1,
                              one + 1,
                              one + least_normal,
                              one + least_normal / 2,
                              3,
                              least_normal / 2,
                              infinity - least_normal};
    uint64_t edge = edges[random % (sizeof edges / sizeof edges[0])];
    return random >> 32 & 1 ? edge | oracle_sign(f) : edge;
}

/* A pattern for an operand beside `other`: an edge, anything, close to other in exponent, or with few significand bits.
 */
static inline uint64_t oracle_operand(const struct oracle_format *f, uint64_t *state, uint64_t other)
{
    uint64_t random = oracle_random(state), all = oracle_sign(f) | (oracle_sign(f) - 1),
             step = UINT64_C(1) << (f->precision - 1);
    uint64_t bits = oracle_random(state) & all;
    switch (random & 3) {
    case 0: return oracle_edge(f, random >> 2);
    case 1: return bits;
    case 2: return ((other & oracle_infinity(f)) + ((random >> 8) % 5 - 2) * step + (bits & (step - 1))) & all;
    default: return bits & ~(step - 1) & all ? (bits & ~(step - 1)) | (step >> (1 + (random >> 8) % 6)) : bits;
    }
}

struct oracle_rows {
    uint64_t source[3][LANES], expected[LANES];
};

static inline void oracle_fill(const struct oracle_format *f, uint64_t *state, struct oracle_rows *rows)
{
    for (unsigned lane = 0; lane < LANES; lane++) {
        rows->source[0][lane] = oracle_operand(f, state, oracle_random(state));
        rows->source[1][lane] = oracle_operand(f, state, rows->source[0][lane]);
        rows->source[2][lane] = oracle_operand(f, state, rows->source[oracle_random(state) & 1][lane]);
    }
}

/* The row that lane functions see: 32-bit words where a lane has at most 32 bits. */
union oracle_row {
    uint32_t narrow[LANES];
    uint64_t wide[LANES];
};

static inline void oracle_store(union oracle_row *row, bool wide, const uint64_t *values)
{
    for (unsigned lane = 0; lane < LANES; lane++) {
        if (wide)
            row->wide[lane] = values[lane];
        else
            row->narrow[lane] = (uint32_t)values[lane];
    }
}

static inline uint64_t oracle_load(const union oracle_row *row, bool wide, unsigned lane)
{
    return wide ? row->wide[lane] : row->narrow[lane];
}

/* One run, into row `target` (3: a row of its own; else over that source), under a mask; every lane is compared, those
 * left out too. */
static inline void oracle_run(lane_fn *function, const struct isa_instr *instr, const struct oracle_rows *rows,
                              const bool wide[2], unsigned target, uint32_t mask)
{
    union oracle_row row[4], before;
    for (unsigned i = 0; i < 3; i++)
        oracle_store(&row[i], wide[0], rows->source[i]);
    memset(&row[3], 0xA5, sizeof row[3]);
    before = row[target];
    struct lane_args args;
    memset(&args, 0, sizeof args);
    args.dst[0] = &row[target];
    for (unsigned i = 0; i < 3; i++)
        args.src[i] = &row[i];
    args.mask = mask;
    args.instr = instr;
    function(&args);
    for (unsigned lane = 0; lane < LANES; lane++) {
        bool stored = mask >> lane & 1;
        uint64_t expected = stored ? rows->expected[lane] : oracle_load(&before, wide[1], lane),
                 got = oracle_load(&row[target], wide[1], lane);
        if (expected != got)
            fail_msg("op %u type %u stype %u round %u ftz %u sat %u nan %u abs %u, lane %u of mask %08x into %u: "
                     "(%llx, %llx, %llx) gave "
                     "%llx, not %llx",
                     instr->op, instr->type, instr->stype, instr->mods.round, instr->mods.ftz, instr->mods.sat,
                     instr->mods.nan, instr->mods.abs, lane, mask, target, (unsigned long long)rows->source[0][lane],
                     (unsigned long long)rows->source[1][lane], (unsigned long long)rows->source[2][lane],
                     (unsigned long long)got, (unsigned long long)expected);
    }
}

/* A full mask into a row of its own, then partial masks, the destination over a source where widths allow it. */
static inline void oracle_check(lane_fn *function, const struct isa_instr *instr, const struct oracle_rows *rows,
                                const bool wide[2], uint64_t *state)
{
    oracle_run(function, instr, rows, wide, 3, UINT32_MAX);
    uint32_t mask = (uint32_t)oracle_random(state) | 1;
    oracle_run(function, instr, rows, wide, wide[0] == wide[1] ? (unsigned)(oracle_random(state) % 3) : 3, mask);
    if (wide[0] == wide[1])
        oracle_run(function, instr, rows, wide, (unsigned)(oracle_random(state) % 3), UINT32_MAX);
}

#endif
