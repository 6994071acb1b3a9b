/* f16, f16x2, bf16 and bf16x2 arithmetic: add sub mul fma abs neg min max (PTX ISA, "Half Precision Floating Point
 * Instructions").
 *
 * A sum or product of 8- or 11-bit significands is formed in double rounded to odd, then rounded once to nearest even,
 * so that no double rounding shows. .ftz flushes f16 subnormals of inputs and result, .sat clamps to [0, 1] with NaN to
 * +0, .relu clamps negative results to +0 and keeps NaN; NaN results are 0x7fff. */
#include "simt/lanes_float.h"

/* The instruction's halves: where they lie, and what one half is. */
struct half_context {
    const struct isa_instr *instr;
    const struct lane_format *format;
    unsigned op, sat;
    bool bfloat, packed, ftz;
};

typedef uint32_t half_op(const struct half_context *context, uint32_t a, uint32_t b);

static struct half_context context_of(const struct isa_instr *instr)
{
    uint8_t type = instr->type;
    struct half_context context = {instr,
                                   lane_format_of(type),
                                   instr->op,
                                   instr->mods.sat,
                                   type == ISA_BF16 || type == ISA_BF16X2,
                                   type == ISA_F16X2 || type == ISA_BF16X2,
                                   instr->mods.ftz};
    return context;
}

static uint32_t flush_half(const struct half_context *context, uint32_t bits)
{
    return context->ftz ? (uint32_t)lane_flush(context->format, bits) : bits;
}

static uint32_t clamp_half(const struct half_context *context, uint32_t bits)
{
    const uint32_t one = context->bfloat ? 0x3F80 : 0x3C00, infinity = (uint32_t)context->format->infinity;
    bool nan = (bits & 0x7FFF) > infinity;
    if (context->sat == ISA_SAT_YES)
        return nan || bits & 0x8000 ? 0 : bits > one ? one : bits;
    if (context->sat == ISA_SAT_RELU)
        return !nan && bits & 0x8000 ? 0 : bits;
    return bits;
}

static uint32_t half_extreme(const struct half_context *context, uint32_t a, uint32_t b)
{
    return (uint32_t)lane_select_extreme(context->format, context->instr, flush_half(context, a),
                                         flush_half(context, b));
}

static uint32_t half_sign(const struct half_context *context, uint32_t a, uint32_t b)
{
    (void)b;
    a = flush_half(context, a);
    return context->op == ISA_OP_ABS ? a & 0x7FFF : a ^ 0x8000;
}

LANE_STAMPED void half_run(struct lane_args *args, half_op *op, unsigned sources)
{
    struct half_context context = context_of(args->instr);
    const uint32_t *a = args->src[0], *b = sources > 1 ? args->src[1] : a;
    uint32_t result[LANES];
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint32_t x = a[lane], y = b[lane];
        result[lane] = op(&context, x & 0xFFFF, y & 0xFFFF);
        if (context.packed)
            result[lane] |= op(&context, x >> 16, y >> 16) << 16;
    }
    LANE_STORE(uint32_t, args->dst[0], result, args->mask);
}

typedef void row_op(uint32_t *result, const uint32_t *a, const uint32_t *b, const uint32_t *c);

LANE_STAMPED void row_arith(uint32_t *result, const uint32_t *const source[3], unsigned op, bool bfloat)
{
    for (unsigned lane = 0; lane < LANES; lane++) {
        double value[3];
        for (unsigned i = 0; i < 3; i++)
            value[i] = (double)(bfloat ? lane_widen_bf16(source[i][lane]) : lane_widen_f16(source[i][lane]));
        double odd = lane_arith_odd(op, ISA_ROUND_RN, value[0], value[1], value[2]);
        result[lane] = lane_narrow_half(bfloat, odd);
    }
}

#define ROW_STAMP(name, attribute, op, bfloat)                                                            \
    attribute static void name(uint32_t *result, const uint32_t *a, const uint32_t *b, const uint32_t *c) \
    {                                                                                                     \
        row_arith(result, (const uint32_t *const[]){a, b, c}, op, bfloat);                                \
    }
#define ROW_STAMPS(suffix, attribute)                        \
    ROW_STAMP(add_f16##suffix, attribute, ISA_OP_ADD, false) \
    ROW_STAMP(sub_f16##suffix, attribute, ISA_OP_SUB, false) \
    ROW_STAMP(mul_f16##suffix, attribute, ISA_OP_MUL, false) \
    ROW_STAMP(fma_f16##suffix, attribute, ISA_OP_FMA, false) \
    ROW_STAMP(add_bf16##suffix, attribute, ISA_OP_ADD, true) \
    ROW_STAMP(sub_bf16##suffix, attribute, ISA_OP_SUB, true) \
    ROW_STAMP(mul_bf16##suffix, attribute, ISA_OP_MUL, true) \
    ROW_STAMP(fma_bf16##suffix, attribute, ISA_OP_FMA, true)

ROW_STAMPS(_plain, )
ROW_STAMPS(_fused, LANE_FUSED)

static row_op *row_op_of(const struct half_context *context)
{
    static row_op *const ops[2][2][LANE_DIV] = {
        {{add_f16_plain, sub_f16_plain, mul_f16_plain, fma_f16_plain},
         {add_bf16_plain, sub_bf16_plain, mul_bf16_plain, fma_bf16_plain}},
        {{add_f16_fused, sub_f16_fused, mul_f16_fused, fma_f16_fused},
         {add_bf16_fused, sub_bf16_fused, mul_bf16_fused, fma_bf16_fused}},
    };
    return ops[lane_host_fuses()][context->bfloat][lane_arith_of(context->op)];
}

static void take_halves(const struct half_context *context, uint32_t *half, const uint32_t *row, unsigned shift)
{
    for (unsigned lane = 0; lane < LANES; lane++)
        half[lane] = row[lane] >> shift & 0xFFFF;
    for (unsigned lane = 0; context->ftz && lane < LANES; lane++)
        half[lane] = flush_half(context, half[lane]);
}

static void arith_halves(const struct half_context *context, const uint32_t *const source[3], unsigned shift,
                         uint32_t *result)
{
    uint32_t half[3][LANES], value[LANES];
    for (unsigned i = 0; i < 3; i++)
        take_halves(context, half[i], source[i], shift);
    row_op_of(context)(value, half[0], half[1], half[2]);
    for (unsigned lane = 0; (context->ftz || context->sat) && lane < LANES; lane++)
        value[lane] = clamp_half(context, flush_half(context, value[lane]));
    for (unsigned lane = 0; lane < LANES; lane++)
        result[lane] |= value[lane] << shift;
}

static void lanes_arith(struct lane_args *args)
{
    struct half_context context = context_of(args->instr);
    const uint32_t *const source[3] = {args->src[0], args->src[1], lane_third(args)};
    uint32_t result[LANES] = {0};
    arith_halves(&context, source, 0, result);
    if (context.packed)
        arith_halves(&context, source, 16, result);
    LANE_STORE(uint32_t, args->dst[0], result, args->mask);
}

static void lanes_extreme(struct lane_args *args)
{
    half_run(args, half_extreme, 2);
}

static void lanes_sign(struct lane_args *args)
{
    half_run(args, half_sign, 1);
}

static lane_fn *resolve_arith(const struct isa_instr *instr, bool bfloat)
{
    const struct isa_mods *mods = &instr->mods;
    bool fma = instr->op == ISA_OP_FMA;
    if (mods->round != ISA_ROUND_RN && (fma || mods->round))
        return NULL;
    if (mods->sat == ISA_SAT_FINITE || (mods->sat == ISA_SAT_RELU && !fma) || (bfloat && mods->sat == ISA_SAT_YES))
        return NULL;
    return lanes_arith;
}

lane_fn *lane_resolve_half(const struct isa_instr *instr)
{
    const struct isa_mods *mods = &instr->mods;
    bool bfloat = instr->type == ISA_BF16 || instr->type == ISA_BF16X2;
    if ((!bfloat && instr->type != ISA_F16 && instr->type != ISA_F16X2) || (bfloat && mods->ftz))
        return NULL;
    switch (instr->op) {
    case ISA_OP_ADD:
    case ISA_OP_SUB:
    case ISA_OP_MUL:
    case ISA_OP_FMA: return resolve_arith(instr, bfloat);
    case ISA_OP_MIN:
    case ISA_OP_MAX: return mods->sat || !mods->xorsign != !mods->abs ? NULL : lanes_extreme;
    case ISA_OP_ABS:
    case ISA_OP_NEG: return lanes_sign;
    default: return NULL;
    }
}
