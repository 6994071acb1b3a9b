/* f64 lanes against MPFR: every rounding of add sub mul mad fma div, NaN payloads, min, max and signs; the integer path
 * against the host's own arithmetic. */
#include "unit/simt/lanes_oracle.h"

#include <mpfr.h>

#include "simt/lanes_float.h"

static const bool wide[2] = {true, true};

static uint64_t quieted(uint64_t nan)
{
    return nan | UINT64_C(1) << 51;
}

/* The rule for NaN results: the first NaN operand in the order b, c, a, of div a, b, quieted, else the default one. */
static uint64_t expect_nan(uint16_t op, const struct oracle_rows *rows, unsigned lane, unsigned operands)
{
    for (unsigned i = 0; i < operands; i++) {
        unsigned source = op == ISA_OP_DIV ? i : (i + 1) % operands;
        if (oracle_is_nan(&oracle_f64, rows->source[source][lane]))
            return quieted(rows->source[source][lane]);
    }
    return oracle_f64.nan;
}

static uint64_t expect_arith(const struct isa_instr *instr, const struct oracle_rows *rows, unsigned lane)
{
    unsigned operands = instr->op == ISA_OP_FMA || instr->op == ISA_OP_MAD ? 3 : 2;
    uint64_t operand[3] = {rows->source[0][lane], rows->source[1][lane], rows->source[2][lane]};
    uint64_t bits = oracle_arith(&oracle_f64, instr->op, instr->mods.round, operand);
    return oracle_is_nan(&oracle_f64, bits) ? expect_nan(instr->op, rows, lane, operands) : bits;
}

static void arithmetic_rounds_as_mpfr(void **unused)
{
    static const uint16_t ops[] = {ISA_OP_ADD, ISA_OP_SUB, ISA_OP_MUL, ISA_OP_MAD, ISA_OP_FMA, ISA_OP_DIV};
    struct oracle_rows rows;
    for (unsigned op = 0; op < sizeof ops / sizeof ops[0]; op++)
        for (uint8_t round = ISA_ROUND_RN; round <= ISA_ROUND_RP; round++) {
            struct isa_instr instr = {.op = ops[op], .type = ISA_F64, .mods.round = round};
            uint64_t state = op * 10 + round;
            lane_fn *function = lane_resolve_f64(&instr);
            assert_non_null(function);
            for (unsigned i = 0; i < oracle_rows(1500); i++) {
                oracle_fill(&oracle_f64, &state, &rows);
                for (unsigned lane = 0; lane < LANES; lane++)
                    rows.expected[lane] = expect_arith(&instr, &rows, lane);
                oracle_check(function, &instr, &rows, wide, &state);
            }
        }
}

/* The portable fused multiply-add is this path with RN; so are all others where the host lacks them. */
static void integer_path_equals_the_hosts(void **unused)
{
    static const uint16_t ops[] = {ISA_OP_ADD, ISA_OP_MUL, ISA_OP_DIV, ISA_OP_SQRT, ISA_OP_FMA};
    uint64_t state = 3;
    for (unsigned i = 0; i < oracle_rows(20000); i++) {
        uint64_t operand[3];
        operand[0] = oracle_operand(&oracle_f64, &state, 0);
        operand[1] = oracle_operand(&oracle_f64, &state, operand[0]);
        operand[2] = oracle_operand(&oracle_f64, &state, operand[1]);
        double a = lane_f64(operand[0]), b = lane_f64(operand[1]), c = lane_f64(operand[2]);
        const double host[] = {a + b, a * b, a / b, sqrt(a), fma(a, b, c)};
        for (unsigned op = 0; op < 5; op++) {
            uint64_t expected = isnan(host[op]) ? oracle_f64.nan : lane_f64_bits(host[op]);
            assert_int_equal(lane_soft(&lane_format_f64, ops[op], ISA_ROUND_RN, operand), expected);
        }
    }
}

static uint64_t expect_other(const struct isa_instr *instr, const struct oracle_rows *rows, unsigned lane)
{
    uint64_t a = rows->source[0][lane], b = rows->source[1][lane], sign = oracle_sign(&oracle_f64);
    double x = oracle_value(&oracle_f64, a), y = oracle_value(&oracle_f64, b);
    switch (instr->op) {
    case ISA_OP_ABS: return isnan(x) ? quieted(a) : a & ~sign;
    case ISA_OP_NEG: return isnan(x) ? quieted(a) : a ^ sign;
    case ISA_OP_COPYSIGN: return (a & sign) | (b & ~sign);
    default: break;
    }
    if (isnan(x) && isnan(y))
        return expect_nan(instr->op, rows, lane, 2);
    bool less = x < y || (x == y && signbit(x) && !signbit(y));
    return isnan(x) ? b : isnan(y) ? a : less == (instr->op == ISA_OP_MIN) ? a : b;
}

static void min_max_and_signs_follow_their_definition(void **unused)
{
    static const uint16_t ops[] = {ISA_OP_MIN, ISA_OP_MAX, ISA_OP_ABS, ISA_OP_NEG, ISA_OP_COPYSIGN};
    struct oracle_rows rows;
    for (unsigned op = 0; op < sizeof ops / sizeof ops[0]; op++) {
        struct isa_instr instr = {.op = ops[op], .type = ISA_F64};
        uint64_t state = 17;
        for (unsigned i = 0; i < oracle_rows(300); i++) {
            oracle_fill(&oracle_f64, &state, &rows);
            for (unsigned lane = 0; lane < LANES; lane++)
                rows.expected[lane] = expect_other(&instr, &rows, lane);
            oracle_check(lane_resolve_f64(&instr), &instr, &rows, wide, &state);
        }
    }
}

static void invalid_combinations_are_refused(void **unused)
{
    struct isa_instr fma = {.op = ISA_OP_FMA, .type = ISA_F64}, add = {.op = ISA_OP_ADD, .type = ISA_F64};
    struct isa_instr single = {.op = ISA_OP_ADD, .type = ISA_F32};
    assert_null(lane_resolve_f64(&fma));
    assert_null(lane_resolve_f64(&single));
    assert_non_null(lane_resolve_f64(&add));
    add.mods.ftz = 1;
    assert_null(lane_resolve_f64(&add));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_rounds_as_mpfr),
        cmocka_unit_test(integer_path_equals_the_hosts),
        cmocka_unit_test(min_max_and_signs_follow_their_definition),
        cmocka_unit_test(invalid_combinations_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
