/* f16 and bf16 lanes, scalar and packed, against MPFR: add sub mul fma with .ftz .sat .relu, min, max and signs. Every
 * f16 pattern is once the first operand of an fma. */
#include "unit/simt/lanes_oracle.h"

#include <mpfr.h>

static const bool narrow[2] = {false, false};

static bool is_packed(const struct isa_instr *instr)
{
    return instr->type == ISA_F16X2 || instr->type == ISA_BF16X2;
}

static const struct oracle_format *format_of(const struct isa_instr *instr)
{
    return instr->type == ISA_F16 || instr->type == ISA_F16X2 ? &oracle_f16 : &oracle_bf16;
}

static uint64_t clamp_negative(const struct oracle_format *f, uint64_t bits)
{
    return !oracle_is_nan(f, bits) && bits & oracle_sign(f) ? 0 : bits;
}

static uint64_t expect_arith(const struct isa_instr *instr, const uint64_t operand[3])
{
    const struct oracle_format *f = format_of(instr);
    uint64_t bits = oracle_arith(f, instr->op, ISA_ROUND_RN, operand);
    bits = instr->mods.ftz ? oracle_flush(f, bits) : bits;
    if (instr->mods.sat == ISA_SAT_YES)
        return oracle_saturate(f, bits);
    return instr->mods.sat == ISA_SAT_RELU ? clamp_negative(f, bits) : bits;
}

static uint64_t expect_extreme(const struct isa_instr *instr, const uint64_t operand[3])
{
    const struct oracle_format *f = format_of(instr);
    uint64_t a = operand[0], b = operand[1], sign = (a ^ b) & oracle_sign(f);
    if (instr->mods.abs) {
        a &= 0x7FFF;
        b &= 0x7FFF;
    }
    double x = oracle_value(f, a), y = oracle_value(f, b);
    if ((isnan(x) && isnan(y)) || (instr->mods.nan && (isnan(x) || isnan(y))))
        return f->nan;
    bool less = x < y || (x == y && signbit(x) && !signbit(y));
    uint64_t result = isnan(x) ? b : isnan(y) ? a : less == (instr->op == ISA_OP_MIN) ? a : b;
    return instr->mods.xorsign ? (result & 0x7FFF) | sign : result;
}

static uint64_t expect_half(const struct isa_instr *instr, const uint64_t source[3])
{
    uint64_t operand[3];
    for (unsigned i = 0; i < 3; i++)
        operand[i] = instr->mods.ftz ? oracle_flush(format_of(instr), source[i]) : source[i];
    switch (instr->op) {
    case ISA_OP_ABS: return operand[0] & 0x7FFF;
    case ISA_OP_NEG: return operand[0] ^ 0x8000;
    case ISA_OP_MIN:
    case ISA_OP_MAX: return expect_extreme(instr, operand);
    default: return expect_arith(instr, operand);
    }
}

static void check(const struct isa_instr *instr, unsigned count)
{
    lane_fn *function = lane_resolve_half(instr);
    uint64_t state = instr->op * 100u + instr->type * 10u + instr->mods.sat;
    struct oracle_rows low, high;
    assert_non_null(function);
    for (unsigned i = 0; i < oracle_rows(count); i++) {
        oracle_fill(format_of(instr), &state, &low);
        oracle_fill(format_of(instr), &state, &high);
        for (unsigned lane = 0; lane < LANES; lane++) {
            uint64_t a[3] = {low.source[0][lane], low.source[1][lane], low.source[2][lane]};
            uint64_t b[3] = {high.source[0][lane], high.source[1][lane], high.source[2][lane]};
            low.expected[lane] = expect_half(instr, a) | (is_packed(instr) ? expect_half(instr, b) << 16 : 0);
            for (unsigned k = 0; k < 3; k++)
                low.source[k][lane] |= is_packed(instr) ? b[k] << 16 : 0;
        }
        oracle_check(function, instr, &low, narrow, &state);
    }
}

static const uint8_t types[] = {ISA_F16, ISA_F16X2, ISA_BF16, ISA_BF16X2};

static void arithmetic_rounds_as_mpfr(void **unused)
{
    static const uint16_t ops[] = {ISA_OP_ADD, ISA_OP_SUB, ISA_OP_MUL, ISA_OP_FMA};
    for (unsigned variant = 0; variant < 96; variant++) {
        struct isa_instr instr = {.op = ops[variant % 4], .type = types[variant / 4 % 4], .mods.round = ISA_ROUND_RN};
        bool bfloat = format_of(&instr) == &oracle_bf16;
        instr.mods.ftz = variant / 16 % 2;
        instr.mods.sat = (uint8_t[]){0, ISA_SAT_YES, ISA_SAT_RELU}[variant / 32];
        bool valid = !(bfloat && instr.mods.ftz) && !(bfloat && instr.mods.sat == ISA_SAT_YES) &&
                     !(instr.op != ISA_OP_FMA && instr.mods.sat == ISA_SAT_RELU);
        if (valid)
            check(&instr, 400);
        else
            assert_null(lane_resolve_half(&instr));
    }
}

static void min_max_and_signs_follow_their_definition(void **unused)
{
    static const uint16_t ops[] = {ISA_OP_MIN, ISA_OP_MAX, ISA_OP_ABS, ISA_OP_NEG};
    for (unsigned variant = 0; variant < 128; variant++) {
        struct isa_instr instr = {.op = ops[variant % 4], .type = types[variant / 4 % 4]};
        bool extreme = instr.op == ISA_OP_MIN || instr.op == ISA_OP_MAX;
        instr.mods.ftz = variant / 16 % 2 && format_of(&instr) == &oracle_f16;
        instr.mods.nan = extreme && variant / 32 % 2;
        instr.mods.abs = instr.mods.xorsign = extreme && variant / 64;
        check(&instr, 60);
    }
}

static void every_f16_pattern_multiplies_and_adds(void **unused)
{
    struct isa_instr instr = {.op = ISA_OP_FMA, .type = ISA_F16, .mods.round = ISA_ROUND_RN};
    lane_fn *function = lane_resolve_half(&instr);
    uint64_t state = 23;
    struct oracle_rows rows;
    for (unsigned a = 0; a < 0x10000; a += 32) {
        for (unsigned lane = 0; lane < LANES; lane++) {
            uint64_t operand[3] = {a + lane, oracle_random(&state) & 0xFFFF, oracle_random(&state) & 0xFFFF};
            for (unsigned i = 0; i < 3; i++)
                rows.source[i][lane] = operand[i];
            rows.expected[lane] = expect_half(&instr, operand);
        }
        oracle_check(function, &instr, &rows, narrow, &state);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_rounds_as_mpfr),
        cmocka_unit_test(min_max_and_signs_follow_their_definition),
        cmocka_unit_test(every_f16_pattern_multiplies_and_adds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
