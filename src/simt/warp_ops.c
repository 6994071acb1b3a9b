/* Warp-wide operations: see warp_ops.h. */
#include "simt/warp_ops.h"

#include "base/bits.h"
#include "isa/op.h"

uint64_t warp_vote(uint8_t mode, uint64_t pred, uint64_t active, uint64_t members)
{
    uint64_t part = active & members, yes = pred & part;
    bool answer;
    switch (mode) {
    case ISA_VOTE_BALLOT:
        return yes;
    case ISA_VOTE_ANY:
        answer = yes != 0;
        break;
    case ISA_VOTE_UNI:
        answer = !yes || yes == part;
        break;
    default: /* all */
        answer = yes == part;
        break;
    }
    return answer ? ~UINT64_C(0) : 0;
}

/* The lane that `lane` (0..31) reads, or -1 when it is out of range. PTX ISA, "shfl.sync": c holds the clamp in bits
 * 4..0 and the mask that cuts the warp into segments in bits 12..8. */
static int shfl_source(uint8_t mode, unsigned lane, uint32_t b, uint32_t c)
{
    int segment = c >> 8 & 31, delta = b & 31, own = (int)lane, source;
    int first = own & segment, limit = first | ((int)(c & 31) & ~segment);
    switch (mode) {
    case ISA_SHFL_UP:
        source = own - delta;
        return source >= limit ? source : -1;
    case ISA_SHFL_DOWN:
        source = own + delta;
        break;
    case ISA_SHFL_BFLY:
        source = own ^ delta;
        break;
    default: /* idx */
        source = first | (delta & ~segment);
        break;
    }
    return source <= limit ? source : -1;
}

uint64_t warp_shfl(uint8_t mode, uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *c, uint64_t active,
                   struct warp_absent *absent)
{
    uint64_t in_range = 0;
    for (uint64_t rest = active; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest), half = lane & 32;
        int source = shfl_source(mode, lane & 31, b[lane], c[lane]);
        if (source >= 0)
            in_range |= BIT64(lane);
        unsigned from = source >= 0 ? half + (unsigned)source : lane;
        bool there = mask_has(active, from);
        d[lane] = there ? a[from] : 0;
        if (!there) {
            absent->readers |= BIT64(lane);
            absent->sources |= BIT64(from);
        }
    }
    return in_range;
}

static uint64_t lane_value(bool wide, const void *a, unsigned lane)
{
    return wide ? ((const uint64_t *)a)[lane] : ((const uint32_t *)a)[lane];
}

static uint64_t lanes_holding(bool wide, const void *a, uint64_t lanes, uint64_t value)
{
    uint64_t same = 0;
    for (uint64_t rest = lanes; rest; rest &= rest - 1)
        if (lane_value(wide, a, mask_first(rest)) == value)
            same |= BIT64(mask_first(rest));
    return same;
}

/* Lanes of one half as a mask of 32 bits. */
static uint32_t within_half(uint64_t lanes)
{
    return (uint32_t)(lanes | lanes >> 32);
}

void warp_match_any(bool wide, uint32_t *d, const void *a, uint64_t active, uint64_t members)
{
    /* One group of equal lanes at a time, so that the usual few values cost little. */
    for (uint64_t rest = active; rest;) {
        uint64_t value = lane_value(wide, a, mask_first(rest));
        uint64_t same = lanes_holding(wide, a, active, value);
        for (uint64_t group = same; group; group &= group - 1)
            d[mask_first(group)] = within_half(same & members);
        rest &= ~same;
    }
}

uint64_t warp_match_all(bool wide, uint32_t *d, const void *a, uint64_t active, uint64_t members)
{
    uint64_t part = active & members;
    bool equal = part && lanes_holding(wide, a, part, lane_value(wide, a, mask_first(part))) == part;
    for (uint64_t rest = active; rest; rest &= rest - 1)
        d[mask_first(rest)] = equal ? within_half(part) : 0;
    return equal ? active : 0;
}

/* Orders signed values as unsigned ones. */
static uint32_t sign_bias(uint8_t type)
{
    return type == ISA_S32 ? UINT32_C(1) << 31 : 0;
}

static uint32_t reduce_two(uint8_t reduce, uint8_t type, uint32_t x, uint32_t y)
{
    uint32_t bias = sign_bias(type);
    switch (reduce) {
    case ISA_REDUCE_AND:
        return x & y;
    case ISA_REDUCE_OR:
        return x | y;
    case ISA_REDUCE_XOR:
        return x ^ y;
    case ISA_REDUCE_MIN:
        return (x ^ bias) < (y ^ bias) ? x : y;
    case ISA_REDUCE_MAX:
        return (x ^ bias) > (y ^ bias) ? x : y;
    default:
        return x + y;
    }
}

static uint32_t neutral(uint8_t reduce, uint8_t type)
{
    switch (reduce) {
    case ISA_REDUCE_AND:
        return UINT32_MAX;
    case ISA_REDUCE_MIN:
        return UINT32_MAX ^ sign_bias(type);
    case ISA_REDUCE_MAX:
        return sign_bias(type);
    default:
        return 0;
    }
}

uint32_t warp_redux(uint8_t reduce, uint8_t type, const uint32_t *a, uint64_t active, uint64_t members)
{
    uint32_t value = neutral(reduce, type);
    for (uint64_t rest = active & members; rest; rest &= rest - 1)
        value = reduce_two(reduce, type, value, a[mask_first(rest)]);
    return value;
}
