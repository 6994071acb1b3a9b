/* The tables of the isa room: they agree with each other and with the enums beside them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/program.h"

static void names_are_found(void **state)
{
    for (int i = 1; i < ISA_TYPE_COUNT; i++)
        assert_int_equal(isa_find_type(isa_type_info(i)->text, strlen(isa_type_info(i)->text)), i);
    assert_int_equal(isa_find_type("u128", 4), -1);
    assert_int_equal(isa_find_type("u3", 2), -1);
    assert_int_equal(isa_find_type("", 0), -1);
}

static void names_are_plain(void **state)
{
    static const char *const cases[][2] = {
        {"kernel", "kernel"},
        {"_Z4takePi", "take"},
        {"_ZL5thirdPi", "third"},
        {"_ZN5stock5lockAE", "stock::lockA"},
        {"_ZN12_GLOBAL__N_14waitEv", "wait"},
        {"_ZN33_INTERNAL_b237149b_5_in_cu__Z1kPi5thirdEPi", "third"},
        {"_ZZ9shared_atPilE5table", "shared_at::table"},
        {"_ZN5QueueIiE4waitEv", "Queue::wait"},
        {"_ZNK2ns5QueueIiLi5ENS_4ItemEA4_PKcE4waitEv", "ns::Queue::wait"},
        {"_ZN5QueueIiLN2ns5ColorE1EE4waitEv", "Queue::wait"},
        {"_ZN4pairC2Ei", "pair::pair"},
        {"_ZN2ns4PairIiED1Ev", "ns::Pair::~Pair"},
        {"_ZNK7CounterclEi", "Counter::operator"},
        {"_ZZ6lambdaPiENKUliE_clEi", "lambda::operator()"},
        {"_ZN5QueueI", "_ZN5QueueI"},
        {"_ZN5QueueIL", "_ZN5QueueIL"},
        {"_Z", "_Z"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct strbuf out = {0};
        isa_plain_name(cases[i][0], &out);
        assert_string_equal(strbuf_text(&out), cases[i][1]);
        strbuf_free(&out);
    }
}

static void names_differ(void **state)
{
    for (int i = 0; i < ISA_OP_COUNT; i++)
        for (int k = 0; k < i; k++)
            assert_string_not_equal(isa_op_info(i)->text, isa_op_info(k)->text);
    for (int i = 0; i < ISA_SREG_COUNT; i++)
        for (int k = 0; k < i; k++)
            assert_string_not_equal(isa_sreg_info(i)->text, isa_sreg_info(k)->text);
}

/* mods.def lists the values of each field without gaps, from 1, as mod_values.h numbers them. */
static void modifier_values_are_complete(void **state)
{
    unsigned count, highest[ISA_FIELD_COUNT] = {0};
    const struct isa_mod_info *mods = isa_mod_table(&count);
    for (unsigned i = 0; i < count; i++) {
        assert_int_equal(isa_find_mod(mods[i].field, mods[i].text, strlen(mods[i].text)), mods[i].value);
        assert_true(mods[i].value <= highest[mods[i].field] + 1);
        if (mods[i].value > highest[mods[i].field])
            highest[mods[i].field] = mods[i].value;
    }
    for (unsigned f = 0; f < ISA_FIELD_COUNT; f++) {
        assert_true(highest[f] > 0);
        for (unsigned v = 1; v <= highest[f]; v++)
            assert_int_equal(isa_find_mod(f, isa_mod_text(f, (uint8_t)v), strlen(isa_mod_text(f, (uint8_t)v))), v);
    }
    assert_string_equal(isa_mod_text(ISA_FIELD_ROUND, 0), "");
    assert_int_equal(isa_find_mod(ISA_FIELD_ORDER, "add", 3), 0);
    assert_int_equal(highest[ISA_FIELD_ORDER], ISA_ORDER_MMIO);
    assert_int_equal(highest[ISA_FIELD_CMP], ISA_CMP_NAN);
    assert_int_equal(highest[ISA_FIELD_REDUCE], ISA_REDUCE_MAX);
}

static unsigned count_words(const char *s)
{
    unsigned n = *s != 0;
    for (; *s; s++)
        n += *s == ' ';
    return n;
}

static void rows_use_known_letters(void **state)
{
    for (int i = 0; i < ISA_OP_COUNT; i++) {
        const struct isa_op_info *info = isa_op_info(i);
        uint8_t fields[ISA_FIELD_COUNT];
        assert_int_equal(isa_op_fields(i, fields), count_words(info->fields));
        assert_int_equal(strspn(info->operands, "dDpqvjxabcsSuPVmMtlLkf?"), strlen(info->operands));
        assert_int_equal(strspn(info->types, "iIfFhbBpmw*- "), strlen(info->types));
        assert_true(strlen(info->doc) > 0);
        assert_false(isa_is_outside(info->text, strlen(info->text)));
    }
    assert_true(isa_is_outside("wgmma", 5));
    assert_false(isa_is_outside("wgmm", 4));
}

static struct isa_instr make(enum isa_op op, enum isa_type type)
{
    return (struct isa_instr){.op = (uint16_t)op, .type = (uint8_t)type};
}

static void units_and_latencies(void **state)
{
    static const struct {
        enum isa_op op;
        enum isa_type type;
        enum isa_unit unit;
        enum isa_latency latency;
    } cases[] = {
        {ISA_OP_ADD, ISA_S32, ISA_UNIT_SP, ISA_LATENCY_INT_ADD},
        {ISA_OP_ADD, ISA_F64, ISA_UNIT_SFU, ISA_LATENCY_F64_ADD},
        {ISA_OP_MUL, ISA_U32, ISA_UNIT_SFU, ISA_LATENCY_INT_MUL},
        {ISA_OP_MUL, ISA_F32, ISA_UNIT_EITHER, ISA_LATENCY_F32_MUL},
        {ISA_OP_MAD, ISA_S32, ISA_UNIT_SFU, ISA_LATENCY_INT_MAD},
        {ISA_OP_FMA, ISA_F32, ISA_UNIT_SP, ISA_LATENCY_FMA},
        {ISA_OP_DIV, ISA_F32, ISA_UNIT_SFU, ISA_LATENCY_F32_DIV},
        {ISA_OP_REM, ISA_U64, ISA_UNIT_SP, ISA_LATENCY_I64_REM},
        {ISA_OP_SIN, ISA_F32, ISA_UNIT_SFU, ISA_LATENCY_SINE},
        {ISA_OP_LD, ISA_F64, ISA_UNIT_MEM, ISA_LATENCY_MOVE},
        {ISA_OP_BRA, ISA_NONE, ISA_UNIT_SP, ISA_LATENCY_CONTROL},
        {ISA_OP_SHFL, ISA_B32, ISA_UNIT_SP, ISA_LATENCY_SHUFFLE},
        {ISA_OP_ADD, ISA_U16X2, ISA_UNIT_SP, ISA_LATENCY_INT_ADD},
        {ISA_OP_FMA, ISA_F16X2, ISA_UNIT_SP, ISA_LATENCY_F16_FMA},
        {ISA_OP_FMA, ISA_F64, ISA_UNIT_SP, ISA_LATENCY_F64_FMA},
        {ISA_OP_ADD, ISA_BF16, ISA_UNIT_SP, ISA_LATENCY_F16_ADD},
        {ISA_OP_MUL, ISA_F16, ISA_UNIT_EITHER, ISA_LATENCY_F16_MUL},
        {ISA_OP_SQRT, ISA_F64, ISA_UNIT_SFU, ISA_LATENCY_F64_SQRT},
        {ISA_OP_EX2, ISA_F16, ISA_UNIT_SFU, ISA_LATENCY_F16_SPECIAL},
        {ISA_OP_ADD, ISA_U64, ISA_UNIT_SP, ISA_LATENCY_I64_ADD},
        {ISA_OP_AND, ISA_B32, ISA_UNIT_SP, ISA_LATENCY_LOGIC},
        {ISA_OP_XOR, ISA_B64, ISA_UNIT_SP, ISA_LATENCY_LOGIC_I64},
        {ISA_OP_RCP, ISA_F32, ISA_UNIT_SFU, ISA_LATENCY_RCP},
        {ISA_OP_MUL24, ISA_U32, ISA_UNIT_SFU, ISA_LATENCY_MUL24},
        {ISA_OP_CLZ, ISA_B32, ISA_UNIT_SP, ISA_LATENCY_LEADING},
        {ISA_OP_CLZ, ISA_B64, ISA_UNIT_SP, ISA_LATENCY_LEADING_I64},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct isa_instr instr = make(cases[i].op, cases[i].type);
        assert_int_equal(isa_unit_of(&instr), cases[i].unit);
        assert_int_equal(isa_latency_of(&instr), cases[i].latency);
    }
}

/* Rounding, the half of a product, and the type that a conversion comes from choose classes, too. */
static void modifiers_choose_latencies(void **state)
{
    struct isa_instr divide = make(ISA_OP_DIV, ISA_F32), product = make(ISA_OP_MUL, ISA_U32), convert = make(ISA_OP_CVT, ISA_F32);
    (void)state;
    divide.mods.round = ISA_ROUND_APPROX;
    assert_int_equal(isa_latency_of(&divide), ISA_LATENCY_DIV_APPROX);
    divide.mods.round = ISA_ROUND_RN;
    assert_int_equal(isa_latency_of(&divide), ISA_LATENCY_F32_DIV);
    product.mods.half = ISA_HALF_HI;
    assert_int_equal(isa_latency_of(&product), ISA_LATENCY_INT_MUL_HI);
    convert.stype = ISA_S32;
    assert_int_equal(isa_latency_of(&convert), ISA_LATENCY_CONVERT_FROM_INT);
    convert.stype = ISA_F16;
    assert_int_equal(isa_latency_of(&convert), ISA_LATENCY_CONVERT_F16);
    convert.stype = ISA_F64;
    assert_int_equal(isa_latency_of(&convert), ISA_LATENCY_CONVERT_F64);
    convert.stype = ISA_F32;
    assert_int_equal(isa_latency_of(&convert), ISA_LATENCY_CONVERT);
}

/* A conversion to one bf16 is not one to a pair; one that drops the upper half of an integer does nothing, but where it
 * saturates; a reciprocal that keeps subnormals is longer. */
static void conversions_and_reciprocals_differ(void **state)
{
    struct isa_instr convert = make(ISA_OP_CVT, ISA_BF16), divide = make(ISA_OP_RCP, ISA_F32);
    (void)state;
    convert.stype = ISA_F32;
    assert_int_equal(isa_latency_of(&convert), ISA_LATENCY_CONVERT_BF16);
    convert.type = ISA_BF16X2;
    assert_int_equal(isa_latency_of(&convert), ISA_LATENCY_CONVERT_F16);
    convert.type = ISA_F32;
    convert.stype = ISA_BF16;
    assert_int_equal(isa_latency_of(&convert), ISA_LATENCY_CONVERT_F16);
    convert.type = ISA_U32;
    convert.stype = ISA_U64;
    assert_int_equal(isa_latency_of(&convert), ISA_LATENCY_TRUNCATE);
    convert.mods.sat = ISA_SAT_YES;
    assert_int_equal(isa_latency_of(&convert), ISA_LATENCY_CONVERT_I64);
    divide.mods.round = ISA_ROUND_APPROX;
    assert_int_equal(isa_latency_of(&divide), ISA_LATENCY_RCP_APPROX_FULL);
    divide.mods.ftz = ISA_FTZ_YES;
    assert_int_equal(isa_latency_of(&divide), ISA_LATENCY_RCP_APPROX);
    divide.type = ISA_F64;
    divide.mods.ftz = 0;
    assert_int_equal(isa_latency_of(&divide), ISA_LATENCY_F64_RCP_APPROX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found),        cmocka_unit_test(names_are_plain),
        cmocka_unit_test(names_differ), cmocka_unit_test(conversions_and_reciprocals_differ),          cmocka_unit_test(modifier_values_are_complete),
        cmocka_unit_test(rows_use_known_letters), cmocka_unit_test(units_and_latencies),
        cmocka_unit_test(modifiers_choose_latencies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
