/* Logic, shifts, bit fields, bit counts and byte permutation: PTX ISA, "Logic and Shift Instructions", and bfe, bfi,
 * bfind, bmsk, brev, clz, fns, popc, szext of "Integer Arithmetic Instructions". Shift amounts are 32-bit unsigned
 * and clamped at the width, except for shf.wrap. fns with a base beyond 31, which PTX leaves undefined, finds
 * nothing. */
#include "simt/lanes_body.h"
#include "simt/mbarrier.h"

LANE_BINARY(and_32, uint32_t, uint32_t, uint32_t, x & y)
LANE_BINARY(and_64, uint64_t, uint64_t, uint64_t, x & y)
LANE_BINARY(or_32, uint32_t, uint32_t, uint32_t, x | y)
LANE_BINARY(or_64, uint64_t, uint64_t, uint64_t, x | y)
LANE_BINARY(xor_32, uint32_t, uint32_t, uint32_t, x ^ y)
LANE_BINARY(xor_64, uint64_t, uint64_t, uint64_t, x ^ y)
LANE_UNARY(not_16, uint32_t, uint32_t, ~x & 0xffff)
LANE_UNARY(not_32, uint32_t, uint32_t, ~x)
LANE_UNARY(not_64, uint64_t, uint64_t, ~x)
LANE_UNARY(cnot_32, uint32_t, uint32_t, x == 0)
LANE_UNARY(cnot_64, uint64_t, uint64_t, x == 0)

static void and_pred(struct lane_args *args)
{
    args->pred_dst[0] = args->pred_src[0] & args->pred_src[1];
}
static void or_pred(struct lane_args *args)
{
    args->pred_dst[0] = args->pred_src[0] | args->pred_src[1];
}
static void xor_pred(struct lane_args *args)
{
    args->pred_dst[0] = args->pred_src[0] ^ args->pred_src[1];
}
static void not_pred(struct lane_args *args)
{
    args->pred_dst[0] = ~args->pred_src[0];
}

/* The function of x, y, z with truth table `table`: bit 4x+2y+z of it. The table is first read as four functions of
 * x, each x&p ^ q for masks p and q; y and then z choose among them. */
struct truth {
    uint32_t p[4], q[4]; /* index 2y+z */
};
static inline struct truth truth_of(uint32_t table)
{
    struct truth t;
    for (unsigned i = 0; i < 4; i++) {
        t.q[i] = 0 - (table >> i & 1);
        t.p[i] = t.q[i] ^ (0 - (table >> (4 + i) & 1));
    }
    return t;
}
static inline uint32_t choose(uint32_t zero, uint32_t one, uint32_t selector)
{
    return zero ^ ((zero ^ one) & selector);
}
static inline uint32_t truth_apply(const struct truth *t, uint32_t x, uint32_t y, uint32_t z)
{
    uint32_t y0 = choose((x & t->p[0]) ^ t->q[0], (x & t->p[1]) ^ t->q[1], z);
    uint32_t y1 = choose((x & t->p[2]) ^ t->q[2], (x & t->p[3]) ^ t->q[3], z);
    return choose(y0, y1, y);
}
static void lop3_32(struct lane_args *args)
{
    const uint32_t *a = args->src[0], *b = args->src[1], *c = args->src[2];
    const struct truth truth = truth_of((uint32_t)args->instr->src[3].value);
    uint32_t r[LANES];
    for (unsigned lane = 0; lane < LANES; lane++)
        r[lane] = truth_apply(&truth, a[lane], b[lane], c[lane]);
    if (args->instr->mods.boolop) {
        uint32_t set = 0;
        for (unsigned lane = 0; lane < LANES; lane++)
            set |= r[lane] ? lane_bit[lane] : 0;
        args->pred_dst[0] = lane_boolop(args->instr->mods.boolop, set, args->pred_src[0]);
    }
    LANE_STORE(uint32_t, args->dst[0], r, args->mask);
}

/* Shifts. */
static inline uint32_t left_32(uint32_t x, uint32_t n)
{
    return n < 32 ? x << (n & 31) : 0;
}
static inline uint32_t right_32(uint32_t x, uint32_t n)
{
    return n < 32 ? x >> (n & 31) : 0;
}
static inline uint64_t left_64(uint64_t x, uint32_t n)
{
    return n < 64 ? x << (n & 63) : 0;
}
static inline uint64_t right_64(uint64_t x, uint32_t n)
{
    return n < 64 ? x >> (n & 63) : 0;
}
static inline uint32_t right_s32(uint32_t x, uint32_t n)
{
    return (uint32_t)((int32_t)x >> (n < 31 ? n : 31));
}
static inline uint64_t right_s64(uint64_t x, uint32_t n)
{
    return (uint64_t)((int64_t)x >> (n < 63 ? n : 63));
}
LANE_BINARY(shl_16, uint32_t, uint32_t, uint32_t, left_32(x, y) & 0xffff)
LANE_BINARY(shl_32, uint32_t, uint32_t, uint32_t, left_32(x, y))
LANE_BINARY(shl_64, uint64_t, uint64_t, uint32_t, left_64(x, y))
LANE_BINARY(shr_u32, uint32_t, uint32_t, uint32_t, right_32(x, y))
LANE_BINARY(shr_u64, uint64_t, uint64_t, uint32_t, right_64(x, y))
LANE_BINARY(shr_s16, uint32_t, uint32_t, uint32_t, right_s32((uint32_t)lane_s16(x), y) & 0xffff)
LANE_BINARY(shr_s32, uint32_t, uint32_t, uint32_t, right_s32(x, y))
LANE_BINARY(shr_s64, uint64_t, uint64_t, uint32_t, right_s64(x, y))

/* The funnel is y:x; z is the amount, below 32 for wrap and at most 32 for clamp. */
static inline uint32_t funnel_left(uint32_t x, uint32_t y, uint32_t n)
{
    return (uint32_t)(((uint64_t)y << 32 | x) << n >> 32);
}
static inline uint32_t funnel_right(uint32_t x, uint32_t y, uint32_t n)
{
    return (uint32_t)(((uint64_t)y << 32 | x) >> n);
}
LANE_TERNARY(shf_l_clamp, uint32_t, uint32_t, uint32_t, uint32_t, funnel_left(x, y, z < 32 ? z : 32))
LANE_TERNARY(shf_l_wrap, uint32_t, uint32_t, uint32_t, uint32_t, funnel_left(x, y, z & 31))
LANE_TERNARY(shf_r_clamp, uint32_t, uint32_t, uint32_t, uint32_t, funnel_right(x, y, z < 32 ? z : 32))
LANE_TERNARY(shf_r_wrap, uint32_t, uint32_t, uint32_t, uint32_t, funnel_right(x, y, z & 31))

/* Counts and positions. */
static inline uint32_t ones_32(uint32_t x)
{
    x -= x >> 1 & 0x55555555;
    x = (x & 0x33333333) + (x >> 2 & 0x33333333);
    return ((x + (x >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}
static inline uint32_t zeros_32(uint32_t x)
{
    return x ? (uint32_t)__builtin_clz(x) : 32;
}
static inline uint32_t zeros_64(uint64_t x)
{
    return x ? (uint32_t)__builtin_clzll(x) : 64;
}
static inline uint32_t reverse_32(uint32_t x)
{
    x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
    x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
    x = (x >> 8 & 0x00ff00ff) | (x & 0x00ff00ff) << 8;
    return x >> 16 | x << 16;
}
/* A signed value's most significant bit that differs from its sign. */
static inline uint32_t folded_32(uint32_t x)
{
    return x ^ (0 - (x >> 31));
}
static inline uint64_t folded_64(uint64_t x)
{
    return x ^ (0 - (x >> 63));
}
LANE_UNARY(popc_32, uint32_t, uint32_t, ones_32(x))
LANE_UNARY(popc_64, uint32_t, uint64_t, ones_32((uint32_t)x) + ones_32((uint32_t)(x >> 32)))
LANE_UNARY(clz_32, uint32_t, uint32_t, zeros_32(x))
LANE_UNARY(clz_64, uint32_t, uint64_t, zeros_64(x))
LANE_UNARY(brev_32, uint32_t, uint32_t, reverse_32(x))
LANE_UNARY(brev_64, uint64_t, uint64_t, (uint64_t)reverse_32((uint32_t)x) << 32 | reverse_32((uint32_t)(x >> 32)))
LANE_UNARY(bfind_u32, uint32_t, uint32_t, 31 - zeros_32(x))
LANE_UNARY(bfind_u64, uint32_t, uint64_t, 63 - zeros_64(x))
LANE_UNARY(bfind_s32, uint32_t, uint32_t, 31 - zeros_32(folded_32(x)))
LANE_UNARY(bfind_s64, uint32_t, uint64_t, 63 - zeros_64(folded_64(x)))
LANE_UNARY(bfind_shift_u32, uint32_t, uint32_t, x ? zeros_32(x) : UINT32_MAX)
LANE_UNARY(bfind_shift_u64, uint32_t, uint64_t, x ? zeros_64(x) : UINT32_MAX)
LANE_UNARY(bfind_shift_s32, uint32_t, uint32_t, folded_32(x) ? zeros_32(folded_32(x)) : UINT32_MAX)
LANE_UNARY(bfind_shift_s64, uint32_t, uint64_t, folded_64(x) ? zeros_64(folded_64(x)) : UINT32_MAX)

/* The n-th set bit (n > 0 upwards, n < 0 downwards) from base on, base included; n = 0 asks whether bit base itself
 * is set. */
static uint32_t nth_set(uint32_t mask, uint32_t base, int32_t n)
{
    if (base > 31)
        return UINT32_MAX;
    if (n == 0)
        return mask >> base & 1 ? base : UINT32_MAX;
    uint32_t rest = n > 0 ? mask & UINT32_MAX << base : mask & UINT32_MAX >> (31 - base);
    uint32_t skip = (n > 0 ? (uint32_t)n : 0 - (uint32_t)n) - 1;
    for (; skip && rest; skip--)
        rest &= n > 0 ? rest - 1 : ~(UINT32_C(0x80000000) >> zeros_32(rest));
    if (!rest)
        return UINT32_MAX;
    return n > 0 ? (uint32_t)__builtin_ctz(rest) : 31 - zeros_32(rest);
}
LANE_TERNARY(fns_32, uint32_t, uint32_t, uint32_t, int32_t, nth_set(x, y, z))

/* Bit fields: position and length are the low byte of their operands. */
static inline uint32_t field_u32(uint32_t x, uint32_t length)
{
    return length < 32 ? x & (left_32(1, length) - 1) : x;
}
static inline uint64_t field_u64(uint64_t x, uint32_t length)
{
    return length < 64 ? x & (left_64(1, length) - 1) : x;
}
static inline uint32_t field_s32(uint32_t x, uint32_t length)
{
    uint32_t up = length < 32 ? 32 - length : 0;
    return length ? right_s32(left_32(x, up), up) : 0;
}
static inline uint64_t field_s64(uint64_t x, uint32_t length)
{
    uint32_t up = length < 64 ? 64 - length : 0;
    return length ? right_s64(left_64(x, up), up) : 0;
}
LANE_TERNARY(bfe_u32, uint32_t, uint32_t, uint32_t, uint32_t, field_u32(right_32(x, y & 255), z & 255))
LANE_TERNARY(bfe_u64, uint64_t, uint64_t, uint32_t, uint32_t, field_u64(right_64(x, y & 255), z & 255))
LANE_TERNARY(bfe_s32, uint32_t, uint32_t, uint32_t, uint32_t, field_s32(right_s32(x, y & 255), z & 255))
LANE_TERNARY(bfe_s64, uint64_t, uint64_t, uint32_t, uint32_t, field_s64(right_s64(x, y & 255), z & 255))

static inline uint32_t insert_32(uint32_t field, uint32_t into, uint32_t position, uint32_t length)
{
    uint32_t mask = left_32(field_u32(UINT32_MAX, length), position);
    return (into & ~mask) | (left_32(field, position) & mask);
}
static inline uint64_t insert_64(uint64_t field, uint64_t into, uint32_t position, uint32_t length)
{
    uint64_t mask = left_64(field_u64(UINT64_MAX, length), position);
    return (into & ~mask) | (left_64(field, position) & mask);
}
LANE_QUATERNARY(bfi_32, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, insert_32(x, y, z & 255, w & 255))
LANE_QUATERNARY(bfi_64, uint64_t, uint64_t, uint64_t, uint32_t, uint32_t, insert_64(x, y, z & 255, w & 255))

LANE_BINARY(bmsk_clamp, uint32_t, uint32_t, uint32_t, left_32(field_u32(UINT32_MAX, y), x))
LANE_BINARY(bmsk_wrap, uint32_t, uint32_t, uint32_t, left_32(field_u32(UINT32_MAX, y & 31), x & 31))
LANE_BINARY(szext_clamp_u32, uint32_t, uint32_t, uint32_t, field_u32(x, y))
LANE_BINARY(szext_clamp_s32, uint32_t, uint32_t, uint32_t, field_s32(x, y))
LANE_BINARY(szext_wrap_u32, uint32_t, uint32_t, uint32_t, field_u32(x, y & 31))
LANE_BINARY(szext_wrap_s32, uint32_t, uint32_t, uint32_t, field_s32(x, y & 31))

/* Byte permutation. A selector nibble picks byte 0..7 of y:x; bit 3 asks for eight copies of its sign instead. */
static inline uint32_t pick_byte(uint64_t bytes, uint32_t nibble)
{
    uint32_t byte = (uint32_t)(bytes >> 8 * (nibble & 7)) & 0xff;
    return nibble & 8 ? (0 - (byte >> 7)) & 0xff : byte;
}
static inline uint32_t permute(uint32_t x, uint32_t y, uint32_t selector)
{
    uint64_t bytes = (uint64_t)y << 32 | x;
    return pick_byte(bytes, selector) | pick_byte(bytes, selector >> 4) << 8 | pick_byte(bytes, selector >> 8) << 16 |
           pick_byte(bytes, selector >> 12) << 24;
}
/* The modes are permutations with a selector that two bits of z choose; here the four selectors, the first in the
 * low 16 bits. */
#define SELECTORS(s0, s1, s2, s3) (UINT64_C(0x##s3##s2##s1##s0))
static inline uint32_t permute_mode(uint32_t x, uint32_t y, uint32_t z, uint64_t selectors)
{
    return permute(x, y, (uint32_t)(selectors >> 16 * (z & 3)));
}
LANE_TERNARY(prmt_32, uint32_t, uint32_t, uint32_t, uint32_t, permute(x, y, z))
LANE_TERNARY(prmt_f4e, uint32_t, uint32_t, uint32_t, uint32_t, permute_mode(x, y, z, SELECTORS(3210, 4321, 5432, 6543)))
LANE_TERNARY(prmt_b4e, uint32_t, uint32_t, uint32_t, uint32_t, permute_mode(x, y, z, SELECTORS(5670, 6701, 7012, 0123)))
LANE_TERNARY(prmt_rc8, uint32_t, uint32_t, uint32_t, uint32_t, permute_mode(x, y, z, SELECTORS(0000, 1111, 2222, 3333)))
LANE_TERNARY(prmt_ecl, uint32_t, uint32_t, uint32_t, uint32_t, permute_mode(x, y, z, SELECTORS(3210, 3211, 3222, 3333)))
LANE_TERNARY(prmt_ecr, uint32_t, uint32_t, uint32_t, uint32_t, permute_mode(x, y, z, SELECTORS(0000, 1110, 2210, 3210)))
LANE_TERNARY(prmt_rc16, uint32_t, uint32_t, uint32_t, uint32_t,
             permute_mode(x, y, z, SELECTORS(1010, 3232, 1010, 3232)))
#undef SELECTORS

LANE_UNARY(mbarrier_pending_64, uint32_t, uint64_t, mbarrier_pending(x))

#define PLAIN(op, type, fn) {ISA_OP_##op, ISA_##type, 0, {0}, fn}
#define WITH(op, type, member, value, fn) {ISA_OP_##op, ISA_##type, 0, {.member = (value)}, fn}
#define FUNNEL(to, edge, fn) {ISA_OP_SHF, ISA_B32, 0, {.direction = ISA_DIRECTION_##to, .clamp = ISA_CLAMP_##edge}, fn}

static const struct lane_row bits_rows[] = {
    PLAIN(AND, B16, and_32), PLAIN(AND, B32, and_32), PLAIN(AND, B64, and_64), PLAIN(AND, PRED, and_pred),
    PLAIN(OR, B16, or_32), PLAIN(OR, B32, or_32), PLAIN(OR, B64, or_64), PLAIN(OR, PRED, or_pred),
    PLAIN(XOR, B16, xor_32), PLAIN(XOR, B32, xor_32), PLAIN(XOR, B64, xor_64), PLAIN(XOR, PRED, xor_pred),
    PLAIN(NOT, B16, not_16), PLAIN(NOT, B32, not_32), PLAIN(NOT, B64, not_64), PLAIN(NOT, PRED, not_pred),
    PLAIN(CNOT, B16, cnot_32), PLAIN(CNOT, B32, cnot_32), PLAIN(CNOT, B64, cnot_64),
    PLAIN(LOP3, B32, lop3_32), WITH(LOP3, B32, boolop, ISA_BOOLOP_AND, lop3_32),
    WITH(LOP3, B32, boolop, ISA_BOOLOP_OR, lop3_32),
    WITH(LOP3, B32, boolop, ISA_BOOLOP_XOR, lop3_32),
    PLAIN(SHL, B16, shl_16), PLAIN(SHL, B32, shl_32), PLAIN(SHL, B64, shl_64),
    PLAIN(SHR, B16, shr_u32), PLAIN(SHR, B32, shr_u32), PLAIN(SHR, B64, shr_u64),
    PLAIN(SHR, U16, shr_u32), PLAIN(SHR, U32, shr_u32), PLAIN(SHR, U64, shr_u64),
    PLAIN(SHR, S16, shr_s16), PLAIN(SHR, S32, shr_s32), PLAIN(SHR, S64, shr_s64),
    FUNNEL(LEFT, CLAMP, shf_l_clamp), FUNNEL(LEFT, WRAP, shf_l_wrap),
    FUNNEL(RIGHT, CLAMP, shf_r_clamp), FUNNEL(RIGHT, WRAP, shf_r_wrap),
    PLAIN(POPC, B32, popc_32), PLAIN(POPC, B64, popc_64), PLAIN(CLZ, B32, clz_32), PLAIN(CLZ, B64, clz_64),
    PLAIN(BFIND, U32, bfind_u32), PLAIN(BFIND, U64, bfind_u64), PLAIN(BFIND, S32, bfind_s32),
    PLAIN(BFIND, S64, bfind_s64),
    WITH(BFIND, U32, shiftamt, ISA_SHIFTAMT_YES, bfind_shift_u32),
    WITH(BFIND, U64, shiftamt, ISA_SHIFTAMT_YES, bfind_shift_u64),
    WITH(BFIND, S32, shiftamt, ISA_SHIFTAMT_YES, bfind_shift_s32),
    WITH(BFIND, S64, shiftamt, ISA_SHIFTAMT_YES, bfind_shift_s64),
    PLAIN(FNS, B32, fns_32), PLAIN(BREV, B32, brev_32), PLAIN(BREV, B64, brev_64),
    PLAIN(BFE, U32, bfe_u32), PLAIN(BFE, U64, bfe_u64), PLAIN(BFE, S32, bfe_s32), PLAIN(BFE, S64, bfe_s64),
    PLAIN(BFI, B32, bfi_32), PLAIN(BFI, B64, bfi_64),
    WITH(BMSK, B32, clamp, ISA_CLAMP_CLAMP, bmsk_clamp), WITH(BMSK, B32, clamp, ISA_CLAMP_WRAP, bmsk_wrap),
    WITH(SZEXT, U32, clamp, ISA_CLAMP_CLAMP, szext_clamp_u32), WITH(SZEXT, U32, clamp, ISA_CLAMP_WRAP, szext_wrap_u32),
    WITH(SZEXT, S32, clamp, ISA_CLAMP_CLAMP, szext_clamp_s32), WITH(SZEXT, S32, clamp, ISA_CLAMP_WRAP, szext_wrap_s32),
    PLAIN(PRMT, B32, prmt_32), PLAIN(MBARRIER_PENDING, B64, mbarrier_pending_64),
    WITH(PRMT, B32, prmt, ISA_PRMT_F4E, prmt_f4e), WITH(PRMT, B32, prmt, ISA_PRMT_B4E, prmt_b4e),
    WITH(PRMT, B32, prmt, ISA_PRMT_RC8, prmt_rc8), WITH(PRMT, B32, prmt, ISA_PRMT_ECL, prmt_ecl),
    WITH(PRMT, B32, prmt, ISA_PRMT_ECR, prmt_ecr), WITH(PRMT, B32, prmt, ISA_PRMT_RC16, prmt_rc16),
};

#undef PLAIN
#undef WITH
#undef FUNNEL

lane_fn *LANE_FAMILY(lane_resolve_bits)(const struct isa_instr *instr)
{
    return lane_lookup(bits_rows, sizeof bits_rows / sizeof *bits_rows, instr);
}
