/* Integer arithmetic against an oracle that computes with numbers of any sign in 128 bits and multiplies by shifting
 * and adding. Every combination of opcode, type and modifiers is tried: those that PTX allows must resolve and
 * agree, all others must not resolve. */
#include "lane_check.h"

/* 128-bit numbers modulo 2^128, multiplied bit by bit. */
static unsigned __int128 product(__int128 x, __int128 y)
{
    unsigned __int128 sum = 0, addend = (unsigned __int128)x, bits = (unsigned __int128)y;
    for (unsigned i = 0; i < 128; i++)
        if (bits >> i & 1)
            sum += addend << i;
    return sum;
}

static uint64_t field(unsigned __int128 x, unsigned from, unsigned count)
{
    uint64_t result = 0;
    for (unsigned i = 0; i < count; i++)
        result |= (uint64_t)(x >> (from + i) & 1) << i;
    return result;
}

static __int128 clamp(__int128 x, uint8_t type)
{
    return x < lane_least(type) ? lane_least(type) : x > lane_most(type) ? lane_most(type) : x;
}

/* Truncated quotient by long division of magnitudes. */
static void divide(__int128 x, __int128 y, __int128 *quotient, __int128 *remainder)
{
    unsigned __int128 n = (unsigned __int128)(x < 0 ? -x : x), d = (unsigned __int128)(y < 0 ? -y : y), q = 0, r = 0;
    for (int i = 127; i >= 0; i--) {
        r = r << 1 | (n >> i & 1);
        if (r >= d) {
            r -= d;
            q |= (unsigned __int128)1 << i;
        }
    }
    *quotient = (x < 0) != (y < 0) ? -(__int128)q : (__int128)q;
    *remainder = x < 0 ? -(__int128)r : (__int128)r;
}

static __int128 half_number(uint8_t type, uint64_t bits, unsigned i)
{
    return lane_number_of(type == ISA_S16X2 ? ISA_S16 : ISA_U16, bits >> 16 * i & 0xffff);
}

static void packed_oracle(const struct lane_input *in, struct lane_result *out)
{
    for (unsigned i = 0; i < 2; i++) {
        __int128 x = half_number(in->instr->type, in->src[0], i), y = half_number(in->instr->type, in->src[1], i), r;
        if (in->instr->op == ISA_OP_ADD)
            r = x + y;
        else if (in->instr->op == ISA_OP_MIN)
            r = x < y ? x : y;
        else
            r = x > y ? x : y;
        if (in->instr->mods.sat == ISA_SAT_RELU && r < 0)
            r = 0;
        out->value |= field((unsigned __int128)r, 0, 16) << 16 * i;
    }
}

/* Opcodes whose result is one exact number, cut or clamped to the type. */
static __int128 exact(const struct lane_input *in, __int128 x, __int128 y, __int128 z)
{
    __int128 q, r;
    switch (in->instr->op) {
    case ISA_OP_ADD: return x + y;
    case ISA_OP_SUB: return x - y;
    case ISA_OP_SAD: return z + (x > y ? x - y : y - x);
    case ISA_OP_ABS: return x < 0 ? -x : x;
    case ISA_OP_NEG: return -x;
    case ISA_OP_MIN: return x < y ? x : y;
    case ISA_OP_MAX: return y > x ? y : x;
    case ISA_OP_DIV: case ISA_OP_REM:
        if (y == 0)
            return -1;
        divide(x, y, &q, &r);
        return in->instr->op == ISA_OP_DIV ? q : r;
    default: fail_msg("no oracle"); return 0;
    }
}

static void exact_oracle(const struct lane_input *in, struct lane_result *out)
{
    uint8_t type = in->instr->type;
    __int128 r = exact(in, lane_number_of(type, in->src[0]), lane_number_of(type, in->src[1]), lane_number_of(type, in->src[2]));
    if (in->instr->mods.sat == ISA_SAT_YES)
        r = clamp(r, type);
    if (in->instr->mods.sat == ISA_SAT_RELU && r < 0)
        r = 0;
    out->value = field((unsigned __int128)r, 0, lane_bits_of(type));
}

/* The part of the product that .lo, .hi or .wide names, as a number of the result's type. */
static void product_oracle(const struct lane_input *in, struct lane_result *out)
{
    uint8_t type = in->instr->type, half = in->instr->mods.half;
    unsigned n = lane_bits_of(type), width = half == ISA_HALF_WIDE ? 2 * n : n;
    unsigned __int128 p = product(lane_number_of(type, in->src[0]), lane_number_of(type, in->src[1]));
    uint64_t part = field(p, half == ISA_HALF_HI ? n : 0, width);
    if (in->instr->op == ISA_OP_MUL) {
        out->value = part;
    } else if (in->instr->mods.sat) {
        __int128 sum = lane_number_of(type, part) + lane_number_of(type, in->src[2]);
        out->value = field((unsigned __int128)clamp(sum, type), 0, n);
    } else {
        out->value = field((unsigned __int128)part + in->src[2], 0, width);
    }
}

static void product24_oracle(const struct lane_input *in, struct lane_result *out)
{
    uint8_t type = in->instr->type;
    __int128 x = in->src[0] & 0xffffff, y = in->src[1] & 0xffffff;
    if (type == ISA_S32) {
        x -= x >= 0x800000 ? 0x1000000 : 0;
        y -= y >= 0x800000 ? 0x1000000 : 0;
    }
    uint64_t part = field(product(x, y), in->instr->mods.half == ISA_HALF_HI ? 16 : 0, 32);
    __int128 sum = lane_number_of(type, part);
    if (in->instr->op == ISA_OP_MAD24)
        sum += lane_number_of(type, in->src[2]);
    if (in->instr->mods.sat)
        sum = clamp(sum, type);
    out->value = field((unsigned __int128)sum, 0, 32);
}

/* A ripple of full adders, so that the carry out is the last one's. */
static uint64_t ripple(uint64_t x, uint64_t y, bool *carry, unsigned n)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < n; i++) {
        unsigned ones = (x >> i & 1) + (y >> i & 1) + *carry;
        sum |= (uint64_t)(ones & 1) << i;
        *carry = ones > 1;
    }
    return sum;
}

static void carry_oracle(const struct lane_input *in, struct lane_result *out)
{
    uint8_t type = in->instr->type, op = (uint8_t)in->instr->op;
    unsigned n = lane_bits_of(type);
    bool takes = op == ISA_OP_ADDC || op == ISA_OP_SUBC || op == ISA_OP_MADC, carry = takes && in->carry;
    if (op == ISA_OP_SUB || op == ISA_OP_SUBC) { /* x + ~y + 1, where a missing carry is a borrow */
        carry = !carry;
        out->value = ripple(in->src[0], ~in->src[1], &carry, n);
        out->carry = !carry;
    } else if (op == ISA_OP_ADD || op == ISA_OP_ADDC) {
        out->value = ripple(in->src[0], in->src[1], &carry, n);
        out->carry = carry;
    } else {
        unsigned __int128 p = product(lane_number_of(type, in->src[0]), lane_number_of(type, in->src[1]));
        out->value = ripple(field(p, in->instr->mods.half == ISA_HALF_HI ? n : 0, n), in->src[2], &carry, n);
        out->carry = carry;
    }
}

static void dot_oracle(const struct lane_input *in, struct lane_result *out)
{
    bool a_signed = in->instr->type == ISA_S32, b_signed = in->instr->stype == ISA_S32, four = in->instr->op == ISA_OP_DP4A;
    __int128 sum = lane_number_of(ISA_S32, in->src[2]);
    for (unsigned i = 0; i < (four ? 4u : 2u); i++) {
        unsigned at = four || in->instr->mods.half == ISA_HALF_LO ? i : i + 2;
        uint64_t a = four ? in->src[0] >> 8 * i & 0xff : in->src[0] >> 16 * i & 0xffff, b = in->src[1] >> 8 * at & 0xff;
        uint8_t a_type = four ? a_signed ? ISA_S8 : ISA_U8 : a_signed ? ISA_S16 : ISA_U16;
        sum += lane_number_of(a_type, a) * lane_number_of(b_signed ? ISA_S8 : ISA_U8, b);
    }
    out->value = field((unsigned __int128)sum, 0, 32);
}

/* The form for op, types and modifiers as the PTX ISA describes it; false where it describes none. */
static bool form_of(struct lane_form *form)
{
    const struct isa_instr *instr = &form->instr;
    uint8_t op = (uint8_t)instr->op, type = instr->type, half = instr->mods.half, sat = instr->mods.sat;
    bool cc = instr->mods.cc, integer = lane_is_int(type, 16), wide = lane_is_int(type, 32), packed = type == ISA_U16X2 || type == ISA_S16X2;
    unsigned n = lane_bits_of(type);
    *form = (struct lane_form){.instr = *instr, .dst_bits = n, .src_bits = {n, n}, .oracle = exact_oracle, .carry = cc};
    if (op != ISA_OP_DP4A && op != ISA_OP_DP2A && instr->stype)
        return false;
    switch (op) {
    case ISA_OP_ADD: case ISA_OP_SUB:
        form->oracle = cc ? carry_oracle : packed ? packed_oracle : exact_oracle;
        return (integer || (packed && op == ISA_OP_ADD)) && !half && (!cc || wide) && (!sat || (sat == ISA_SAT_YES && type == ISA_S32 && !cc)) &&
               !(packed && cc);
    case ISA_OP_ADDC: case ISA_OP_SUBC:
        form->oracle = carry_oracle;
        return wide && !half && !sat;
    case ISA_OP_MUL: case ISA_OP_MAD:
        form->oracle = cc ? carry_oracle : product_oracle;
        if (half == ISA_HALF_WIDE)
            form->dst_bits = 2 * n;
        form->src_bits[2] = op == ISA_OP_MAD ? form->dst_bits : 0;
        if (!integer || !half || (half == ISA_HALF_WIDE && n > 32) || (op == ISA_OP_MUL && (sat || cc)))
            return false;
        if (sat)
            return sat == ISA_SAT_YES && type == ISA_S32 && half == ISA_HALF_HI && !cc;
        return !cc || (wide && half != ISA_HALF_WIDE);
    case ISA_OP_MADC:
        form->oracle = carry_oracle;
        form->src_bits[2] = n;
        return wide && !sat && (half == ISA_HALF_LO || half == ISA_HALF_HI);
    case ISA_OP_MUL24: case ISA_OP_MAD24:
        form->oracle = product24_oracle;
        form->src_bits[2] = op == ISA_OP_MAD24 ? 32 : 0;
        if ((type != ISA_U32 && type != ISA_S32) || cc || (half != ISA_HALF_LO && half != ISA_HALF_HI))
            return false;
        return !sat || (sat == ISA_SAT_YES && op == ISA_OP_MAD24 && type == ISA_S32 && half == ISA_HALF_HI);
    case ISA_OP_SAD:
        form->src_bits[2] = n;
        return integer && !half && !sat && !cc;
    case ISA_OP_DIV: case ISA_OP_REM:
        return integer && !half && !sat && !cc;
    case ISA_OP_ABS: case ISA_OP_NEG:
        form->src_bits[1] = 0;
        return integer && lane_is_signed(type) && !half && !sat && !cc;
    case ISA_OP_MIN: case ISA_OP_MAX:
        form->oracle = packed ? packed_oracle : exact_oracle;
        return (integer || packed) && !half && !cc && (!sat || (sat == ISA_SAT_RELU && (type == ISA_S32 || type == ISA_S16X2)));
    case ISA_OP_DP4A: case ISA_OP_DP2A:
        form->oracle = dot_oracle;
        form->src_bits[2] = 32;
        return (type == ISA_U32 || type == ISA_S32) && (instr->stype == ISA_U32 || instr->stype == ISA_S32) && !sat && !cc &&
               (op == ISA_OP_DP4A ? !half : half == ISA_HALF_LO || half == ISA_HALF_HI);
    default: return false;
    }
}

static void try_form(unsigned op, unsigned type, unsigned stype, struct isa_mods mods)
{
    struct lane_form form = {.instr = {.op = (uint16_t)op, .type = (uint8_t)type, .stype = (uint8_t)stype, .mods = mods}};
    if (form_of(&form)) {
        lane_check(&form, lane_resolve_int, lane_resolve_int_avx2);
    } else if (lane_resolve_int(&form.instr)) {
        struct lane_input in = {.instr = &form.instr};
        lane_describe(&in, 0, 1, 0, "resolved, not PTX");
    }
}

static void test_op(unsigned op)
{
    for (unsigned type = 0; type < ISA_TYPE_COUNT; type++)
        for (unsigned stype = 0; stype < ISA_TYPE_COUNT; stype++)
            for (unsigned i = 0; i < 4 * 4 * 2; i++)
                try_form(op, type, stype,
                         (struct isa_mods){.half = (uint8_t)(i & 3), .sat = (uint8_t)(i >> 2 & 3), .cc = (uint8_t)(i >> 4)});
}

static void every_form_agrees(void **state)
{
    for (unsigned op = 0; op < ISA_OP_COUNT; op++)
        test_op(op);
}

/* The values that PTX leaves open and Lockstep fixes, in numbers. */
static uint32_t run_32(unsigned op, unsigned type, uint32_t x, uint32_t y)
{
    struct isa_instr instr = {.op = (uint16_t)op, .type = (uint8_t)type};
    uint32_t a[LANES] = {x}, b[LANES] = {y}, d[LANES] = {0};
    struct lane_args args = {.dst = {d}, .src = {a, b}, .mask = 1, .instr = &instr};
    lane_resolve_int(&instr)(&args);
    return d[0];
}
static void division_by_zero(void **state)
{
    assert_int_equal(run_32(ISA_OP_DIV, ISA_U32, 5, 0), 0xffffffff);
    assert_int_equal(run_32(ISA_OP_DIV, ISA_S32, (uint32_t)-5, 0), 0xffffffff);
    assert_int_equal(run_32(ISA_OP_REM, ISA_U32, 5, 0), 0xffffffff);
    assert_int_equal(run_32(ISA_OP_DIV, ISA_U16, 5, 0), 0xffff);
    assert_int_equal(run_32(ISA_OP_DIV, ISA_S32, 0x80000000, (uint32_t)-1), 0x80000000);
    assert_int_equal(run_32(ISA_OP_REM, ISA_S32, 0x80000000, (uint32_t)-1), 0);
    assert_int_equal(run_32(ISA_OP_REM, ISA_S32, (uint32_t)-7, 3), (uint32_t)-1);
}

static void other_modifiers_do_not_resolve(void **state)
{
    struct isa_instr instr = {.op = ISA_OP_ADD, .type = ISA_U32, .mods = {.ftz = ISA_FTZ_YES}};
    assert_null(lane_resolve_int(&instr));
    instr.mods = (struct isa_mods){.round = ISA_ROUND_RN};
    assert_null(lane_resolve_int(&instr));
}

static void sinks_take_nothing(void **state)
{
    struct isa_instr instr = {.op = ISA_OP_ADD, .type = ISA_U32};
    uint32_t a[LANES] = {1};
    struct lane_args args = {.src = {a, a}, .mask = 5, .instr = &instr};
    lane_resolve_int(&instr)(&args);
    assert_int_equal(a[0], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_agrees),
        cmocka_unit_test(division_by_zero),
        cmocka_unit_test(other_modifiers_do_not_resolve),
        cmocka_unit_test(sinks_take_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
