/* The values of textures: texels as they come from memory, what they are converted to, and filters. See image.h. */
#include "simt/image.h"

#include <string.h>

#include "base/bits.h"
#include "simt/execute.h"

void simt_texels_part(struct simt_access *access, unsigned p)
{
    access->mask = access->texels->parted[p];
    memcpy(access->address, access->texels->address[p], sizeof access->address);
}

void simt_texels_take(struct simt_access *access, uint64_t lanes, uint64_t address, uint32_t bytes, const uint8_t *line,
                      uint32_t line_bytes)
{
    struct simt_texels *texels = access->texels;
    for (unsigned p = 0; p < texels->parts; p++)
        for (uint64_t rest = lanes & texels->parted[p]; rest; rest &= rest - 1) {
            unsigned lane = mask_first(rest);
            uint64_t at = texels->address[p][lane];
            if (at - address < bytes)
                memcpy(texels->lane[lane].value[texels->corner[p][lane]], line + (at & (line_bytes - 1)),
                       simt_texel_bytes(access, lane));
        }
}

void simt_texels_serve(struct simt_access *access, uint8_t *(*at)(void *context, uint64_t address), void *context)
{
    struct simt_texels *texels = access->texels;
    for (unsigned p = 0; p < texels->parts; p++)
        for (uint64_t rest = texels->parted[p]; rest; rest &= rest - 1) {
            unsigned lane = mask_first(rest);
            memcpy(texels->lane[lane].value[texels->corner[p][lane]], at(context, texels->address[p][lane]),
                   simt_texel_bytes(access, lane));
        }
}

static bool is_integer(const struct simt_sample *sample)
{
    return sample->format != SIMT_CHANNEL_FLOAT && !sample->as_float;
}

/* A channel of a texel: its bits, those of a signed number extended. */
static uint32_t channel_bits(const struct simt_sample *sample, unsigned corner, unsigned channel)
{
    const uint8_t *at = sample->value[corner] + channel * sample->channel_bytes;
    uint32_t bits = 0;
    memcpy(&bits, at, sample->channel_bytes);
    unsigned unused = 32 - 8 * sample->channel_bytes;
    return sample->format == SIMT_CHANNEL_SIGNED ? (uint32_t)((int32_t)(bits << unused) >> unused) : bits;
}

static double half_to_double(uint32_t bits)
{
    uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023;
    double sign = bits >> 15 ? -1 : 1;
    if (exponent == 31)
        return fraction ? (double)__builtin_nanf("") : sign * (double)__builtin_inff();
    double value = exponent ? 1024 + fraction : fraction;
    for (uint32_t e = exponent ? exponent : 1; e < 25; e++)
        value /= 2;
    for (uint32_t e = 25; e < exponent; e++)
        value *= 2;
    return sign * value;
}

/* The red, green, blue or alpha of a corner: what a texel has not is 0, and alpha 1. */
static double channel_value(const struct simt_sample *sample, unsigned corner, unsigned channel)
{
    if (!(sample->present >> corner & 1))
        return (double)sample->border[channel];
    if (channel >= sample->channels)
        return channel == 3;
    uint32_t bits = channel_bits(sample, corner, channel);
    float single;
    switch (sample->format) {
    case SIMT_CHANNEL_FLOAT:
        memcpy(&single, &bits, sizeof single);
        return sample->channel_bytes == 2 ? half_to_double(bits) : (double)single;
    case SIMT_CHANNEL_SIGNED: {
        double value = (int32_t)bits, most = (double)((1u << (8 * sample->channel_bytes - 1)) - 1);
        return value < -most ? -1 : value / most;
    }
    default:
        return (double)bits / (double)((UINT64_C(1) << 8 * sample->channel_bytes) - 1);
    }
}

static uint32_t integer_value(const struct simt_sample *sample, unsigned corner, unsigned channel)
{
    if (!(sample->present >> corner & 1))
        return sample->format == SIMT_CHANNEL_SIGNED ? (uint32_t)(int32_t)sample->border[channel]
                                                     : (uint32_t)sample->border[channel];
    return channel < sample->channels ? channel_bits(sample, corner, channel) : channel == 3;
}

static uint32_t single_bits(double value)
{
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    return bits;
}

/* Every corner by its weight. Weights have 8 bits behind the point and a product of three is exact, as is that with a
 * texel; the sum is rounded to single precision once. */
static uint32_t filtered(const struct simt_sample *sample, unsigned channel)
{
    double sum = 0;
    if (sample->corners == 1 && sample->format == SIMT_CHANNEL_FLOAT && sample->channel_bytes == 4 && sample->present &&
        channel < sample->channels)
        return channel_bits(sample, 0, channel); /* as it is, if it is no number too */
    for (unsigned corner = 0; corner < sample->corners; corner++) {
        double weight = 1;
        for (unsigned d = 0; 1u << d < sample->corners; d++)
            weight *= (corner >> d & 1 ? sample->weight[d] : 256 - sample->weight[d]) / 256.0;
        sum += sample->corners == 1 ? channel_value(sample, corner, channel)
                                    : weight * channel_value(sample, corner, channel);
    }
    return single_bits(sum);
}

static uint32_t result_of(const struct isa_instr *instr, const struct simt_sample *sample, unsigned i)
{
    static const uint8_t order[] = {2, 3, 1, 0}; /* of tld4: PTX ISA, "tld4" */
    unsigned component = instr->mods.component - ISA_COMPONENT_R;
    if (instr->op == ISA_OP_TLD4 && is_integer(sample))
        return integer_value(sample, order[i], component);
    if (instr->op == ISA_OP_TLD4)
        return single_bits(channel_value(sample, order[i], component));
    return is_integer(sample) ? integer_value(sample, 0, i) : filtered(sample, i);
}

void simt_texels_finish(struct simt_warp *warp, const struct simt_access *access)
{
    const struct simt_op *op = access->op;
    const struct simt_texels *texels = access->texels;
    for (unsigned i = 0; i < op->dst_count; i++) {
        if (op->dst[i].place != SIMT_PLACE_ROW)
            continue;
        void *row = simt_row(warp, access->reg_base, op->dst[i].row);
        for (uint64_t rest = texels->lanes; rest; rest &= rest - 1) {
            unsigned lane = mask_first(rest);
            uint32_t value = result_of(access->instr, &texels->lane[lane], i);
            if (op->dst[i].wide)
                ((uint64_t *)row)[lane] = value;
            else
                ((uint32_t *)row)[lane] = value;
        }
    }
}
