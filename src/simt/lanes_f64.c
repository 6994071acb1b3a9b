/* f64 arithmetic: add sub mul mad fma div abs neg min max copysign (PTX ISA, "Floating Point Instructions").
 *
 * Rounding to nearest even is the host's own arithmetic, other roundings are done on integers. A NaN result is the
 * first NaN operand in the order b, c, a (of div: a, b), quieted, or 0xfff8000000000000 where the operation itself is
 * invalid: the manual leaves the order open, and this is an H100's. A second pass writes it, only when some lane needs
 * it. Subnormals are kept: f64 has no .ftz, but for the reciprocals of lanes_special.c. */
#include "simt/lanes_body.h"
#include "simt/lanes_float.h"

LANE_HOST_OPS(f64, double, __builtin_fma)

static double f64_fma_portable(double a, double b, double c)
{
    uint64_t operand[3] = {lane_f64_bits(a), lane_f64_bits(b), lane_f64_bits(c)};
    return lane_f64(lane_soft(&lane_format_f64, ISA_OP_FMA, ISA_ROUND_RN, operand));
}

static bool is_nan64(uint64_t bits)
{
    return (bits & ~LANE_SIGN64) > LANE_INF64;
}

static uint64_t quieted(uint64_t nan)
{
    return nan | UINT64_C(0x0008000000000000);
}

/* The NaN that an operation on these patterns gives. */
static uint64_t nan_of(unsigned op, uint64_t a, uint64_t b, uint64_t c)
{
    if (is_nan64(a) && op == ISA_OP_DIV)
        return quieted(a);
    if (is_nan64(b))
        return quieted(b);
    if (is_nan64(c))
        return quieted(c);
    return is_nan64(a) ? quieted(a) : LANE_NAN64;
}

static __attribute__((noinline)) void settle_nans(unsigned op, uint64_t *result, const uint64_t *a, const uint64_t *b,
                                                  const uint64_t *c)
{
    for (unsigned lane = 0; lane < LANES; lane++) {
        if (is_nan64(result[lane]))
            result[lane] = nan_of(op, a[lane], b[lane], c[lane]);
    }
}

LANE_STAMPED void f64_run(struct lane_args *args, f64_op *op, unsigned sources)
{
    const uint64_t *a = args->src[0], *b = args->src[1], *c = sources > 2 ? args->src[2] : b;
    uint64_t result[LANES], nans = 0;
    for (unsigned lane = 0; lane < LANES; lane++) {
        double value = op(lane_f64(a[lane]), lane_f64(b[lane]), lane_f64(c[lane]));
        nans |= value != value;
        result[lane] = lane_f64_bits(value);
    }
    if (nans)
        settle_nans(args->instr->op, result, a, b, c);
    LANE_STORE(uint64_t, args->dst[0], result, args->mask);
}

#define F64_STAMP(name, attribute, op, sources)       \
    attribute static void name(struct lane_args *args) \
    {                                                  \
        f64_run(args, op, sources);                    \
    }
F64_STAMP(lanes_add, , f64_add, 2)
F64_STAMP(lanes_sub, , f64_sub, 2)
F64_STAMP(lanes_mul, , f64_mul, 2)
F64_STAMP(lanes_div, , f64_div, 2)
F64_STAMP(lanes_fma_fused, LANE_FUSED, f64_fma_fused, 3)
F64_STAMP(lanes_fma_portable, , f64_fma_portable, 3)

static void lanes_directed(struct lane_args *args)
{
    unsigned op = args->instr->op, mode = args->instr->mods.round;
    const uint64_t *a = args->src[0], *b = args->src[1], *c = lane_third(args);
    uint64_t result[LANES];
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint64_t operand[3] = {a[lane], b[lane], c[lane]};
        result[lane] = lane_soft(&lane_format_f64, op, mode, operand);
    }
    settle_nans(op, result, a, b, c);
    LANE_STORE(uint64_t, args->dst[0], result, args->mask);
}

/* min and max: a number wins over NaN, and -0 is below +0. */
static void lanes_extreme(struct lane_args *args)
{
    const uint64_t *a = args->src[0], *b = args->src[1];
    uint64_t result[LANES];
    for (unsigned lane = 0; lane < LANES; lane++)
        result[lane] = lane_select_extreme(&lane_format_f64, args->instr, a[lane], b[lane]);
    settle_nans(args->instr->op, result, a, b, b);
    LANE_STORE(uint64_t, args->dst[0], result, args->mask);
}

/* abs and neg hand a NaN through, quiet and with its sign (PTX ISA, "abs", "neg"). */
LANE_UNARY(lanes_abs, uint64_t, uint64_t, is_nan64(x) ? quieted(x) : x & ~LANE_SIGN64)
LANE_UNARY(lanes_neg, uint64_t, uint64_t, is_nan64(x) ? quieted(x) : x ^ LANE_SIGN64)
LANE_BINARY(lanes_copysign, uint64_t, uint64_t, uint64_t, (x & LANE_SIGN64) | (y & ~LANE_SIGN64))

/* By whether the host fuses. */
static lane_fn *const nearest[2][LANE_ARITH_COUNT] = {
    {lanes_add, lanes_sub, lanes_mul, lanes_fma_portable, lanes_div},
    {lanes_add, lanes_sub, lanes_mul, lanes_fma_fused, lanes_div},
};

static lane_fn *resolve_arith(const struct isa_instr *instr)
{
    bool optional = instr->op == ISA_OP_ADD || instr->op == ISA_OP_SUB || instr->op == ISA_OP_MUL;
    if (!lane_rounds_exactly(instr, optional))
        return NULL;
    if (instr->mods.round > ISA_ROUND_RN)
        return lanes_directed;
    return nearest[lane_host_fuses()][lane_arith_of(instr->op)];
}

lane_fn *lane_resolve_f64(const struct isa_instr *instr)
{
    const struct isa_mods *mods = &instr->mods;
    if (instr->type != ISA_F64 || mods->ftz || mods->sat)
        return NULL;
    switch (instr->op) {
    case ISA_OP_ADD:
    case ISA_OP_SUB:
    case ISA_OP_MUL:
    case ISA_OP_MAD:
    case ISA_OP_FMA:
    case ISA_OP_DIV: return resolve_arith(instr);
    case ISA_OP_MIN:
    case ISA_OP_MAX: return mods->nan || mods->xorsign || mods->abs ? NULL : lanes_extreme;
    case ISA_OP_ABS: return lanes_abs;
    case ISA_OP_NEG: return lanes_neg;
    case ISA_OP_COPYSIGN: return lanes_copysign;
    default: return NULL;
    }
}
