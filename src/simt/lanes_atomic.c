/* Atomic operations on one location, as the L2 and shared memory perform them. PTX ISA, "atom" and "red".
 *
 * Integers wrap; inc and dec wrap at the operand. Floating-point sums are rounded to nearest even; a NaN result is
 * the canonical NaN of its format, in f64 the operand if it is NaN, else what memory had, made quiet. f32 sums flush
 * subnormals unless LANE_ATOMIC_SUBNORMAL is given, the 16-bit formats never do. Those of 128 bits are performed by whoever
 * has both halves (packet_values.c of room memory, access.c). */
#include "base/bits.h"
#include "simt/lanes_body.h"

#define F32_NAN UINT32_C(0x7fffffff)
#define F64_NAN UINT64_C(0xfff8000000000000)
#define F64_QUIET UINT64_C(0x0008000000000000)
#define HALF_NAN 0x7fff /* f16 and bf16 alike */

static float f32_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t bits_of_f32(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return value != value ? F32_NAN : bits;
}

static uint32_t flush_f32(uint32_t bits)
{
    return bits & 0x7f800000 ? bits : bits & 0x80000000;
}

static uint32_t add_f32(uint32_t x, uint32_t y, bool keep_subnormal)
{
    if (keep_subnormal)
        return bits_of_f32(f32_of(x) + f32_of(y));
    return flush_f32(bits_of_f32(f32_of(flush_f32(x)) + f32_of(flush_f32(y))));
}

static uint64_t add_f64(uint64_t x, uint64_t y)
{
    double a, b;
    memcpy(&a, &x, sizeof a);
    memcpy(&b, &y, sizeof b);
    if (a != a || b != b)
        return (b != b ? y : x) | F64_QUIET;
    double sum = a + b;
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    return sum != sum ? F64_NAN : bits;
}

/* A finite f16 in units of 2^-24, the least subnormal: an integer below 2^41 in magnitude, so that sums are exact. */
static int64_t f16_units(uint32_t x)
{
    int64_t significand = x & 0x3ff, exponent = x >> 10 & 31;
    int64_t units = exponent ? (significand | 0x400) << (exponent - 1) : significand;
    return x & 0x8000 ? -units : units;
}

static uint32_t f16_from_units(uint64_t units)
{
    if (units < 0x400)
        return (uint32_t)units;
    unsigned drop = 53 - (unsigned)__builtin_clzll(units); /* bits beyond 11 */
    uint64_t kept = units >> drop, rest = units & (BIT64(drop) - 1), half = drop ? BIT64(drop - 1) : 1;
    kept += rest > half || (drop && rest == half && (kept & 1));
    uint64_t bits = ((uint64_t)drop << 10) + kept; /* a carry out of the significand moves into the exponent */
    return bits < 0x7c00 ? (uint32_t)bits : 0x7c00;
}

static uint32_t add_f16(uint32_t x, uint32_t y)
{
    bool x_inf = (x & 0x7fff) == 0x7c00, y_inf = (y & 0x7fff) == 0x7c00;
    if ((x & 0x7fff) > 0x7c00 || (y & 0x7fff) > 0x7c00 || (x_inf && y_inf && x != y))
        return HALF_NAN;
    if (x_inf || y_inf)
        return x_inf ? x : y;
    int64_t sum = f16_units(x) + f16_units(y);
    if (sum == 0)
        return x & y & 0x8000;
    return sum < 0 ? f16_from_units((uint64_t)-sum) | 0x8000 : f16_from_units((uint64_t)sum);
}

/* A float carries more than twice the digits of a bf16 and has its exponents, so that rounding a sum first to float
 * does no harm. */
static uint32_t add_bf16(uint32_t x, uint32_t y)
{
    uint32_t bits = bits_of_f32(f32_of(x << 16) + f32_of(y << 16));
    if (bits == F32_NAN)
        return HALF_NAN;
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

/* min and max of f16 or bf16: a NaN loses against a number, -0 is below +0. inf is the format's infinity. */
static uint32_t order_half(uint32_t x)
{
    return x & 0x8000 ? 0xffff - x : x | 0x8000;
}
static uint32_t extreme_half(uint32_t x, uint32_t y, uint32_t inf, bool want_max)
{
    bool x_nan = (x & 0x7fff) > inf, y_nan = (y & 0x7fff) > inf;
    if (x_nan || y_nan)
        return x_nan && y_nan ? HALF_NAN : x_nan ? y : x;
    return (order_half(x) < order_half(y)) != want_max ? x : y;
}

static uint32_t half_operation(uint8_t atomic, bool is_bf16, uint32_t x, uint32_t y)
{
    if (atomic == ISA_ATOMIC_ADD)
        return is_bf16 ? add_bf16(x, y) : add_f16(x, y);
    return extreme_half(x, y, is_bf16 ? 0x7f80 : 0x7c00, atomic == ISA_ATOMIC_MAX);
}

static uint64_t float_operation(uint8_t atomic, uint8_t type, uint64_t old, uint64_t operand, bool keep_subnormal)
{
    uint32_t x = (uint32_t)old, y = (uint32_t)operand;
    bool is_bf16 = type == ISA_BF16 || type == ISA_BF16X2;
    switch (type) {
    case ISA_F32: return add_f32(x, y, keep_subnormal);
    case ISA_F64: return add_f64(old, operand);
    case ISA_F16: case ISA_BF16: return half_operation(atomic, is_bf16, x & 0xffff, y & 0xffff);
    default:
        return half_operation(atomic, is_bf16, x & 0xffff, y & 0xffff) |
               half_operation(atomic, is_bf16, x >> 16, y >> 16) << 16;
    }
}

/* Values below 2^bits; the result may have bits above. */
static uint64_t integer_operation(uint8_t atomic, uint8_t type, uint64_t old, uint64_t operand, uint64_t compare)
{
    /* Flipping the sign bit makes the signed order the unsigned one. */
    uint64_t flip = lane_type_class(type) == ISA_CLASS_SINT ? BIT64(lane_type_bits(type) - 1) : 0;
    switch (atomic) {
    case ISA_ATOMIC_ADD: return old + operand;
    case ISA_ATOMIC_MIN: return (old ^ flip) < (operand ^ flip) ? old : operand;
    case ISA_ATOMIC_MAX: return (old ^ flip) > (operand ^ flip) ? old : operand;
    case ISA_ATOMIC_INC: return old >= operand ? 0 : old + 1;
    case ISA_ATOMIC_DEC: return old == 0 || old > operand ? operand : old - 1;
    case ISA_ATOMIC_AND: return old & operand;
    case ISA_ATOMIC_OR: return old | operand;
    case ISA_ATOMIC_XOR: return old ^ operand;
    case ISA_ATOMIC_EXCH: return operand;
    case ISA_ATOMIC_TAKE: return old ? old - 1 : old;
    default: return old == compare ? operand : old;
    }
}

bool lane_atomic_valid(uint8_t atomic, uint8_t type)
{
    bool integer = type == ISA_U32 || type == ISA_S32 || type == ISA_U64 || type == ISA_S64;
    bool half = type == ISA_F16 || type == ISA_BF16 || type == ISA_F16X2 || type == ISA_BF16X2;
    bool bits = type == ISA_B32 || type == ISA_B64;
    switch (atomic & ~LANE_ATOMIC_SUBNORMAL) {
    case ISA_ATOMIC_ADD: return integer || half || type == ISA_F32 || type == ISA_F64;
    case ISA_ATOMIC_MIN: case ISA_ATOMIC_MAX: return integer || half;
    case ISA_ATOMIC_INC: case ISA_ATOMIC_DEC: return type == ISA_U32;
    case ISA_ATOMIC_AND: case ISA_ATOMIC_OR: case ISA_ATOMIC_XOR: case ISA_ATOMIC_EXCH:
        return bits || integer;
    case ISA_ATOMIC_TAKE: return type == ISA_U32 || type == ISA_B32;
    case ISA_ATOMIC_CAS: return bits || integer || type == ISA_B16;
    default: return false;
    }
}

uint64_t lane_atomic(uint8_t atomic, uint8_t type, uint64_t old, uint64_t operand, uint64_t compare)
{
    uint8_t operation = atomic & (uint8_t)~LANE_ATOMIC_SUBNORMAL;
    /* Those that programs use most. */
    bool word = type == ISA_U32 || type == ISA_S32 || type == ISA_B32;
    if (word && operation == ISA_ATOMIC_CAS)
        return (uint32_t)old == (uint32_t)compare ? (uint32_t)operand : (uint32_t)old;
    if (word && operation == ISA_ATOMIC_EXCH)
        return (uint32_t)operand;
    if (word && operation == ISA_ATOMIC_ADD && type != ISA_B32)
        return (uint32_t)(old + operand);
    uint64_t keep = type < ISA_TYPE_COUNT ? mask_low(lane_type_bits(type)) : 0;
    if (!lane_atomic_valid(operation, type))
        return old;
    if (lane_type_class(type) == ISA_CLASS_FLOAT || lane_type_class(type) == ISA_CLASS_PACKED)
        return float_operation(operation, type, old, operand, atomic & LANE_ATOMIC_SUBNORMAL) & keep;
    return integer_operation(operation, type, old & keep, operand & keep, compare & keep) & keep;
}

#undef F32_NAN
#undef F64_NAN
#undef F64_QUIET
#undef HALF_NAN
