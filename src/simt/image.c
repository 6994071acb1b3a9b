/* Places in textures and surfaces: descriptions, and how coordinates become addresses. See image.h. Coordinates are
 * worked out in double precision, in which products of a coordinate and a size are exact. */
#include "simt/image.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "simt/execute.h"
#include "simt/lanes_float.h"

#define FAR_OUT 1e9 /* no texture is as large */

void simt_image_seal(struct simt_image *image, uint64_t address)
{
    static const uint8_t numbers[] = {0, 3, 1, 4}; /* by simt_address_mode; PTX ISA, "txq" */
    static const uint8_t types[3][5] = {{0, 1, 2, 0, 3}, {0, 8, 9, 0, 10}, {0, 0, 16, 0, 32}}; /* by format, bytes of a channel */
    image->mark = simt_image_mark(address);
    image->data_type = types[image->format][image->channel_bytes];
    image->channel_order = image->channels;
    image->whole = image->normalized;
    image->filter = image->filters;
    for (unsigned d = 0; d < 3; d++)
        image->wrapping[d] = numbers[image->modes[d]];
    image->levels = image->samples = 1;
    image->layout = image->is_linear;
}

/* Copies the description of a handle; false when there is none of the kind. */
static bool describe(const struct simt_warp *warp, uint64_t handle, enum simt_image_kind kind, struct simt_image *image)
{
    const struct simt_services *services = warp->block->grid->services;
    return handle && services && services->read(services->context, handle, image, sizeof *image) &&
           image->mark == simt_image_mark(handle) && image->kind == kind;
}

static enum simt_event no_image(struct simt_result *r, unsigned lane, uint64_t handle, enum simt_image_kind kind)
{
    r->fault = (struct simt_fault){
        .kind = SIMT_FAULT_IMAGE, .lane = (uint8_t)lane, .space = ISA_SPACE_GLOBAL, .address = handle, .pc = r->pc};
    snprintf(r->fault.message, sizeof r->fault.message, "0x%llx is no %s object, or one that was destroyed",
             (unsigned long long)handle, kind == SIMT_IMAGE_TEXTURE ? "texture" : "surface");
    return SIMT_FAULTED;
}

/* The rows of an access's coordinates and handle. */
struct rows {
    const uint64_t *handle;
    const uint32_t *at[4];
    uint64_t scratch[5][SIMT_MAX_WIDTH];
};

static void find_rows(const struct simt_warp *warp, const struct simt_op *op, const struct simt_result *r,
                      uint64_t cycle, struct rows *rows)
{
    const struct simt_frame *frame = &warp->paths.now->frame;
    unsigned first = 1 + (op->form.kind == ISA_FLAG_LOAD ? 0 : op->form.elements);
    rows->handle = simt_source_row(warp, &op->src[0], frame, cycle, rows->scratch[4]);
    for (unsigned i = 0; i < isa_coordinates(r->instr); i++)
        rows->at[i] = simt_source_row(warp, &op->src[first + i], frame, cycle, rows->scratch[i]);
}

/* Textures */

static int64_t clamp_to(int64_t i, int64_t low, int64_t high)
{
    return i < low ? low : i > high ? high : i;
}

/* The texel that stands for place i of n; *inside: it is none of the border's. */
static int64_t place(int64_t i, int64_t n, enum simt_address_mode mode, bool *inside)
{
    switch (mode) {
    case SIMT_ADDRESS_WRAP:
        i %= n;
        return i < 0 ? i + n : i;
    case SIMT_ADDRESS_MIRROR:
        i %= 2 * n;
        i = i < 0 ? i + 2 * n : i;
        return i < n ? i : 2 * n - 1 - i;
    case SIMT_ADDRESS_BORDER:
        *inside &= i >= 0 && i < n;
        break;
    default:
        break;
    }
    return clamp_to(i, 0, n - 1);
}

/* One dimension of a lane's place: the lower texel, the higher one that a filter takes too, and the weight of that. */
struct axis {
    int64_t low, high;
    bool low_inside, high_inside;
    uint16_t weight;
};

static struct axis axis_of(const struct simt_image *image, unsigned d, double x, bool filters, bool normalized)
{
    /* Only coordinates from 0 to 1 wrap and are mirrored. */
    enum simt_address_mode mode = (enum simt_address_mode)image->modes[d];
    if (!normalized && mode != SIMT_ADDRESS_BORDER)
        mode = SIMT_ADDRESS_CLAMP;
    if (mode == SIMT_ADDRESS_WRAP)
        x -= floor(x);
    else if (mode == SIMT_ADDRESS_MIRROR)
        x -= 2 * floor(x / 2);
    x = normalized ? x * image->size[d] : x;
    x = isnan(x) ? 0 : x < -FAR_OUT ? -FAR_OUT : x > FAR_OUT ? FAR_OUT : x;
    x -= filters ? 0.5 : 0;
    struct axis a = {.low_inside = true, .high_inside = true};
    int64_t i = (int64_t)floor(x), n = image->size[d];
    a.weight = filters ? (uint16_t)((x - floor(x)) * 256 + 0.5) : 0;
    a.low = place(i, n, mode, &a.low_inside);
    a.high = place(i + 1, n, mode, &a.high_inside);
    return a;
}

/* The face that a direction meets, and where. CUDA C++ Programming Guide, "Cubemap Textures". */
static unsigned face_of(double x, double y, double z, double *s, double *t)
{
    double ax = fabs(x), ay = fabs(y), az = fabs(z), m, across, down;
    unsigned face;
    if (ax >= ay && ax >= az) {
        face = x < 0, m = ax, across = x < 0 ? z : -z, down = -y;
    } else if (ay >= az) {
        face = 2 + (y < 0), m = ay, across = x, down = y < 0 ? -z : z;
    } else {
        face = 4 + (z < 0), m = az, across = z < 0 ? -x : x, down = -y;
    }
    *s = (across / m + 1) / 2;
    *t = (down / m + 1) / 2;
    return face;
}

/* A lane's place. */
struct spot {
    double x[3];
    uint32_t layer; /* or face, of cubes one behind the other */
    unsigned dimensions;
};

static double coordinate(const struct isa_instr *instr, uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return instr->stype == ISA_F32 ? (double)value : (double)(int32_t)bits;
}

static struct spot spot_of(const struct isa_instr *instr, const struct rows *rows, const struct simt_image *image,
                           unsigned lane)
{
    unsigned layered = isa_has_layer(instr), count = isa_coordinates(instr);
    struct spot spot = {.dimensions = count - layered};
    for (unsigned i = layered; i < count; i++)
        spot.x[i - layered] = coordinate(instr, rows->at[i][lane]);
    spot.layer = layered ? rows->at[0][lane] : 0;
    if (instr->mods.geometry == ISA_GEOMETRY_CUBE || instr->mods.geometry == ISA_GEOMETRY_ACUBE) {
        uint32_t cubes = image->layers < 6 ? 1 : image->layers / 6;
        uint32_t cube = (int32_t)spot.layer < 0 ? 0 : spot.layer < cubes ? spot.layer : cubes - 1;
        spot.layer = 6 * cube + face_of(spot.x[0], spot.x[1], spot.x[2], &spot.x[0], &spot.x[1]);
        spot.dimensions = 2;
        if (!image->normalized) /* cubes are asked by direction */
            for (unsigned d = 0; d < 2; d++)
                spot.x[d] *= image->size[d];
    }
    /* The layer of a place below the first is a number beyond the last. */
    spot.layer = (int32_t)spot.layer < 0 ? 0 : spot.layer < image->layers ? spot.layer : image->layers - 1;
    return spot;
}

/* Adds a corner's address to the lane's parts. */
static void add_part(struct simt_access *access, unsigned lane, unsigned corner, uint64_t address, unsigned *parts)
{
    struct simt_texels *texels = access->texels;
    texels->lane[lane].present |= (uint8_t)(1u << corner);
    texels->parted[*parts] |= BIT64(lane);
    texels->address[*parts][lane] = address;
    texels->corner[*parts][lane] = (uint8_t)corner;
    access->low = address < access->low ? address : access->low;
    access->high = address > access->high ? address : access->high;
    ++*parts;
}

static void add_corners(struct simt_access *access, const struct simt_image *image, unsigned lane,
                        const struct spot *spot, const struct axis *axes)
{
    struct simt_sample *sample = &access->texels->lane[lane];
    unsigned parts = 0, texel = image->channels * image->channel_bytes;
    for (unsigned corner = 0; corner < sample->corners; corner++) {
        int64_t at[3] = {0, 0, 0};
        bool inside = true;
        for (unsigned d = 0; d < spot->dimensions; d++) {
            bool high = corner >> d & 1;
            at[d] = high ? axes[d].high : axes[d].low;
            inside &= high ? axes[d].high_inside : axes[d].low_inside;
        }
        if (inside)
            add_part(access, lane, corner,
                     image->base + (uint64_t)at[0] * texel + (uint64_t)at[1] * image->row +
                         (uint64_t)(at[2] + spot->layer) * image->slice,
                     &parts);
    }
    access->texels->parts = parts > access->texels->parts ? parts : access->texels->parts;
    access->element_bytes = (uint8_t)(texel > access->element_bytes ? texel : access->element_bytes);
}

static void sample_lane(struct simt_access *access, const struct simt_image *image, const struct rows *rows,
                        unsigned lane)
{
    const struct isa_instr *instr = access->instr;
    struct simt_sample *sample = &access->texels->lane[lane];
    struct spot spot = spot_of(instr, rows, image, lane);
    bool whole = instr->stype != ISA_F32; /* coordinates are numbers of texels */
    bool gathers = instr->op == ISA_OP_TLD4, filters = !whole && (image->filters || gathers);
    struct axis axes[3];
    memset(sample, 0, offsetof(struct simt_sample, value));
    sample->channels = image->channels;
    sample->channel_bytes = image->channel_bytes;
    sample->format = image->format;
    sample->as_float = image->as_float;
    memcpy(sample->border, image->border, sizeof sample->border);
    for (unsigned d = 0; d < spot.dimensions; d++) {
        axes[d] = axis_of(image, d, spot.x[d], filters, image->normalized && !whole);
        sample->weight[d] = axes[d].weight;
    }
    sample->corners = (uint8_t)(filters ? 1u << spot.dimensions : 1);
    if (image->is_linear && !(spot.x[0] >= 0 && spot.x[0] < image->size[0]))
        return; /* nothing is present there */
    add_corners(access, image, lane, &spot, axes);
}

static void begin_access(const struct simt_op *op, const struct simt_result *r, const struct simt_frame *frame,
                         struct simt_access *access)
{
    struct simt_texels *texels = access->texels;
    simt_describe_access(op, r, frame, access);
    texels->parts = 0;
    texels->lanes = r->mask;
    memset(texels->parted, 0, sizeof texels->parted);
    access->samples = true;
    access->space = ISA_SPACE_GLOBAL;
    access->element_bytes = 1;
    access->straight = access->same = false;
    access->low = UINT64_MAX;
    access->high = 0;
}

enum simt_event simt_texture(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle,
                             struct simt_access *access, struct simt_result *r)
{
    struct rows rows;
    struct simt_image image = {0};
    uint64_t handle = 0;
    begin_access(op, r, &warp->paths.now->frame, access);
    find_rows(warp, op, r, cycle, &rows);
    for (uint64_t rest = r->mask; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        bool known = handle && rows.handle[lane] == handle;
        handle = rows.handle[lane];
        if (!known && !describe(warp, handle, SIMT_IMAGE_TEXTURE, &image)) {
            access->samples = false;
            return no_image(r, lane, handle, SIMT_IMAGE_TEXTURE);
        }
        sample_lane(access, &image, &rows, lane);
    }
    simt_advance(&warp->paths, r->pc + 1);
    if (access->texels->parts) {
        simt_texels_part(access, 0);
        return SIMT_MEMORY;
    }
    simt_texels_finish(warp, access);
    access->samples = false;
    return SIMT_PLAIN;
}

/* What queries read is a word of the description. */
static enum simt_event query(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle, struct simt_access *access,
                             struct simt_result *r)
{
#define AT(member) offsetof(struct simt_image, member)
    static const size_t places[] = {
        [ISA_QUERY_WIDTH] = AT(size),          [ISA_QUERY_HEIGHT] = AT(size) + 4,     [ISA_QUERY_DEPTH] = AT(size) + 8,
        [ISA_QUERY_DATA_TYPE] = AT(data_type), [ISA_QUERY_NORMALIZED] = AT(whole),    [ISA_QUERY_ARRAY_SIZE] = AT(array_size),
        [ISA_QUERY_LEVELS] = AT(levels),       [ISA_QUERY_SAMPLES] = AT(samples),     [ISA_QUERY_FILTER] = AT(filter),
        [ISA_QUERY_MODE_0] = AT(wrapping),     [ISA_QUERY_MODE_1] = AT(wrapping) + 4, [ISA_QUERY_MODE_2] = AT(wrapping) + 8,
        [ISA_QUERY_LINEAR] = AT(layout),       [ISA_QUERY_CHANNEL_ORDER] = AT(channel_order)};
#undef AT
    enum simt_image_kind kind = r->instr->op == ISA_OP_TXQ ? SIMT_IMAGE_TEXTURE : SIMT_IMAGE_SURFACE;
    uint64_t scratch[SIMT_MAX_WIDTH];
    const uint64_t *handles = simt_source_row(warp, &op->src[0], &warp->paths.now->frame, cycle, scratch);
    for (uint64_t rest = r->mask, known = 0; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        struct simt_image image;
        if (handles[lane] != known && !describe(warp, handles[lane], kind, &image))
            return no_image(r, lane, handles[lane], kind);
        known = handles[lane];
        access->address[lane] = known + places[r->instr->mods.query];
    }
    return simt_access_at(warp, op, cycle, r->mask, access, r);
}

/* Surfaces */

/* Where a lane's bytes are: *outside, when they are not in the surface. They are moved there under .clamp. */
static uint64_t surface_address(const struct isa_instr *instr, const struct simt_image *image, const struct rows *rows,
                                unsigned lane, unsigned bytes, bool *outside)
{
    unsigned layered = isa_has_layer(instr), count = isa_coordinates(instr), texel = image->channels * image->channel_bytes;
    bool formatted = instr->mods.surface == ISA_SURFACE_FORMATTED; /* x counts texels, else bytes */
    int64_t most[3] = {formatted ? (int64_t)image->size[0] - 1 : (int64_t)image->size[0] * texel - bytes,
                       (int64_t)image->size[1] - 1, (int64_t)image->size[2] - 1};
    int64_t at[3] = {0, 0, 0}, layer = layered ? (int32_t)rows->at[0][lane] : 0, top = (int64_t)image->layers - 1;
    *outside = layer < 0 || layer > top;
    layer = clamp_to(layer, 0, top);
    for (unsigned d = 0; d < count - layered; d++) {
        at[d] = (int32_t)rows->at[layered + d][lane];
        *outside |= at[d] < 0 || at[d] > most[d];
        at[d] = instr->mods.bounds == ISA_BOUNDS_CLAMP ? clamp_to(at[d], 0, most[d]) : at[d];
    }
    return image->base + (uint64_t)at[0] * (formatted ? texel : 1) + (uint64_t)at[1] * image->row +
           (uint64_t)(at[2] + layer) * image->slice;
}

/* The bits that a channel has of a value of 32: numbers are clamped to what it can hold. */
static uint32_t channel_of(const struct simt_image *image, uint32_t value)
{
    unsigned bits = 8u * image->channel_bytes;
    float single;
    if (image->format == SIMT_CHANNEL_FLOAT) {
        memcpy(&single, &value, sizeof single);
        return bits == 16 ? (uint32_t)lane_narrow(&lane_format_f16, ISA_ROUND_RN, (double)single) : value;
    }
    if (image->format == SIMT_CHANNEL_SIGNED)
        return (uint32_t)clamp_to((int32_t)value, -(INT64_C(1) << (bits - 1)), (INT64_C(1) << (bits - 1)) - 1);
    return value < mask_low(bits) ? value : (uint32_t)mask_low(bits);
}

/* sust.p: each lane's values, converted, are its texel; what it does not bring is 0. */
static enum simt_event store_texels(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle, uint64_t lanes,
                                    const struct simt_image *image, struct simt_access *access, struct simt_result *r)
{
    unsigned size = image->channel_bytes, texel = size * image->channels;
    uint64_t scratch[SIMT_MAX_WIDTH];
    simt_describe_access(op, r, &warp->paths.now->frame, access);
    memset(access->data, 0, (size_t)warp->code->width * texel);
    for (unsigned i = 0; i < op->form.elements && i < image->channels; i++) {
        const uint32_t *row = simt_source_row(warp, &op->src[1 + i], &warp->paths.now->frame, cycle, scratch);
        for (uint64_t rest = lanes; rest; rest &= rest - 1) {
            uint32_t bits = channel_of(image, row[mask_first(rest)]);
            memcpy(access->data + mask_first(rest) * texel + i * size, &bits, size);
        }
    }
    access->mask = lanes;
    access->space = ISA_SPACE_GLOBAL;
    access->element_bytes = access->stride = (uint8_t)texel;
    access->elements = 1;
    access->straight = access->same = false;
    access->low = UINT64_MAX;
    access->high = 0;
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        uint64_t address = access->address[mask_first(rest)];
        access->low = address < access->low ? address : access->low;
        access->high = address > access->high ? address : access->high;
    }
    simt_advance(&warp->paths, r->pc + 1);
    return SIMT_MEMORY;
}

static enum simt_event surface_fault(struct simt_result *r, unsigned lane, const char *message)
{
    r->fault = (struct simt_fault){.kind = SIMT_FAULT_IMAGE, .lane = (uint8_t)lane, .pc = r->pc};
    snprintf(r->fault.message, sizeof r->fault.message, "%s", message);
    return SIMT_FAULTED;
}

static bool same_texels(const struct simt_image *a, const struct simt_image *b)
{
    return a->channels == b->channels && a->channel_bytes == b->channel_bytes && a->format == b->format;
}

/* A load's lanes outside of the surface read zeros. */
static void read_zeros(struct simt_warp *warp, const struct simt_op *op, uint64_t lanes)
{
    for (unsigned i = 0; i < op->dst_count; i++) {
        if (op->dst[i].place != SIMT_PLACE_ROW)
            continue;
        void *row = simt_row(warp, warp->paths.now->frame.reg_base, op->dst[i].row);
        for (uint64_t rest = lanes; rest; rest &= rest - 1) {
            if (op->dst[i].wide)
                ((uint64_t *)row)[mask_first(rest)] = 0;
            else
                ((uint32_t *)row)[mask_first(rest)] = 0;
        }
    }
}

enum simt_event simt_surface(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle,
                             struct simt_access *access, struct simt_result *r)
{
    struct rows rows;
    struct simt_image image = {0}, first;
    const struct isa_mods *mods = &r->instr->mods;
    bool formatted = mods->surface == ISA_SURFACE_FORMATTED;
    uint64_t handle = 0, lanes = r->mask;
    if (mods->query)
        return query(warp, op, cycle, access, r);
    find_rows(warp, op, r, cycle, &rows);
    for (uint64_t rest = r->mask; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest), bytes = op->form.element_bytes * op->form.elements;
        bool known = handle && rows.handle[lane] == handle, outside;
        handle = rows.handle[lane];
        if (!known && !describe(warp, handle, SIMT_IMAGE_SURFACE, &image))
            return no_image(r, lane, handle, SIMT_IMAGE_SURFACE);
        first = rest == r->mask ? image : first;
        if (formatted && !same_texels(&first, &image))
            return surface_fault(r, lane, "lanes that store together name surfaces of different formats");
        access->address[lane] = surface_address(r->instr, &image, &rows, lane, bytes, &outside);
        if (outside && mods->bounds == ISA_BOUNDS_TRAP) {
            char message[100];
            snprintf(message, sizeof message, "access outside of a surface of %u x %u x %u texels", image.size[0],
                     image.size[1], image.layers > 1 ? image.layers : image.size[2]);
            return surface_fault(r, lane, message);
        }
        lanes &= outside && mods->bounds == ISA_BOUNDS_ZERO ? ~BIT64(lane) : ~UINT64_C(0);
    }
    if (op->form.kind == ISA_FLAG_LOAD)
        read_zeros(warp, op, r->mask & ~lanes);
    if (lanes)
        return formatted ? store_texels(warp, op, cycle, lanes, &first, access, r)
                         : simt_access_at(warp, op, cycle, lanes, access, r);
    simt_advance(&warp->paths, r->pc + 1);
    return SIMT_PLAIN;
}
