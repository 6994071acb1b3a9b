/* Textures and surfaces. What a program holds of one is its handle: the address of its description in device memory.
 * A texture is read through it: coordinates become addresses of texels by its address modes, and what the texels hold
 * is converted and filtered. CUDA C++ Programming Guide, "Texture Fetching".
 *
 * A read of a texture is one access that may have several addresses in each lane: its parts. All lanes that read have
 * an address in the first part. The values come with the lines in which they lie, in any order, and the registers are
 * written once all are there. */
#ifndef LOCKSTEP_SIMT_IMAGE_H
#define LOCKSTEP_SIMT_IMAGE_H

#include "simt/warp.h"

enum simt_image_kind { SIMT_IMAGE_NONE, SIMT_IMAGE_TEXTURE, SIMT_IMAGE_SURFACE };
enum simt_channel { SIMT_CHANNEL_UNSIGNED, SIMT_CHANNEL_SIGNED, SIMT_CHANNEL_FLOAT };
/* Places outside of a texture; numbered as enum cudaTextureAddressMode. */
enum simt_address_mode { SIMT_ADDRESS_WRAP, SIMT_ADDRESS_CLAMP, SIMT_ADDRESS_MIRROR, SIMT_ADDRESS_BORDER };

/* A texture's or surface's description. The first word of a live one is a number of its own address. */
#define SIMT_IMAGE_BYTES 128
struct simt_image {
    uint64_t mark;       /* simt_image_mark */
    uint64_t base;       /* address of the first texel */
    uint64_t row, slice; /* bytes from one row, and from one slice of depth or one layer, to the next */
    uint32_t size[3];    /* width, height, depth: texels; 1 where it has no such dimension */
    uint32_t layers;     /* faces of cubes counted; 1: it has none */
    uint8_t kind;        /* enum simt_image_kind */
    uint8_t channels, channel_bytes, format; /* 1, 2 or 4; 1, 2 or 4; enum simt_channel */
    uint8_t modes[3];                        /* enum simt_address_mode, by dimension */
    uint8_t filters;                         /* linearly; else the nearest texel */
    uint8_t as_float;                        /* integers are read as numbers in [0, 1] or [-1, 1] */
    uint8_t normalized;                      /* coordinates are in [0, 1) */
    uint8_t is_linear;                       /* memory without rows: zero is read outside of it */
    float border[4];
    /* What txq and suq read, besides: words that follow from the members above (simt_image_seal), and array_size. */
    uint32_t array_size;                /* layers; a cube's faces are one */
    uint32_t data_type, channel_order;  /* the number of a CUarray_format; channels */
    uint32_t whole, filter, wrapping[3]; /* normalized; filters; 0 wraps, 1 mirrors, 3 clamps to the edge, 4 has a border */
    uint32_t levels, samples, layout;   /* 1; 1; 1: memory without rows */
};
_Static_assert(sizeof(struct simt_image) <= SIMT_IMAGE_BYTES, "descriptions have their places");

static inline uint64_t simt_image_mark(uint64_t address)
{
    return address * UINT64_C(0x9E3779B97F4A7C15) ^ UINT64_C(0x696D616765);
}

/* Makes it the live description at an address: the mark, and the words that only queries read. */
void simt_image_seal(struct simt_image *image, uint64_t address);

#define SIMT_TEXEL_PARTS 8
#define SIMT_TEXEL_BYTES 16

/* The texels that a lane reads. Corner c of what a filter takes has the greater place in dimension d where bit d of c is set. */
struct simt_sample {
    uint16_t weight[3]; /* of the greater place, in 1/256 */
    uint8_t corners;    /* 1, 2, 4 or 8 */
    uint8_t present;    /* set of corners that lie in memory; the others have the border's value */
    uint8_t channels, channel_bytes, format, as_float;
    float border[4];
    uint8_t value[SIMT_TEXEL_PARTS][SIMT_TEXEL_BYTES]; /* by corner */
};

struct simt_texels {
    uint64_t lanes;                    /* that are given values */
    uint64_t parted[SIMT_TEXEL_PARTS]; /* by part: lanes that have an address */
    uint32_t parts;
    uint64_t address[SIMT_TEXEL_PARTS][SIMT_MAX_WIDTH];
    uint8_t corner[SIMT_TEXEL_PARTS][SIMT_MAX_WIDTH];
    struct simt_sample lane[SIMT_MAX_WIDTH];
};

/* Makes part p the access's addresses and lanes: for those who look at one address of each lane. */
void simt_texels_part(struct simt_access *access, unsigned p);
/* Bytes of a lane's texel. */
static inline unsigned simt_texel_bytes(const struct simt_access *access, unsigned lane)
{
    return access->texels->lane[lane].channels * access->texels->lane[lane].channel_bytes;
}
/* Takes the texels of lanes that lie in the `bytes` bytes from address on, out of the naturally aligned line of
 * line_bytes around them. */
void simt_texels_take(struct simt_access *access, uint64_t lanes, uint64_t address, uint32_t bytes, const uint8_t *line,
                      uint32_t line_bytes);
/* Takes all of them from plain memory (simt_serve). */
void simt_texels_serve(struct simt_access *access, uint8_t *(*at)(void *context, uint64_t address), void *context);
/* All texels are there: converts, filters and writes the registers. */
void simt_texels_finish(struct simt_warp *warp, const struct simt_access *access);

#endif
