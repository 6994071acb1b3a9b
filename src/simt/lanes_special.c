/* rcp sqrt rsqrt sin cos lg2 ex2 tanh, and the approximate divisions (PTX ISA, "Floating Point Instructions").
 *
 * With a rounding modifier rcp and sqrt are exact to that rounding. The .approx forms are computed in double to about
 * 2^-45 by polynomials over a reduced argument and rounded once: far inside the error that the manual allows, the same
 * bits on every host (only + - * / and square root are used, no C library), but not the bits of a given GPU. Measured
 * errors: docs/arithmetic.md. Special values follow the manual's tables. div.approx gives 0 for a divisor beyond 2^126,
 * as the manual says. */
#include "simt/lanes_float.h"

typedef double special_op(double x);

/* 2^n for n in -1022..1023. */
static inline double power_of_two(int n)
{
    return lane_f64((uint64_t)(n + 1023) << 52);
}

/* The nearest integer to x, |x| < 2^51: adding this constant leaves no fraction bits. */
static inline double nearest_integer(double x)
{
    const double shift = 0x1.8p52;
    return (x + shift) - shift;
}

static inline double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* e^r - 1 for |r| <= ln(2)/2, by its series to r^13. */
static inline double expm1_reduced(double r)
{
    double sum = 1.0 / 6227020800.0;
    sum = sum * r + 1.0 / 479001600.0;
    sum = sum * r + 1.0 / 39916800.0;
    sum = sum * r + 1.0 / 3628800.0;
    sum = sum * r + 1.0 / 362880.0;
    sum = sum * r + 1.0 / 40320.0;
    sum = sum * r + 1.0 / 5040.0;
    sum = sum * r + 1.0 / 720.0;
    sum = sum * r + 1.0 / 120.0;
    sum = sum * r + 1.0 / 24.0;
    sum = sum * r + 1.0 / 6.0;
    sum = sum * r + 0.5;
    return sum * r * r + r;
}

/* Beyond +-1000 every format's result is infinite or zero already. */
static double lane_exp2(double x)
{
    if (x != x)
        return x;
    x = clamp(x, -1000.0, 1000.0);
    double n = nearest_integer(x);
    return power_of_two((int)n) * (1.0 + expm1_reduced((x - n) * 0x1.62e42fefa39efp-1));
}

/* t / (t + 2) with t = e^2|x| - 1, which loses nothing near zero; 1 to double precision from 22 on. */
static double hyperbolic_tangent(double x)
{
    if (x != x)
        return x;
    double magnitude = x < 0.0 ? -x : x;
    double y = 2.0 * clamp(magnitude, 0.0, 22.0);
    double n = nearest_integer(y * 0x1.71547652b82fep+0);
    double r = (y - n * 0x1.62e42fefap-1) - n * 0x1.cf79abc9e3b3ap-40;
    double scale = power_of_two((int)n);
    double t = scale * expm1_reduced(r) + (scale - 1.0);
    double result = t / (t + 2.0);
    return lane_f64(lane_f64_bits(result) | (lane_f64_bits(x) & LANE_SIGN64));
}

/* log2 of a value that came from f32: 2 atanh(s) / ln 2 with s = (m - 1) / (m + 1), m in sqrt(1/2)..sqrt(2). */
static double log2_of(double x)
{
    if (!(x > 0.0))
        return lane_f64(x == 0.0 ? LANE_SIGN64 | LANE_INF64 : LANE_NAN64);
    uint64_t bits = lane_f64_bits(x);
    if (bits == LANE_INF64)
        return x;
    int exponent = (int)(bits >> 52) - 1023;
    double m = lane_f64((bits & UINT64_C(0x000FFFFFFFFFFFFF)) | UINT64_C(0x3FF0000000000000));
    if (m > 0x1.6a09e667f3bcdp+0) {
        m *= 0.5;
        exponent++;
    }
    double s = (m - 1.0) / (m + 1.0), z = s * s;
    double sum = 1.0 / 21.0;
    for (int odd = 19; odd >= 3; odd -= 2)
        sum = sum * z + 1.0 / odd;
    return (double)exponent + 0x1.71547652b82fep+1 * (s + s * z * sum);
}

/* An angle as quadrant * pi/2 + rest, |rest| <= pi/4 and a little. */
struct angle {
    unsigned quadrant;
    double rest;
};

/* 96 bits of 2/pi beginning with the bit of weight 2^-start, start in -4..103. */
static unsigned __int128 two_over_pi_bits(int start)
{
    static const uint32_t words[9] = {0,          0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0,
                                      0xDB629599, 0x3C439041, 0xFE5163AB, 0xDEBBC561};
    unsigned position = (unsigned)(start + 31), word = position / 32;
    unsigned __int128 bits = 0;
    for (unsigned i = 0; i < 4; i++)
        bits = bits << 32 | words[word + i];
    return bits << (position % 32) >> 32;
}

/* A finite f32 value of 2^20 or more: m * 2^e times 2/pi modulo 4, in fixed point. The bits of 2/pi whose product is a
 * multiple of 4 are left out beforehand, so 96 bits leave the fraction right to 2^-70. */
static struct angle reduce_large(float magnitude)
{
    uint32_t bits = lane_f32_bits(magnitude);
    uint64_t m = (bits & 0x7FFFFF) | 0x800000;
    int e = (int)(bits >> 23) - 150;
    unsigned __int128 turns = m * two_over_pi_bits(e - 1); /* in units of 2^-94 quadrants */
    uint64_t top = (uint64_t)(turns >> 32);                /* the low 64 bits of these: 2 of quadrant, 62 of fraction */
    unsigned quadrant = (unsigned)(top >> 62);
    int64_t fraction = (int64_t)(top & (UINT64_MAX >> 2));
    if (fraction >> 61) {
        quadrant++;
        fraction -= INT64_C(1) << 62;
    }
    struct angle angle = {quadrant & 3, (double)fraction * 0x1p-62 * 0x1.921fb54442d18p+0};
    return angle;
}

static struct angle reduce(float magnitude)
{
    if (magnitude >= 0x1p20f)
        return reduce_large(magnitude);
    /* pi/2 in two parts, the first of 31 bits, so that its multiples here are exact. */
    double x = magnitude, n = nearest_integer(x * 0x1.45f306dc9c883p-1);
    struct angle angle = {(unsigned)n & 3, (x - n * 0x1.921fb544p+0) - n * 0x1.0b4611a626331p-34};
    return angle;
}

static double sine_reduced(double r)
{
    double z = r * r, sum = -1.0 / 1307674368000.0;
    sum = sum * z + 1.0 / 6227020800.0;
    sum = sum * z - 1.0 / 39916800.0;
    sum = sum * z + 1.0 / 362880.0;
    sum = sum * z - 1.0 / 5040.0;
    sum = sum * z + 1.0 / 120.0;
    sum = sum * z - 1.0 / 6.0;
    return r + r * z * sum;
}

static double cosine_reduced(double r)
{
    double z = r * r, sum = 1.0 / 20922789888000.0;
    sum = sum * z - 1.0 / 87178291200.0;
    sum = sum * z + 1.0 / 479001600.0;
    sum = sum * z - 1.0 / 3628800.0;
    sum = sum * z + 1.0 / 40320.0;
    sum = sum * z - 1.0 / 720.0;
    sum = sum * z + 1.0 / 24.0;
    return 1.0 + z * (sum * z - 0.5);
}

/* The sine of an angle some quadrants on from |x|; the argument is an f32 value. */
static double sine_ahead(double x, unsigned quadrants)
{
    double magnitude = x < 0.0 ? -x : x;
    if (!(magnitude < 0x1p128))
        return lane_f64(LANE_NAN64);
    struct angle angle = reduce((float)magnitude);
    unsigned quadrant = angle.quadrant + quadrants;
    double value = quadrant & 1 ? cosine_reduced(angle.rest) : sine_reduced(angle.rest);
    return quadrant & 2 ? -value : value;
}

static double sine_of(double x)
{
    if (x == 0.0)
        return x;
    double value = sine_ahead(x, 0);
    return x < 0.0 ? -value : value;
}

static double cosine_of(double x)
{
    return sine_ahead(x, 1);
}

static double reciprocal_of(double x)
{
    return 1.0 / x;
}

static inline double root_of(double x)
{
    return x < 0.0 ? lane_f64(LANE_NAN64) : __builtin_sqrt(x);
}

static double reciprocal_root_of(double x)
{
    return 1.0 / root_of(x);
}

LANE_STAMPED void run32(struct lane_args *args, special_op *op)
{
    const uint32_t *a = args->src[0];
    bool ftz = args->instr->mods.ftz;
    uint32_t result[LANES];
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint32_t x = ftz ? lane_flush32(a[lane]) : a[lane];
        uint32_t bits = lane_result32((float)op((double)lane_f32(x)));
        result[lane] = ftz ? lane_flush32(bits) : bits;
    }
    LANE_STORE(uint32_t, args->dst[0], result, args->mask);
}

/* Rounding a double quotient or root to f32 once more is harmless: 53 >= 2 * 24 + 2 bits, so rcp.rn and sqrt.rn come
 * this way too. */
static void rcp_f32(struct lane_args *args)
{
    run32(args, reciprocal_of);
}

static void sqrt_f32(struct lane_args *args)
{
    run32(args, root_of);
}

static void rsqrt_f32(struct lane_args *args)
{
    run32(args, reciprocal_root_of);
}

static void sin_f32(struct lane_args *args)
{
    run32(args, sine_of);
}

static void cos_f32(struct lane_args *args)
{
    run32(args, cosine_of);
}

static void lg2_f32(struct lane_args *args)
{
    run32(args, log2_of);
}

static void ex2_f32(struct lane_args *args)
{
    run32(args, lane_exp2);
}

static void tanh_f32(struct lane_args *args)
{
    run32(args, hyperbolic_tangent);
}

static void directed_f32(struct lane_args *args)
{
    const struct isa_instr *instr = args->instr;
    const uint32_t *a = args->src[0];
    bool ftz = instr->mods.ftz;
    uint32_t result[LANES];
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint64_t operand[3] = {ftz ? lane_flush32(a[lane]) : a[lane], 0, 0};
        uint32_t bits = (uint32_t)lane_soft(&lane_format_f32, instr->op, instr->mods.round, operand);
        result[lane] = ftz ? lane_flush32(bits) : bits;
    }
    LANE_STORE(uint32_t, args->dst[0], result, args->mask);
}

LANE_STAMPED void run_div(struct lane_args *args, bool full)
{
    const uint32_t *a = args->src[0], *b = args->src[1];
    bool ftz = args->instr->mods.ftz;
    uint32_t result[LANES];
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint32_t x = ftz ? lane_flush32(a[lane]) : a[lane], y = ftz ? lane_flush32(b[lane]) : b[lane];
        float divisor = lane_f32(y);
        bool vanishes = !full && (y & ~LANE_SIGN32) > UINT32_C(0x7E800000) && (y & ~LANE_SIGN32) < LANE_INF32;
        /* The reciprocal of so large a divisor is taken for zero. */
        float quotient = vanishes ? lane_f32(x) * lane_f32(y & LANE_SIGN32) : lane_f32(x) / divisor;
        uint32_t bits = lane_result32(quotient);
        result[lane] = ftz ? lane_flush32(bits) : bits;
    }
    LANE_STORE(uint32_t, args->dst[0], result, args->mask);
}

static void div_approx_f32(struct lane_args *args)
{
    run_div(args, false);
}

static void div_full_f32(struct lane_args *args)
{
    run_div(args, true);
}

/* An f64 result whose operand was a: NaN keeps its payload and becomes quiet. */
static inline uint64_t result64(uint64_t a, double value)
{
    bool nan = (a & ~LANE_SIGN64) > LANE_INF64;
    return value == value ? lane_f64_bits(value) : nan ? a | UINT64_C(0x0008000000000000) : LANE_NAN64;
}

LANE_STAMPED void run64(struct lane_args *args, special_op *op)
{
    const uint64_t *a = args->src[0];
    uint64_t result[LANES];
    for (unsigned lane = 0; lane < LANES; lane++)
        result[lane] = result64(a[lane], op(lane_f64(a[lane])));
    LANE_STORE(uint64_t, args->dst[0], result, args->mask);
}

static void rcp_f64(struct lane_args *args)
{
    run64(args, reciprocal_of);
}

static void sqrt_f64(struct lane_args *args)
{
    run64(args, root_of);
}

static void rsqrt_f64(struct lane_args *args)
{
    run64(args, reciprocal_root_of);
}

static void directed_f64(struct lane_args *args)
{
    const uint64_t *a = args->src[0];
    uint64_t result[LANES];
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint64_t operand[3] = {a[lane], 0, 0};
        result[lane] =
            result64(a[lane], lane_f64(lane_soft(&lane_format_f64, args->instr->op, args->instr->mods.round, operand)));
    }
    LANE_STORE(uint64_t, args->dst[0], result, args->mask);
}

/* .approx.ftz.f64: only the upper words of operand and result count, the lower word of the result is zero. */
LANE_STAMPED void run64_coarse(struct lane_args *args, special_op *op)
{
    const uint64_t upper = UINT64_C(0xFFFFFFFF00000000);
    const uint64_t *a = args->src[0];
    uint64_t result[LANES];
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint64_t x = lane_flush(&lane_format_f64, a[lane] & upper);
        bool nan = (a[lane] & ~LANE_SIGN64) > LANE_INF64;
        double value = nan ? lane_f64(a[lane]) : op(lane_f64(x));
        uint64_t bits = lane_flush(&lane_format_f64, result64(a[lane], value));
        bool finite = (bits & LANE_INF64) != LANE_INF64;
        result[lane] = (finite ? bits + UINT64_C(0x80000000) : bits) & upper;
    }
    LANE_STORE(uint64_t, args->dst[0], result, args->mask);
}

static void rcp_coarse_f64(struct lane_args *args)
{
    run64_coarse(args, reciprocal_of);
}

static void rsqrt_coarse_f64(struct lane_args *args)
{
    run64_coarse(args, reciprocal_root_of);
}

static uint32_t half_of(const struct lane_format *format, special_op *op, bool ftz, uint32_t bits)
{
    bits = ftz ? (uint32_t)lane_flush(format, bits) : bits;
    float x = format == &lane_format_f16 ? lane_widen_f16(bits) : lane_widen_bf16(bits);
    uint64_t result = lane_narrow(format, ISA_ROUND_RN, op((double)x));
    return (uint32_t)(ftz ? lane_flush(format, result) : result);
}

static void run_half(struct lane_args *args, special_op *op)
{
    uint8_t type = args->instr->type;
    const struct lane_format *format = type == ISA_F16 || type == ISA_F16X2 ? &lane_format_f16 : &lane_format_bf16;
    bool packed = type == ISA_F16X2 || type == ISA_BF16X2, ftz = args->instr->mods.ftz;
    const uint32_t *a = args->src[0];
    uint32_t result[LANES];
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint32_t x = a[lane];
        result[lane] = half_of(format, op, ftz, x & 0xFFFF) | (packed ? half_of(format, op, ftz, x >> 16) << 16 : 0);
    }
    LANE_STORE(uint32_t, args->dst[0], result, args->mask);
}

static void ex2_half(struct lane_args *args)
{
    run_half(args, lane_exp2);
}

static void tanh_half(struct lane_args *args)
{
    run_half(args, hyperbolic_tangent);
}

/* rcp and sqrt, the only ones with IEEE roundings. */
static lane_fn *resolve_rounded(const struct isa_instr *instr, lane_fn *f32, lane_fn *f64)
{
    bool nearest = instr->mods.round == ISA_ROUND_RN;
    if (!lane_rounds_exactly(instr, false))
        return NULL;
    if (instr->type == ISA_F32)
        return nearest ? f32 : directed_f32;
    return instr->mods.ftz ? NULL : nearest ? f64 : directed_f64;
}

static lane_fn *resolve_approx_f32(unsigned op)
{
    switch (op) {
    case ISA_OP_DIV: return div_approx_f32;
    case ISA_OP_RCP: return rcp_f32;
    case ISA_OP_SQRT: return sqrt_f32;
    case ISA_OP_RSQRT: return rsqrt_f32;
    case ISA_OP_SIN: return sin_f32;
    case ISA_OP_COS: return cos_f32;
    case ISA_OP_LG2: return lg2_f32;
    case ISA_OP_EX2: return ex2_f32;
    case ISA_OP_TANH: return tanh_f32;
    default: return NULL;
    }
}

static lane_fn *resolve_approx_f64(const struct isa_instr *instr)
{
    if (instr->op == ISA_OP_RCP)
        return instr->mods.ftz ? rcp_coarse_f64 : NULL;
    if (instr->op == ISA_OP_RSQRT)
        return instr->mods.ftz ? rsqrt_coarse_f64 : rsqrt_f64;
    return NULL;
}

/* ex2 and tanh of halves; ex2 of bf16 is written with .ftz, the others without. */
static lane_fn *resolve_half(const struct isa_instr *instr)
{
    bool bfloat = instr->type == ISA_BF16 || instr->type == ISA_BF16X2;
    if (instr->op == ISA_OP_EX2)
        return bfloat == (instr->mods.ftz != 0) ? ex2_half : NULL;
    return instr->op == ISA_OP_TANH && !instr->mods.ftz ? tanh_half : NULL;
}

lane_fn *lane_resolve_special(const struct isa_instr *instr)
{
    const struct isa_mods *mods = &instr->mods;
    bool single = instr->type == ISA_F32;
    if (!lane_format_of(instr->type) || instr->type == ISA_TF32 || mods->sat)
        return NULL;
    if (instr->op == ISA_OP_DIV && mods->round == ISA_ROUND_FULL)
        return single ? div_full_f32 : NULL;
    if ((instr->op == ISA_OP_RCP || instr->op == ISA_OP_SQRT) && mods->round != ISA_ROUND_APPROX) {
        if (!single && instr->type != ISA_F64)
            return NULL;
        return instr->op == ISA_OP_RCP ? resolve_rounded(instr, rcp_f32, rcp_f64)
                                       : resolve_rounded(instr, sqrt_f32, sqrt_f64);
    }
    if (mods->round != ISA_ROUND_APPROX || (instr->op == ISA_OP_TANH && mods->ftz))
        return NULL;
    if (single)
        return resolve_approx_f32(instr->op);
    return instr->type == ISA_F64 ? resolve_approx_f64(instr) : resolve_half(instr);
}
