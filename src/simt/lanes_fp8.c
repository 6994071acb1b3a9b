/* cvt from and to pairs of 8-bit floats (PTX ISA, "cvt"): e4m3, which has no infinity and one NaN of either sign beyond
 * 448, and e5m2, whose patterns are the upper halves of f16's.
 *
 * .rn.satfinite from two f32 or an f16x2: rounded once, to nearest even; what is larger than the largest finite number,
 * infinity too, becomes that; NaN becomes 0x7f. .rn to f16x2 is exact; NaN becomes the canonical one. The first source,
 * or the upper half, is the upper byte. .relu makes 0 of negative numbers and -0. Left out: four to a word, and stochastic
 * rounding. */
#include "simt/lanes_float.h"

/* e4m3 is this format with its values 2^8 times as large: one more exponent bit, so that there is room for numbers that
 * are too large, and no infinity in the way. */
static const struct lane_format e4m3_wide = {4, 15, 9, 0, 0xF8, 0xFF};
static const struct lane_format e5m2 = {3, 15, 8, 0, 0x7C, 0x7F};
#define E4M3_SCALE 8
#define FP8_NAN 0x7Fu

static bool is_fp8(uint8_t type)
{
    return type == ISA_E4M3X2 || type == ISA_E5M2X2;
}

static uint32_t narrow(const struct isa_instr *instr, struct lane_number x)
{
    const bool is_e4m3 = instr->type == ISA_E4M3X2;
    const uint32_t sign = x.negative ? 0x80 : 0, most = is_e4m3 ? 0x7E : 0x7B;
    if (x.kind == LANE_NAN)
        return FP8_NAN;
    if (instr->mods.relu && x.negative)
        return 0;
    x.negative = false;
    x.exponent -= is_e4m3 ? E4M3_SCALE : 0;
    const uint32_t bits = (uint32_t)lane_pack(is_e4m3 ? &e4m3_wide : &e5m2, ISA_ROUND_RN, &x);
    return sign | (bits < most ? bits : most);
}

static uint32_t widen(const struct isa_instr *instr, uint32_t byte)
{
    const bool is_e4m3 = instr->stype == ISA_E4M3X2;
    struct lane_number x = lane_unpack(is_e4m3 ? &e4m3_wide : &e5m2, byte & 0x7F);
    if (is_e4m3 && (byte & 0x7F) == FP8_NAN)
        x.kind = LANE_NAN;
    x.exponent += is_e4m3 ? E4M3_SCALE : 0;
    x.negative = byte & 0x80;
    if (instr->mods.relu && x.negative && x.kind != LANE_NAN)
        return 0;
    return (uint32_t)lane_pack(&lane_format_f16, ISA_ROUND_RN, &x);
}

static void narrow_two(struct lane_args *args)
{
    const uint32_t *upper = args->src[0], *lower = args->src[1];
    uint32_t result[LANES];
    for (unsigned lane = 0; lane < LANES; lane++)
        result[lane] = narrow(args->instr, lane_unpack(&lane_format_f32, upper[lane])) << 8 |
                       narrow(args->instr, lane_unpack(&lane_format_f32, lower[lane]));
    LANE_STORE(uint32_t, args->dst[0], result, args->mask);
}

static void narrow_pair(struct lane_args *args)
{
    const uint32_t *pair = args->src[0];
    uint32_t result[LANES];
    for (unsigned lane = 0; lane < LANES; lane++)
        result[lane] = narrow(args->instr, lane_unpack(&lane_format_f16, pair[lane] >> 16)) << 8 |
                       narrow(args->instr, lane_unpack(&lane_format_f16, pair[lane] & 0xFFFF));
    LANE_STORE(uint32_t, args->dst[0], result, args->mask);
}

static void widen_pair(struct lane_args *args)
{
    const uint32_t *pair = args->src[0];
    uint32_t result[LANES];
    for (unsigned lane = 0; lane < LANES; lane++)
        result[lane] = widen(args->instr, pair[lane] >> 8 & 0xFF) << 16 | widen(args->instr, pair[lane] & 0xFF);
    LANE_STORE(uint32_t, args->dst[0], result, args->mask);
}

lane_fn *lane_resolve_fp8(const struct isa_instr *instr)
{
    const bool has_second = instr->src_count > 1 && (!instr->src || instr->src[1].kind != ISA_OPERAND_NONE);
    if (instr->op != ISA_OP_CVT || instr->mods.round != ISA_ROUND_RN || instr->mods.ftz || instr->mods.pack)
        return NULL;
    if (is_fp8(instr->type) && instr->mods.sat == ISA_SAT_FINITE) {
        if (instr->stype == ISA_F32)
            return has_second ? narrow_two : NULL;
        return instr->stype == ISA_F16X2 && !has_second ? narrow_pair : NULL;
    }
    if (is_fp8(instr->stype) && instr->type == ISA_F16X2 && !has_second && !instr->mods.sat)
        return widen_pair;
    return NULL;
}
