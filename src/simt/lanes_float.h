/* The part that floating-point lane families share: bit images, formats, rounding, and exact arithmetic ahead of one
 * rounding.
 *
 * Nothing here touches the rounding mode of the host: the host always rounds to nearest even with subnormals (the
 * default of every thread), and every other rounding is done on integers. An operation is exact until its one rounding:
 *   - struct lane_number holds a value as sign, exponent and a 64-bit significand whose lowest bit is sticky (set when
 *     anything was lost below it). 64 bits are at least two more than any format's precision, so rounding it rounds
 *     the exact value;
 *   - for formats of up to 24 bits, sums and products are formed in double and rounded to odd (lane_fma_odd), which
 *     serves the same end: 53 >= 24 + 2.
 *
 * NaN results are canonical for formats of up to 32 bits; f64 keeps the payload of the first NaN operand
 * (docs/arithmetic.md). */
#ifndef LOCKSTEP_SIMT_LANES_FLOAT_H
#define LOCKSTEP_SIMT_LANES_FLOAT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "isa/program.h"
#include "simt/lanes.h"

/* A body that is stamped into several functions with constant arguments. */
#define LANE_STAMPED static inline __attribute__((always_inline))

/* Where the host may have a fused multiply-add: functions marked LANE_FUSED are called only when lane_host_fuses(). */
#if defined(__x86_64__)
#define LANE_FUSED __attribute__((target("avx2,fma")))
static inline bool lane_host_fuses(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#else
#define LANE_FUSED
static inline bool lane_host_fuses(void)
{
    return false;
}
#endif

#define LANE_NAN16 UINT32_C(0x7FFF)
#define LANE_NAN32 UINT32_C(0x7FFFFFFF)
#define LANE_NAN64 UINT64_C(0xFFF8000000000000)
#define LANE_SIGN32 UINT32_C(0x80000000)
#define LANE_SIGN64 UINT64_C(0x8000000000000000)
#define LANE_INF32 UINT32_C(0x7F800000)
#define LANE_INF64 UINT64_C(0x7FF0000000000000)

static inline float lane_f32(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t lane_f32_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double lane_f64(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t lane_f64_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* .ftz: a subnormal f32 becomes the zero of its sign. */
static inline uint32_t lane_flush32(uint32_t bits)
{
    return bits & LANE_INF32 ? bits : bits & LANE_SIGN32;
}

/* An f32 result as the machine writes it: NaN becomes the canonical one. */
static inline uint32_t lane_result32(float value)
{
    return value != value ? LANE_NAN32 : lane_f32_bits(value);
}

/* .sat: into [+0, 1]; NaN becomes +0. */
static inline float lane_saturate32(float value)
{
    value = value > 0.0f ? value : 0.0f;
    return value < 1.0f ? value : 1.0f;
}

/* A binary interchange format, or tf32: its pattern has 1 + exponent + precision - 1 bits, stored `shift` bits to the
 * left. */
struct lane_format {
    unsigned precision; /* significand bits, the hidden one included */
    int max_exponent;   /* of the largest finite value; the least normal exponent is 1 - max_exponent */
    unsigned bits;      /* stored width */
    unsigned shift;
    uint64_t infinity; /* stored patterns */
    uint64_t nan;
};

static const struct lane_format lane_format_f16 = {11, 15, 16, 0, 0x7C00, LANE_NAN16};
static const struct lane_format lane_format_bf16 = {8, 127, 16, 0, 0x7F80, LANE_NAN16};
static const struct lane_format lane_format_tf32 = {11, 127, 32, 13, LANE_INF32, LANE_NAN32};
static const struct lane_format lane_format_f32 = {24, 127, 32, 0, LANE_INF32, LANE_NAN32};
static const struct lane_format lane_format_f64 = {53, 1023, 64, 0, LANE_INF64, LANE_NAN64};

/* The format of a scalar or packed floating-point type, or NULL. A format is known by its address within one source
 * file. */
static inline const struct lane_format *lane_format_of(uint8_t type)
{
    switch (type) {
    case ISA_F16:
    case ISA_F16X2: return &lane_format_f16;
    case ISA_BF16:
    case ISA_BF16X2: return &lane_format_bf16;
    case ISA_TF32: return &lane_format_tf32;
    case ISA_F32: return &lane_format_f32;
    case ISA_F64: return &lane_format_f64;
    default: return NULL;
    }
}

enum lane_kind { LANE_ZERO, LANE_FINITE, LANE_INFINITE, LANE_NAN };

/* A value: for LANE_FINITE, significand * 2^exponent with significand not 0 and its lowest bit sticky; a sign for all
 * but LANE_NAN. */
struct lane_number {
    enum lane_kind kind;
    bool negative;
    int exponent;
    uint64_t significand;
};

/* True if rounding increments the kept magnitude, when `rest` was cut off and `half` is half a unit of its last
 * place. */
static inline bool lane_rounds_up(unsigned mode, bool negative, bool odd, uint64_t rest, uint64_t half)
{
    switch (mode) {
    case ISA_ROUND_RZ: return false;
    case ISA_ROUND_RM: return negative && rest;
    case ISA_ROUND_RP: return !negative && rest;
    case ISA_ROUND_RNA: return rest >= half;
    default: return rest > half || (rest == half && odd);
    }
}

static inline uint64_t lane_overflow(const struct lane_format *format, unsigned mode, bool negative)
{
    bool to_infinity = mode == ISA_ROUND_RZ   ? false
                       : mode == ISA_ROUND_RM ? negative
                       : mode == ISA_ROUND_RP ? !negative
                                              : true;
    return to_infinity ? format->infinity : format->infinity - (UINT64_C(1) << format->shift);
}

/* The magnitude's pattern of a finite number, not yet shifted into place or signed, rounded; may be that of infinity or
 * beyond. */
static inline uint64_t lane_round_magnitude(const struct lane_format *format, unsigned mode,
                                            const struct lane_number *x)
{
    unsigned zeros = (unsigned)__builtin_clzll(x->significand);
    uint64_t significand = x->significand << zeros;
    int above_least = x->exponent + 63 - (int)zeros - (1 - format->max_exponent);
    unsigned drop = 64 - format->precision;
    uint64_t kept = 0, rest = 1, half = 2;
    if (above_least < 0) {
        drop = above_least < -64 ? 65 : drop - (unsigned)above_least;
        above_least = 0;
    }
    if (drop < 64) {
        kept = significand >> drop;
        rest = significand & ((UINT64_C(1) << drop) - 1);
        half = UINT64_C(1) << (drop - 1);
    } else if (drop == 64) {
        rest = significand;
        half = UINT64_C(1) << 63;
    }
    kept += lane_rounds_up(mode, x->negative, kept & 1, rest, half);
    if (above_least > 2 * format->max_exponent)
        return UINT64_MAX >> 1;
    /* The hidden bit, or a carry out of the fraction, adds one to the exponent field. */
    return ((uint64_t)above_least << (format->precision - 1)) + kept;
}

/* The pattern of x rounded by an ISA_ROUND_ mode (RN RZ RM RP RNA); NaN becomes the format's own. */
static inline uint64_t lane_pack(const struct lane_format *format, unsigned mode, const struct lane_number *x)
{
    uint64_t sign = (uint64_t)x->negative << (format->bits - 1);
    switch (x->kind) {
    case LANE_NAN: return format->nan;
    case LANE_ZERO: return sign;
    case LANE_INFINITE: return sign | format->infinity;
    default: break;
    }
    uint64_t magnitude = lane_round_magnitude(format, mode, x);
    if (magnitude >= format->infinity >> format->shift)
        return sign | lane_overflow(format, mode, x->negative);
    return sign | magnitude << format->shift;
}

static inline struct lane_number lane_unpack(const struct lane_format *format, uint64_t bits)
{
    unsigned fraction_bits = format->precision - 1;
    uint64_t magnitude = (bits & ~(UINT64_C(1) << (format->bits - 1))) >> format->shift;
    uint64_t fraction = magnitude & ((UINT64_C(1) << fraction_bits) - 1);
    int field = (int)(magnitude >> fraction_bits);
    struct lane_number x = {LANE_FINITE, bits >> (format->bits - 1) & 1, 0, fraction};
    x.exponent = (field ? field : 1) - format->max_exponent - (int)fraction_bits;
    if (magnitude > format->infinity >> format->shift)
        x.kind = LANE_NAN;
    else if (field == 2 * format->max_exponent + 1)
        x.kind = LANE_INFINITE;
    else if (magnitude == 0)
        x.kind = LANE_ZERO;
    else if (field)
        x.significand |= UINT64_C(1) << fraction_bits;
    return x;
}

static inline bool lane_is_subnormal(const struct lane_format *format, uint64_t bits)
{
    uint64_t least_normal = UINT64_C(1) << (format->precision - 1 + format->shift);
    uint64_t magnitude = bits & ~(UINT64_C(1) << (format->bits - 1));
    return magnitude && magnitude < least_normal;
}

static inline uint64_t lane_flush(const struct lane_format *format, uint64_t bits)
{
    return lane_is_subnormal(format, bits) ? bits & UINT64_C(1) << (format->bits - 1) : bits;
}

/* A double, possibly rounded to odd, rounded into a narrower format. */
static inline uint64_t lane_narrow(const struct lane_format *format, unsigned mode, double value)
{
    struct lane_number x = lane_unpack(&lane_format_f64, lane_f64_bits(value));
    return lane_pack(format, mode, &x);
}

/* A magnitude rounded to nearest even to f16 or bf16, NaN and signs aside: adding 1.5 * 2^52 units of its last place
 * leaves no bits below that place. The unit is that of the least normal number at least, which rounds subnormals. What
 * is too large, and the NaN that infinity makes here, has a larger pattern than infinity. */
LANE_STAMPED uint32_t lane_round_half(bool bfloat, double x)
{
    const double shift_per_power = bfloat ? 0x1.8p45 : 0x1.8p42;
    const double least_shift = (bfloat ? 0x1p-126 : 0x1p-14) * shift_per_power;
    double shift = lane_f64(lane_f64_bits(x) & LANE_INF64) * shift_per_power;
    shift = shift > least_shift ? shift : least_shift;
    float rounded = (float)((x + shift) - shift);
    int32_t pattern = (int32_t)(bfloat ? lane_f32_bits(rounded) >> 16 : lane_f32_bits(rounded * 0x1p-112f) >> 13);
    int32_t infinity = bfloat ? 0x7F80 : 0x7C00;
    return (uint32_t)(pattern < infinity ? pattern : infinity);
}

/* As lane_narrow to f16 or bf16 with RN, in a form that vectorizes. */
LANE_STAMPED uint32_t lane_narrow_half(bool bfloat, double value)
{
    uint64_t bits = lane_f64_bits(value);
    uint32_t magnitude = lane_round_half(bfloat, lane_f64(bits & ~LANE_SIGN64)), nan = 0 - (uint32_t)(value != value);
    return magnitude | (nan & LANE_NAN16) | ((uint32_t)(bits >> 48) & 0x8000 & ~nan);
}

/* f16 and bf16 values in f32, exactly; the argument's low 16 bits count. */
static inline float lane_widen_bf16(uint32_t bits)
{
    return lane_f32(bits << 16);
}

static inline float lane_widen_f16(uint32_t bits)
{
    /* The fields in place, an f16's bias is 112 short of an f32's; the product corrects that and normalizes
     * subnormals. */
    uint32_t magnitude = (bits & 0x7FFF) << 13, sign = (bits & 0x8000) << 16;
    uint32_t special = magnitude >= 0x0F800000 ? LANE_INF32 : 0;
    return lane_f32(sign | special | lane_f32_bits(lane_f32(magnitude) * 0x1p112f));
}

/* a * b + c rounded to odd: exact, or the neighbour with an odd last bit. Right when a * b is exact in double, so for
 * formats of up to 24 bits. An exact zero has the sign that rounding to nearest gives. */
static inline double lane_fma_odd(double a, double b, double c)
{
    double product = a * b, sum = product + c;
    double c_part = sum - product;
    double error = (product - (sum - c_part)) + (c - c_part);
    /* Without branches or booleans, for the sake of vectors. */
    uint64_t bits = lane_f64_bits(sum), error_bits = lane_f64_bits(error), magnitude = error_bits << 1;
    uint64_t inexact = (magnitude | (0 - magnitude)) >> 63, even = ~bits & 1;
    uint64_t towards_zero = (error_bits ^ bits) >> 63;
    double odd = lane_f64(bits + ((1 - 2 * towards_zero) & (0 - (inexact & even))));
    return error == error ? odd : sum; /* the error of infinities and NaN is NaN */
}

/* One of ADD SUB MUL MAD FMA on values of up to 24 bits, ready for one rounding by mode. */
static inline double lane_arith_odd(unsigned op, unsigned mode, double a, double b, double c)
{
    double product = a, sum;
    if (op == ISA_OP_MUL)
        return a * b;
    if (op == ISA_OP_ADD || op == ISA_OP_SUB) {
        c = op == ISA_OP_ADD ? b : -b;
        sum = lane_fma_odd(a, 1.0, c);
    } else {
        product = a * b;
        sum = lane_fma_odd(a, b, c);
    }
    bool cancelled = sum == 0.0 && ((lane_f64_bits(product) ^ lane_f64_bits(c)) & LANE_SIGN64);
    return cancelled && mode == ISA_ROUND_RM ? -0.0 : sum;
}

/* The host's own operations on floating-point type T, rounded to nearest even: prefix_add(a, b, c) and so on, in the
 * shape prefix_op. prefix_fma_fused is for functions marked LANE_FUSED alone: elsewhere it may be a call into the C
 * library. */
#define LANE_HOST_OP(prefix, name, T, expr)        \
    static T prefix##_##name(T a, T b, T c)        \
    {                                              \
        (void)c;                                   \
        return expr;                               \
    }
#define LANE_HOST_OPS(prefix, T, fma)              \
    typedef T prefix##_op(T a, T b, T c);          \
    LANE_HOST_OP(prefix, add, T, a + b)            \
    LANE_HOST_OP(prefix, sub, T, a - b)            \
    LANE_HOST_OP(prefix, mul, T, a * b)            \
    LANE_HOST_OP(prefix, div, T, a / b)            \
    LANE_HOST_OP(prefix, fma_fused, T, fma(a, b, c))

/* The arithmetic operations in the order of the families' rows of functions. */
enum lane_arith { LANE_ADD, LANE_SUB, LANE_MUL, LANE_FMA, LANE_DIV, LANE_ARITH_COUNT };
static inline enum lane_arith lane_arith_of(unsigned op)
{
    switch (op) {
    case ISA_OP_ADD: return LANE_ADD;
    case ISA_OP_SUB: return LANE_SUB;
    case ISA_OP_MUL: return LANE_MUL;
    case ISA_OP_DIV: return LANE_DIV;
    default: return LANE_FMA; /* and mad */
    }
}
/* The third source of an instruction that has one; else the second again. */
static inline const void *lane_third(const struct lane_args *args)
{
    return args->src[lane_arith_of(args->instr->op) == LANE_FMA ? 2 : 1];
}

/* lanes_round.c: x rounded to an integer by an ISA_ROUND_ integer mode (RNI RZI RMI RPI); a zero keeps the sign of x.
 */
struct lane_number lane_round_integer(const struct lane_number *x, unsigned mode);
/* op (ADD SUB MUL MAD FMA DIV RCP SQRT) over patterns of a format, rounded by mode. */
uint64_t lane_soft(const struct lane_format *format, unsigned op, unsigned mode, const uint64_t operand[3]);

/* min or max of two patterns of a format under the modifiers of instr: PTX ISA, "min", "max". */
uint64_t lane_select_extreme(const struct lane_format *format, const struct isa_instr *instr, uint64_t a, uint64_t b);

/* Returns true if mods.round is RN, RZ, RM or RP, or if it was not written and is `optional`. */
bool lane_rounds_exactly(const struct isa_instr *instr, bool optional);

#endif
