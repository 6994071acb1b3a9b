/* f16, f16x2, bf16 and bf16x2 arithmetic: add sub mul fma abs neg min max (PTX ISA, "Half Precision Floating Point Instructions").
 *
 * A sum or product of 8- or 11-bit significands is formed in double rounded to odd, then rounded once to nearest even, so that
 * no double rounding shows. .ftz flushes f16 subnormals of inputs and result, .sat clamps to [0, 1] with NaN to +0, .relu clamps
 * negative results to +0 and keeps NaN; NaN results are 0x7fff. */
#include "simt/lanes_float.h"

/* The instruction's halves: where they lie, and what one half is. */
struct half_context {
    const struct isa_instr *instr;
    const struct lane_format *format;
    unsigned op, sat;
    bool bfloat, packed, ftz;
};

typedef uint32_t half_op(const struct half_context *context, uint32_t a, uint32_t b, uint32_t c);

static struct half_context context_of(const struct isa_instr *instr)
{
    uint8_t type = instr->type;
    struct half_context context = {instr, lane_format_of(type), instr->op, instr->mods.sat, type == ISA_BF16 || type == ISA_BF16X2,
                                   type == ISA_F16X2 || type == ISA_BF16X2, instr->mods.ftz};
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

static double widen_half(const struct half_context *context, uint32_t bits)
{
    return (double)(context->bfloat ? lane_widen_bf16(bits) : lane_widen_f16(bits));
}

static uint32_t half_arith(const struct half_context *context, uint32_t a, uint32_t b, uint32_t c)
{
    double odd = lane_arith_odd(context->op, ISA_ROUND_RN, widen_half(context, flush_half(context, a)),
                                widen_half(context, flush_half(context, b)), widen_half(context, flush_half(context, c)));
    uint32_t bits = (uint32_t)lane_narrow(context->format, ISA_ROUND_RN, odd);
    return clamp_half(context, flush_half(context, bits));
}

static uint32_t half_extreme(const struct half_context *context, uint32_t a, uint32_t b, uint32_t c)
{
    (void)c;
    return (uint32_t)lane_select_extreme(context->format, context->instr, flush_half(context, a), flush_half(context, b));
}

static uint32_t half_sign(const struct half_context *context, uint32_t a, uint32_t b, uint32_t c)
{
    (void)b;
    (void)c;
    a = flush_half(context, a);
    return context->op == ISA_OP_ABS ? a & 0x7FFF : a ^ 0x8000;
}

LANE_STAMPED void half_run(struct lane_args *args, half_op *op, unsigned sources)
{
    struct half_context context = context_of(args->instr);
    const uint32_t *a = args->src[0], *b = sources > 1 ? args->src[1] : a, *c = sources > 2 ? args->src[2] : b;
    uint32_t result[LANES];
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint32_t x = a[lane], y = b[lane], z = c[lane];
        result[lane] = op(&context, x & 0xFFFF, y & 0xFFFF, z & 0xFFFF);
        if (context.packed)
            result[lane] |= op(&context, x >> 16, y >> 16, z >> 16) << 16;
    }
    LANE_STORE(uint32_t, args->dst[0], result, args->mask);
}

static void lanes_arith2(struct lane_args *args)
{
    half_run(args, half_arith, 2);
}

static void lanes_arith3(struct lane_args *args)
{
    half_run(args, half_arith, 3);
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
    return fma ? lanes_arith3 : lanes_arith2;
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
