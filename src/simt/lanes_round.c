/* Exact arithmetic on struct lane_number, for the roundings, formats and hosts that the processor's own instructions do
 * not serve. Products and sums are formed in 128 bits, whatever falls off is kept as one sticky bit, and the rounding
 * is left to the caller (IEEE 754-2019, 4.3 and 5.4). Speed is secondary here: the common instructions never come this
 * way. */
#include "simt/lanes_float.h"

typedef unsigned __int128 uint128;

static const struct lane_number not_a_number = {LANE_NAN, false, 0, 0};

/* A positive value: significand * 2^exponent. */
struct wide {
    uint128 significand;
    int exponent;
};

static unsigned leading_zeros(uint128 x)
{
    uint64_t high = (uint64_t)(x >> 64);
    return high ? (unsigned)__builtin_clzll(high) : 64 + (unsigned)__builtin_clzll((uint64_t)x);
}

/* Shifts right and keeps whether anything was lost. */
static uint128 shift_jam(uint128 x, unsigned count)
{
    if (count == 0)
        return x;
    if (count > 127)
        return x != 0;
    return x >> count | ((x << (128 - count)) != 0);
}

/* The highest bit at position 126, which leaves room for a carry. */
static struct wide wide_normal(uint128 significand, int exponent)
{
    unsigned zeros = leading_zeros(significand);
    struct wide x = {zeros ? significand << (zeros - 1) : shift_jam(significand, 1), exponent + 1 - (int)zeros};
    return x;
}

static struct lane_number from_wide(bool negative, struct wide x)
{
    unsigned zeros = leading_zeros(x.significand);
    uint128 top = x.significand << zeros;
    struct lane_number result = {LANE_FINITE, negative, x.exponent - (int)zeros + 64,
                                 (uint64_t)(top >> 64) | ((uint64_t)top != 0)};
    return result;
}

static struct lane_number signed_kind(enum lane_kind kind, bool negative)
{
    struct lane_number result = {kind, negative, 0, 0};
    return result;
}

/* Both are exact and normal. When alignment loses bits, the exponents differ by over 20, cancellation is of one bit at
 * most, and the sticky bit stays far below the 64 bits kept. */
static struct lane_number add_wide(bool a_negative, struct wide a, bool b_negative, struct wide b, unsigned mode)
{
    if (a.exponent < b.exponent || (a.exponent == b.exponent && a.significand < b.significand)) {
        struct wide larger = b;
        bool larger_negative = b_negative;
        b = a;
        a = larger;
        b_negative = a_negative;
        a_negative = larger_negative;
    }
    uint128 low = shift_jam(b.significand, (unsigned)(a.exponent - b.exponent));
    a.significand = a_negative == b_negative ? a.significand + low : a.significand - low;
    if (a.significand == 0)
        return signed_kind(LANE_ZERO, mode == ISA_ROUND_RM);
    return from_wide(a_negative, a);
}

static struct lane_number add_special(const struct lane_number *a, const struct lane_number *b, unsigned mode)
{
    if (a->kind == LANE_NAN || b->kind == LANE_NAN)
        return not_a_number;
    if (a->kind == LANE_INFINITE && b->kind == LANE_INFINITE && a->negative != b->negative)
        return not_a_number;
    if (a->kind == LANE_INFINITE)
        return *a;
    if (b->kind == LANE_INFINITE)
        return *b;
    if (a->kind == LANE_ZERO && b->kind == LANE_ZERO)
        return signed_kind(LANE_ZERO, a->negative == b->negative ? a->negative : mode == ISA_ROUND_RM);
    return a->kind == LANE_ZERO ? *b : *a;
}

/* Exact results of numbers of up to 53 bits, ready for one rounding by mode (which decides the sign of an exact zero
 * sum). */
static struct lane_number exact_add(const struct lane_number *a, const struct lane_number *b, unsigned mode)
{
    if (a->kind != LANE_FINITE || b->kind != LANE_FINITE)
        return add_special(a, b, mode);
    return add_wide(a->negative, wide_normal(a->significand, a->exponent), b->negative,
                    wide_normal(b->significand, b->exponent), mode);
}

static struct lane_number multiply_special(const struct lane_number *a, const struct lane_number *b)
{
    bool zero = a->kind == LANE_ZERO || b->kind == LANE_ZERO,
         infinite = a->kind == LANE_INFINITE || b->kind == LANE_INFINITE;
    if (a->kind == LANE_NAN || b->kind == LANE_NAN || (zero && infinite))
        return not_a_number;
    return signed_kind(zero ? LANE_ZERO : infinite ? LANE_INFINITE : LANE_FINITE, a->negative != b->negative);
}

static struct lane_number exact_mul(const struct lane_number *a, const struct lane_number *b)
{
    struct lane_number special = multiply_special(a, b);
    if (special.kind != LANE_FINITE)
        return special;
    return from_wide(special.negative,
                     wide_normal((uint128)a->significand * b->significand, a->exponent + b->exponent));
}

static struct lane_number exact_fma(const struct lane_number *a, const struct lane_number *b,
                                    const struct lane_number *c, unsigned mode)
{
    struct lane_number product = multiply_special(a, b);
    if (product.kind != LANE_FINITE)
        return add_special(&product, c, mode);
    if (c->kind == LANE_ZERO)
        return exact_mul(a, b);
    if (c->kind != LANE_FINITE)
        return add_special(&product, c, mode);
    struct wide wide_product = wide_normal((uint128)a->significand * b->significand, a->exponent + b->exponent);
    return add_wide(product.negative, wide_product, c->negative, wide_normal(c->significand, c->exponent), mode);
}

static struct lane_number divide_special(const struct lane_number *a, const struct lane_number *b)
{
    bool negative = a->negative != b->negative;
    if (a->kind == LANE_NAN || b->kind == LANE_NAN || (a->kind == b->kind && a->kind != LANE_FINITE))
        return not_a_number;
    if (a->kind == LANE_INFINITE || b->kind == LANE_ZERO)
        return signed_kind(LANE_INFINITE, negative);
    return signed_kind(a->kind == LANE_ZERO || b->kind == LANE_INFINITE ? LANE_ZERO : LANE_FINITE, negative);
}

static struct lane_number exact_div(const struct lane_number *a, const struct lane_number *b)
{
    struct lane_number result = divide_special(a, b);
    if (result.kind != LANE_FINITE)
        return result;
    int a_zeros = __builtin_clzll(a->significand), b_zeros = __builtin_clzll(b->significand);
    uint128 numerator = (uint128)(a->significand << a_zeros) << 63;
    uint64_t denominator = b->significand << b_zeros;
    uint128 quotient = numerator / denominator; /* in 2^62..2^64 */
    result.significand = (uint64_t)quotient | (numerator % denominator != 0);
    result.exponent = a->exponent - a_zeros - (b->exponent - b_zeros) - 63;
    return result;
}

/* The integer square root, bit by bit from the top. */
static uint64_t root_of(uint128 x)
{
    uint64_t root = 0;
    for (uint64_t bit = UINT64_C(1) << 63; bit; bit >>= 1) {
        uint64_t larger = root | bit;
        if ((uint128)larger * larger <= x)
            root = larger;
    }
    return root;
}

static struct lane_number exact_sqrt(const struct lane_number *a)
{
    if (a->kind == LANE_ZERO || a->kind == LANE_NAN)
        return *a;
    if (a->negative)
        return not_a_number;
    if (a->kind == LANE_INFINITE)
        return *a;
    struct wide x = wide_normal(a->significand, a->exponent);
    if (x.exponent & 1) {
        x.significand <<= 1;
        x.exponent--;
    }
    uint64_t root = root_of(x.significand);
    bool exact = (uint128)root * root == x.significand;
    struct lane_number result = {LANE_FINITE, false, x.exponent / 2, root | !exact};
    return result;
}

static unsigned mode_of_integer_mode(unsigned mode)
{
    switch (mode) {
    case ISA_ROUND_RZI: return ISA_ROUND_RZ;
    case ISA_ROUND_RMI: return ISA_ROUND_RM;
    case ISA_ROUND_RPI: return ISA_ROUND_RP;
    default: return ISA_ROUND_RN;
    }
}

struct lane_number lane_round_integer(const struct lane_number *x, unsigned mode)
{
    if (x->kind != LANE_FINITE || x->exponent >= 0)
        return *x;
    unsigned drop = x->exponent < -64 ? 65 : (unsigned)-x->exponent;
    uint64_t kept = 0, rest = 1, half = 2;
    if (drop < 64) {
        kept = x->significand >> drop;
        rest = x->significand & ((UINT64_C(1) << drop) - 1);
        half = UINT64_C(1) << (drop - 1);
    } else if (drop == 64) {
        rest = x->significand;
        half = UINT64_C(1) << 63;
    }
    kept += lane_rounds_up(mode_of_integer_mode(mode), x->negative, kept & 1, rest, half);
    struct lane_number result = {kept ? LANE_FINITE : LANE_ZERO, x->negative, 0, kept};
    return result;
}

uint64_t lane_soft(const struct lane_format *format, unsigned op, unsigned mode, const uint64_t operand[3])
{
    static const struct lane_number one = {LANE_FINITE, false, 0, 1};
    struct lane_number a = lane_unpack(format, operand[0]), b = lane_unpack(format, operand[1]),
                       c = lane_unpack(format, operand[2]);
    struct lane_number result;
    switch (op) {
    case ISA_OP_SUB:
        b.negative = !b.negative;
        result = exact_add(&a, &b, mode);
        break;
    case ISA_OP_ADD: result = exact_add(&a, &b, mode); break;
    case ISA_OP_MUL: result = exact_mul(&a, &b); break;
    case ISA_OP_DIV: result = exact_div(&a, &b); break;
    case ISA_OP_RCP: result = exact_div(&one, &a); break;
    case ISA_OP_SQRT: result = exact_sqrt(&a); break;
    default: result = exact_fma(&a, &b, &c, mode); break;
    }
    return lane_pack(format, mode, &result);
}

bool lane_rounds_exactly(const struct isa_instr *instr, bool optional)
{
    switch (instr->mods.round) {
    case ISA_ROUND_RN:
    case ISA_ROUND_RZ:
    case ISA_ROUND_RM:
    case ISA_ROUND_RP: return true;
    default: return optional && instr->mods.round == 0;
    }
}

/* Patterns in the order of their values, -0 below +0, as unsigned integers. */
static uint64_t order_of(const struct lane_format *format, uint64_t bits)
{
    uint64_t sign = UINT64_C(1) << (format->bits - 1);
    return bits & sign ? ~bits & (sign | (sign - 1)) : bits | sign;
}

uint64_t lane_select_extreme(const struct lane_format *format, const struct isa_instr *instr, uint64_t a, uint64_t b)
{
    uint64_t sign = UINT64_C(1) << (format->bits - 1), result_sign = (a ^ b) & sign;
    bool a_nan = (a & ~sign) > format->infinity, b_nan = (b & ~sign) > format->infinity;
    if (instr->mods.abs) {
        a &= ~sign;
        b &= ~sign;
    }
    if ((a_nan && b_nan) || (instr->mods.nan && (a_nan || b_nan)))
        return format->nan;
    uint64_t chosen;
    if (a_nan || b_nan)
        chosen = a_nan ? b : a;
    else
        chosen = (order_of(format, a) < order_of(format, b)) == (instr->op == ISA_OP_MIN) ? a : b;
    return instr->mods.xorsign ? (chosen & ~sign) | result_sign : chosen;
}
