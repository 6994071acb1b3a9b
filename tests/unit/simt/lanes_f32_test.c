/* f32 lanes against MPFR: every rounding, .ftz and .sat of add sub mul mad fma div; min, max and signs against their
 * definitions; the portable fused multiply-add against the host's. */
#include "unit/simt/lanes_oracle.h"

#include <mpfr.h>

#include "simt/lanes_float.h"

static const bool narrow[2] = {false, false};

static uint64_t expect_arith(const struct isa_instr *instr, const struct oracle_rows *rows, unsigned lane)
{
    uint64_t operand[3];
    for (unsigned i = 0; i < 3; i++)
        operand[i] = instr->mods.ftz ? oracle_flush(&oracle_f32, rows->source[i][lane]) : rows->source[i][lane];
    uint64_t bits = oracle_arith(&oracle_f32, instr->op, instr->mods.round, operand);
    bits = instr->mods.ftz ? oracle_flush(&oracle_f32, bits) : bits;
    return instr->mods.sat ? oracle_saturate(&oracle_f32, bits) : bits;
}

static void check_arith(const struct isa_instr *instr)
{
    lane_fn *function = lane_resolve_f32(instr);
    uint64_t state = instr->op * 1000u + instr->mods.round * 10u + instr->mods.ftz * 2u + instr->mods.sat;
    struct oracle_rows rows;
    assert_non_null(function);
    for (unsigned i = 0; i < oracle_rows(300); i++) {
        oracle_fill(&oracle_f32, &state, &rows);
        for (unsigned lane = 0; lane < LANES; lane++)
            rows.expected[lane] = expect_arith(instr, &rows, lane);
        oracle_check(function, instr, &rows, narrow, &state);
    }
}

static void arithmetic_rounds_as_mpfr(void **unused)
{
    static const uint16_t ops[] = {ISA_OP_ADD, ISA_OP_SUB, ISA_OP_MUL, ISA_OP_MAD, ISA_OP_FMA, ISA_OP_DIV};
    for (unsigned op = 0; op < sizeof ops / sizeof ops[0]; op++)
        for (unsigned variant = 0; variant < 16; variant++) {
            struct isa_instr instr = {.op = ops[op], .type = ISA_F32};
            instr.mods.round = (uint8_t)(ISA_ROUND_RN + variant % 4);
            instr.mods.ftz = variant / 4 & 1;
            instr.mods.sat = variant / 8 & 1;
            if (instr.op != ISA_OP_DIV || !instr.mods.sat)
                check_arith(&instr);
        }
}

static void portable_fma_equals_the_hosts(void **unused)
{
    uint64_t state = 7;
    struct oracle_rows rows;
    for (unsigned i = 0; i < oracle_rows(20000); i++) {
        oracle_fill(&oracle_f32, &state, &rows);
        for (unsigned lane = 0; lane < LANES; lane++) {
            float a = lane_f32((uint32_t)rows.source[0][lane]), b = lane_f32((uint32_t)rows.source[1][lane]);
            float c = lane_f32((uint32_t)rows.source[2][lane]);
            uint32_t portable = lane_result32((float)lane_fma_odd((double)a, (double)b, (double)c));
            assert_int_equal(portable, lane_result32(fmaf(a, b, c)));
        }
    }
}

/* The definition of min and max in the manual, on values. */
static uint64_t expect_extreme(const struct isa_instr *instr, uint64_t a, uint64_t b)
{
    const struct oracle_format *f = &oracle_f32;
    uint64_t sign = (a ^ b) & oracle_sign(f);
    if (instr->mods.ftz) {
        a = oracle_flush(f, a);
        b = oracle_flush(f, b);
    }
    if (instr->mods.abs) {
        a &= ~oracle_sign(f);
        b &= ~oracle_sign(f);
    }
    double x = oracle_value(f, a), y = oracle_value(f, b);
    if ((isnan(x) && isnan(y)) || (instr->mods.nan && (isnan(x) || isnan(y))))
        return f->nan;
    bool less = x < y || (x == y && signbit(x) && !signbit(y));
    uint64_t result = isnan(x) ? b : isnan(y) ? a : less == (instr->op == ISA_OP_MIN) ? a : b;
    return instr->mods.xorsign ? (result & ~oracle_sign(f)) | sign : result;
}

static void check_extreme(struct isa_instr *instr, bool three)
{
    struct isa_operand operands[3] = {
        {.kind = ISA_OPERAND_REG, .bits = 32}, {.kind = ISA_OPERAND_REG, .bits = 32}, {0}};
    uint64_t state = 11;
    struct oracle_rows rows;
    operands[2].kind = three ? ISA_OPERAND_REG : ISA_OPERAND_NONE;
    instr->src = operands;
    instr->src_count = 3;
    lane_fn *function = lane_resolve_f32(instr);
    assert_non_null(function);
    for (unsigned i = 0; i < oracle_rows(500); i++) {
        oracle_fill(&oracle_f32, &state, &rows);
        for (unsigned lane = 0; lane < LANES; lane++) {
            rows.expected[lane] = expect_extreme(instr, rows.source[0][lane], rows.source[1][lane]);
            if (three)
                rows.expected[lane] = expect_extreme(instr, rows.expected[lane], rows.source[2][lane]);
        }
        oracle_check(function, instr, &rows, narrow, &state);
    }
}

static void min_and_max_follow_their_definition(void **unused)
{
    for (unsigned variant = 0; variant < 32; variant++) {
        struct isa_instr instr = {.op = variant & 1 ? ISA_OP_MIN : ISA_OP_MAX, .type = ISA_F32};
        bool three = variant >> 4 & 1;
        instr.mods.ftz = variant >> 1 & 1;
        instr.mods.nan = variant >> 2 & 1;
        instr.mods.abs = variant >> 3 & 1;
        instr.mods.xorsign = instr.mods.abs && !three;
        check_extreme(&instr, three);
    }
}

static void signs_change_nothing_else(void **unused)
{
    for (unsigned variant = 0; variant < 5; variant++) {
        static const uint16_t ops[] = {ISA_OP_ABS, ISA_OP_ABS, ISA_OP_NEG, ISA_OP_NEG, ISA_OP_COPYSIGN};
        struct isa_instr instr = {.op = ops[variant], .type = ISA_F32};
        uint64_t state = 13;
        struct oracle_rows rows;
        instr.mods.ftz = variant & 1;
        for (unsigned i = 0; i < 100; i++) {
            oracle_fill(&oracle_f32, &state, &rows);
            for (unsigned lane = 0; lane < LANES; lane++) {
                uint64_t a = rows.source[0][lane], b = rows.source[1][lane];
                a = instr.mods.ftz ? oracle_flush(&oracle_f32, a) : a;
                rows.expected[lane] = instr.op == ISA_OP_ABS   ? a & 0x7FFFFFFF
                                      : instr.op == ISA_OP_NEG ? a ^ 0x80000000
                                                               : (a & 0x80000000) | (b & 0x7FFFFFFF);
            }
            oracle_check(lane_resolve_f32(&instr), &instr, &rows, narrow, &state);
        }
    }
}

static void invalid_combinations_are_refused(void **unused)
{
    struct isa_instr fma = {.op = ISA_OP_FMA, .type = ISA_F32}, div = {.op = ISA_OP_DIV, .type = ISA_F32};
    struct isa_instr half = {.op = ISA_OP_ADD, .type = ISA_F16}, add = {.op = ISA_OP_ADD, .type = ISA_F32};
    assert_null(lane_resolve_f32(&fma));
    assert_null(lane_resolve_f32(&div));
    assert_null(lane_resolve_f32(&half));
    assert_non_null(lane_resolve_f32(&add));
    div.mods.round = ISA_ROUND_APPROX;
    assert_null(lane_resolve_f32(&div));
    add.mods.sat = ISA_SAT_RELU;
    assert_null(lane_resolve_f32(&add));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_rounds_as_mpfr),           cmocka_unit_test(portable_fma_equals_the_hosts),
        cmocka_unit_test(min_and_max_follow_their_definition), cmocka_unit_test(signs_change_nothing_else),
        cmocka_unit_test(invalid_combinations_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
