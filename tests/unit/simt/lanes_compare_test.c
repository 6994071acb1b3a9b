/* Comparisons against an oracle that decodes both operands into numbers (integers) or into NaN and an ordered key
 * built from sign, exponent and fraction (floating point), and then asks the relation by name. Every combination of
 * type, comparison and modifiers is tried: those that PTX allows must resolve and agree, all others must not
 * resolve. */
#include "lane_check.h"

struct format {
    unsigned bits, fraction;
};

static struct format format_of(uint8_t type)
{
    switch (type) {
    case ISA_F16: case ISA_F16X2: return (struct format){16, 10};
    case ISA_BF16: case ISA_BF16X2: return (struct format){16, 7};
    case ISA_F32: return (struct format){32, 23};
    case ISA_F64: return (struct format){64, 52};
    default: return (struct format){0, 0};
    }
}

struct decoded {
    bool nan, infinite, zero, subnormal;
    __int128 key; /* ordered as the numbers are; both zeros give 0 */
};

static struct decoded decode(uint8_t type, uint64_t bits, bool ftz)
{
    struct format f = format_of(type);
    struct decoded d = {0};
    if (!f.bits) {
        d.key = type >= ISA_B8 && type <= ISA_B64 ? (__int128)bits : lane_number_of(type, bits);
        return d;
    }
    bool negative = bits >> (f.bits - 1) & 1;
    uint64_t fraction = lane_low(bits, f.fraction), exponent = lane_low(bits, f.bits - 1) >> f.fraction;
    uint64_t top = (UINT64_C(1) << (f.bits - 1 - f.fraction)) - 1;
    d.nan = exponent == top && fraction != 0;
    d.infinite = exponent == top && fraction == 0;
    d.zero = exponent == 0 && fraction == 0;
    d.subnormal = exponent == 0 && fraction != 0;
    d.key = ((__int128)exponent << f.fraction) + fraction;
    if (d.subnormal && ftz)
        d.key = 0;
    if (negative)
        d.key = -d.key;
    return d;
}

static bool related(uint8_t cmp, struct decoded x, struct decoded y)
{
    bool unordered = x.nan || y.nan;
    int order = unordered ? 2 : x.key < y.key ? -1 : x.key > y.key ? 1 : 0;
    switch (cmp) {
    case ISA_CMP_EQ: return order == 0;
    case ISA_CMP_NE: return order == -1 || order == 1;
    case ISA_CMP_LT: case ISA_CMP_LO: return order == -1;
    case ISA_CMP_LE: case ISA_CMP_LS: return order == -1 || order == 0;
    case ISA_CMP_GT: case ISA_CMP_HI: return order == 1;
    case ISA_CMP_GE: case ISA_CMP_HS: return order == 1 || order == 0;
    case ISA_CMP_EQU: return unordered || order == 0;
    case ISA_CMP_NEU: return unordered || order != 0;
    case ISA_CMP_LTU: return unordered || order == -1;
    case ISA_CMP_LEU: return unordered || order <= 0;
    case ISA_CMP_GTU: return unordered || order == 1;
    case ISA_CMP_GEU: return unordered || order >= 0;
    case ISA_CMP_NUM: return !unordered;
    default: return unordered;
    }
}

static bool combine(uint8_t boolop, bool t, bool c)
{
    switch (boolop) {
    case ISA_BOOLOP_AND: return t && c;
    case ISA_BOOLOP_OR: return t || c;
    case ISA_BOOLOP_XOR: return t != c;
    default: return t;
    }
}

static bool is_packed(uint8_t type)
{
    return type == ISA_F16X2 || type == ISA_BF16X2;
}

static bool compare_half(const struct lane_input *in, uint8_t type, unsigned i)
{
    const struct isa_mods *m = &in->instr->mods;
    uint64_t a = is_packed(type) ? in->src[0] >> 16 * i & 0xffff : in->src[0];
    uint64_t b = is_packed(type) ? in->src[1] >> 16 * i & 0xffff : in->src[1];
    return related(m->cmp, decode(type, a, m->ftz), decode(type, b, m->ftz));
}

static void setp_oracle(const struct lane_input *in, struct lane_result *out)
{
    uint8_t type = in->instr->type, boolop = in->instr->mods.boolop;
    out->p = combine(boolop, compare_half(in, type, 0), in->pred[0]);
    out->q = combine(boolop, is_packed(type) ? compare_half(in, type, 1) : !compare_half(in, type, 0), in->pred[0]);
}

static void set_oracle(const struct lane_input *in, struct lane_result *out)
{
    uint8_t to = in->instr->type, from = in->instr->stype;
    unsigned part = is_packed(from) ? 16 : lane_bits_of(to);
    uint64_t one = to == ISA_F32                           ? 0x3f800000
                   : to == ISA_F16 || to == ISA_F16X2      ? 0x3c00
                   : to == ISA_BF16 || to == ISA_BF16X2    ? 0x3f80
                                                           : lane_low(UINT64_MAX, part);
    for (unsigned i = 0; i < (is_packed(from) ? 2u : 1u); i++)
        if (combine(in->instr->mods.boolop, compare_half(in, from, i), in->pred[0]))
            out->value |= one << part * i;
}

static bool compares(uint8_t type, uint8_t cmp, bool ftz)
{
    bool has_order = cmp >= ISA_CMP_LT && cmp <= ISA_CMP_GE, has_unsigned = cmp >= ISA_CMP_LO && cmp <= ISA_CMP_HS;
    if (!cmp)
        return false;
    if (format_of(type).bits)
        return !has_unsigned && (!ftz || type == ISA_F32 || type == ISA_F16 || type == ISA_F16X2);
    if (ftz)
        return false;
    if (type >= ISA_B16 && type <= ISA_B64)
        return cmp <= ISA_CMP_NE;
    return lane_is_int(type, 16) && (cmp <= ISA_CMP_NE || has_order || (has_unsigned && !lane_is_signed(type)));
}

static bool sets(uint8_t to, uint8_t from)
{
    bool word = to == ISA_U32 || to == ISA_S32;
    switch (from) {
    case ISA_F16X2: case ISA_BF16X2: return word || to == from;
    case ISA_F16: case ISA_BF16: return word || to == ISA_U16 || to == ISA_S16 || to == from;
    default: return word || to == ISA_F32 || to == ISA_F16 || to == ISA_BF16;
    }
}

static void check_or_refuse(const struct lane_form *form, bool valid)
{
    if (valid) {
        lane_check(form, lane_resolve_compare, lane_resolve_compare_avx2);
    } else if (lane_resolve_compare(&form->instr)) {
        struct lane_input in = {.instr = &form->instr};
        lane_describe(&in, 0, 1, 0, "resolved, not PTX");
    }
}

static void every_setp(void **state)
{
    for (unsigned type = 0; type < ISA_TYPE_COUNT; type++)
        for (unsigned cmp = 0; cmp <= ISA_CMP_NAN; cmp++)
            for (unsigned i = 0; i < 8; i++) {
                unsigned n = lane_bits_of((uint8_t)type);
                struct lane_form form = {.instr = {.op = ISA_OP_SETP, .type = (uint8_t)type,
                                                   .mods = {.cmp = (uint8_t)cmp, .boolop = i & 3, .ftz = (uint8_t)(i >> 2)}},
                                         .src_bits = {n, n}, .preds = 2, .oracle = setp_oracle};
                check_or_refuse(&form, compares((uint8_t)type, (uint8_t)cmp, i >> 2));
            }
}

static void every_set(void **state)
{
    for (unsigned pair = 0; pair < ISA_TYPE_COUNT * ISA_TYPE_COUNT; pair++)
        for (unsigned cmp = 0; cmp <= ISA_CMP_NAN; cmp++) {
            uint8_t to = (uint8_t)(pair / ISA_TYPE_COUNT), from = (uint8_t)(pair % ISA_TYPE_COUNT), ftz = cmp & 1;
            unsigned n = lane_bits_of(from);
            struct lane_form form = {.instr = {.op = ISA_OP_SET, .type = to, .stype = from,
                                               .mods = {.cmp = (uint8_t)cmp, .boolop = (uint8_t)((cmp + pair) & 3), .ftz = ftz}},
                                     .dst_bits = lane_bits_of(to), .src_bits = {n, n}, .oracle = set_oracle};
            check_or_refuse(&form, compares(from, (uint8_t)cmp, ftz) && sets(to, from));
            form.instr.mods.ftz = 0;
            check_or_refuse(&form, compares(from, (uint8_t)cmp, false) && sets(to, from));
        }
}

static void testp_oracle(const struct lane_input *in, struct lane_result *out)
{
    struct decoded d = decode(in->instr->type, in->src[0], false);
    switch (in->instr->mods.test) {
    case ISA_TEST_FINITE: out->p = !d.nan && !d.infinite; break;
    case ISA_TEST_INFINITE: out->p = d.infinite; break;
    case ISA_TEST_NUMBER: out->p = !d.nan; break;
    case ISA_TEST_NOTANUMBER: out->p = d.nan; break;
    case ISA_TEST_NORMAL: out->p = !d.nan && !d.infinite && !d.subnormal; break;
    default: out->p = d.subnormal; break;
    }
}

static void every_testp(void **state)
{
    for (unsigned type = 0; type < ISA_TYPE_COUNT; type++)
        for (unsigned test = 0; test <= ISA_TEST_SUBNORMAL; test++) {
            struct lane_form form = {.instr = {.op = ISA_OP_TESTP, .type = (uint8_t)type, .mods = {.test = (uint8_t)test}},
                                     .src_bits = {lane_bits_of((uint8_t)type)}, .preds = 1, .oracle = testp_oracle};
            check_or_refuse(&form, test && (type == ISA_F32 || type == ISA_F64));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_setp), cmocka_unit_test(every_set), cmocka_unit_test(every_testp)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
