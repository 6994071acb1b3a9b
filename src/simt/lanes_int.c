/* Integer arithmetic of 16, 32 and 64 bits: PTX ISA, "Integer Arithmetic Instructions" and "Extended-Precision
 * Integer Arithmetic Instructions". Rows of 16-bit types hold values zero-extended; signed expressions extend them
 * first.
 *
 * Where PTX leaves the result open: division and remainder by zero give all ones (ptxas for sm_90 ends its 32-bit
 * division and remainder sequences with a select of ~b when b is 0); the most negative value divided by -1 wraps to
 * itself with remainder 0; mul24 ignores the high 8 bits of its sources. A borrow counts as carry 1, as PTX
 * describes sub.cc. The video instructions are in lanes_video.c. */
#include "simt/lanes_body.h"

#define U16(v) ((v) & 0xffff)

/* Sums, differences, signs. */
LANE_BINARY(add_16, uint32_t, uint32_t, uint32_t, U16(x + y))
LANE_BINARY(add_32, uint32_t, uint32_t, uint32_t, x + y)
LANE_BINARY(add_64, uint64_t, uint64_t, uint64_t, x + y)
LANE_BINARY(add_16x2, uint32_t, uint32_t, uint32_t,
            ((x & 0x7fff7fff) + (y & 0x7fff7fff)) ^ ((x ^ y) & 0x80008000))
LANE_BINARY(sub_16, uint32_t, uint32_t, uint32_t, U16(x - y))
LANE_BINARY(sub_32, uint32_t, uint32_t, uint32_t, x - y)
LANE_BINARY(sub_64, uint64_t, uint64_t, uint64_t, x - y)

/* sum, or the nearest representable value where `overflow` has its sign bit set: x has the sign of the true result. */
static inline uint32_t saturate_sum(uint32_t x, uint32_t sum, uint32_t overflow)
{
    return overflow >> 31 ? 0x7fffffff + (x >> 31) : sum;
}
LANE_BINARY(add_sat_s32, uint32_t, uint32_t, uint32_t, saturate_sum(x, x + y, ~(x ^ y) & (x ^ (x + y))))
LANE_BINARY(sub_sat_s32, uint32_t, uint32_t, uint32_t, saturate_sum(x, x - y, (x ^ y) & (x ^ (x - y))))

LANE_UNARY(neg_16, uint32_t, uint32_t, U16(0 - x))
LANE_UNARY(neg_32, uint32_t, uint32_t, 0 - x)
LANE_UNARY(neg_64, uint64_t, uint64_t, 0 - x)
LANE_UNARY(abs_s16, uint32_t, uint32_t, x & 0x8000 ? U16(0 - x) : x)
LANE_UNARY(abs_s32, uint32_t, uint32_t, x >> 31 ? 0 - x : x)
LANE_UNARY(abs_s64, uint64_t, uint64_t, x >> 63 ? 0 - x : x)

LANE_BINARY(min_u32, uint32_t, uint32_t, uint32_t, x < y ? x : y)
LANE_BINARY(min_u64, uint64_t, uint64_t, uint64_t, x < y ? x : y)
LANE_BINARY(min_s16, uint32_t, uint32_t, uint32_t, lane_s16(x) < lane_s16(y) ? x : y)
LANE_BINARY(min_s32, int32_t, int32_t, int32_t, x < y ? x : y)
LANE_BINARY(min_s64, int64_t, int64_t, int64_t, x < y ? x : y)
LANE_BINARY(max_u32, uint32_t, uint32_t, uint32_t, x > y ? x : y)
LANE_BINARY(max_u64, uint64_t, uint64_t, uint64_t, x > y ? x : y)
LANE_BINARY(max_s16, uint32_t, uint32_t, uint32_t, lane_s16(x) > lane_s16(y) ? x : y)
LANE_BINARY(max_s32, int32_t, int32_t, int32_t, x > y ? x : y)
LANE_BINARY(max_s64, int64_t, int64_t, int64_t, x > y ? x : y)

static inline int32_t min_int(int32_t x, int32_t y)
{
    return x < y ? x : y;
}
static inline int32_t max_int(int32_t x, int32_t y)
{
    return x > y ? x : y;
}
static inline uint32_t halves(uint32_t low, uint32_t high)
{
    return U16(low) | high << 16;
}
LANE_BINARY(min_relu_s32, int32_t, int32_t, int32_t, max_int(min_int(x, y), 0))
LANE_BINARY(max_relu_s32, int32_t, int32_t, int32_t, max_int(max_int(x, y), 0))
LANE_BINARY(min_u16x2, uint32_t, uint32_t, uint32_t,
            halves((uint32_t)min_int(U16(x), U16(y)), (uint32_t)min_int(x >> 16, y >> 16)))
LANE_BINARY(max_u16x2, uint32_t, uint32_t, uint32_t,
            halves((uint32_t)max_int(U16(x), U16(y)), (uint32_t)max_int(x >> 16, y >> 16)))
LANE_BINARY(min_s16x2, uint32_t, uint32_t, uint32_t,
            halves((uint32_t)min_int(lane_s16(x), lane_s16(y)),
                   (uint32_t)min_int(lane_s16(x >> 16), lane_s16(y >> 16))))
LANE_BINARY(max_s16x2, uint32_t, uint32_t, uint32_t,
            halves((uint32_t)max_int(lane_s16(x), lane_s16(y)),
                   (uint32_t)max_int(lane_s16(x >> 16), lane_s16(y >> 16))))
LANE_BINARY(min_relu_s16x2, uint32_t, uint32_t, uint32_t,
            halves((uint32_t)max_int(min_int(lane_s16(x), lane_s16(y)), 0),
                   (uint32_t)max_int(min_int(lane_s16(x >> 16), lane_s16(y >> 16)), 0)))
LANE_BINARY(max_relu_s16x2, uint32_t, uint32_t, uint32_t,
            halves((uint32_t)max_int(max_int(lane_s16(x), lane_s16(y)), 0),
                   (uint32_t)max_int(max_int(lane_s16(x >> 16), lane_s16(y >> 16)), 0)))

LANE_TERNARY(sad_u16, uint32_t, uint32_t, uint32_t, uint32_t, U16(z + (x < y ? y - x : x - y)))
LANE_TERNARY(sad_s16, uint32_t, uint32_t, uint32_t, uint32_t, U16(z + (lane_s16(x) < lane_s16(y) ? y - x : x - y)))
LANE_TERNARY(sad_u32, uint32_t, uint32_t, uint32_t, uint32_t, z + (x < y ? y - x : x - y))
LANE_TERNARY(sad_s32, uint32_t, uint32_t, uint32_t, uint32_t, z + ((int32_t)x < (int32_t)y ? y - x : x - y))
LANE_TERNARY(sad_u64, uint64_t, uint64_t, uint64_t, uint64_t, z + (x < y ? y - x : x - y))
LANE_TERNARY(sad_s64, uint64_t, uint64_t, uint64_t, uint64_t, z + ((int64_t)x < (int64_t)y ? y - x : x - y))

/* Products. The sources of 16 bits are below 2^16, so their product fits 32. */
static inline uint32_t high_u32(uint32_t x, uint32_t y)
{
    return (uint32_t)((uint64_t)x * y >> 32);
}
static inline uint32_t high_s32(uint32_t x, uint32_t y)
{
    return (uint32_t)((uint64_t)((int64_t)(int32_t)x * (int32_t)y) >> 32);
}
static inline uint64_t high_u64(uint64_t x, uint64_t y)
{
    return (uint64_t)((unsigned __int128)x * y >> 64);
}
static inline uint64_t high_s64(uint64_t x, uint64_t y)
{
    return (uint64_t)((unsigned __int128)((__int128)(int64_t)x * (int64_t)y) >> 64);
}
static inline uint32_t product_s16(uint32_t x, uint32_t y)
{
    return (uint32_t)(lane_s16(x) * lane_s16(y));
}
static inline uint64_t product_s32(uint32_t x, uint32_t y)
{
    return (uint64_t)((int64_t)(int32_t)x * (int32_t)y);
}
LANE_BINARY(mul_lo_16, uint32_t, uint32_t, uint32_t, U16(x * y))
LANE_BINARY(mul_lo_32, uint32_t, uint32_t, uint32_t, x * y)
LANE_BINARY(mul_lo_64, uint64_t, uint64_t, uint64_t, x * y)
LANE_BINARY(mul_hi_u16, uint32_t, uint32_t, uint32_t, x * y >> 16)
LANE_BINARY(mul_hi_s16, uint32_t, uint32_t, uint32_t, product_s16(x, y) >> 16)
LANE_BINARY(mul_hi_u32, uint32_t, uint32_t, uint32_t, high_u32(x, y))
LANE_BINARY(mul_hi_s32, uint32_t, uint32_t, uint32_t, high_s32(x, y))
LANE_BINARY(mul_hi_u64, uint64_t, uint64_t, uint64_t, high_u64(x, y))
LANE_BINARY(mul_hi_s64, uint64_t, uint64_t, uint64_t, high_s64(x, y))
LANE_BINARY(mul_wide_u16, uint32_t, uint32_t, uint32_t, x * y)
LANE_BINARY(mul_wide_s16, uint32_t, uint32_t, uint32_t, product_s16(x, y))
LANE_BINARY(mul_wide_u32, uint64_t, uint32_t, uint32_t, (uint64_t)x * y)
LANE_BINARY(mul_wide_s32, uint64_t, uint32_t, uint32_t, product_s32(x, y))

LANE_TERNARY(mad_lo_16, uint32_t, uint32_t, uint32_t, uint32_t, U16(x * y + z))
LANE_TERNARY(mad_lo_32, uint32_t, uint32_t, uint32_t, uint32_t, x * y + z)
LANE_TERNARY(mad_lo_64, uint64_t, uint64_t, uint64_t, uint64_t, x * y + z)
LANE_TERNARY(mad_hi_u16, uint32_t, uint32_t, uint32_t, uint32_t, U16((x * y >> 16) + z))
LANE_TERNARY(mad_hi_s16, uint32_t, uint32_t, uint32_t, uint32_t, U16((product_s16(x, y) >> 16) + z))
LANE_TERNARY(mad_hi_u32, uint32_t, uint32_t, uint32_t, uint32_t, high_u32(x, y) + z)
LANE_TERNARY(mad_hi_s32, uint32_t, uint32_t, uint32_t, uint32_t, high_s32(x, y) + z)
LANE_TERNARY(mad_hi_u64, uint64_t, uint64_t, uint64_t, uint64_t, high_u64(x, y) + z)
LANE_TERNARY(mad_hi_s64, uint64_t, uint64_t, uint64_t, uint64_t, high_s64(x, y) + z)
LANE_TERNARY(mad_wide_u16, uint32_t, uint32_t, uint32_t, uint32_t, x * y + z)
LANE_TERNARY(mad_wide_s16, uint32_t, uint32_t, uint32_t, uint32_t, product_s16(x, y) + z)
LANE_TERNARY(mad_wide_u32, uint64_t, uint32_t, uint32_t, uint64_t, (uint64_t)x * y + z)
LANE_TERNARY(mad_wide_s32, uint64_t, uint32_t, uint32_t, uint64_t, product_s32(x, y) + z)

static inline uint32_t add_saturated(uint32_t x, uint32_t y)
{
    return saturate_sum(x, x + y, ~(x ^ y) & (x ^ (x + y)));
}
LANE_TERNARY(mad_hi_sat_s32, uint32_t, uint32_t, uint32_t, uint32_t, add_saturated(high_s32(x, y), z))

/* The 48-bit product of the low 24 bits. */
static inline uint64_t product_u24(uint32_t x, uint32_t y)
{
    return (uint64_t)(x & 0xffffff) * (y & 0xffffff);
}
static inline uint64_t product_s24(uint32_t x, uint32_t y)
{
    return (uint64_t)((int64_t)((int32_t)(x << 8) >> 8) * ((int32_t)(y << 8) >> 8));
}
LANE_BINARY(mul24_lo_u32, uint32_t, uint32_t, uint32_t, product_u24(x, y))
LANE_BINARY(mul24_lo_s32, uint32_t, uint32_t, uint32_t, product_s24(x, y))
LANE_BINARY(mul24_hi_u32, uint32_t, uint32_t, uint32_t, product_u24(x, y) >> 16)
LANE_BINARY(mul24_hi_s32, uint32_t, uint32_t, uint32_t, product_s24(x, y) >> 16)
LANE_TERNARY(mad24_lo_u32, uint32_t, uint32_t, uint32_t, uint32_t, product_u24(x, y) + z)
LANE_TERNARY(mad24_lo_s32, uint32_t, uint32_t, uint32_t, uint32_t, product_s24(x, y) + z)
LANE_TERNARY(mad24_hi_u32, uint32_t, uint32_t, uint32_t, uint32_t, (product_u24(x, y) >> 16) + z)
LANE_TERNARY(mad24_hi_s32, uint32_t, uint32_t, uint32_t, uint32_t, (product_s24(x, y) >> 16) + z)
LANE_TERNARY(mad24_hi_sat_s32, uint32_t, uint32_t, uint32_t, uint32_t,
             add_saturated((uint32_t)(product_s24(x, y) >> 16), z))

/* Sums with the condition code: sources x, y, z (`last` is the index of z; functions of two sources pass 1) and the
 * carry k of the lane. W is twice as wide as T; the carry out is the bit of the sum above T, written where the
 * instruction has .cc. */
#define LANE_CARRY(name, T, W, last, expr)                                                      \
    static void name(struct lane_args *args)                                                    \
    {                                                                                           \
        const T *a = args->src[0], *b = args->src[1], *c = args->src[last];                     \
        uint32_t carry = args->carry, out = 0;                                                  \
        T r[LANES];                                                                             \
        for (unsigned lane = 0; lane < LANES; lane++) {                                         \
            T x = a[lane], y = b[lane], z = c[lane], k = carry >> lane & 1;                     \
            (void)z, (void)k;                                                                   \
            W sum = expr;                                                                       \
            r[lane] = (T)sum;                                                                   \
            out |= (uint32_t)(sum >> (8 * sizeof(T)) & 1) << lane;                              \
        }                                                                                       \
        if (args->instr->mods.cc)                                                               \
            args->carry = (carry & ~args->mask) | (out & args->mask);                           \
        LANE_STORE(T, args->dst[0], r, args->mask);                                             \
    }
LANE_CARRY(add_cc_32, uint32_t, uint64_t, 1, (uint64_t)x + y)
LANE_CARRY(add_cc_64, uint64_t, unsigned __int128, 1, (unsigned __int128)x + y)
LANE_CARRY(addc_32, uint32_t, uint64_t, 1, (uint64_t)x + y + k)
LANE_CARRY(addc_64, uint64_t, unsigned __int128, 1, (unsigned __int128)x + y + k)
LANE_CARRY(sub_cc_32, uint32_t, uint64_t, 1, (uint64_t)x - y)
LANE_CARRY(sub_cc_64, uint64_t, unsigned __int128, 1, (unsigned __int128)x - y)
LANE_CARRY(subc_32, uint32_t, uint64_t, 1, (uint64_t)x - y - k)
LANE_CARRY(subc_64, uint64_t, unsigned __int128, 1, (unsigned __int128)x - y - k)
LANE_CARRY(mad_lo_cc_32, uint32_t, uint64_t, 2, (uint64_t)(x * y) + z)
LANE_CARRY(mad_lo_cc_64, uint64_t, unsigned __int128, 2, (unsigned __int128)(x * y) + z)
LANE_CARRY(mad_hi_cc_u32, uint32_t, uint64_t, 2, (uint64_t)high_u32(x, y) + z)
LANE_CARRY(mad_hi_cc_s32, uint32_t, uint64_t, 2, (uint64_t)high_s32(x, y) + z)
LANE_CARRY(mad_hi_cc_u64, uint64_t, unsigned __int128, 2, (unsigned __int128)high_u64(x, y) + z)
LANE_CARRY(mad_hi_cc_s64, uint64_t, unsigned __int128, 2, (unsigned __int128)high_s64(x, y) + z)
LANE_CARRY(madc_lo_32, uint32_t, uint64_t, 2, (uint64_t)(x * y) + z + k)
LANE_CARRY(madc_lo_64, uint64_t, unsigned __int128, 2, (unsigned __int128)(x * y) + z + k)
LANE_CARRY(madc_hi_u32, uint32_t, uint64_t, 2, (uint64_t)high_u32(x, y) + z + k)
LANE_CARRY(madc_hi_s32, uint32_t, uint64_t, 2, (uint64_t)high_s32(x, y) + z + k)
LANE_CARRY(madc_hi_u64, uint64_t, unsigned __int128, 2, (unsigned __int128)high_u64(x, y) + z + k)
LANE_CARRY(madc_hi_s64, uint64_t, unsigned __int128, 2, (unsigned __int128)high_s64(x, y) + z + k)

/* Quotients: one hardware division per executing lane. */
static inline uint64_t quotient_u(uint64_t x, uint64_t y)
{
    return y ? x / y : UINT64_MAX;
}
static inline uint64_t remainder_u(uint64_t x, uint64_t y)
{
    return y ? x % y : UINT64_MAX;
}
static inline uint32_t quotient_u32(uint32_t x, uint32_t y)
{
    return y ? x / y : UINT32_MAX;
}
static inline uint32_t remainder_u32(uint32_t x, uint32_t y)
{
    return y ? x % y : UINT32_MAX;
}
static inline int32_t quotient_s32(int32_t x, int32_t y)
{
    return y == 0 ? -1 : y == -1 ? (int32_t)(0 - (uint32_t)x) : x / y;
}
static inline int32_t remainder_s32(int32_t x, int32_t y)
{
    return y == 0 ? -1 : y == -1 ? 0 : x % y;
}
static inline int64_t quotient_s64(int64_t x, int64_t y)
{
    return y == 0 ? -1 : y == -1 ? (int64_t)(0 - (uint64_t)x) : x / y;
}
static inline int64_t remainder_s64(int64_t x, int64_t y)
{
    return y == 0 ? -1 : y == -1 ? 0 : x % y;
}
#define LANE_QUOTIENT(name, T, expr)                                     \
    static void name(struct lane_args *args)                             \
    {                                                                    \
        const T *a = args->src[0], *b = args->src[1];                    \
        T r[LANES] = {0};                                                \
        for (uint32_t rest = args->mask; rest; rest &= rest - 1) {       \
            unsigned lane = (unsigned)__builtin_ctz(rest);               \
            T x = a[lane], y = b[lane];                                  \
            r[lane] = (T)(expr);                                         \
        }                                                                \
        LANE_STORE(T, args->dst[0], r, args->mask);                      \
    }
LANE_QUOTIENT(div_u16, uint32_t, U16(quotient_u32(x, y)))
LANE_QUOTIENT(div_s16, uint32_t, U16((uint32_t)quotient_s32(lane_s16(x), lane_s16(y))))
LANE_QUOTIENT(div_u32, uint32_t, quotient_u32(x, y))
LANE_QUOTIENT(div_s32, int32_t, quotient_s32(x, y))
LANE_QUOTIENT(div_u64, uint64_t, quotient_u(x, y))
LANE_QUOTIENT(div_s64, int64_t, quotient_s64(x, y))
LANE_QUOTIENT(rem_u16, uint32_t, U16(remainder_u32(x, y)))
LANE_QUOTIENT(rem_s16, uint32_t, U16((uint32_t)remainder_s32(lane_s16(x), lane_s16(y))))
LANE_QUOTIENT(rem_u32, uint32_t, remainder_u32(x, y))
LANE_QUOTIENT(rem_s32, int32_t, remainder_s32(x, y))
LANE_QUOTIENT(rem_u64, uint64_t, remainder_u(x, y))
LANE_QUOTIENT(rem_s64, int64_t, remainder_s64(x, y))

/* Dot products: bytes or halves of x by bytes of y, each signed or unsigned by its own type. */
static inline uint32_t byte_of(uint32_t x, unsigned i, bool is_signed)
{
    return is_signed ? (uint32_t)lane_s8(x >> 8 * i) : x >> 8 * i & 0xff;
}
static inline uint32_t half_of(uint32_t x, unsigned i, bool is_signed)
{
    return is_signed ? (uint32_t)lane_s16(x >> 16 * i) : U16(x >> 16 * i);
}
static inline uint32_t dot4(uint32_t x, bool sx, uint32_t y, bool sy)
{
    return byte_of(x, 0, sx) * byte_of(y, 0, sy) + byte_of(x, 1, sx) * byte_of(y, 1, sy) +
           byte_of(x, 2, sx) * byte_of(y, 2, sy) + byte_of(x, 3, sx) * byte_of(y, 3, sy);
}
/* y has been shifted so that the two bytes to use are its lowest. */
static inline uint32_t dot2(uint32_t x, bool sx, uint32_t y, bool sy)
{
    return half_of(x, 0, sx) * byte_of(y, 0, sy) + half_of(x, 1, sx) * byte_of(y, 1, sy);
}
LANE_TERNARY(dp4a_uu, uint32_t, uint32_t, uint32_t, uint32_t, dot4(x, false, y, false) + z)
LANE_TERNARY(dp4a_us, uint32_t, uint32_t, uint32_t, uint32_t, dot4(x, false, y, true) + z)
LANE_TERNARY(dp4a_su, uint32_t, uint32_t, uint32_t, uint32_t, dot4(x, true, y, false) + z)
LANE_TERNARY(dp4a_ss, uint32_t, uint32_t, uint32_t, uint32_t, dot4(x, true, y, true) + z)
LANE_TERNARY(dp2a_lo_uu, uint32_t, uint32_t, uint32_t, uint32_t, dot2(x, false, y, false) + z)
LANE_TERNARY(dp2a_lo_us, uint32_t, uint32_t, uint32_t, uint32_t, dot2(x, false, y, true) + z)
LANE_TERNARY(dp2a_lo_su, uint32_t, uint32_t, uint32_t, uint32_t, dot2(x, true, y, false) + z)
LANE_TERNARY(dp2a_lo_ss, uint32_t, uint32_t, uint32_t, uint32_t, dot2(x, true, y, true) + z)
LANE_TERNARY(dp2a_hi_uu, uint32_t, uint32_t, uint32_t, uint32_t, dot2(x, false, y >> 16, false) + z)
LANE_TERNARY(dp2a_hi_us, uint32_t, uint32_t, uint32_t, uint32_t, dot2(x, false, y >> 16, true) + z)
LANE_TERNARY(dp2a_hi_su, uint32_t, uint32_t, uint32_t, uint32_t, dot2(x, true, y >> 16, false) + z)
LANE_TERNARY(dp2a_hi_ss, uint32_t, uint32_t, uint32_t, uint32_t, dot2(x, true, y >> 16, true) + z)

#define PLAIN(op, type, fn) {ISA_OP_##op, ISA_##type, 0, {0}, fn}
#define HALVES(op, type, part, fn) {ISA_OP_##op, ISA_##type, 0, {.half = ISA_HALF_##part}, fn}
#define SATURATED(op, type, part, fn) {ISA_OP_##op, ISA_##type, 0, {.half = (part), .sat = ISA_SAT_YES}, fn}
#define RELU(op, type, fn) {ISA_OP_##op, ISA_##type, 0, {.sat = ISA_SAT_RELU}, fn}
#define CARRIES(op, type, part, fn) {ISA_OP_##op, ISA_##type, 0, {.half = (part), .cc = ISA_CC_YES}, fn}
#define DOT(op, type, second, part, fn) {ISA_OP_##op, ISA_##type, ISA_##second, {.half = (part)}, fn}

static const struct lane_row int_rows[] = {
    PLAIN(ADD, U16, add_16), PLAIN(ADD, S16, add_16), PLAIN(ADD, U32, add_32), PLAIN(ADD, S32, add_32),
    PLAIN(ADD, U64, add_64), PLAIN(ADD, S64, add_64), PLAIN(ADD, U16X2, add_16x2), PLAIN(ADD, S16X2, add_16x2),
    SATURATED(ADD, S32, 0, add_sat_s32),
    CARRIES(ADD, U32, 0, add_cc_32), CARRIES(ADD, S32, 0, add_cc_32), CARRIES(ADD, U64, 0, add_cc_64),
    CARRIES(ADD, S64, 0, add_cc_64),
    PLAIN(SUB, U16, sub_16), PLAIN(SUB, S16, sub_16), PLAIN(SUB, U32, sub_32), PLAIN(SUB, S32, sub_32),
    PLAIN(SUB, U64, sub_64), PLAIN(SUB, S64, sub_64),
    SATURATED(SUB, S32, 0, sub_sat_s32),
    CARRIES(SUB, U32, 0, sub_cc_32), CARRIES(SUB, S32, 0, sub_cc_32), CARRIES(SUB, U64, 0, sub_cc_64),
    CARRIES(SUB, S64, 0, sub_cc_64),
    PLAIN(ADDC, U32, addc_32), PLAIN(ADDC, S32, addc_32), PLAIN(ADDC, U64, addc_64), PLAIN(ADDC, S64, addc_64),
    CARRIES(ADDC, U32, 0, addc_32), CARRIES(ADDC, S32, 0, addc_32), CARRIES(ADDC, U64, 0, addc_64),
    CARRIES(ADDC, S64, 0, addc_64),
    PLAIN(SUBC, U32, subc_32), PLAIN(SUBC, S32, subc_32), PLAIN(SUBC, U64, subc_64), PLAIN(SUBC, S64, subc_64),
    CARRIES(SUBC, U32, 0, subc_32), CARRIES(SUBC, S32, 0, subc_32), CARRIES(SUBC, U64, 0, subc_64),
    CARRIES(SUBC, S64, 0, subc_64),
    HALVES(MUL, U16, LO, mul_lo_16), HALVES(MUL, S16, LO, mul_lo_16), HALVES(MUL, U32, LO, mul_lo_32),
    HALVES(MUL, S32, LO, mul_lo_32),
    HALVES(MUL, U64, LO, mul_lo_64), HALVES(MUL, S64, LO, mul_lo_64),
    HALVES(MUL, U16, HI, mul_hi_u16), HALVES(MUL, S16, HI, mul_hi_s16), HALVES(MUL, U32, HI, mul_hi_u32),
    HALVES(MUL, S32, HI, mul_hi_s32),
    HALVES(MUL, U64, HI, mul_hi_u64), HALVES(MUL, S64, HI, mul_hi_s64),
    HALVES(MUL, U16, WIDE, mul_wide_u16), HALVES(MUL, S16, WIDE, mul_wide_s16),
    HALVES(MUL, U32, WIDE, mul_wide_u32), HALVES(MUL, S32, WIDE, mul_wide_s32),
    HALVES(MAD, U16, LO, mad_lo_16), HALVES(MAD, S16, LO, mad_lo_16), HALVES(MAD, U32, LO, mad_lo_32),
    HALVES(MAD, S32, LO, mad_lo_32),
    HALVES(MAD, U64, LO, mad_lo_64), HALVES(MAD, S64, LO, mad_lo_64),
    HALVES(MAD, U16, HI, mad_hi_u16), HALVES(MAD, S16, HI, mad_hi_s16), HALVES(MAD, U32, HI, mad_hi_u32),
    HALVES(MAD, S32, HI, mad_hi_s32),
    HALVES(MAD, U64, HI, mad_hi_u64), HALVES(MAD, S64, HI, mad_hi_s64),
    HALVES(MAD, U16, WIDE, mad_wide_u16), HALVES(MAD, S16, WIDE, mad_wide_s16),
    HALVES(MAD, U32, WIDE, mad_wide_u32), HALVES(MAD, S32, WIDE, mad_wide_s32),
    SATURATED(MAD, S32, ISA_HALF_HI, mad_hi_sat_s32),
    CARRIES(MAD, U32, ISA_HALF_LO, mad_lo_cc_32), CARRIES(MAD, S32, ISA_HALF_LO, mad_lo_cc_32),
    CARRIES(MAD, U64, ISA_HALF_LO, mad_lo_cc_64), CARRIES(MAD, S64, ISA_HALF_LO, mad_lo_cc_64),
    CARRIES(MAD, U32, ISA_HALF_HI, mad_hi_cc_u32), CARRIES(MAD, S32, ISA_HALF_HI, mad_hi_cc_s32),
    CARRIES(MAD, U64, ISA_HALF_HI, mad_hi_cc_u64), CARRIES(MAD, S64, ISA_HALF_HI, mad_hi_cc_s64),
    HALVES(MADC, U32, LO, madc_lo_32), HALVES(MADC, S32, LO, madc_lo_32), HALVES(MADC, U64, LO, madc_lo_64),
    HALVES(MADC, S64, LO, madc_lo_64),
    HALVES(MADC, U32, HI, madc_hi_u32), HALVES(MADC, S32, HI, madc_hi_s32), HALVES(MADC, U64, HI, madc_hi_u64),
    HALVES(MADC, S64, HI, madc_hi_s64),
    CARRIES(MADC, U32, ISA_HALF_LO, madc_lo_32), CARRIES(MADC, S32, ISA_HALF_LO, madc_lo_32),
    CARRIES(MADC, U64, ISA_HALF_LO, madc_lo_64), CARRIES(MADC, S64, ISA_HALF_LO, madc_lo_64),
    CARRIES(MADC, U32, ISA_HALF_HI, madc_hi_u32), CARRIES(MADC, S32, ISA_HALF_HI, madc_hi_s32),
    CARRIES(MADC, U64, ISA_HALF_HI, madc_hi_u64), CARRIES(MADC, S64, ISA_HALF_HI, madc_hi_s64),
    HALVES(MUL24, U32, LO, mul24_lo_u32), HALVES(MUL24, S32, LO, mul24_lo_s32), HALVES(MUL24, U32, HI, mul24_hi_u32),
    HALVES(MUL24, S32, HI, mul24_hi_s32),
    HALVES(MAD24, U32, LO, mad24_lo_u32), HALVES(MAD24, S32, LO, mad24_lo_s32), HALVES(MAD24, U32, HI, mad24_hi_u32),
    HALVES(MAD24, S32, HI, mad24_hi_s32),
    SATURATED(MAD24, S32, ISA_HALF_HI, mad24_hi_sat_s32),
    PLAIN(SAD, U16, sad_u16), PLAIN(SAD, S16, sad_s16), PLAIN(SAD, U32, sad_u32), PLAIN(SAD, S32, sad_s32),
    PLAIN(SAD, U64, sad_u64), PLAIN(SAD, S64, sad_s64),
    PLAIN(DIV, U16, div_u16), PLAIN(DIV, S16, div_s16), PLAIN(DIV, U32, div_u32), PLAIN(DIV, S32, div_s32),
    PLAIN(DIV, U64, div_u64), PLAIN(DIV, S64, div_s64),
    PLAIN(REM, U16, rem_u16), PLAIN(REM, S16, rem_s16), PLAIN(REM, U32, rem_u32), PLAIN(REM, S32, rem_s32),
    PLAIN(REM, U64, rem_u64), PLAIN(REM, S64, rem_s64),
    PLAIN(ABS, S16, abs_s16), PLAIN(ABS, S32, abs_s32), PLAIN(ABS, S64, abs_s64),
    PLAIN(NEG, S16, neg_16), PLAIN(NEG, S32, neg_32), PLAIN(NEG, S64, neg_64),
    PLAIN(MIN, U16, min_u32), PLAIN(MIN, S16, min_s16), PLAIN(MIN, U32, min_u32), PLAIN(MIN, S32, min_s32),
    PLAIN(MIN, U64, min_u64), PLAIN(MIN, S64, min_s64), PLAIN(MIN, U16X2, min_u16x2), PLAIN(MIN, S16X2, min_s16x2),
    RELU(MIN, S32, min_relu_s32), RELU(MIN, S16X2, min_relu_s16x2),
    PLAIN(MAX, U16, max_u32), PLAIN(MAX, S16, max_s16), PLAIN(MAX, U32, max_u32), PLAIN(MAX, S32, max_s32),
    PLAIN(MAX, U64, max_u64), PLAIN(MAX, S64, max_s64), PLAIN(MAX, U16X2, max_u16x2), PLAIN(MAX, S16X2, max_s16x2),
    RELU(MAX, S32, max_relu_s32), RELU(MAX, S16X2, max_relu_s16x2),
    DOT(DP4A, U32, U32, 0, dp4a_uu), DOT(DP4A, U32, S32, 0, dp4a_us), DOT(DP4A, S32, U32, 0, dp4a_su),
    DOT(DP4A, S32, S32, 0, dp4a_ss),
    DOT(DP2A, U32, U32, ISA_HALF_LO, dp2a_lo_uu), DOT(DP2A, U32, S32, ISA_HALF_LO, dp2a_lo_us),
    DOT(DP2A, S32, U32, ISA_HALF_LO, dp2a_lo_su), DOT(DP2A, S32, S32, ISA_HALF_LO, dp2a_lo_ss),
    DOT(DP2A, U32, U32, ISA_HALF_HI, dp2a_hi_uu), DOT(DP2A, U32, S32, ISA_HALF_HI, dp2a_hi_us),
    DOT(DP2A, S32, U32, ISA_HALF_HI, dp2a_hi_su), DOT(DP2A, S32, S32, ISA_HALF_HI, dp2a_hi_ss),
};

#undef PLAIN
#undef HALVES
#undef SATURATED
#undef RELU
#undef CARRIES
#undef DOT

lane_fn *LANE_FAMILY(lane_resolve_int)(const struct isa_instr *instr)
{
    return lane_lookup(int_rows, sizeof int_rows / sizeof *int_rows, instr);
}
