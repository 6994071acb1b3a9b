/* f32 arithmetic: add sub mul mad fma div abs neg min max copysign (PTX ISA, "Floating Point Instructions"), as of
 * sm_20 and later.
 *
 * Rounding to nearest even is the host's own arithmetic in loops that the compiler vectorizes, with .ftz and .sat
 * stamped in; the fused multiply-add uses the host's where it has one and rounds to odd in double elsewhere, with the
 * same results. Directed roundings and the rarer modifiers take a slower path over integers. NaN results are
 * 0x7fffffff; abs, neg and copysign only touch the sign. Left out: exception flags, which PTX does not have. */
#include "simt/lanes_body.h"
#include "simt/lanes_float.h"

LANE_HOST_OPS(f32, float, __builtin_fmaf)

static float f32_fma_portable(float a, float b, float c)
{
    return (float)lane_fma_odd(a, b, c);
}

LANE_STAMPED void f32_run(struct lane_args *args, f32_op *op, unsigned sources, bool ftz, bool sat)
{
    const uint32_t *a = args->src[0], *b = args->src[1], *c = sources > 2 ? args->src[2] : b;
    uint32_t result[LANES];
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint32_t x = a[lane], y = b[lane], z = c[lane];
        if (ftz) {
            x = lane_flush32(x);
            y = lane_flush32(y);
            z = lane_flush32(z);
        }
        float value = op(lane_f32(x), lane_f32(y), lane_f32(z));
        uint32_t bits = sat ? lane_f32_bits(lane_saturate32(value)) : lane_result32(value);
        result[lane] = ftz ? lane_flush32(bits) : bits;
    }
    LANE_STORE(uint32_t, args->dst[0], result, args->mask);
}

/* The four functions of one operation, by .ftz and .sat, and the row of them that the resolver picks from. */
#define F32_STAMP_ONE(name, attribute, op, sources, ftz, sat) \
    attribute static void name(struct lane_args *args)        \
    {                                                         \
        f32_run(args, op, sources, ftz, sat);                 \
    }
#define F32_STAMP(name, attribute, op, sources)                       \
    F32_STAMP_ONE(name##_plain, attribute, op, sources, false, false) \
    F32_STAMP_ONE(name##_ftz, attribute, op, sources, true, false)    \
    F32_STAMP_ONE(name##_sat, attribute, op, sources, false, true)    \
    F32_STAMP_ONE(name##_ftz_sat, attribute, op, sources, true, true) \
    static lane_fn *const name[4] = {name##_plain, name##_ftz, name##_sat, name##_ftz_sat};

F32_STAMP(lanes_add, , f32_add, 2)
F32_STAMP(lanes_sub, , f32_sub, 2)
F32_STAMP(lanes_mul, , f32_mul, 2)
F32_STAMP(lanes_div, , f32_div, 2)
F32_STAMP(lanes_fma_fused, LANE_FUSED, f32_fma_fused, 3)
F32_STAMP(lanes_fma_portable, , f32_fma_portable, 3)

static uint32_t directed(const struct isa_instr *instr, uint32_t a, uint32_t b, uint32_t c)
{
    unsigned mode = instr->mods.round;
    if (instr->op == ISA_OP_DIV) {
        uint64_t operand[3] = {a, b, 0};
        return (uint32_t)lane_soft(&lane_format_f32, ISA_OP_DIV, mode, operand);
    }
    double odd = lane_arith_odd(instr->op, mode, (double)lane_f32(a), (double)lane_f32(b), (double)lane_f32(c));
    return (uint32_t)lane_narrow(&lane_format_f32, mode, odd);
}

static void lanes_directed(struct lane_args *args)
{
    const struct isa_instr *instr = args->instr;
    const uint32_t *a = args->src[0], *b = args->src[1], *c = lane_third(args);
    bool ftz = instr->mods.ftz, sat = instr->mods.sat;
    uint32_t result[LANES];
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint32_t x = a[lane], y = b[lane], z = c[lane];
        uint32_t bits =
            ftz ? directed(instr, lane_flush32(x), lane_flush32(y), lane_flush32(z)) : directed(instr, x, y, z);
        bits = ftz ? lane_flush32(bits) : bits;
        result[lane] = sat ? lane_f32_bits(lane_saturate32(lane_f32(bits))) : bits;
    }
    LANE_STORE(uint32_t, args->dst[0], result, args->mask);
}

/* Equal operands differ at most in the sign of a zero: or-ing them keeps a minus, and-ing drops it. */
LANE_STAMPED void f32_run_extreme(struct lane_args *args, bool smaller)
{
    const uint32_t *a = args->src[0], *b = args->src[1];
    uint32_t result[LANES];
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint32_t x = a[lane], y = b[lane], same = smaller ? x | y : x & y;
        float first = lane_f32(x), second = lane_f32(y);
        uint32_t chosen = (smaller ? first < second : first > second) ? x : y;
        chosen = first == second ? same : chosen;
        chosen = second != second ? x : chosen;
        result[lane] = lane_result32(lane_f32(chosen));
    }
    LANE_STORE(uint32_t, args->dst[0], result, args->mask);
}

static void lanes_min(struct lane_args *args)
{
    f32_run_extreme(args, true);
}

static void lanes_max(struct lane_args *args)
{
    f32_run_extreme(args, false);
}

/* min and max with modifiers, of two or three sources. */
static void run_extreme_modified(struct lane_args *args, const uint32_t *c)
{
    const struct isa_instr *instr = args->instr;
    const uint32_t *a = args->src[0], *b = args->src[1];
    bool ftz = instr->mods.ftz;
    uint32_t result[LANES];
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint32_t x = ftz ? lane_flush32(a[lane]) : a[lane], y = ftz ? lane_flush32(b[lane]) : b[lane];
        uint64_t chosen = lane_select_extreme(&lane_format_f32, instr, x, y);
        if (c)
            chosen = lane_select_extreme(&lane_format_f32, instr, chosen, ftz ? lane_flush32(c[lane]) : c[lane]);
        result[lane] = (uint32_t)chosen;
    }
    LANE_STORE(uint32_t, args->dst[0], result, args->mask);
}

static void lanes_extreme2(struct lane_args *args)
{
    run_extreme_modified(args, NULL);
}

static void lanes_extreme3(struct lane_args *args)
{
    run_extreme_modified(args, args->src[2]);
}

LANE_UNARY(lanes_abs, uint32_t, uint32_t, x & ~LANE_SIGN32)
LANE_UNARY(lanes_abs_ftz, uint32_t, uint32_t, lane_flush32(x) & ~LANE_SIGN32)
LANE_UNARY(lanes_neg, uint32_t, uint32_t, x ^ LANE_SIGN32)
LANE_UNARY(lanes_neg_ftz, uint32_t, uint32_t, lane_flush32(x) ^ LANE_SIGN32)
LANE_BINARY(lanes_copysign, uint32_t, uint32_t, uint32_t, (x & LANE_SIGN32) | (y & ~LANE_SIGN32))

/* By whether the host fuses. */
static lane_fn *const *const nearest[2][LANE_ARITH_COUNT] = {
    {lanes_add, lanes_sub, lanes_mul, lanes_fma_portable, lanes_div},
    {lanes_add, lanes_sub, lanes_mul, lanes_fma_fused, lanes_div},
};

static lane_fn *resolve_arith(const struct isa_instr *instr)
{
    const struct isa_mods *mods = &instr->mods;
    bool optional = instr->op != ISA_OP_DIV && instr->op != ISA_OP_FMA;
    if (!lane_rounds_exactly(instr, optional) || mods->sat > ISA_SAT_YES || (mods->sat && instr->op == ISA_OP_DIV))
        return NULL;
    if (mods->round > ISA_ROUND_RN)
        return lanes_directed;
    return nearest[lane_host_fuses()][lane_arith_of(instr->op)][(mods->ftz ? 1 : 0) + (mods->sat ? 2 : 0)];
}

static lane_fn *resolve_extreme(const struct isa_instr *instr)
{
    const struct isa_mods *mods = &instr->mods;
    bool three = instr->src_count > 2 && instr->src && instr->src[2].kind != ISA_OPERAND_NONE;
    if (mods->sat || (mods->xorsign && (three || !mods->abs)) || (mods->abs && !mods->xorsign && !three))
        return NULL;
    if (three)
        return lanes_extreme3;
    if (mods->ftz || mods->nan || mods->abs)
        return lanes_extreme2;
    return instr->op == ISA_OP_MIN ? lanes_min : lanes_max;
}

lane_fn *lane_resolve_f32(const struct isa_instr *instr)
{
    if (instr->type != ISA_F32)
        return NULL;
    switch (instr->op) {
    case ISA_OP_ADD:
    case ISA_OP_SUB:
    case ISA_OP_MUL:
    case ISA_OP_MAD:
    case ISA_OP_FMA:
    case ISA_OP_DIV: return resolve_arith(instr);
    case ISA_OP_MIN:
    case ISA_OP_MAX: return resolve_extreme(instr);
    case ISA_OP_ABS: return instr->mods.ftz ? lanes_abs_ftz : lanes_abs;
    case ISA_OP_NEG: return instr->mods.ftz ? lanes_neg_ftz : lanes_neg;
    case ISA_OP_COPYSIGN: return lanes_copysign;
    default: return NULL;
    }
}
