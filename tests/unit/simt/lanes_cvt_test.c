/* cvt with a floating-point side against MPFR: every pair of types, rounding, .ftz and .sat; registers wider than the
 * types; packed results, tf32, .relu and .satfinite; which combinations are refused. */
#include "unit/simt/lanes_oracle.h"

#include <mpfr.h>

struct side {
    uint8_t type, bits;
    bool with_sign;
    const struct oracle_format *format; /* NULL for integers */
};

static const struct side sides[] = {
    {ISA_U8, 8, false, NULL},           {ISA_S8, 8, true, NULL},          {ISA_U16, 16, false, NULL},
    {ISA_S16, 16, true, NULL},          {ISA_U32, 32, false, NULL},       {ISA_S32, 32, true, NULL},
    {ISA_U64, 64, false, NULL},         {ISA_S64, 64, true, NULL},        {ISA_F16, 16, true, &oracle_f16},
    {ISA_BF16, 16, true, &oracle_bf16}, {ISA_F32, 32, true, &oracle_f32}, {ISA_F64, 64, true, &oracle_f64},
};
#define SIDES (sizeof sides / sizeof sides[0])

static uint64_t low_bits(uint64_t value, unsigned bits)
{
    return bits == 64 ? value : value & ((UINT64_C(1) << bits) - 1);
}

static int64_t sign_extended(uint64_t value, unsigned bits)
{
    return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

/* x := the source's value, exactly. */
static void set_value(mpfr_t x, const struct side *from, uint64_t bits)
{
    if (from->format)
        mpfr_set_d(x, oracle_value(from->format, bits), MPFR_RNDN);
    else if (from->with_sign)
        mpfr_set_si(x, sign_extended(bits, from->bits), MPFR_RNDN);
    else
        mpfr_set_ui(x, bits, MPFR_RNDN);
}

static mpfr_rnd_t integer_mode(unsigned round)
{
    return round == ISA_ROUND_RZI   ? MPFR_RNDZ
           : round == ISA_ROUND_RMI ? MPFR_RNDD
           : round == ISA_ROUND_RPI ? MPFR_RNDU
                                    : MPFR_RNDN;
}

static bool is_integer_round(unsigned round)
{
    return round >= ISA_ROUND_RNI && round <= ISA_ROUND_RPI;
}

/* x, integral, into the integer type: clamped; NaN by the manual's rule. Extended to 64 bits by its own signedness. */
static uint64_t to_integer(mpfr_t x, const struct side *from, const struct side *to)
{
    if (mpfr_nan_p(x)) {
        if (from->type != ISA_F64 && to->bits != 64)
            return 0;
        return to->with_sign ? (uint64_t)sign_extended(UINT64_C(1) << (to->bits - 1), to->bits)
                             : UINT64_C(1) << (to->bits - 1);
    }
    if (to->with_sign) {
        int64_t low = sign_extended(UINT64_C(1) << (to->bits - 1), to->bits), high = -(low + 1);
        return (uint64_t)(mpfr_cmp_si(x, low) <= 0    ? low
                          : mpfr_cmp_si(x, high) >= 0 ? high
                                                      : mpfr_get_si(x, MPFR_RNDN));
    }
    uint64_t high = low_bits(UINT64_MAX, to->bits);
    return mpfr_cmp_ui(x, 0) <= 0 ? 0 : mpfr_cmp_ui(x, high) >= 0 ? high : mpfr_get_ui(x, MPFR_RNDN);
}

static uint64_t to_float(mpfr_t x, const struct side *from, const struct side *to, const struct isa_instr *instr,
                         uint64_t source)
{
    const struct oracle_format *f = to->format;
    mpfr_rnd_t mode = oracle_mode(instr->mods.round);
    mpfr_t r;
    mpfr_init2(r, f->precision);
    int ternary = mpfr_set(r, x, mode);
    uint64_t bits = oracle_settle(f, r, ternary, mode);
    mpfr_clear(r);
    if (oracle_is_nan(f, bits) && to->type == ISA_F64) {
        unsigned room = 53 - (unsigned)from->format->precision;
        uint64_t fraction = low_bits(source, (unsigned)from->format->precision - 1) << room;
        bits = (source >> (from->bits - 1)) << 63 | UINT64_C(0x7FF8000000000000) | fraction;
    }
    if (instr->mods.ftz && to->type == ISA_F32)
        bits = oracle_flush(f, bits);
    return instr->mods.sat ? oracle_saturate(f, bits) : bits;
}

static uint64_t expect(const struct isa_instr *instr, const struct side *from, const struct side *to, uint64_t source)
{
    mpfr_t x;
    mpfr_init2(x, 64);
    source = low_bits(source, from->bits);
    if (instr->mods.ftz && from->type == ISA_F32)
        source = oracle_flush(&oracle_f32, source);
    set_value(x, from, source);
    if (is_integer_round(instr->mods.round))
        mpfr_rint(x, x, integer_mode(instr->mods.round));
    uint64_t bits = to->format ? to_float(x, from, to, instr, source) : to_integer(x, from, to);
    mpfr_clear(x);
    return bits;
}

/* A source near what matters: for floats also near integers and the bounds of the integer types. */
static uint64_t draw(const struct side *from, uint64_t *state)
{
    uint64_t random = oracle_random(state), shift = random >> 40 & 63;
    if (!from->format)
        return random & 1 ? oracle_random(state)
                          : (UINT64_C(1) << shift) + (random >> 8 & 3) - 2 + (random >> 16 & 1) * 0x80;
    if (random & 3)
        return oracle_operand(from->format, state, random);
    double value = ldexp(1.0, (int)shift) + (double)(int)(random >> 8 & 7) * 0.5 - 2.0;
    mpfr_t r;
    mpfr_init2(r, from->format->precision);
    int ternary = mpfr_set_d(r, random >> 16 & 1 ? value : -value, MPFR_RNDN);
    uint64_t bits = oracle_settle(from->format, r, ternary, MPFR_RNDN);
    mpfr_clear(r);
    return bits;
}

/* Runs one conversion, with registers of the given widths (0: those of the types). */
static void check(struct isa_instr *instr, const struct side *from, const struct side *to, unsigned source_bits,
                  unsigned result_bits)
{
    struct isa_operand dst = {.kind = ISA_OPERAND_REG, .bits = (uint8_t)(result_bits ? result_bits : to->bits)};
    struct isa_operand src = {.kind = ISA_OPERAND_REG, .bits = (uint8_t)(source_bits ? source_bits : from->bits)};
    const bool wide[2] = {src.bits > 32, dst.bits > 32};
    uint64_t state = instr->type * 1000u + instr->stype * 10u + instr->mods.round;
    struct oracle_rows rows;
    instr->dst = &dst;
    instr->src = &src;
    instr->dst_count = instr->src_count = 1;
    lane_fn *function = lane_resolve_cvt(instr);
    assert_non_null(function);
    for (unsigned i = 0; i < oracle_rows(100); i++) {
        memset(&rows, 0, sizeof rows);
        for (unsigned lane = 0; lane < LANES; lane++) {
            uint64_t source = draw(from, &state);
            rows.expected[lane] = low_bits(expect(instr, from, to, source), dst.bits);
            bool noise = src.bits > from->bits; /* what lies above the type in a wider register does not count */
            rows.source[0][lane] = noise ? low_bits(source, from->bits) | oracle_random(&state) << from->bits
                                         : low_bits(source, from->bits);
            rows.source[0][lane] = low_bits(rows.source[0][lane], src.bits);
        }
        oracle_run(function, instr, &rows, wide, 3, UINT32_MAX);
        oracle_run(function, instr, &rows, wide, wide[0] == wide[1] ? 0 : 3, (uint32_t)oracle_random(&state) | 1);
    }
}

static bool holds_all(const struct oracle_format *to, const struct oracle_format *from)
{
    return from->precision <= to->precision && from->max_exponent <= to->max_exponent;
}

/* The manual's rule: integers from floats take an integer rounding, floats from integers a floating one; between floats
 * a floating one where something can be lost, an optional integer one within a format, else none. */
static bool valid_round(const struct side *from, const struct side *to, unsigned round)
{
    bool integer = is_integer_round(round), floating = round >= ISA_ROUND_RN && round <= ISA_ROUND_RP;
    if (!to->format)
        return integer;
    if (!from->format)
        return floating;
    if (from->format == to->format)
        return integer || round == 0;
    return holds_all(to->format, from->format) ? round == 0 : floating;
}

static void check_pair(const struct side *from, const struct side *to, unsigned round)
{
    for (unsigned variant = 0; variant < 4; variant++) {
        struct isa_instr instr = {.op = ISA_OP_CVT, .type = to->type, .stype = from->type};
        instr.mods.round = (uint8_t)round;
        instr.mods.ftz = variant & 1;
        instr.mods.sat = variant >> 1;
        bool valid = valid_round(from, to, round) && (!instr.mods.ftz || from->type == ISA_F32 || to->type == ISA_F32);
        if (valid)
            check(&instr, from, to, 0, 0);
        else
            assert_null(lane_resolve_cvt(&instr));
    }
}

static void every_pair_of_types(void **unused)
{
    for (unsigned from = 0; from < SIDES; from++)
        for (unsigned to = 0; to < SIDES; to++)
            for (unsigned round = 0; round <= ISA_ROUND_FULL; round++)
                if (sides[from].format || sides[to].format)
                    check_pair(&sides[from], &sides[to], round);
}

static void registers_may_be_wider_than_types(void **unused)
{
    for (unsigned integer = 0; integer < 8; integer++)
        for (unsigned real = 8; real < SIDES; real++)
            for (unsigned bits = sides[integer].bits * 2u; bits <= 64; bits *= 2) {
                struct isa_instr to = {.op = ISA_OP_CVT,
                                       .type = sides[integer].type,
                                       .stype = sides[real].type,
                                       .mods.round = ISA_ROUND_RZI};
                struct isa_instr from = {.op = ISA_OP_CVT,
                                         .type = sides[real].type,
                                         .stype = sides[integer].type,
                                         .mods.round = ISA_ROUND_RN};
                check(&to, &sides[real], &sides[integer], 0, bits);
                check(&from, &sides[integer], &sides[real], bits, 0);
            }
}

/* What one f32 becomes in a narrow format with .relu or .satfinite. */
static uint64_t expect_narrow(const struct isa_instr *instr, const struct side *to, uint64_t source)
{
    struct isa_instr plain = *instr;
    plain.mods.sat = plain.mods.relu = 0;
    uint64_t bits = expect(&plain, &sides[10], to, source), sign = oracle_sign(to->format);
    bool nan = oracle_is_nan(to->format, bits);
    if (instr->mods.relu && !nan && bits & sign)
        return 0;
    if (instr->mods.sat == ISA_SAT_FINITE && (bits & ~sign) == oracle_infinity(to->format))
        return bits - 1;
    return bits;
}

static void check_narrow(const struct side *to, uint8_t type, unsigned variant)
{
    struct isa_instr instr = {.op = ISA_OP_CVT, .type = type, .stype = ISA_F32};
    bool packed = type != to->type;
    uint64_t state = variant;
    struct oracle_rows rows;
    instr.mods.round = variant & 1 ? ISA_ROUND_RZ : ISA_ROUND_RN;
    instr.mods.sat = variant / 2 & 1 ? ISA_SAT_FINITE : 0;
    instr.mods.relu = variant / 4 ? ISA_RELU_YES : 0;
    instr.src_count = packed ? 2 : 1;
    lane_fn *function = lane_resolve_cvt(&instr);
    assert_non_null(function);
    for (unsigned i = 0; i < oracle_rows(200); i++) {
        memset(&rows, 0, sizeof rows);
        for (unsigned lane = 0; lane < LANES; lane++) {
            for (unsigned k = 0; k < 2; k++)
                rows.source[k][lane] =
                    oracle_random(&state) & 1
                        ? draw(&sides[10], &state)
                        : oracle_pattern(&oracle_f32, oracle_value(to->format, draw(to, &state))) + 0x1000;
            rows.expected[lane] = expect_narrow(&instr, to, rows.source[0][lane] & UINT32_MAX);
            if (packed)
                rows.expected[lane] =
                    rows.expected[lane] << 16 | expect_narrow(&instr, to, rows.source[1][lane] & UINT32_MAX);
        }
        oracle_check(function, &instr, &rows, (const bool[]){false, false}, &state);
    }
}

static void packed_results_and_their_modifiers(void **unused)
{
    for (unsigned variant = 0; variant < 8; variant++) {
        check_narrow(&sides[8], ISA_F16, variant);
        check_narrow(&sides[8], ISA_F16X2, variant);
        check_narrow(&sides[9], ISA_BF16, variant);
        check_narrow(&sides[9], ISA_BF16X2, variant);
    }
}

static uint64_t expect_tf32(const struct isa_instr *instr, uint32_t x)
{
    bool nan = oracle_is_nan(&oracle_f32, x);
    uint32_t tie = x & 0x2000 ? 0x1000 : 0xFFF;
    uint32_t bits = instr->mods.round == ISA_ROUND_RNA ? x + 0x1000 : instr->mods.round == ISA_ROUND_RN ? x + tie : x;
    if (nan)
        return 0x7FFFFFFF;
    bits &= 0xFFFFE000;
    if ((x & 0x7FFFFFFF) == 0x7F800000)
        bits = x;
    if (instr->mods.relu && bits >> 31)
        return 0;
    if (instr->mods.sat == ISA_SAT_FINITE && (bits & 0x7FFFFFFF) == 0x7F800000)
        return (bits & 0x80000000) | 0x7F7FE000;
    return bits;
}

static void tf32_keeps_ten_fraction_bits(void **unused)
{
    static const uint8_t cases[][3] = {{ISA_ROUND_RNA, 0, 0},
                                       {ISA_ROUND_RNA, ISA_SAT_FINITE, 0},
                                       {ISA_ROUND_RN, 0, 0},
                                       {ISA_ROUND_RZ, 0, 0},
                                       {ISA_ROUND_RN, 0, ISA_RELU_YES},
                                       {ISA_ROUND_RZ, ISA_SAT_FINITE, 0},
                                       {ISA_ROUND_RN, ISA_SAT_FINITE, ISA_RELU_YES}};
    for (unsigned k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct isa_instr instr = {
            .op = ISA_OP_CVT, .type = ISA_TF32, .stype = ISA_F32, .mods = {.round = cases[k][0], .sat = cases[k][1], .relu = cases[k][2]}};
        uint64_t state = k;
        struct oracle_rows rows;
        assert_non_null(lane_resolve_cvt(&instr));
        for (unsigned i = 0; i < oracle_rows(500); i++) {
            oracle_fill(&oracle_f32, &state, &rows);
            for (unsigned lane = 0; lane < LANES; lane++) {
                rows.source[0][lane] = i & 1 ? rows.source[0][lane]
                                             : (rows.source[0][lane] & ~UINT64_C(0xFFF)) ^ (oracle_random(&state) & 1);
                rows.expected[lane] = expect_tf32(&instr, (uint32_t)rows.source[0][lane]);
            }
            oracle_check(lane_resolve_cvt(&instr), &instr, &rows, (const bool[]){false, false}, &state);
        }
    }
}

/* The value of an 8-bit float by its definition; e4m3's NaN and what e5m2 has from infinity on are not asked for. */
static double value_of_byte(uint8_t type, unsigned byte)
{
    const int fraction_bits = type == ISA_E4M3X2 ? 3 : 2, bias = type == ISA_E4M3X2 ? 7 : 15;
    const int field = (byte & 0x7F) >> fraction_bits;
    const double fraction = (double)(byte & ((1u << fraction_bits) - 1)) / (1 << fraction_bits);
    const double value = field ? ldexp(1 + fraction, field - bias) : ldexp(fraction, 1 - bias);
    return byte & 0x80 ? -value : value;
}

/* The nearest of all finite 8-bit floats, and of two the even one. */
static uint64_t nearest_byte(uint8_t type, double value)
{
    unsigned best = 0, most = type == ISA_E4M3X2 ? 0x7E : 0x7B;
    if (value != value)
        return 0x7F;
    const double magnitude = fmin(fabs(value), value_of_byte(type, most)); /* the same for what is beyond */
    for (unsigned byte = 1; byte <= most; byte++) {
        const double here = fabs(value_of_byte(type, byte) - magnitude),
                     there = fabs(value_of_byte(type, best) - magnitude);
        if (here < there || (here == there && !(byte & 1)))
            best = byte;
    }
    return best | (signbit(value) ? 0x80 : 0);
}

static void check_to_fp8(uint8_t type, uint8_t stype, uint8_t relu)
{
    const bool packed = stype == ISA_F16X2;
    const struct side *from = packed ? &sides[8] : &sides[10];
    struct isa_instr instr = {.op = ISA_OP_CVT, .type = type, .stype = stype, .src_count = packed ? 1 : 2};
    struct oracle_rows rows;
    uint64_t state = type + stype;
    instr.mods.round = ISA_ROUND_RN;
    assert_null(lane_resolve_fp8(&instr));
    instr.mods.sat = ISA_SAT_FINITE;
    instr.mods.relu = relu;
    lane_fn *function = lane_resolve(&instr);
    assert_non_null(function);
    assert_null(lane_resolve_cvt(&instr));
    for (unsigned i = 0; i < oracle_rows(200); i++) {
        memset(&rows, 0, sizeof rows);
        for (unsigned lane = 0; lane < LANES; lane++) {
            uint64_t half[2];
            for (unsigned k = 0; k < 2; k++) { /* anything, or a byte's value or half way to the next, or beside */
                const double near =
                    value_of_byte(type, oracle_random(&state) & 0xFF) +
                    ((int)(oracle_random(&state) % 3) - 1) * ldexp(1, (int)(oracle_random(&state) % 12) - 8);
                half[k] = oracle_random(&state) & 1 ? draw(from, &state) : oracle_pattern(from->format, near);
                half[k] += (oracle_random(&state) & 7) == 7;
                half[k] = low_bits(half[k], from->bits);
                uint64_t byte = nearest_byte(type, oracle_value(from->format, half[k]));
                rows.expected[lane] = rows.expected[lane] << 8 | (relu && byte & 0x80 ? 0 : byte);
            }
            rows.source[0][lane] = packed ? half[0] << 16 | half[1] : half[0];
            rows.source[1][lane] = packed ? 0 : half[1];
        }
        oracle_check(function, &instr, &rows, (const bool[]){false, false}, &state);
    }
}

/* All bytes, each beside all others over the rounds. */
static void check_from_fp8(uint8_t stype, uint8_t relu)
{
    struct isa_instr instr = {.op = ISA_OP_CVT, .type = ISA_F16X2, .stype = stype, .src_count = 1};
    struct oracle_rows rows;
    uint64_t state = stype;
    instr.mods.round = ISA_ROUND_RN;
    instr.mods.relu = relu;
    lane_fn *function = lane_resolve(&instr);
    assert_non_null(function);
    for (unsigned first = 0; first < 1 << 16; first += LANES) {
        memset(&rows, 0, sizeof rows);
        for (unsigned lane = 0; lane < LANES; lane++) {
            rows.source[0][lane] = first + lane;
            for (int shift = 8; shift >= 0; shift -= 8) {
                const unsigned byte = (first + lane) >> shift & 0xFF, magnitude = byte & 0x7F;
                const bool nan = stype == ISA_E4M3X2 ? magnitude == 0x7F : magnitude > 0x7C;
                uint64_t bits = nan ? 0x7FFF
                                : stype == ISA_E5M2X2 && magnitude == 0x7C
                                    ? (byte & 0x80) << 8 | 0x7C00
                                    : oracle_pattern(&oracle_f16, value_of_byte(stype, byte));
                if (relu && !nan && byte & 0x80)
                    bits = 0;
                rows.expected[lane] = rows.expected[lane] << 16 | bits;
            }
        }
        oracle_check(function, &instr, &rows, (const bool[]){false, false}, &state);
    }
}

static void bytes_of_two_formats(void **unused)
{
    static const uint8_t types[] = {ISA_E4M3X2, ISA_E5M2X2};
    for (unsigned k = 0; k < 2; k++) {
        for (uint8_t relu = 0; relu <= ISA_RELU_YES; relu++) {
            check_to_fp8(types[k], ISA_F32, relu);
            check_to_fp8(types[k], ISA_F16X2, relu);
            check_from_fp8(types[k], relu);
        }
        struct isa_instr instr = {.op = ISA_OP_CVT, .type = types[k], .stype = ISA_F32, .src_count = 1};
        instr.mods = (struct isa_mods){.round = ISA_ROUND_RN, .sat = ISA_SAT_FINITE};
        assert_null(lane_resolve(&instr)); /* it wants two */
        instr.src_count = 2;
        instr.mods.round = ISA_ROUND_RZ;
        assert_null(lane_resolve(&instr));
    }
}

static void what_the_model_lacks_is_refused(void **unused)
{
    static const uint8_t types[][2] = {{ISA_E4M3X2, ISA_BF16X2}, {ISA_E5M2X2, ISA_F64}, {ISA_BF16X2, ISA_E4M3X2},
                                       {ISA_F32, ISA_TF32},      {ISA_TF32, ISA_F64},   {ISA_S32, ISA_U16},
                                       {ISA_F32, ISA_B32},       {ISA_F16X2, ISA_F16X2}};
    for (unsigned k = 0; k < sizeof types / sizeof types[0]; k++)
        for (unsigned round = 0; round <= ISA_ROUND_FULL; round++) {
            struct isa_instr instr = {.op = ISA_OP_CVT, .type = types[k][0], .stype = types[k][1], .src_count = 2};
            instr.mods.round = (uint8_t)round;
            for (instr.src_count = 2; instr.src_count; instr.src_count--) {
                assert_null(lane_resolve_cvt(&instr));
                assert_null(lane_resolve_fp8(&instr));
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_of_types),
        cmocka_unit_test(registers_may_be_wider_than_types),
        cmocka_unit_test(packed_results_and_their_modifiers),
        cmocka_unit_test(tf32_keeps_ten_fraction_bits),
        cmocka_unit_test(bytes_of_two_formats),
        cmocka_unit_test(what_the_model_lacks_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
