/* Video instructions: arithmetic over words whose signedness each operand says for itself, and over their halves or
 * bytes. PTX ISA, "Scalar Video Instructions" and "SIMD Video Instructions". Operands are read whole: selections of
 * parts are outside the model, so nothing of operand c is merged into the result.
 *
 * Where PTX leaves the result open: a sum that is not clamped goes into a second operation as it is, not cut to 33 bits.
 */
#include "simt/lanes_body.h"

typedef __int128 wide;

static inline wide extend(uint32_t x, bool is_signed)
{
    return is_signed ? (wide)(int32_t)x : (wide)x;
}

static inline wide least(wide x, wide y)
{
    return x < y ? x : y;
}

static inline wide most(wide x, wide y)
{
    return x > y ? x : y;
}

/* v, or the nearest value that `bits` bits hold. */
static inline wide saturate(wide v, unsigned bits, bool is_signed)
{
    wide low = is_signed ? -((wide)1 << (bits - 1)) : 0;
    return most(low, least(v, low + ((wide)1 << bits) - 1));
}

static inline bool compare(uint8_t cmp, wide x, wide y)
{
    switch (cmp) {
    case ISA_CMP_EQ: return x == y;
    case ISA_CMP_NE: return x != y;
    case ISA_CMP_LT: return x < y;
    case ISA_CMP_LE: return x <= y;
    case ISA_CMP_GT: return x > y;
    default: return x >= y;
    }
}

/* The mean, a half away from zero. */
static inline wide mean(wide x, wide y)
{
    return x + y >= 0 ? (x + y + 1) >> 1 : (x + y) >> 1;
}

static inline unsigned amount(const struct isa_mods *mods, wide y)
{
    return (unsigned)(mods->clamp == ISA_CLAMP_WRAP ? y & 31 : least(y, 32));
}

/* How an instruction reads its operands and writes its result. */
struct signs {
    bool d, a, b;
};

static inline struct signs signs_of(const struct isa_instr *instr)
{
    bool compares = instr->mods.cmp; /* vset says nothing of the result, which is unsigned */
    return (struct signs){.d = !compares && instr->type == ISA_S32,
                          .a = (compares ? instr->type : instr->stype) == ISA_S32,
                          .b = compares ? instr->stype == ISA_S32 : instr->mods.btype == ISA_BTYPE_S32};
}

/* A result, clamped and combined with c as the suffixes say. */
static inline uint32_t finish(const struct isa_mods *mods, wide v, uint32_t c, bool is_signed)
{
    if (mods->sat)
        v = saturate(v, 32, is_signed);
    switch (mods->reduce) {
    case ISA_REDUCE_ADD: return (uint32_t)v + c;
    case ISA_REDUCE_MIN: return (uint32_t)least(v, extend(c, is_signed));
    case ISA_REDUCE_MAX: return (uint32_t)most(v, extend(c, is_signed));
    default: return (uint32_t)v;
    }
}

/* A function of words x and y. */
#define LANE_WORD(name, expr)                                                                   \
    static void name(struct lane_args *args)                                                    \
    {                                                                                           \
        const uint32_t *a = args->src[0], *b = args->src[1], *c = args->src[2];                 \
        const struct isa_mods *mods = &args->instr->mods;                                       \
        const struct signs signs = signs_of(args->instr);                                       \
        uint32_t r[LANES];                                                                      \
        for (unsigned lane = 0; lane < LANES; lane++) {                                         \
            wide x = extend(a[lane], signs.a), y = extend(b[lane], signs.b);                    \
            r[lane] = finish(mods, expr, mods->reduce ? c[lane] : 0, signs.d);                  \
        }                                                                                       \
        LANE_STORE(uint32_t, args->dst[0], r, args->mask);                                      \
    }
LANE_WORD(vadd, x + y)
LANE_WORD(vsub, x - y)
LANE_WORD(vabsdiff, x < y ? y - x : x - y)
LANE_WORD(vmin, least(x, y))
LANE_WORD(vmax, most(x, y))
LANE_WORD(vset, compare(mods->cmp, x, y))
LANE_WORD(vshl, x * ((wide)1 << amount(mods, y)))
LANE_WORD(vshr, x >> amount(mods, y))

/* The result is signed where one of the factors is, whatever the destination. */
static void vmad(struct lane_args *args)
{
    const uint32_t *a = args->src[0], *b = args->src[1], *c = args->src[2];
    const struct isa_mods *mods = &args->instr->mods;
    const struct signs signs = signs_of(args->instr);
    bool is_signed = signs.a || signs.b;
    unsigned shift = mods->scale == ISA_SCALE_SHR7 ? 7 : mods->scale == ISA_SCALE_SHR15 ? 15 : 0;
    uint32_t r[LANES];
    for (unsigned lane = 0; lane < LANES; lane++) {
        wide sum = extend(a[lane], signs.a) * extend(b[lane], signs.b) + extend(c[lane], is_signed) + (mods->po ? 1 : 0);
        wide v = sum >> shift;
        r[lane] = (uint32_t)(mods->sat ? saturate(v, 32, is_signed) : v);
    }
    LANE_STORE(uint32_t, args->dst[0], r, args->mask);
}

/* Part i of a word, of `bits` bits. */
static inline int32_t part(uint32_t word, unsigned i, unsigned bits, bool is_signed)
{
    uint32_t top = word << (32 - bits * (i + 1));
    return is_signed ? (int32_t)top >> (32 - bits) : (int32_t)(top >> (32 - bits));
}

/* A function of parts x and y of words; with .add the sum of the parts and c. */
#define LANE_PARTS(name, BITS, expr)                                                            \
    static void name(struct lane_args *args)                                                    \
    {                                                                                           \
        const uint32_t *a = args->src[0], *b = args->src[1], *c = args->src[2];                 \
        const struct isa_mods *mods = &args->instr->mods;                                       \
        const struct signs signs = signs_of(args->instr);                                       \
        uint32_t r[LANES];                                                                      \
        for (unsigned lane = 0; lane < LANES; lane++) {                                         \
            uint32_t sum = c[lane], parts = 0;                                                  \
            for (unsigned i = 0; i < 32 / (BITS); i++) {                                        \
                wide x = part(a[lane], i, BITS, signs.a), y = part(b[lane], i, BITS, signs.b);  \
                wide v = expr;                                                                  \
                v = mods->sat ? saturate(v, BITS, signs.d) : v;                                 \
                sum += (uint32_t)v;                                                             \
                parts |= ((uint32_t)v & ((1u << (BITS)) - 1)) << i * (BITS);                    \
            }                                                                                   \
            r[lane] = mods->reduce ? sum : parts;                                               \
        }                                                                                       \
        LANE_STORE(uint32_t, args->dst[0], r, args->mask);                                      \
    }
#define LANE_HALVES_BYTES(name, expr) LANE_PARTS(name##2, 16, expr) LANE_PARTS(name##4, 8, expr)
LANE_HALVES_BYTES(vadd, x + y)
LANE_HALVES_BYTES(vsub, x - y)
LANE_HALVES_BYTES(vavrg, mean(x, y))
LANE_HALVES_BYTES(vabsdiff, x < y ? y - x : x - y)
LANE_HALVES_BYTES(vmin, least(x, y))
LANE_HALVES_BYTES(vmax, most(x, y))
LANE_HALVES_BYTES(vset, compare(mods->cmp, x, y))

/* Modifiers beside the third type that the opcode has: those of mods that are not 0 in `may`, up to the value there. */
struct video_row {
    uint16_t op;
    lane_fn *fn;
    struct isa_mods may;
};

#define WORD(op, fn) {ISA_OP_##op, fn, {.btype = ISA_BTYPE_S32, .sat = ISA_SAT_YES, .reduce = ISA_REDUCE_MAX}}
#define SHIFT(op, fn)                                                                                                  \
    {ISA_OP_##op, fn, {.btype = ISA_BTYPE_U32, .sat = ISA_SAT_YES, .clamp = ISA_CLAMP_WRAP, .reduce = ISA_REDUCE_MAX}}
#define PARTS(op, fn) {ISA_OP_##op, fn, {.btype = ISA_BTYPE_S32, .sat = ISA_SAT_YES, .reduce = ISA_REDUCE_ADD}}
#define SET(op, fn, most) {ISA_OP_##op, fn, {.cmp = ISA_CMP_GE, .reduce = ISA_REDUCE_##most}}
static const struct video_row rows[] = {
    WORD(VADD, vadd), WORD(VSUB, vsub), WORD(VABSDIFF, vabsdiff), WORD(VMIN, vmin), WORD(VMAX, vmax),
    SHIFT(VSHL, vshl), SHIFT(VSHR, vshr), SET(VSET, vset, MAX),
    {ISA_OP_VMAD, vmad, {.btype = ISA_BTYPE_S32, .po = ISA_PO_YES, .sat = ISA_SAT_YES, .scale = ISA_SCALE_SHR15}},
    PARTS(VADD2, vadd2), PARTS(VSUB2, vsub2), PARTS(VAVRG2, vavrg2), PARTS(VABSDIFF2, vabsdiff2), PARTS(VMIN2, vmin2),
    PARTS(VMAX2, vmax2), PARTS(VADD4, vadd4), PARTS(VSUB4, vsub4), PARTS(VAVRG4, vavrg4), PARTS(VABSDIFF4, vabsdiff4),
    PARTS(VMIN4, vmin4), PARTS(VMAX4, vmax4), SET(VSET2, vset2, ADD), SET(VSET4, vset4, ADD),
};
#undef WORD
#undef SHIFT
#undef PARTS
#undef SET

/* The forms of isa/forms.def. */
static bool fits(const struct isa_instr *instr, const struct video_row *row)
{
    const struct isa_mods *have = &instr->mods;
    const uint8_t *mods = (const uint8_t *)have, *may = (const uint8_t *)&row->may;
    for (unsigned i = 0; i < ISA_FIELD_COUNT; i++)
        if (mods[i] > may[i])
            return false;
    bool is_32 = (instr->type == ISA_U32 || instr->type == ISA_S32) && (instr->stype == ISA_U32 || instr->stype == ISA_S32);
    bool has_third = !row->may.btype || have->btype, has_mode = !row->may.clamp || have->clamp;
    bool has_cmp = !row->may.cmp || have->cmp, combines = !have->reduce || have->reduce >= ISA_REDUCE_ADD;
    bool adds_clamped = row->may.reduce == ISA_REDUCE_ADD && have->reduce && have->sat;
    return is_32 && has_third && has_mode && has_cmp && combines && !adds_clamped;
}

lane_fn *lane_resolve_video(const struct isa_instr *instr)
{
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].op == instr->op)
            return fits(instr, &rows[i]) ? rows[i].fn : NULL;
    return NULL;
}
