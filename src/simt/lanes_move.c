/* Moves: mov with packing and unpacking, selp, slct, cvta, isspacep, cvt between integers and cvt.pack. PTX ISA,
 * "Data Movement and Conversion Instructions" and "Comparison and Selection Instructions".
 *
 * cvt follows PTX's relaxed operand widths: a source register wider than its type is chopped, a destination register
 * wider than its type gets the result sign- or zero-extended. Left out, and refused: 128-bit packing, 32-bit generic
 * addresses, generic addresses of const variables. */
#include "simt/lanes_body.h"

LANE_UNARY(move_16, uint32_t, uint32_t, x & 0xffff)
LANE_UNARY(move_32, uint32_t, uint32_t, x)
LANE_UNARY(move_64, uint64_t, uint64_t, x)

static void move_pred(struct lane_args *args)
{
    args->pred_dst[0] = args->pred_src[0];
}

/* Packs src_count elements into one value of 16 or 32 bits, or 64; the first element takes the lowest bits. */
static void pack_32(struct lane_args *args)
{
    unsigned count = args->instr->src_count, bits = lane_type_bits(args->instr->type) / count;
    uint32_t r[LANES] = {0}, keep = UINT32_MAX >> (32 - bits);
    for (unsigned i = 0; i < count; i++) {
        const uint32_t *element = args->src[i];
        for (unsigned lane = 0; lane < LANES; lane++)
            r[lane] |= (element[lane] & keep) << i * bits;
    }
    LANE_STORE(uint32_t, args->dst[0], r, args->mask);
}
static void pack_64(struct lane_args *args)
{
    unsigned count = args->instr->src_count, bits = 64 / count;
    uint64_t r[LANES] = {0};
    uint32_t keep = UINT32_MAX >> (32 - bits);
    for (unsigned i = 0; i < count; i++) {
        const uint32_t *element = args->src[i];
        for (unsigned lane = 0; lane < LANES; lane++)
            r[lane] |= (uint64_t)(element[lane] & keep) << i * bits;
    }
    LANE_STORE(uint64_t, args->dst[0], r, args->mask);
}

/* Unpacks into dst_count elements. The value is copied first: an element may be its own register. */
static void unpack_32(struct lane_args *args)
{
    unsigned count = args->instr->dst_count, bits = lane_type_bits(args->instr->type) / count;
    uint32_t value[LANES], r[LANES], keep = UINT32_MAX >> (32 - bits);
    memcpy(value, args->src[0], sizeof value);
    for (unsigned i = 0; i < count; i++) {
        for (unsigned lane = 0; lane < LANES; lane++)
            r[lane] = value[lane] >> i * bits & keep;
        LANE_STORE(uint32_t, args->dst[i], r, args->mask);
    }
}
static void unpack_64(struct lane_args *args)
{
    unsigned count = args->instr->dst_count, bits = 64 / count;
    uint64_t value[LANES];
    uint32_t r[LANES], keep = UINT32_MAX >> (32 - bits);
    memcpy(value, args->src[0], sizeof value);
    for (unsigned i = 0; i < count; i++) {
        for (unsigned lane = 0; lane < LANES; lane++)
            r[lane] = (uint32_t)(value[lane] >> i * bits) & keep;
        LANE_STORE(uint32_t, args->dst[i], r, args->mask);
    }
}

/* Elements of 8, 16 or 32 bits: two or four of them. */
static lane_fn *resolve_pack(const struct isa_instr *instr, unsigned count, lane_fn *narrow, lane_fn *wide)
{
    unsigned bits = lane_type_bits(instr->type);
    if (lane_type_class(instr->type) != ISA_CLASS_BITS || (count != 2 && count != 4) || bits / count < 8 || bits > 64)
        return NULL;
    return bits == 64 ? wide : narrow;
}

/* True if mov, selp and slct take the type. They depend on its width alone: 16 and 32 bits share rows. */
static bool is_register_type(uint8_t type)
{
    unsigned bits = lane_type_bits(type);
    if (lane_type_class(type) == ISA_CLASS_PACKED)
        return type == ISA_F16X2 || type == ISA_BF16X2;
    return (bits == 16 || bits == 32 || bits == 64) && type != ISA_TF32;
}

static lane_fn *resolve_mov(const struct isa_instr *instr)
{
    if (instr->src_count > 1 && instr->dst_count > 1)
        return NULL;
    if (instr->src_count > 1)
        return resolve_pack(instr, instr->src_count, pack_32, pack_64);
    if (instr->dst_count > 1)
        return resolve_pack(instr, instr->dst_count, unpack_32, unpack_64);
    if (instr->type == ISA_PRED)
        return move_pred;
    if (!is_register_type(instr->type))
        return NULL;
    unsigned bits = lane_type_bits(instr->type);
    return bits == 16 ? move_16 : bits == 32 ? move_32 : move_64;
}

/* Selection by a predicate or by a sign. */
#define SELECT(name, T)                                                           \
    static void name(struct lane_args *args)                                      \
    {                                                                             \
        const T *a = args->src[0], *b = args->src[1];                             \
        uint32_t chosen = args->pred_src[0];                                      \
        T r[LANES];                                                               \
        for (unsigned lane = 0; lane < LANES; lane++) {                           \
            T keep = -(T)((chosen & lane_bit[lane]) != 0);                        \
            r[lane] = (a[lane] & keep) | (b[lane] & ~keep);                       \
        }                                                                         \
        LANE_STORE(T, args->dst[0], r, args->mask);                               \
    }
SELECT(selp_32, uint32_t)
SELECT(selp_64, uint64_t)

/* z >= 0 as f32: positive numbers and both zeros; with .ftz negative subnormals count as zero. NaN is not. */
static inline bool at_least_zero(uint32_t z, uint32_t limit)
{
    return z <= 0x7f800000 || (z >= 0x80000000 && z <= limit);
}
LANE_TERNARY(slct_s_32, uint32_t, uint32_t, uint32_t, int32_t, z >= 0 ? x : y)
LANE_TERNARY(slct_s_64, uint64_t, uint64_t, uint64_t, int32_t, z >= 0 ? x : y)
LANE_TERNARY(slct_f_32, uint32_t, uint32_t, uint32_t, uint32_t, at_least_zero(z, 0x80000000) ? x : y)
LANE_TERNARY(slct_f_64, uint64_t, uint64_t, uint64_t, uint32_t, at_least_zero(z, 0x80000000) ? x : y)
LANE_TERNARY(slct_f_ftz_32, uint32_t, uint32_t, uint32_t, uint32_t, at_least_zero(z, 0x807fffff) ? x : y)
LANE_TERNARY(slct_f_ftz_64, uint64_t, uint64_t, uint64_t, uint32_t, at_least_zero(z, 0x807fffff) ? x : y)

static lane_fn *resolve_selp(const struct isa_instr *instr)
{
    if (!is_register_type(instr->type))
        return NULL;
    return lane_type_bits(instr->type) == 64 ? selp_64 : selp_32;
}

static lane_fn *resolve_slct(const struct isa_instr *instr)
{
    bool wide = lane_type_bits(instr->type) == 64;
    if (!is_register_type(instr->type))
        return NULL;
    if (instr->stype == ISA_S32 && !instr->mods.ftz)
        return wide ? slct_s_64 : slct_s_32;
    if (instr->stype != ISA_F32)
        return NULL;
    if (instr->mods.ftz)
        return wide ? slct_f_ftz_64 : slct_f_ftz_32;
    return wide ? slct_f_64 : slct_f_32;
}

/* Generic addresses. */
LANE_UNARY(shared_to_generic, uint64_t, uint64_t, x + LANE_SHARED_WINDOW)
LANE_UNARY(local_to_generic, uint64_t, uint64_t, x + LANE_LOCAL_WINDOW)
LANE_UNARY(param_to_generic, uint64_t, uint64_t, x + LANE_PARAM_WINDOW)
LANE_UNARY(generic_to_shared, uint64_t, uint64_t, x - LANE_SHARED_WINDOW)
LANE_UNARY(generic_to_local, uint64_t, uint64_t, x - LANE_LOCAL_WINDOW)
LANE_UNARY(generic_to_param, uint64_t, uint64_t, x - LANE_PARAM_WINDOW)

static lane_fn *resolve_cvta(const struct isa_instr *instr)
{
    if (instr->type != ISA_U64)
        return NULL;
    switch (instr->mods.space) {
    case ISA_SPACE_GLOBAL:
    case ISA_SPACE_CONST: return move_64; /* constant variables lie among the global ones */
    case ISA_SPACE_CLUSTER:
    case ISA_SPACE_SHARED: return instr->mods.to ? generic_to_shared : shared_to_generic;
    case ISA_SPACE_LOCAL: return instr->mods.to ? generic_to_local : local_to_generic;
    case ISA_SPACE_PARAM: return instr->mods.to ? generic_to_param : param_to_generic;
    default: return NULL;
    }
}

/* The three windows lie side by side, param the lowest. */
_Static_assert(LANE_PARAM_WINDOW + LANE_WINDOW_BYTES == LANE_LOCAL_WINDOW &&
                   LANE_LOCAL_WINDOW + LANE_WINDOW_BYTES == LANE_SHARED_WINDOW,
               "isspacep.global takes the windows as one range");
#define IS_SPACE(name, expr)                            \
    static void name(struct lane_args *args)            \
    {                                                   \
        const uint64_t *a = args->src[0];               \
        uint32_t t = 0;                                 \
        for (unsigned lane = 0; lane < LANES; lane++) { \
            uint64_t x = a[lane];                       \
            t |= (expr) ? lane_bit[lane] : 0;           \
        }                                               \
        args->pred_dst[0] = t;                          \
    }
IS_SPACE(is_shared, x - LANE_SHARED_WINDOW < UINT64_C(1) << LANE_RANK_SHIFT)
IS_SPACE(is_cluster, x - LANE_SHARED_WINDOW < LANE_WINDOW_BYTES)
IS_SPACE(is_local, x - LANE_LOCAL_WINDOW < LANE_WINDOW_BYTES)
IS_SPACE(is_param, x - LANE_PARAM_WINDOW < LANE_WINDOW_BYTES)
IS_SPACE(is_global, x - LANE_PARAM_WINDOW >= 3 * LANE_WINDOW_BYTES)

static void is_const(struct lane_args *args)
{
    args->pred_dst[0] = 0;
}

static lane_fn *resolve_isspacep(const struct isa_instr *instr)
{
    if (instr->src[0].bits && instr->src[0].bits != 64)
        return NULL;
    switch (instr->mods.space) {
    case ISA_SPACE_GLOBAL: return is_global;
    case ISA_SPACE_SHARED: return is_shared;
    case ISA_SPACE_CLUSTER: return is_cluster;
    case ISA_SPACE_LOCAL: return is_local;
    case ISA_SPACE_PARAM: return is_param;
    case ISA_SPACE_CONST: return is_const;
    default: return NULL;
    }
}

/* Addresses of shared memory in a cluster: see LANE_RANK_SHIFT. A rank that no cluster has stays one. */
static inline uint64_t map_to(uint64_t address, uint32_t rank)
{
    return LANE_SHARED_ADDRESS(rank < 0xFE ? rank : 0xFE, LANE_SHARED_OFFSET(address));
}

static inline uint32_t rank_of(uint64_t address, uint32_t own)
{
    uint32_t rank = (uint32_t)(address >> LANE_RANK_SHIFT) & 0xFF;
    return rank ? rank - 1 : own;
}

#define MAP_TO(name, T, window)                              \
    static void name(struct lane_args *args)                 \
    {                                                        \
        const T *a = args->src[0];                           \
        const uint32_t *rank = args->src[1];                 \
        T r[LANES];                                          \
        for (unsigned lane = 0; lane < LANES; lane++)        \
            r[lane] = (T)(map_to(a[lane], rank[lane]) + (window)); \
        LANE_STORE(T, args->dst[0], r, args->mask);          \
    }
MAP_TO(mapa_32, uint32_t, 0)
MAP_TO(mapa_64, uint64_t, 0)
MAP_TO(mapa_generic, uint64_t, LANE_SHARED_WINDOW)

#define RANK_OF(name, T)                                  \
    static void name(struct lane_args *args)              \
    {                                                     \
        const T *a = args->src[0];                        \
        const uint32_t *own = args->src[1];               \
        uint32_t r[LANES];                                \
        for (unsigned lane = 0; lane < LANES; lane++)     \
            r[lane] = rank_of(a[lane], own[lane]);        \
        LANE_STORE(uint32_t, args->dst[0], r, args->mask); \
    }
RANK_OF(getctarank_32, uint32_t)
RANK_OF(getctarank_64, uint64_t)

static lane_fn *resolve_cluster(const struct isa_instr *instr)
{
    bool wide = lane_type_bits(instr->type) == 64;
    if (!instr->mods.space && !wide)
        return NULL;
    if (instr->op == ISA_OP_GETCTARANK)
        return wide ? getctarank_64 : getctarank_32;
    return !wide ? mapa_32 : instr->mods.space ? mapa_64 : mapa_generic;
}

/* Conversion between integers. The frequent ones, in which one extension of the low bits gives the whole
 * destination, are functions of their own: `low` bits extended into the row. */
LANE_UNARY(zero_8, uint32_t, uint32_t, x & 0xff)
LANE_UNARY(sign_8_to_16, uint32_t, uint32_t, (uint32_t)lane_s8(x) & 0xffff)
LANE_UNARY(sign_8, uint32_t, uint32_t, lane_s8(x))
LANE_UNARY(sign_16, uint32_t, uint32_t, lane_s16(x))
LANE_UNARY(widen_zero_8, uint64_t, uint32_t, x & 0xff)
LANE_UNARY(widen_zero_16, uint64_t, uint32_t, x & 0xffff)
LANE_UNARY(widen_zero_32, uint64_t, uint32_t, x)
LANE_UNARY(widen_sign_8, uint64_t, uint32_t, (int64_t)lane_s8(x))
LANE_UNARY(widen_sign_16, uint64_t, uint32_t, (int64_t)lane_s16(x))
LANE_UNARY(widen_sign_32, uint64_t, uint32_t, (int64_t)(int32_t)x)
LANE_UNARY(narrow_zero_8, uint32_t, uint64_t, x & 0xff)
LANE_UNARY(narrow_zero_16, uint32_t, uint64_t, x & 0xffff)
LANE_UNARY(narrow_32, uint32_t, uint64_t, x)

static inline uint64_t extend(uint64_t x, unsigned bits, bool is_signed)
{
    unsigned up = 64 - bits;
    return is_signed ? (uint64_t)((int64_t)(x << up) >> up) : x << up >> up;
}

static inline unsigned width_or(unsigned width, unsigned otherwise)
{
    return width ? width : otherwise;
}

static inline bool is_signed_type(uint8_t type)
{
    return lane_type_class(type) == ISA_CLASS_SINT;
}

/* x, extended to 64 bits as its type says, brought into the range of a type of `bits` bits. */
static inline uint64_t saturate(uint64_t x, bool x_signed, unsigned bits, bool is_signed)
{
    uint64_t most = (is_signed ? UINT64_MAX >> 1 : UINT64_MAX) >> (64 - bits);
    bool negative = x_signed && x >> 63;
    if (!negative)
        return x > most ? most : x;
    uint64_t least = is_signed ? ~most : 0;
    return (int64_t)x < (int64_t)least ? least : x;
}

/* Any conversion, from any register into any register. */
static void convert(struct lane_args *args)
{
    const struct isa_instr *instr = args->instr;
    unsigned to_bits = lane_type_bits(instr->type), from_bits = lane_type_bits(instr->stype);
    unsigned dst_bits = width_or(instr->dst[0].bits, to_bits);
    bool to_signed = is_signed_type(instr->type), from_signed = is_signed_type(instr->stype);
    bool from_wide = width_or(instr->src[0].bits, from_bits) == 64;
    uint64_t wide[LANES];
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint64_t x = from_wide ? ((const uint64_t *)args->src[0])[lane] : ((const uint32_t *)args->src[0])[lane];
        x = extend(x, from_bits, from_signed);
        if (instr->mods.sat)
            x = saturate(x, from_signed, to_bits, to_signed);
        x = extend(extend(x, to_bits, to_signed), dst_bits, false);
        wide[lane] = x;
    }
    if (dst_bits == 64) {
        LANE_STORE(uint64_t, args->dst[0], wide, args->mask);
        return;
    }
    uint32_t r[LANES];
    for (unsigned lane = 0; lane < LANES; lane++)
        r[lane] = (uint32_t)wide[lane];
    LANE_STORE(uint32_t, args->dst[0], r, args->mask);
}

/* The function that extends the low `low` bits of a row into a destination of dst_bits bits, or NULL. */
static lane_fn *resolve_extend(unsigned low, bool is_signed, bool from_wide, unsigned dst_bits)
{
    if (from_wide && dst_bits == 64)
        return low == 64 ? move_64 : NULL;
    if (from_wide)
        return low >= dst_bits && dst_bits == 32    ? narrow_32
               : low == 16 && (!is_signed || dst_bits == 16) ? narrow_zero_16
               : low == 8 && !is_signed                      ? narrow_zero_8
                                                             : NULL;
    if (dst_bits == 64)
        return low == 8    ? is_signed ? widen_sign_8 : widen_zero_8
               : low == 16 ? is_signed ? widen_sign_16 : widen_zero_16
                           : is_signed ? widen_sign_32 : widen_zero_32;
    if (low >= 32)
        return dst_bits == 32 ? move_32 : NULL;
    if (!is_signed || low == dst_bits)
        return low == 8 ? zero_8 : move_16;
    if (low == 16)
        return dst_bits == 32 ? sign_16 : NULL;
    return dst_bits == 32 ? sign_8 : dst_bits == 16 ? sign_8_to_16 : NULL;
}

static bool is_cvt_int(uint8_t type)
{
    uint8_t family = lane_type_class(type);
    return family == ISA_CLASS_UINT || family == ISA_CLASS_SINT;
}

/* True if some value of the source type is outside the destination's range; PTX forbids .sat where none is. */
static bool can_saturate(const struct isa_instr *instr)
{
    unsigned to_bits = lane_type_bits(instr->type), from_bits = lane_type_bits(instr->stype);
    if (is_signed_type(instr->type) == is_signed_type(instr->stype))
        return to_bits < from_bits;
    return is_signed_type(instr->stype) || to_bits <= from_bits;
}

static lane_fn *resolve_cvt(const struct isa_instr *instr)
{
    if (!is_cvt_int(instr->type) || !is_cvt_int(instr->stype))
        return NULL;
    if (instr->mods.round || instr->mods.ftz || instr->mods.sat > ISA_SAT_YES)
        return NULL;
    unsigned to_bits = lane_type_bits(instr->type), from_bits = lane_type_bits(instr->stype);
    unsigned dst_bits = width_or(instr->dst[0].bits, to_bits), src_bits = width_or(instr->src[0].bits, from_bits);
    if (dst_bits < to_bits || src_bits < from_bits)
        return NULL;
    if (instr->mods.sat)
        return can_saturate(instr) ? convert : NULL;
    lane_fn *fn = NULL;
    if (to_bits <= from_bits)
        fn = resolve_extend(to_bits, is_signed_type(instr->type), src_bits == 64, dst_bits);
    else if (dst_bits == to_bits || !is_signed_type(instr->stype))
        fn = resolve_extend(from_bits, is_signed_type(instr->stype), src_bits == 64, dst_bits);
    return fn ? fn : convert;
}

/* cvt.pack.sat: x in the upper half and y in the lower, each brought into the range of the 16-bit type. */
static inline uint32_t clamped(int32_t x, int32_t least, int32_t most)
{
    return (uint32_t)(x < least ? least : x > most ? most : x);
}
LANE_BINARY(pack_u16, uint32_t, int32_t, int32_t, clamped(x, 0, 0xffff) << 16 | clamped(y, 0, 0xffff))
LANE_BINARY(pack_s16, uint32_t, int32_t, int32_t,
            clamped(x, -0x8000, 0x7fff) << 16 | (clamped(y, -0x8000, 0x7fff) & 0xffff))
/* Of 8 bits: x and y become the two low bytes, below the lower half of z. */
LANE_TERNARY(pack_u8, uint32_t, int32_t, int32_t, uint32_t, z << 16 | clamped(x, 0, 0xff) << 8 | clamped(y, 0, 0xff))
LANE_TERNARY(pack_s8, uint32_t, int32_t, int32_t, uint32_t,
             z << 16 | (clamped(x, -0x80, 0x7f) & 0xff) << 8 | (clamped(y, -0x80, 0x7f) & 0xff))

static lane_fn *resolve_cvt_pack(const struct isa_instr *instr)
{
    if (instr->stype != ISA_S32 || instr->mods.sat != ISA_SAT_YES)
        return NULL;
    switch (instr->type) {
    case ISA_U16: return pack_u16;
    case ISA_S16: return pack_s16;
    case ISA_U8: return pack_u8;
    case ISA_S8: return pack_s8;
    default: return NULL;
    }
}

lane_fn *LANE_FAMILY(lane_resolve_move)(const struct isa_instr *instr)
{
    switch (instr->op) {
    case ISA_OP_MOV: return resolve_mov(instr);
    case ISA_OP_SELP: return resolve_selp(instr);
    case ISA_OP_SLCT: return resolve_slct(instr);
    case ISA_OP_CVTA: return resolve_cvta(instr);
    case ISA_OP_ISSPACEP: return resolve_isspacep(instr);
    case ISA_OP_MAPA:
    case ISA_OP_GETCTARANK: return resolve_cluster(instr);
    case ISA_OP_CVT: return instr->mods.pack ? resolve_cvt_pack(instr) : resolve_cvt(instr);
    default: return NULL;
    }
}
