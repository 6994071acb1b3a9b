/* rcp, sqrt and the approximate functions: exact roundings and the error of each approximation against MPFR, special
 * values against the tables of the manual. Run by itself it prints the largest errors it met, which docs/arithmetic.md
 * quotes; LANES_ROWS=100 takes a hundred times the arguments. */
#include "unit/simt/lanes_oracle.h"

#include <mpfr.h>

static const bool narrow[2] = {false, false}, wide[2] = {true, true};

static void exact_roundings(void **unused)
{
    struct oracle_rows rows;
    for (unsigned variant = 0; variant < 32; variant++) {
        bool is_double = variant >> 4, ftz = variant >> 3 & 1;
        const struct oracle_format *f = is_double ? &oracle_f64 : &oracle_f32;
        struct isa_instr instr = {.op = variant & 1 ? ISA_OP_RCP : ISA_OP_SQRT, .type = is_double ? ISA_F64 : ISA_F32};
        uint64_t state = variant;
        instr.mods.round = (uint8_t)(ISA_ROUND_RN + (variant >> 1 & 3));
        instr.mods.ftz = ftz;
        lane_fn *function = lane_resolve_special(&instr);
        if (is_double && ftz) {
            assert_null(function);
            continue;
        }
        assert_non_null(function);
        for (unsigned i = 0; i < oracle_rows(200); i++) {
            oracle_fill(f, &state, &rows);
            for (unsigned lane = 0; lane < LANES; lane++) {
                uint64_t a = rows.source[0][lane], operand[3] = {ftz ? oracle_flush(f, a) : a, 0, 0};
                uint64_t bits = oracle_arith(f, instr.op, instr.mods.round, operand);
                bool payload = is_double && oracle_is_nan(f, a);
                rows.expected[lane] = payload ? a | UINT64_C(1) << 51 : ftz ? oracle_flush(f, bits) : bits;
            }
            oracle_check(function, &instr, &rows, is_double ? wide : narrow, &state);
        }
    }
}

/* One lane's result. */
static uint64_t compute(const struct isa_instr *instr, uint64_t a, uint64_t b)
{
    union oracle_row source[2], result;
    struct lane_args args = {.dst = {&result}, .src = {&source[0], &source[1]}, .mask = 1, .instr = instr};
    bool is_double = instr->type == ISA_F64;
    memset(source, 0, sizeof source);
    if (is_double)
        source[0].wide[0] = a;
    else
        source[0].narrow[0] = (uint32_t)a;
    source[1].narrow[0] = (uint32_t)b;
    lane_fn *function = lane_resolve_special(instr);
    assert_non_null(function);
    function(&args);
    return is_double ? result.wide[0] : result.narrow[0];
}

#define PI 3.14159265358979323846

struct approximation {
    const char *name;
    uint16_t op;
    uint8_t round, ftz;
    uint8_t type;
    double low, high;          /* arguments: of any sign if low is negative; evenly over their patterns */
    double ulps;               /* our own limit */
    double relative, absolute; /* the manual's limits, 0 for none */
};

static const struct approximation approximations[] = {
    {"rcp.approx.f32", ISA_OP_RCP, ISA_ROUND_APPROX, 0, ISA_F32, -0x1p128, 0x1p128, 0.501, 0x1p-23, 0},
    {"rcp.approx.ftz.f32", ISA_OP_RCP, ISA_ROUND_APPROX, 1, ISA_F32, -0x1p126, 0x1p126, 0.501, 0x1p-23, 0},
    {"sqrt.approx.f32", ISA_OP_SQRT, ISA_ROUND_APPROX, 0, ISA_F32, 0, 0x1p128, 0.501, 0x1p-23, 0},
    {"rsqrt.approx.f32", ISA_OP_RSQRT, ISA_ROUND_APPROX, 0, ISA_F32, 0, 0x1p128, 0.501, 0x1.125p-23, 0},
    {"sin.approx.f32 to 2 pi", ISA_OP_SIN, ISA_ROUND_APPROX, 0, ISA_F32, -2 * PI, 2 * PI, 0.501, 0, 0x1.6ap-21},
    {"cos.approx.f32 to 2 pi", ISA_OP_COS, ISA_ROUND_APPROX, 0, ISA_F32, -2 * PI, 2 * PI, 0.501, 0, 0x1.6ap-21},
    {"sin.approx.f32 to 100 pi", ISA_OP_SIN, ISA_ROUND_APPROX, 0, ISA_F32, -100 * PI, 100 * PI, 0.501, 0, 0x1.3bp-15},
    {"cos.approx.f32 to 100 pi", ISA_OP_COS, ISA_ROUND_APPROX, 0, ISA_F32, -100 * PI, 100 * PI, 0.501, 0, 0x1.3bp-15},
    {"sin.approx.f32", ISA_OP_SIN, ISA_ROUND_APPROX, 0, ISA_F32, -0x1p128, 0x1p128, 0.501, 0, 0},
    {"cos.approx.f32", ISA_OP_COS, ISA_ROUND_APPROX, 0, ISA_F32, -0x1p128, 0x1p128, 0.501, 0, 0},
    {"lg2.approx.f32", ISA_OP_LG2, ISA_ROUND_APPROX, 0, ISA_F32, 0, 0x1p128, 0.501, 0x1p-22, 0},
    {"lg2.approx.f32 near 1", ISA_OP_LG2, ISA_ROUND_APPROX, 0, ISA_F32, 0.5, 2, 0.501, 0, 0x1p-22},
    {"ex2.approx.f32", ISA_OP_EX2, ISA_ROUND_APPROX, 0, ISA_F32, -150, 128, 0.501, 0, 0},
    {"ex2.approx.ftz.f32", ISA_OP_EX2, ISA_ROUND_APPROX, 1, ISA_F32, -126, 128, 0.501, 0x1p-22, 0},
    {"tanh.approx.f32", ISA_OP_TANH, ISA_ROUND_APPROX, 0, ISA_F32, -0x1p128, 0x1p128, 0.501, 0x1p-11, 0},
    {"rsqrt.approx.f64", ISA_OP_RSQRT, ISA_ROUND_APPROX, 0, ISA_F64, 0, INFINITY, 1.51, 0, 0},
    {"ex2.approx.f16", ISA_OP_EX2, ISA_ROUND_APPROX, 0, ISA_F16, -24, 16, 0.501, 0, 0},
    {"ex2.approx.ftz.bf16", ISA_OP_EX2, ISA_ROUND_APPROX, 1, ISA_BF16, -126, 128, 0.501, 0x1p-7, 0},
    {"tanh.approx.f16", ISA_OP_TANH, ISA_ROUND_APPROX, 0, ISA_F16, -0x1p16, 0x1p16, 0.501, 0, 0x1.03p-11},
    {"tanh.approx.bf16", ISA_OP_TANH, ISA_ROUND_APPROX, 0, ISA_BF16, -0x1p127, 0x1p127, 0.501, 0, 0x1p-8},
};

static const struct oracle_format *format_of(uint8_t type)
{
    return type == ISA_F32 ? &oracle_f32 : type == ISA_F64 ? &oracle_f64 : type == ISA_F16 ? &oracle_f16 : &oracle_bf16;
}

static void evaluate(mpfr_t r, unsigned op, double x)
{
    mpfr_set_d(r, x, MPFR_RNDN);
    switch (op) {
    case ISA_OP_RCP: mpfr_ui_div(r, 1, r, MPFR_RNDN); break;
    case ISA_OP_SQRT: mpfr_sqrt(r, r, MPFR_RNDN); break;
    case ISA_OP_RSQRT: mpfr_rec_sqrt(r, r, MPFR_RNDN); break;
    case ISA_OP_SIN: mpfr_sin(r, r, MPFR_RNDN); break;
    case ISA_OP_COS: mpfr_cos(r, r, MPFR_RNDN); break;
    case ISA_OP_LG2: mpfr_log2(r, r, MPFR_RNDN); break;
    case ISA_OP_EX2: mpfr_exp2(r, r, MPFR_RNDN); break;
    default: mpfr_tanh(r, r, MPFR_RNDN); break;
    }
}

struct errors {
    double ulps, relative, absolute;
};

/* Takes the error of `got` against r in; the unit in the last place is that of r, or of the least normal number;
 * subnormal results have no relative error worth telling. */
static void measure(const struct oracle_format *f, mpfr_t r, double got, struct errors *worst)
{
    mpfr_t error;
    if (mpfr_zero_p(r) && got == 0.0)
        return;
    mpfr_init2(error, 120);
    mpfr_sub_d(error, r, got, MPFR_RNDN);
    long exponent = mpfr_zero_p(r) ? 1 - f->max_exponent : (long)mpfr_get_exp(r) - 1;
    bool subnormal = exponent < 1 - f->max_exponent;
    exponent = subnormal ? 1 - f->max_exponent : exponent;
    double absolute = fabs(mpfr_get_d(error, MPFR_RNDN)), relative;
    mpfr_div(error, error, r, MPFR_RNDN);
    relative = fabs(mpfr_get_d(error, MPFR_RNDN));
    double ulps = ldexp(absolute, f->precision - 1 - (int)exponent);
    worst->absolute = fmax(worst->absolute, absolute);
    worst->relative = fmax(worst->relative, subnormal ? 0.0 : relative);
    worst->ulps = fmax(worst->ulps, ulps);
    mpfr_clear(error);
}

/* The k-th argument of n: over all patterns of short formats, at random patterns in the range else. */
static bool argument(const struct approximation *row, const struct oracle_format *f, uint64_t *state, unsigned k,
                     uint64_t *bits)
{
    uint64_t high = oracle_pattern(f, fmin(row->high, oracle_value(f, oracle_infinity(f) - 1))),
             random = oracle_random(state);
    uint64_t low = row->low > 0.0 ? oracle_pattern(f, row->low) : 0;
    if (f->bits == 16) {
        *bits = k;
        double x = oracle_value(f, k);
        return x >= row->low && x <= row->high;
    }
    *bits = low + random % (high - low);
    if (row->low < 0.0 && oracle_random(state) & 1)
        *bits |= oracle_sign(f);
    double x = oracle_value(f, *bits);
    return x >= row->low && x <= row->high;
}

static struct errors sweep(const struct approximation *row)
{
    const struct oracle_format *f = format_of(row->type);
    struct isa_instr instr = {.op = row->op, .type = row->type, .mods = {.round = row->round, .ftz = row->ftz}};
    struct errors worst = {0, 0, 0};
    uint64_t state = 1, bits;
    unsigned count = f->bits == 16 ? 0x10000 : oracle_rows(20000);
    mpfr_t r;
    mpfr_init2(r, 120);
    for (unsigned k = 0; k < count; k++) {
        if (!argument(row, f, &state, k, &bits) || (row->ftz && oracle_flush(f, bits) != bits))
            continue;
        uint64_t got = compute(&instr, bits, 0);
        evaluate(r, row->op, oracle_value(f, bits));
        double value = oracle_value(f, got);
        bool overflow = isinf(value) && mpfr_get_exp(r) > f->max_exponent;
        if (overflow || (row->ftz && value == 0.0))
            continue;
        if (isnan(value) || isinf(value))
            fail_msg("%s(%llx) gave %llx", row->name, (unsigned long long)bits, (unsigned long long)got);
        measure(f, r, value, &worst);
    }
    mpfr_clear(r);
    return worst;
}

static void errors_are_within_the_manuals(void **unused)
{
    print_message("%-26s %9s %12s %12s\n", "", "ulp", "relative", "absolute");
    for (unsigned k = 0; k < sizeof approximations / sizeof approximations[0]; k++) {
        const struct approximation *row = &approximations[k];
        struct errors worst = sweep(row);
        print_message("%-26s %9.5f     2^%-6.2f     2^%-6.2f\n", row->name, worst.ulps, log2(worst.relative),
                      log2(worst.absolute));
        bool good = worst.ulps <= row->ulps && (row->relative == 0 || worst.relative <= row->relative) &&
                    (row->absolute == 0 || worst.absolute <= row->absolute);
        if (!good)
            fail_msg("%s: %g ulp, relative %g, absolute %g", row->name, worst.ulps, worst.relative, worst.absolute);
    }
}

/* .full within 2 ulp everywhere; .approx so long as the divisor is at most 2^126, and zero beyond. Both are in fact
 * rounded exactly. */
static void divisions(void **unused)
{
    for (unsigned variant = 0; variant < 4; variant++) {
        bool full = variant & 1, ftz = variant >> 1;
        struct isa_instr instr = {
            .op = ISA_OP_DIV, .type = ISA_F32, .mods = {.round = full ? ISA_ROUND_FULL : ISA_ROUND_APPROX, .ftz = ftz}};
        uint64_t state = variant;
        struct oracle_rows rows;
        lane_fn *function = lane_resolve_special(&instr);
        assert_non_null(function);
        for (unsigned i = 0; i < oracle_rows(300); i++) {
            oracle_fill(&oracle_f32, &state, &rows);
            for (unsigned lane = 0; lane < LANES; lane++) {
                uint64_t a = rows.source[0][lane], b = rows.source[1][lane];
                uint64_t operand[3] = {ftz ? oracle_flush(&oracle_f32, a) : a, ftz ? oracle_flush(&oracle_f32, b) : b,
                                       0};
                double divisor = fabs(oracle_value(&oracle_f32, b)), dividend = oracle_value(&oracle_f32, a);
                uint64_t bits = oracle_arith(&oracle_f32, ISA_OP_DIV, ISA_ROUND_RN, operand);
                if (!full && divisor > 0x1p126 && divisor < INFINITY)
                    bits = isfinite(dividend) ? (a ^ b) & 0x80000000 : 0x7FFFFFFF;
                rows.expected[lane] = ftz ? oracle_flush(&oracle_f32, bits) : bits;
            }
            oracle_check(function, &instr, &rows, narrow, &state);
        }
    }
}

struct special_value {
    uint16_t op;
    bool ftz;
    uint32_t argument, result;
};

#define INF 0x7F800000u
#define MINUS 0x80000000u
#define ONE 0x3F800000u
#define NAN32 0x7FFFFFFFu

static const struct special_value special_values[] = {
    {ISA_OP_RCP, false, 0, INF},
    {ISA_OP_RCP, false, MINUS, MINUS | INF},
    {ISA_OP_RCP, false, INF, 0},
    {ISA_OP_RCP, false, MINUS | INF, MINUS},
    {ISA_OP_RCP, true, 1, INF},
    {ISA_OP_RCP, true, MINUS | 1, MINUS | INF},
    {ISA_OP_RCP, true, 0x7F000000, 0},
    {ISA_OP_RCP, false, 0x7F000000, 0x00400000},
    {ISA_OP_RCP, false, 0xFFC12345, NAN32},
    {ISA_OP_SQRT, false, MINUS, MINUS},
    {ISA_OP_SQRT, false, MINUS | 1, NAN32},
    {ISA_OP_SQRT, true, MINUS | 1, MINUS},
    {ISA_OP_SQRT, false, INF, INF},
    {ISA_OP_SQRT, false, MINUS | INF, NAN32},
    {ISA_OP_RSQRT, false, 0, INF},
    {ISA_OP_RSQRT, false, MINUS, MINUS | INF},
    {ISA_OP_RSQRT, true, MINUS | 1, MINUS | INF},
    {ISA_OP_RSQRT, false, INF, 0},
    {ISA_OP_RSQRT, false, MINUS | ONE, NAN32},
    {ISA_OP_RSQRT, false, MINUS | INF, NAN32},
    {ISA_OP_SIN, false, 0, 0},
    {ISA_OP_SIN, false, MINUS, MINUS},
    {ISA_OP_SIN, true, MINUS | 1, MINUS},
    {ISA_OP_SIN, false, INF, NAN32},
    {ISA_OP_SIN, false, MINUS | INF, NAN32},
    {ISA_OP_SIN, false, 1, 1},
    {ISA_OP_COS, false, MINUS, ONE},
    {ISA_OP_COS, true, 1, ONE},
    {ISA_OP_COS, false, INF, NAN32},
    {ISA_OP_COS, false, MINUS | INF, NAN32},
    {ISA_OP_LG2, false, 0, MINUS | INF},
    {ISA_OP_LG2, false, MINUS, MINUS | INF},
    {ISA_OP_LG2, true, 1, MINUS | INF},
    {ISA_OP_LG2, true, MINUS | 1, MINUS | INF},
    {ISA_OP_LG2, false, 1, 0xC3150000},
    {ISA_OP_LG2, false, ONE, 0},
    {ISA_OP_LG2, false, INF, INF},
    {ISA_OP_LG2, false, MINUS | ONE, NAN32},
    {ISA_OP_LG2, false, MINUS | INF, NAN32},
    {ISA_OP_EX2, false, 0, ONE},
    {ISA_OP_EX2, false, MINUS | 1, ONE},
    {ISA_OP_EX2, false, INF, INF},
    {ISA_OP_EX2, false, MINUS | INF, 0},
    {ISA_OP_EX2, false, 0x43000000, INF},
    {ISA_OP_EX2, false, 0xC3150000, 1},
    {ISA_OP_EX2, true, 0xC3150000, 0},
    {ISA_OP_EX2, false, 0x7F7FFFFF, INF},
    {ISA_OP_EX2, false, 0xFF7FFFFF, 0},
    {ISA_OP_TANH, false, 0, 0},
    {ISA_OP_TANH, false, MINUS, MINUS},
    {ISA_OP_TANH, false, INF, ONE},
    {ISA_OP_TANH, false, MINUS | INF, MINUS | ONE},
    {ISA_OP_TANH, false, MINUS | 1, MINUS | 1},
    {ISA_OP_TANH, false, 0x7F800001, NAN32},
    {ISA_OP_EX2, false, 0x7F800001, NAN32},
    {ISA_OP_LG2, false, 0xFFFFFFFF, NAN32},
    {ISA_OP_SIN, false, 0x7FC00000, NAN32},
};

static void special_values_follow_the_tables(void **unused)
{
    for (unsigned k = 0; k < sizeof special_values / sizeof special_values[0]; k++) {
        const struct special_value *row = &special_values[k];
        struct isa_instr instr = {.op = row->op, .type = ISA_F32, .mods = {.round = ISA_ROUND_APPROX, .ftz = row->ftz}};
        uint64_t got = compute(&instr, row->argument, 0);
        if (got != row->result)
            fail_msg("op %u ftz %d of %08x gave %08llx, not %08x", row->op, row->ftz, row->argument,
                     (unsigned long long)got, row->result);
    }
}

static void powers_of_two_are_exact(void **unused)
{
    struct isa_instr ex2 = {.op = ISA_OP_EX2, .type = ISA_F32, .mods = {.round = ISA_ROUND_APPROX}}, lg2 = ex2;
    lg2.op = ISA_OP_LG2;
    for (int n = -149; n < 128; n++) {
        uint64_t power = oracle_pattern(&oracle_f32, ldexp(1.0, n)), exponent = oracle_pattern(&oracle_f32, n);
        assert_int_equal(compute(&ex2, exponent, 0), power);
        assert_int_equal(compute(&lg2, power, 0), exponent);
    }
}

/* Only upper words count; within 2^-20 of the function of the truncated argument. */
static void coarse_f64(void **unused)
{
    for (unsigned k = 0; k < 2; k++) {
        struct isa_instr instr = {
            .op = k ? ISA_OP_RSQRT : ISA_OP_RCP, .type = ISA_F64, .mods = {.round = ISA_ROUND_APPROX, .ftz = 1}};
        uint64_t state = k;
        for (unsigned i = 0; i < oracle_rows(20000); i++) {
            uint64_t bits = oracle_operand(&oracle_f64, &state, 0), upper = bits & UINT64_C(0xFFFFFFFF00000000);
            uint64_t got = compute(&instr, bits, 0);
            double x = oracle_value(&oracle_f64, oracle_flush(&oracle_f64, upper)),
                   expected = k ? 1.0 / sqrt(x) : 1.0 / x;
            assert_int_equal(got & UINT32_MAX, 0);
            if (oracle_is_nan(&oracle_f64, bits) || isnan(expected))
                assert_true(oracle_is_nan(&oracle_f64, got));
            else if (isinf(expected) || fabs(expected) < 0x1p-1022)
                assert_int_equal(got, oracle_flush(&oracle_f64, oracle_pattern(&oracle_f64, expected)));
            else
                assert_true(fabs(oracle_value(&oracle_f64, got) / expected - 1.0) <= 0x1p-20);
        }
    }
}

static void packed_halves_are_taken_one_by_one(void **unused)
{
    static const uint8_t pairs[][4] = {{ISA_OP_EX2, ISA_F16, ISA_F16X2, 0},
                                       {ISA_OP_TANH, ISA_F16, ISA_F16X2, 0},
                                       {ISA_OP_EX2, ISA_BF16, ISA_BF16X2, 1},
                                       {ISA_OP_TANH, ISA_BF16, ISA_BF16X2, 0}};
    uint64_t state = 5;
    for (unsigned k = 0; k < 4; k++)
        for (unsigned i = 0; i < 2000; i++) {
            struct isa_instr one = {.op = pairs[k][0],
                                    .type = pairs[k][1],
                                    .mods = {.round = ISA_ROUND_APPROX, .ftz = pairs[k][3]}},
                             two = one;
            uint32_t x = (uint32_t)oracle_random(&state);
            two.type = pairs[k][2];
            uint64_t expected = compute(&one, x >> 16, 0) << 16 | compute(&one, x & 0xFFFF, 0);
            assert_int_equal(compute(&two, x, 0), expected);
        }
}

static void what_the_manual_lacks_is_refused(void **unused)
{
    static const uint16_t ops[] = {ISA_OP_RCP, ISA_OP_SQRT, ISA_OP_RSQRT, ISA_OP_SIN,
                                   ISA_OP_COS, ISA_OP_LG2,  ISA_OP_EX2,   ISA_OP_TANH};
    for (unsigned k = 0; k < 8; k++) {
        struct isa_instr instr = {.op = ops[k], .type = ISA_F32};
        assert_null(lane_resolve_special(&instr));
        instr.type = ISA_F64;
        instr.mods.round = ISA_ROUND_APPROX;
        assert_true((lane_resolve_special(&instr) != NULL) == (ops[k] == ISA_OP_RSQRT));
        instr.type = ISA_F16;
        assert_true((lane_resolve_special(&instr) != NULL) == (ops[k] == ISA_OP_EX2 || ops[k] == ISA_OP_TANH));
    }
    struct isa_instr add = {.op = ISA_OP_ADD, .type = ISA_F32, .mods = {.round = ISA_ROUND_APPROX}};
    assert_null(lane_resolve_special(&add));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_roundings),
        cmocka_unit_test(errors_are_within_the_manuals),
        cmocka_unit_test(divisions),
        cmocka_unit_test(special_values_follow_the_tables),
        cmocka_unit_test(powers_of_two_are_exact),
        cmocka_unit_test(coarse_f64),
        cmocka_unit_test(packed_halves_are_taken_one_by_one),
        cmocka_unit_test(what_the_manual_lacks_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
