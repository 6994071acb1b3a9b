/* Comparison: setp, set and testp over integers and floating-point numbers. PTX ISA, "Comparison and Selection
 * Instructions", "Half Precision Comparison Instructions", "Floating Point Instructions: testp".
 *
 * A compare function yields the predicate p and its complement q, combined with the predicate source by .and, .or,
 * .xor; set runs the same function and spreads the bits into values. eq ne lt le gt ge are false where an operand is
 * NaN (also ne), equ .. geu are true there. For the packed types p belongs to the low half and q to the high one. */
#include "simt/lanes_body.h"

/* t: the comparison per lane. */
static inline void compare_finish(struct lane_args *args, uint32_t t)
{
    args->pred_dst[0] = lane_boolop(args->instr->mods.boolop, t, args->pred_src[0]);
    args->pred_dst[1] = lane_boolop(args->instr->mods.boolop, ~t, args->pred_src[0]);
}

/* x cmp y, both of type V, which load makes of the row's values of type T. The reduction runs in lanes as wide as
 * the row. */
#define COMPARE(name, T, V, load, cond)                  \
    static void name(struct lane_args *args)             \
    {                                                    \
        const T *a = args->src[0], *b = args->src[1];    \
        T t = 0;                                         \
        for (unsigned lane = 0; lane < LANES; lane++) {  \
            V x = load(a[lane]), y = load(b[lane]);      \
            t |= (cond) ? (T)lane_bit[lane] : 0;         \
        }                                                \
        compare_finish(args, (uint32_t)t);               \
    }

static inline int32_t load_s32(uint32_t x)
{
    return (int32_t)x;
}
static inline int64_t load_s64(uint64_t x)
{
    return (int64_t)x;
}
COMPARE(eq_32, uint32_t, uint32_t, , x == y)
COMPARE(ne_32, uint32_t, uint32_t, , x != y)
COMPARE(lt_u32, uint32_t, uint32_t, , x < y)
COMPARE(le_u32, uint32_t, uint32_t, , x <= y)
COMPARE(gt_u32, uint32_t, uint32_t, , x > y)
COMPARE(ge_u32, uint32_t, uint32_t, , x >= y)
COMPARE(lt_s16, uint32_t, int32_t, lane_s16, x < y)
COMPARE(le_s16, uint32_t, int32_t, lane_s16, x <= y)
COMPARE(gt_s16, uint32_t, int32_t, lane_s16, x > y)
COMPARE(ge_s16, uint32_t, int32_t, lane_s16, x >= y)
COMPARE(lt_s32, uint32_t, int32_t, load_s32, x < y)
COMPARE(le_s32, uint32_t, int32_t, load_s32, x <= y)
COMPARE(gt_s32, uint32_t, int32_t, load_s32, x > y)
COMPARE(ge_s32, uint32_t, int32_t, load_s32, x >= y)
COMPARE(eq_64, uint64_t, uint64_t, , x == y)
COMPARE(ne_64, uint64_t, uint64_t, , x != y)
COMPARE(lt_u64, uint64_t, uint64_t, , x < y)
COMPARE(le_u64, uint64_t, uint64_t, , x <= y)
COMPARE(gt_u64, uint64_t, uint64_t, , x > y)
COMPARE(ge_u64, uint64_t, uint64_t, , x >= y)
COMPARE(lt_s64, uint64_t, int64_t, load_s64, x < y)
COMPARE(le_s64, uint64_t, int64_t, load_s64, x <= y)
COMPARE(gt_s64, uint64_t, int64_t, load_s64, x > y)
COMPARE(ge_s64, uint64_t, int64_t, load_s64, x >= y)

/* Floating point. A half is compared as a float that has the same order: its magnitude as an integer, with its sign. */
static inline float load_f32(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
static inline float load_f32_ftz(uint32_t bits)
{
    return load_f32(bits & 0x7f800000 ? bits : bits & 0x80000000);
}
static inline double load_f64(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
static inline float load_f16(uint32_t bits)
{
    int32_t magnitude = bits & 0x7fff;
    float order = (float)(bits & 0x8000 ? -magnitude : magnitude);
    return magnitude > 0x7c00 ? load_f32(0x7fc00000) : order;
}
static inline float load_f16_ftz(uint32_t bits)
{
    return load_f16(bits & 0x7c00 ? bits : 0);
}
static inline float load_bf16(uint32_t bits)
{
    return load_f32(bits << 16);
}

/* The comparisons of floating-point numbers: X(suffix, condition). */
#define FLOAT_CONDITIONS(X)      \
    X(eq, x == y)                \
    X(ne, x < y || x > y)        \
    X(lt, x < y)                 \
    X(le, x <= y)                \
    X(gt, x > y)                 \
    X(ge, x >= y)                \
    X(equ, !(x < y || x > y))    \
    X(neu, x != y)               \
    X(ltu, !(x >= y))            \
    X(leu, !(x > y))             \
    X(gtu, !(x <= y))            \
    X(geu, !(x < y))             \
    X(num, x == x && y == y)     \
    X(nan, x != x || y != y)

#define X(cmp, cond) COMPARE(cmp##_f32, uint32_t, float, load_f32, cond)
FLOAT_CONDITIONS(X)
#undef X
#define X(cmp, cond) COMPARE(cmp##_f32_ftz, uint32_t, float, load_f32_ftz, cond)
FLOAT_CONDITIONS(X)
#undef X
#define X(cmp, cond) COMPARE(cmp##_f64, uint64_t, double, load_f64, cond)
FLOAT_CONDITIONS(X)
#undef X
#define X(cmp, cond) COMPARE(cmp##_f16, uint32_t, float, load_f16, cond)
FLOAT_CONDITIONS(X)
#undef X
#define X(cmp, cond) COMPARE(cmp##_f16_ftz, uint32_t, float, load_f16_ftz, cond)
FLOAT_CONDITIONS(X)
#undef X
#define X(cmp, cond) COMPARE(cmp##_bf16, uint32_t, float, load_bf16, cond)
FLOAT_CONDITIONS(X)
#undef X

/* Rows of comparisons by ISA_CMP_*; NULL where the type has no such comparison. */
#define CMP_COUNT (ISA_CMP_NAN + 1)
#define BITS(eq, ne) {[ISA_CMP_EQ] = eq, [ISA_CMP_NE] = ne}
#define SIGNED(eq, ne, lt, le, gt, ge) \
    {[ISA_CMP_EQ] = eq, [ISA_CMP_NE] = ne, [ISA_CMP_LT] = lt, [ISA_CMP_LE] = le, [ISA_CMP_GT] = gt, [ISA_CMP_GE] = ge}
#define UNSIGNED(eq, ne, lt, le, gt, ge)                                                                              \
    {[ISA_CMP_EQ] = eq, [ISA_CMP_NE] = ne, [ISA_CMP_LT] = lt, [ISA_CMP_LE] = le, [ISA_CMP_GT] = gt,                   \
     [ISA_CMP_GE] = ge, [ISA_CMP_LO] = lt, [ISA_CMP_LS] = le, [ISA_CMP_HI] = gt, [ISA_CMP_HS] = ge}
#define FLOATS(type)                                                                                                  \
    {[ISA_CMP_EQ] = eq_##type,   [ISA_CMP_NE] = ne_##type,   [ISA_CMP_LT] = lt_##type,   [ISA_CMP_LE] = le_##type,    \
     [ISA_CMP_GT] = gt_##type,   [ISA_CMP_GE] = ge_##type,   [ISA_CMP_EQU] = equ_##type, [ISA_CMP_NEU] = neu_##type,  \
     [ISA_CMP_LTU] = ltu_##type, [ISA_CMP_LEU] = leu_##type, [ISA_CMP_GTU] = gtu_##type, [ISA_CMP_GEU] = geu_##type,  \
     [ISA_CMP_NUM] = num_##type, [ISA_CMP_NAN] = nan_##type}

static lane_fn *const compare_table[ISA_TYPE_COUNT][CMP_COUNT] = {
    [ISA_B16] = BITS(eq_32, ne_32),
    [ISA_B32] = BITS(eq_32, ne_32),
    [ISA_B64] = BITS(eq_64, ne_64),
    [ISA_U16] = UNSIGNED(eq_32, ne_32, lt_u32, le_u32, gt_u32, ge_u32),
    [ISA_U32] = UNSIGNED(eq_32, ne_32, lt_u32, le_u32, gt_u32, ge_u32),
    [ISA_U64] = UNSIGNED(eq_64, ne_64, lt_u64, le_u64, gt_u64, ge_u64),
    [ISA_S16] = SIGNED(eq_32, ne_32, lt_s16, le_s16, gt_s16, ge_s16),
    [ISA_S32] = SIGNED(eq_32, ne_32, lt_s32, le_s32, gt_s32, ge_s32),
    [ISA_S64] = SIGNED(eq_64, ne_64, lt_s64, le_s64, gt_s64, ge_s64),
    [ISA_F32] = FLOATS(f32),
    [ISA_F64] = FLOATS(f64),
    [ISA_F16] = FLOATS(f16),
    [ISA_BF16] = FLOATS(bf16),
};
static lane_fn *const compare_table_ftz[ISA_TYPE_COUNT][CMP_COUNT] = {
    [ISA_F32] = FLOATS(f32_ftz),
    [ISA_F16] = FLOATS(f16_ftz),
};
#undef BITS
#undef SIGNED
#undef UNSIGNED
#undef FLOATS

/* The comparison of a scalar type, or of the elements of a packed one; NULL when PTX has none. */
static lane_fn *compare_scalar(uint8_t type, const struct isa_mods *mods)
{
    uint8_t element = type == ISA_F16X2 ? ISA_F16 : type == ISA_BF16X2 ? ISA_BF16 : type;
    return (mods->ftz ? compare_table_ftz : compare_table)[element][mods->cmp];
}

static bool is_packed_half(uint8_t type)
{
    return type == ISA_F16X2 || type == ISA_BF16X2;
}

/* The comparison of packed halves, through that of one half: p for the low halves, q for the high ones. */
static void compare_packed(struct lane_args *args, uint8_t type)
{
    const uint32_t *a = args->src[0], *b = args->src[1];
    lane_fn *compare = compare_scalar(type, &args->instr->mods);
    uint32_t x[LANES], y[LANES];
    struct lane_args half = {.src = {x, y}, .pred_src = {args->pred_src[0]}, .mask = args->mask, .instr = args->instr};
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned lane = 0; lane < LANES; lane++) {
            x[lane] = a[lane] >> 16 * i & 0xffff;
            y[lane] = b[lane] >> 16 * i & 0xffff;
        }
        compare(&half);
        args->pred_dst[i] = half.pred_dst[0];
    }
}

static void setp_packed(struct lane_args *args)
{
    compare_packed(args, args->instr->type);
}

/* The value that `set` writes for true. */
static uint32_t set_value(uint8_t type)
{
    switch (type) {
    case ISA_F32: return 0x3f800000;
    case ISA_F16: return 0x3c00;
    case ISA_BF16: return 0x3f80;
    case ISA_U16: case ISA_S16: return 0xffff;
    default: return UINT32_MAX;
    }
}

static void set_scalar(struct lane_args *args)
{
    struct lane_args compared = *args;
    compare_scalar(args->instr->stype, &args->instr->mods)(&compared);
    uint32_t value = set_value(args->instr->type), t = compared.pred_dst[0], r[LANES];
    for (unsigned lane = 0; lane < LANES; lane++)
        r[lane] = t & lane_bit[lane] ? value : 0;
    LANE_STORE(uint32_t, args->dst[0], r, args->mask);
}

/* Each half of the destination belongs to one pair of halves: 1.0 in the packed types, all ones in u32 and s32. */
static void set_packed(struct lane_args *args)
{
    struct lane_args compared = *args;
    uint8_t type = args->instr->type;
    compare_packed(&compared, args->instr->stype);
    uint32_t value = set_value(type == ISA_F16X2 ? ISA_F16 : type == ISA_BF16X2 ? ISA_BF16 : ISA_U16), r[LANES];
    for (unsigned lane = 0; lane < LANES; lane++)
        r[lane] = (compared.pred_dst[0] & lane_bit[lane] ? value : 0) |
                  (compared.pred_dst[1] & lane_bit[lane] ? value << 16 : 0);
    LANE_STORE(uint32_t, args->dst[0], r, args->mask);
}

/* True if set converts from stype into type: PTX ISA, "set" and "Half Precision Comparison Instructions: set". */
static bool is_set_pair(uint8_t type, uint8_t stype)
{
    bool word = type == ISA_U32 || type == ISA_S32;
    if (is_packed_half(stype))
        return word || type == stype;
    if (stype == ISA_F16 || stype == ISA_BF16)
        return word || type == ISA_U16 || type == ISA_S16 || type == stype;
    return word || type == ISA_F32 || type == ISA_F16 || type == ISA_BF16;
}

static lane_fn *resolve_setp(const struct isa_instr *instr)
{
    lane_fn *fn = compare_scalar(instr->type, &instr->mods);
    return fn && is_packed_half(instr->type) ? setp_packed : fn;
}

static lane_fn *resolve_set(const struct isa_instr *instr)
{
    if (!is_set_pair(instr->type, instr->stype) || !compare_scalar(instr->stype, &instr->mods))
        return NULL;
    return is_packed_half(instr->stype) ? set_packed : set_scalar;
}

/* testp, by the bits m of the magnitude: infinity is INF, the smallest normal number is 1 << P. Both zeros count as
 * normal. */
#define TEST(name, T, expr)                              \
    static void name(struct lane_args *args)             \
    {                                                    \
        const T *a = args->src[0];                       \
        T t = 0;                                         \
        for (unsigned lane = 0; lane < LANES; lane++) {  \
            T m = a[lane] << 1 >> 1;                     \
            t |= (expr) ? (T)lane_bit[lane] : 0;         \
        }                                                \
        args->pred_dst[0] = (uint32_t)t;                 \
    }
#define INF_32 UINT32_C(0x7f800000)
#define INF_64 UINT64_C(0x7ff0000000000000)
#define LEAST_32 UINT32_C(0x00800000)
#define LEAST_64 UINT64_C(0x0010000000000000)
TEST(test_finite_32, uint32_t, m < INF_32)
TEST(test_infinite_32, uint32_t, m == INF_32)
TEST(test_number_32, uint32_t, m <= INF_32)
TEST(test_nan_32, uint32_t, m > INF_32)
TEST(test_normal_32, uint32_t, m == 0 || (m >= LEAST_32 && m < INF_32))
TEST(test_subnormal_32, uint32_t, m != 0 && m < LEAST_32)
TEST(test_finite_64, uint64_t, m < INF_64)
TEST(test_infinite_64, uint64_t, m == INF_64)
TEST(test_number_64, uint64_t, m <= INF_64)
TEST(test_nan_64, uint64_t, m > INF_64)
TEST(test_normal_64, uint64_t, m == 0 || (m >= LEAST_64 && m < INF_64))
TEST(test_subnormal_64, uint64_t, m != 0 && m < LEAST_64)
#undef INF_32
#undef INF_64
#undef LEAST_32
#undef LEAST_64

static lane_fn *resolve_testp(const struct isa_instr *instr)
{
    static lane_fn *const narrow[] = {NULL,         test_finite_32, test_infinite_32, test_number_32,
                                      test_nan_32, test_normal_32, test_subnormal_32};
    static lane_fn *const wide[] = {NULL,         test_finite_64, test_infinite_64, test_number_64,
                                    test_nan_64, test_normal_64, test_subnormal_64};
    return instr->type == ISA_F32 ? narrow[instr->mods.test] : instr->type == ISA_F64 ? wide[instr->mods.test] : NULL;
}

lane_fn *LANE_FAMILY(lane_resolve_compare)(const struct isa_instr *instr)
{
    switch (instr->op) {
    case ISA_OP_SETP: return resolve_setp(instr);
    case ISA_OP_SET: return resolve_set(instr);
    case ISA_OP_TESTP: return resolve_testp(instr);
    default: return NULL;
    }
}
