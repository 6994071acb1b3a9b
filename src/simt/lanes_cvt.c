/* cvt with a floating-point side (PTX ISA, "cvt"): integers, f16, bf16, tf32, f32 and f64 into one another, two f32
 * into f16x2 or bf16x2.
 *
 * A source is taken apart exactly and rounded once. Float to integer clamps to the range of the destination; NaN
 * becomes 0, but 1 << (width - 1) where the source is f64 or the destination has 64 bits. Registers may be wider than
 * the types: a source is cut to its type, an integer result is extended to its register by its own signedness. .ftz
 * concerns the f32 side only. The conversions that compilers emit for everyday code have loops of their own. 8-bit
 * floats: lanes_fp8.c. Left out: smaller ones, stochastic rounding. */
#include "simt/lanes_float.h"

static unsigned integer_bits(uint8_t type)
{
    switch (type) {
    case ISA_U8:
    case ISA_S8: return 8;
    case ISA_U16:
    case ISA_S16: return 16;
    case ISA_U32:
    case ISA_S32: return 32;
    case ISA_U64:
    case ISA_S64: return 64;
    default: return 0;
    }
}

static bool is_signed(uint8_t type)
{
    return type == ISA_S8 || type == ISA_S16 || type == ISA_S32 || type == ISA_S64;
}

static unsigned type_bits(uint8_t type)
{
    unsigned bits = integer_bits(type);
    const struct lane_format *format = lane_format_of(type);
    return bits ? bits : type == ISA_F16X2 || type == ISA_BF16X2 ? 32 : format->bits;
}

/* Width of the register on either side: that of the operand, which may exceed its type's. */
static unsigned source_bits(const struct isa_instr *instr)
{
    return instr->src && instr->src[0].bits ? instr->src[0].bits : type_bits(instr->stype);
}

static unsigned result_bits(const struct isa_instr *instr)
{
    return instr->dst && instr->dst[0].bits ? instr->dst[0].bits : type_bits(instr->type);
}

static uint64_t low_bits(uint64_t value, unsigned bits)
{
    return bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
}

static void load_sources(const struct lane_args *args, unsigned index, uint64_t *value)
{
    unsigned bits = type_bits(args->instr->stype);
    const uint32_t *narrow = args->src[index];
    const uint64_t *wide = args->src[index];
    bool is_wide = source_bits(args->instr) > 32;
    for (unsigned lane = 0; lane < LANES; lane++)
        value[lane] = low_bits(is_wide ? wide[lane] : narrow[lane], bits);
}

static void store_results(struct lane_args *args, const uint64_t *value)
{
    unsigned bits = result_bits(args->instr);
    if (bits > 32) {
        LANE_STORE(uint64_t, args->dst[0], value, args->mask);
        return;
    }
    uint32_t narrow[LANES];
    for (unsigned lane = 0; lane < LANES; lane++)
        narrow[lane] = (uint32_t)low_bits(value[lane], bits);
    LANE_STORE(uint32_t, args->dst[0], narrow, args->mask);
}

/* The modifiers that act on a rounded pattern: .ftz, .sat, .relu, .satfinite. */
static uint64_t finish(const struct isa_instr *instr, const struct lane_format *format, uint64_t bits)
{
    const struct lane_number one = {LANE_FINITE, false, 0, 1};
    uint64_t sign = UINT64_C(1) << (format->bits - 1), magnitude = bits & ~sign, unit;
    bool nan = magnitude > format->infinity;
    if (instr->mods.ftz && format == &lane_format_f32)
        bits = lane_flush(format, bits);
    if (instr->mods.relu && !nan && bits & sign)
        return 0;
    switch (instr->mods.sat) {
    case ISA_SAT_YES:
        unit = lane_pack(format, ISA_ROUND_RN, &one);
        return nan || bits & sign ? 0 : bits > unit ? unit : bits;
    case ISA_SAT_FINITE: return magnitude == format->infinity ? bits - (UINT64_C(1) << format->shift) : bits;
    default: return bits;
    }
}

static void convert_int_to_float(struct lane_args *args)
{
    const struct isa_instr *instr = args->instr;
    const struct lane_format *format = lane_format_of(instr->type);
    unsigned bits = integer_bits(instr->stype);
    bool with_sign = is_signed(instr->stype);
    uint64_t value[LANES];
    load_sources(args, 0, value);
    for (unsigned lane = 0; lane < LANES; lane++) {
        bool negative = with_sign && value[lane] >> (bits - 1);
        uint64_t magnitude = negative ? low_bits(0 - value[lane], bits) : value[lane];
        struct lane_number x = {magnitude ? LANE_FINITE : LANE_ZERO, negative, 0, magnitude};
        value[lane] = finish(instr, format, lane_pack(format, instr->mods.round, &x));
    }
    store_results(args, value);
}

/* An integral x in two's complement, clamped to the destination's range. */
static uint64_t clamp_integer(const struct isa_instr *instr, const struct lane_number *x)
{
    unsigned bits = integer_bits(instr->type);
    bool with_sign = is_signed(instr->type);
    uint64_t largest = with_sign ? (UINT64_C(1) << (bits - 1)) - 1 : low_bits(UINT64_MAX, bits), limit = largest;
    if (x->negative)
        limit = with_sign ? largest + 1 : 0;
    uint64_t magnitude = limit;
    if (x->kind == LANE_ZERO)
        magnitude = 0;
    else if (x->kind == LANE_FINITE && x->exponent < 64 && x->exponent <= __builtin_clzll(x->significand))
        magnitude = x->significand << x->exponent;
    magnitude = magnitude < limit ? magnitude : limit;
    return x->negative ? 0 - magnitude : magnitude;
}

static uint64_t nan_integer(const struct isa_instr *instr)
{
    unsigned bits = integer_bits(instr->type);
    if (instr->stype != ISA_F64 && bits != 64)
        return 0;
    uint64_t top = UINT64_C(1) << (bits - 1);
    return is_signed(instr->type) ? 0 - top : top;
}

static struct lane_number source_number(const struct isa_instr *instr, uint64_t bits)
{
    if (instr->mods.ftz && instr->stype == ISA_F32)
        bits = lane_flush32((uint32_t)bits);
    return lane_unpack(lane_format_of(instr->stype), bits);
}

static void convert_float_to_int(struct lane_args *args)
{
    const struct isa_instr *instr = args->instr;
    uint64_t value[LANES];
    load_sources(args, 0, value);
    for (unsigned lane = 0; lane < LANES; lane++) {
        struct lane_number x = source_number(instr, value[lane]);
        x = lane_round_integer(&x, instr->mods.round);
        value[lane] = x.kind == LANE_NAN ? nan_integer(instr) : clamp_integer(instr, &x);
    }
    store_results(args, value);
}

/* The NaN of a source in f64: the same sign and leading payload bits, quiet. */
static uint64_t nan_in_f64(const struct lane_format *from, uint64_t bits)
{
    uint64_t sign = bits >> (from->bits - 1) << 63, fraction = low_bits(bits, from->precision - 1);
    return sign | LANE_INF64 | UINT64_C(0x0008000000000000) | fraction << (53 - from->precision);
}

static uint64_t float_to_float(const struct isa_instr *instr, const struct lane_format *from,
                               const struct lane_format *to, uint64_t bits)
{
    struct lane_number x = source_number(instr, bits);
    bool to_integer = instr->mods.round >= ISA_ROUND_RNI && instr->mods.round <= ISA_ROUND_RPI;
    if (to_integer)
        x = lane_round_integer(&x, instr->mods.round);
    uint64_t result = lane_pack(to, to_integer ? ISA_ROUND_RN : instr->mods.round, &x);
    if (x.kind == LANE_NAN && to == &lane_format_f64)
        result = nan_in_f64(from, bits);
    return finish(instr, to, result);
}

static void convert_float_to_float(struct lane_args *args)
{
    const struct isa_instr *instr = args->instr;
    const struct lane_format *from = lane_format_of(instr->stype), *to = lane_format_of(instr->type);
    uint64_t value[LANES];
    load_sources(args, 0, value);
    for (unsigned lane = 0; lane < LANES; lane++)
        value[lane] = float_to_float(instr, from, to, value[lane]);
    store_results(args, value);
}

/* Two f32 into a packed register: the first source is the upper half. */
static void convert_pair(struct lane_args *args)
{
    const struct isa_instr *instr = args->instr;
    const struct lane_format *to = lane_format_of(instr->type);
    uint64_t upper[LANES], lower[LANES];
    load_sources(args, 0, upper);
    load_sources(args, 1, lower);
    for (unsigned lane = 0; lane < LANES; lane++) {
        upper[lane] = float_to_float(instr, &lane_format_f32, to, upper[lane]) << 16;
        upper[lane] |= float_to_float(instr, &lane_format_f32, to, lower[lane]);
    }
    store_results(args, upper);
}

/* The everyday conversions, between registers of just the width of their types and without further modifiers. */
#define CVT_LOOP(name, from, to, expression)              \
    static void name(struct lane_args *args)              \
    {                                                     \
        const from *source = args->src[0];                \
        to result[LANES];                                 \
        for (unsigned lane = 0; lane < LANES; lane++) {   \
            from x = source[lane];                        \
            result[lane] = (expression);                  \
        }                                                 \
        LANE_STORE(to, args->dst[0], result, args->mask); \
    }

static inline uint32_t s32_of(double x)
{
    x = x > -2147483648.0 ? x : x == x ? -2147483648.0 : 0.0;
    return (uint32_t)(int32_t)(x < 2147483647.0 ? x : 2147483647.0);
}

static inline uint32_t u32_of(double x)
{
    x = x > 0.0 ? x : 0.0;
    return (uint32_t)(int64_t)(x < 4294967295.0 ? x : 4294967295.0);
}

static inline uint64_t f64_of(uint32_t bits)
{
    double value = (double)lane_f32(bits);
    return value == value ? lane_f64_bits(value) : nan_in_f64(&lane_format_f32, bits);
}

CVT_LOOP(f32_from_s32, uint32_t, uint32_t, lane_f32_bits((float)(int32_t)x))
CVT_LOOP(f32_from_u32, uint32_t, uint32_t, lane_f32_bits((float)x))
CVT_LOOP(f64_from_s32, uint32_t, uint64_t, lane_f64_bits((double)(int32_t)x))
CVT_LOOP(f64_from_u32, uint32_t, uint64_t, lane_f64_bits((double)x))
CVT_LOOP(f64_from_s64, uint64_t, uint64_t, lane_f64_bits((double)(int64_t)x))
CVT_LOOP(f64_from_f32, uint32_t, uint64_t, f64_of(x))
CVT_LOOP(f32_from_f64, uint64_t, uint32_t, lane_result32((float)lane_f64(x)))
CVT_LOOP(s32_from_f32, uint32_t, uint32_t, s32_of((double)lane_f32(x)))
CVT_LOOP(u32_from_f32, uint32_t, uint32_t, u32_of((double)lane_f32(x)))
CVT_LOOP(f32_from_f16, uint32_t, uint32_t, lane_result32(lane_widen_f16(x)))
CVT_LOOP(f32_from_bf16, uint32_t, uint32_t, lane_result32(lane_widen_bf16(x)))
CVT_LOOP(f16_from_f32, uint32_t, uint32_t, lane_narrow_half(false, (double)lane_f32(x)))
CVT_LOOP(bf16_from_f32, uint32_t, uint32_t, lane_narrow_half(true, (double)lane_f32(x)))

struct everyday {
    uint8_t type, stype, round;
    lane_fn *function;
};

static const struct everyday everyday[] = {
    {ISA_F32, ISA_S32, ISA_ROUND_RN, f32_from_s32},
    {ISA_F32, ISA_U32, ISA_ROUND_RN, f32_from_u32},
    {ISA_F64, ISA_S32, ISA_ROUND_RN, f64_from_s32},
    {ISA_F64, ISA_U32, ISA_ROUND_RN, f64_from_u32},
    {ISA_F64, ISA_S64, ISA_ROUND_RN, f64_from_s64},
    {ISA_F64, ISA_F32, 0, f64_from_f32},
    {ISA_F32, ISA_F64, ISA_ROUND_RN, f32_from_f64},
    {ISA_S32, ISA_F32, ISA_ROUND_RZI, s32_from_f32},
    {ISA_U32, ISA_F32, ISA_ROUND_RZI, u32_from_f32},
    {ISA_F32, ISA_F16, 0, f32_from_f16},
    {ISA_F32, ISA_BF16, 0, f32_from_bf16},
    {ISA_F16, ISA_F32, ISA_ROUND_RN, f16_from_f32},
    {ISA_BF16, ISA_F32, ISA_ROUND_RN, bf16_from_f32},
};

static lane_fn *find_everyday(const struct isa_instr *instr)
{
    bool source_fits = (source_bits(instr) > 32) == (type_bits(instr->stype) > 32);
    bool result_fits = (result_bits(instr) > 32) == (type_bits(instr->type) > 32);
    if (instr->mods.ftz || instr->mods.sat || instr->mods.relu || !source_fits || !result_fits)
        return NULL;
    for (unsigned i = 0; i < sizeof everyday / sizeof everyday[0]; i++) {
        const struct everyday *row = &everyday[i];
        if (row->type == instr->type && row->stype == instr->stype && row->round == instr->mods.round)
            return row->function;
    }
    return NULL;
}

static bool rounds_to_integer(const struct isa_instr *instr)
{
    return instr->mods.round >= ISA_ROUND_RNI && instr->mods.round <= ISA_ROUND_RPI;
}

/* Every value of `from` is one of `to`. */
static bool widens(const struct lane_format *from, const struct lane_format *to)
{
    return from != to && from->precision <= to->precision && from->max_exponent <= to->max_exponent;
}

static bool sat_fits(const struct isa_instr *instr)
{
    bool narrows = instr->stype == ISA_F32 && instr->type != ISA_F32 && instr->type != ISA_F64;
    if (instr->mods.relu && (!narrows || instr->mods.sat == ISA_SAT_YES))
        return false;
    switch (instr->mods.sat) {
    case ISA_SAT_RELU: return false; /* a modifier of its own here */
    case ISA_SAT_FINITE: return narrows;
    case ISA_SAT_YES: return instr->type != ISA_TF32;
    default: return true;
    }
}

static lane_fn *resolve_tf32(const struct isa_instr *instr)
{
    unsigned round = instr->mods.round;
    bool known = round == ISA_ROUND_RNA || round == ISA_ROUND_RN || round == ISA_ROUND_RZ;
    bool relu = instr->mods.relu && round == ISA_ROUND_RNA;
    return instr->stype == ISA_F32 && known && !relu && !instr->mods.ftz ? convert_float_to_float : NULL;
}

static lane_fn *resolve_floats(const struct isa_instr *instr)
{
    const struct lane_format *from = lane_format_of(instr->stype), *to = lane_format_of(instr->type);
    if (to == &lane_format_tf32)
        return resolve_tf32(instr);
    if (from == to)
        return instr->mods.round == 0 || rounds_to_integer(instr) ? convert_float_to_float : NULL;
    if (widens(from, to))
        return instr->mods.round == 0 ? convert_float_to_float : NULL;
    return lane_rounds_exactly(instr, false) ? convert_float_to_float : NULL;
}

static bool has_second_source(const struct isa_instr *instr)
{
    return instr->src_count > 1 && (!instr->src || instr->src[1].kind != ISA_OPERAND_NONE);
}

static lane_fn *resolve_pair(const struct isa_instr *instr)
{
    bool known = instr->mods.round == ISA_ROUND_RN || instr->mods.round == ISA_ROUND_RZ;
    if (instr->stype != ISA_F32 || !known || instr->mods.sat == ISA_SAT_YES)
        return NULL;
    return has_second_source(instr) ? convert_pair : NULL;
}

static lane_fn *resolve_general(const struct isa_instr *instr)
{
    bool from_integer = integer_bits(instr->stype) != 0, to_integer = integer_bits(instr->type) != 0;
    if (to_integer)
        return rounds_to_integer(instr) ? convert_float_to_int : NULL;
    if (from_integer)
        return lane_rounds_exactly(instr, false) && instr->type != ISA_TF32 ? convert_int_to_float : NULL;
    return resolve_floats(instr);
}

lane_fn *lane_resolve_cvt(const struct isa_instr *instr)
{
    const struct lane_format *from = lane_format_of(instr->stype), *to = lane_format_of(instr->type);
    bool known = (from || integer_bits(instr->stype)) && (to || integer_bits(instr->type)) && (from || to);
    if (instr->op != ISA_OP_CVT || !known || instr->mods.pack || !sat_fits(instr))
        return NULL;
    if (instr->stype == ISA_TF32 || instr->stype == ISA_F16X2 || instr->stype == ISA_BF16X2)
        return NULL;
    if (instr->mods.ftz && instr->type != ISA_F32 && instr->stype != ISA_F32)
        return NULL;
    if (instr->type == ISA_F16X2 || instr->type == ISA_BF16X2)
        return resolve_pair(instr);
    if (has_second_source(instr))
        return NULL;
    lane_fn *function = resolve_general(instr);
    lane_fn *fast = function ? find_everyday(instr) : NULL;
    return fast ? fast : function;
}
