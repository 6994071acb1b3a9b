/* Values between registers and memory: what loads write to rows, what stores and atomics take from them, and accesses
 * that are served at once. Loops run over a whole warp's lanes, one loop for each size of element and register. */
#include <string.h>

#include "base/bits.h"
#include "base/hot.h"
#include "simt/copy.h"
#include "simt/execute.h"
#include "simt/image.h"

/* Loads */

static const uint8_t *place_of(const struct simt_source *from, uint64_t address)
{
    return (const uint8_t *)(from->base + (address & from->mask));
}

/* ROW: the type of a row's lanes. VALUE: what the register holds of an element of type ELEMENT (16-bit registers keep
 * zero-extended bits). */
#define LOAD(name, ROW, VALUE, ELEMENT)                                                                                \
    static void name(void *row, const struct simt_source *from, const uint64_t *address, uint64_t lanes)               \
    {                                                                                                                  \
        ROW *to = row;                                                                                                 \
        ELEMENT value;                                                                                                 \
        if (lanes == UINT32_MAX) {                                                                                     \
            for (unsigned lane = 0; lane < LANES; lane++) {                                                            \
                memcpy(&value, place_of(from, address[lane]), sizeof value);                                           \
                to[lane] = (VALUE)value;                                                                               \
            }                                                                                                          \
            return;                                                                                                    \
        }                                                                                                              \
        for (uint64_t rest = lanes; rest; rest &= rest - 1) {                                                          \
            memcpy(&value, place_of(from, address[mask_first(rest)]), sizeof value);                                   \
            to[mask_first(rest)] = (VALUE)value;                                                                       \
        }                                                                                                              \
    }
LOAD(load_u8, uint32_t, uint32_t, uint8_t)
LOAD(load_u16, uint32_t, uint32_t, uint16_t)
LOAD(load_u32, uint32_t, uint32_t, uint32_t)
LOAD(load_s8, uint32_t, uint32_t, int8_t)
LOAD(load_s16, uint32_t, uint32_t, int16_t)
LOAD(load_s8_half, uint32_t, uint16_t, int8_t)
LOAD(load_u8_wide, uint64_t, uint64_t, uint8_t)
LOAD(load_u16_wide, uint64_t, uint64_t, uint16_t)
LOAD(load_u32_wide, uint64_t, uint64_t, uint32_t)
LOAD(load_s8_wide, uint64_t, uint64_t, int8_t)
LOAD(load_s16_wide, uint64_t, uint64_t, int16_t)
LOAD(load_s32_wide, uint64_t, uint64_t, int32_t)
LOAD(load_64, uint64_t, uint64_t, uint64_t)
LOAD(load_low, uint32_t, uint32_t, uint64_t)

simt_load_fn *simt_load_for(unsigned bytes, bool is_signed, unsigned bits)
{
    bool wide = bits > 32;
    switch (bytes) {
    case 1:
        if (is_signed && bits > 8)
            return wide ? load_s8_wide : bits == 16 ? load_s8_half : load_s8;
        return wide ? load_u8_wide : load_u8;
    case 2:
        if (is_signed && bits > 16)
            return wide ? load_s16_wide : load_s16;
        return wide ? load_u16_wide : load_u16;
    case 4:
        return !wide ? load_u32 : is_signed ? load_s32_wide : load_u32_wide;
    default:
        return wide ? load_64 : load_low;
    }
}

/* True if the lanes are consecutive. */
static bool is_run(uint64_t lanes)
{
    uint64_t from_first = lanes >> mask_first(lanes);
    return !(from_first & (from_first + 1));
}

/* Gives other lanes of a row what one lane has. */
static void spread(void *row, bool wide, unsigned from, uint64_t lanes)
{
    uint64_t *words = row, word = wide ? words[from] : 0;
    uint32_t *halves = row, half = wide ? 0 : halves[from];
    if (lanes == UINT32_MAX) {
        for (unsigned lane = 0; wide && lane < LANES; lane++)
            words[lane] = word;
        for (unsigned lane = 0; !wide && lane < LANES; lane++)
            halves[lane] = half;
        return;
    }
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        if (wide)
            words[mask_first(rest)] = word;
        else
            halves[mask_first(rest)] = half;
    }
}

HOT static void load(struct simt_warp *warp, const struct simt_access *access, uint64_t lanes, struct simt_source from)
{
    const struct simt_op *op = access->op;
    if (access->straight && op->form.copies && is_run(lanes)) {
        unsigned first = mask_first(lanes);
        uint8_t *row = simt_row(warp, access->reg_base, op->dst[0].row);
        memcpy(row + first * access->element_bytes, place_of(&from, access->address[first]),
               mask_count(lanes) * access->element_bytes);
        return;
    }
    uint64_t asked = access->same ? lanes & -lanes : lanes;
    for (unsigned i = 0; i < access->elements; i++, from.base += access->element_bytes)
        if (op->dst[i].place == SIMT_PLACE_ROW) {
            void *row = simt_row(warp, access->reg_base, op->dst[i].row);
            op->loads[i](row, &from, access->address, asked);
            if (lanes != asked)
                spread(row, op->dst[i].wide, mask_first(lanes), lanes);
        }
}

void simt_load_lanes(struct simt_warp *warp, const struct simt_access *access, uint64_t lanes, const uint8_t *line,
                     uint32_t line_bytes)
{
    load(warp, access, lanes, (struct simt_source){.base = (uintptr_t)line, .mask = line_bytes - 1});
}

/* Stores and atomics */

/* Copies an operand's values into the data of the lanes at work at `at`, in as many bytes as TYPE has. */
#define GATHER(ROW, TYPE)                                                                                              \
    for (uint64_t rest = access->mask; rest; rest &= rest - 1) {                                                       \
        TYPE value = (TYPE)((const ROW *)row)[mask_first(rest)];                                                       \
        memcpy(access->data + mask_first(rest) * stride + at, &value, sizeof value);                                   \
    }

HOT static void gather(const struct simt_warp *warp, const struct simt_operand *operand, const struct simt_frame *frame,
                       uint64_t cycle, struct simt_access *access, unsigned at)
{
    uint64_t scratch[SIMT_MAX_WIDTH];
    unsigned stride = access->stride;
    const void *row = simt_source_row(warp, operand, frame, cycle, scratch);
    if (!row)
        return;
    unsigned bytes = access->element_bytes;
    if (stride == (operand->wide ? 8 : 4) && bytes == stride)
        memcpy(access->data, row, (size_t)warp->code->width * stride);
    else if (operand->wide && bytes == 8)
        GATHER(uint64_t, uint64_t)
    else if (operand->wide && bytes == 4)
        GATHER(uint64_t, uint32_t)
    else if (operand->wide && bytes == 2)
        GATHER(uint64_t, uint16_t)
    else if (operand->wide)
        GATHER(uint64_t, uint8_t)
    else if (bytes == 8)
        GATHER(uint32_t, uint64_t)
    else if (bytes == 4)
        GATHER(uint32_t, uint32_t)
    else if (bytes == 2)
        GATHER(uint32_t, uint16_t)
    else
        GATHER(uint32_t, uint8_t)
}

/* Comparands stand before what is swapped in. */
NOT_INLINE void gather_parts(const struct simt_warp *warp, const struct simt_op *op, const struct simt_frame *frame,
                             uint64_t cycle, struct simt_access *access, bool compares)
{
    unsigned parts = access->elements;
    for (unsigned i = 0; i < parts; i++) {
        gather(warp, &op->src[1 + (compares ? parts : 0) + i], frame, cycle, access, i * access->element_bytes);
        if (compares)
            gather(warp, &op->src[1 + i], frame, cycle, access, SIMT_ATOMIC_BYTES + i * access->element_bytes);
    }
}

HOT void simt_gather(const struct simt_warp *warp, const struct simt_op *op, const struct simt_frame *frame,
                     uint64_t cycle, struct simt_access *access)
{
    if (access->kind == ISA_FLAG_STORE) {
        for (unsigned i = 0; i < access->elements; i++)
            gather(warp, &op->src[1 + i], frame, cycle, access, i * access->element_bytes);
        return;
    }
    if (access->kind != ISA_FLAG_ATOMIC)
        return;
    bool compares = access->instr->mods.atomic == ISA_ATOMIC_CAS;
    memset(access->data, 0, (size_t)warp->code->width * access->stride);
    if (RARELY(op->src_count < 2 || op->kind == SIMT_KIND_LOCK)) {
        simt_lock_operands(warp, access);
        return;
    }
    if (RARELY(access->elements > 1)) {
        gather_parts(warp, op, frame, cycle, access, compares);
        return;
    }
    gather(warp, &op->src[compares ? 2 : 1], frame, cycle, access, 0);
    if (compares)
        gather(warp, &op->src[1], frame, cycle, access, 8);
}

HOT void simt_atomic_lane(struct simt_warp *warp, const struct simt_access *access, unsigned lane, uint64_t old)
{
    const struct simt_op *op = access->op;
    if (RARELY(op->kind == SIMT_KIND_LOCK || op->pred_dst_count)) {
        simt_lock_lane(warp, access, lane, old);
        return;
    }
    simt_atomic_lane_part(warp, access, lane, 0, old);
}

HOT void simt_atomic_lane_part(struct simt_warp *warp, const struct simt_access *access, unsigned lane, unsigned part,
                               uint64_t old)
{
    const struct simt_op *op = access->op;
    if (!op->dst_count || op->dst[part].place != SIMT_PLACE_ROW)
        return;
    void *row = simt_row(warp, access->reg_base, op->dst[part].row);
    if (op->dst[part].wide)
        ((uint64_t *)row)[lane] = old;
    else
        ((uint32_t *)row)[lane] = (uint32_t)old;
}

/* As atomic_on, of several parts. */
NOT_INLINE void atomic_parts_on(struct simt_warp *warp, struct simt_access *access, unsigned lane, uint8_t *at, uint8_t flags)
{
    unsigned bytes = access->element_bytes, operation = access->instr->mods.atomic;
    bool whole = access->instr->type == ISA_B128, changed = false;
    bool equal = memcmp(at, simt_atomic_at(access, lane, 0, true), bytes * access->elements) == 0;
    for (unsigned i = 0; i < access->elements; i++) {
        uint64_t old = 0, operand = simt_atomic_value(access, lane, i, false), value = operand;
        memcpy(&old, at + i * bytes, bytes);
        if (!whole)
            value = lane_atomic(operation | flags, access->instr->type, old, operand, 0);
        else if (operation == ISA_ATOMIC_CAS && !equal)
            value = old;
        memcpy(at + i * bytes, &value, bytes);
        changed |= value != old;
        memcpy(simt_atomic_at(access, lane, i, true), &old, bytes);
        simt_atomic_lane_part(warp, access, lane, i, old);
    }
    access->changed |= changed ? BIT64(lane) : 0;
    access->matched |= equal ? BIT64(lane) : 0;
}

/* Leaves what the location held in the place of what it was compared with. flags: LANE_ATOMIC_SUBNORMAL where atomic
 * f32 addition keeps subnormals (all but global memory; PTX ISA, "atom"). */
static void atomic_on(struct simt_warp *warp, struct simt_access *access, unsigned lane, uint8_t *at, uint8_t flags)
{
    uint64_t old = 0, operand, compare, value;
    if (RARELY(access->elements > 1)) {
        atomic_parts_on(warp, access, lane, at, flags);
        return;
    }
    memcpy(&old, at, access->element_bytes);
    memcpy(&operand, simt_access_data(access, lane), 8);
    memcpy(&compare, simt_access_data(access, lane) + 8, 8);
    value = lane_atomic(access->instr->mods.atomic | flags, access->instr->type, old, operand, compare);
    memcpy(at, &value, access->element_bytes);
    access->changed |= value != old ? BIT64(lane) : 0;
    access->matched |= old == compare ? BIT64(lane) : 0;
    memcpy(simt_access_data(access, lane) + 8, &old, 8);
    simt_atomic_lane(warp, access, lane, old);
}

/* base: the host address of address 0, as a number. */
static void store(const struct simt_access *access, uint64_t lanes, uintptr_t base)
{
    unsigned size = access->stride, first = mask_first(lanes);
    if (access->straight && is_run(lanes)) {
        memcpy((uint8_t *)(base + access->address[first]), access->data + first * size, mask_count(lanes) * size);
        return;
    }
    if (size == 4) {
        for (uint64_t rest = lanes; rest; rest &= rest - 1) {
            unsigned lane = mask_first(rest);
            memcpy((uint8_t *)(base + access->address[lane]), access->data + lane * 4, 4);
        }
        return;
    }
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        memcpy((uint8_t *)(base + access->address[lane]), simt_access_data(access, lane), size);
    }
}

/* Serves lanes in their order from memory in one piece, whose byte at address `origin` is *bytes. */
static void serve(struct simt_warp *warp, struct simt_access *access, uint64_t lanes, uint8_t *bytes, uint64_t origin,
                  uint8_t flags)
{
    uintptr_t base = (uintptr_t)bytes - origin;
    if (access->kind == ISA_FLAG_LOAD) {
        load(warp, access, lanes, (struct simt_source){.base = base, .mask = ~UINT64_C(0)});
    } else if (access->kind == ISA_FLAG_STORE) {
        store(access, lanes, base);
    } else {
        for (uint64_t rest = lanes; rest; rest &= rest - 1) {
            unsigned lane = mask_first(rest);
            atomic_on(warp, access, lane, (uint8_t *)(base + access->address[lane]), flags);
        }
    }
}

void simt_serve(struct simt_warp *warp, struct simt_access *access, uint8_t *(*at)(void *context, uint64_t address),
                void *context)
{
    if (!access->mask)
        return;
    if (RARELY(access->samples)) {
        simt_texels_serve(access, at, context);
        simt_texels_finish(warp, access);
        return;
    }
    uint64_t origin = access->address[mask_first(access->mask)];
    if (RARELY(simt_access_copies(access))) {
        simt_copy_take(warp, access, access->mask, at(context, origin) - origin, 0);
        return;
    }
    serve(warp, access, access->mask, at(context, origin), origin, 0);
}

void simt_serve_shared(struct simt_warp *warp, struct simt_access *access, uint64_t lanes)
{
    serve(warp, access, lanes, warp->block->shared, 0, LANE_ATOMIC_SUBNORMAL);
}

void simt_serve_block(struct simt_warp *warp, struct simt_access *access, uint64_t lanes, uint8_t *shared)
{
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        uint64_t address = access->address[lane];
        serve(warp, access, BIT64(lane), shared + LANE_SHARED_OFFSET(address), address, LANE_ATOMIC_SUBNORMAL);
    }
}

/* Local memory: the lanes' words lie side by side, so that lanes which agree on an offset share a row. */

bool simt_local_read(struct simt_warp *warp, unsigned lane, uint64_t offset, void *to, unsigned bytes)
{
    unsigned width = warp->code->width;
    if (offset > warp->block->grid->stack_bytes || bytes > warp->block->grid->stack_bytes - offset)
        return false;
    for (unsigned i = 0; i < bytes;) {
        uint64_t word = (offset + i) / 4;
        const uint8_t *at = word < warp->local_words ? (const uint8_t *)&warp->local[word * width + lane] : NULL;
        for (unsigned within = (offset + i) & 3; within < 4 && i < bytes; within++, i++)
            ((uint8_t *)to)[i] = at ? at[within] : 0;
    }
    return true;
}

/* Grown in steps so that a deep recursion does not copy at every call. */
void simt_grow_local(struct simt_warp *warp, uint64_t words)
{
    unsigned width = warp->code->width;
    if (words <= warp->local_words)
        return;
    uint64_t grown = words > 2 * (uint64_t)warp->local_words ? words : 2 * (uint64_t)warp->local_words;
    warp->local = base_grow_apart(warp->local, (size_t)warp->local_words * width * 4, grown * width * 4);
    warp->local_words = (uint32_t)grown;
}

bool simt_local_write(struct simt_warp *warp, unsigned lane, uint64_t offset, const void *from, unsigned bytes)
{
    unsigned width = warp->code->width;
    if (offset > warp->block->grid->stack_bytes || bytes > warp->block->grid->stack_bytes - offset)
        return false;
    simt_grow_local(warp, (offset + bytes + 3) / 4);
    for (unsigned i = 0; i < bytes;) {
        uint8_t *at = (uint8_t *)&warp->local[(offset + i) / 4 * width + lane];
        for (unsigned within = (offset + i) & 3; within < 4 && i < bytes; within++, i++)
            at[within] = ((const uint8_t *)from)[i];
    }
    return true;
}

/* One element of 4 bytes or two words of one of 8, of every lane, from local memory to a row; offsets are multiples of 4
 * here and local memory is large enough. */
static void load_local_words(const struct simt_warp *warp, const struct simt_access *access, uint64_t lanes,
                             unsigned element, uint32_t *row)
{
    size_t width = warp->code->width;
    bool pair = access->element_bytes == 8;
    const uint32_t *from = warp->local + (pair ? 2 * element : element) * width;
    if (access->same && !pair && lanes == mask_low((unsigned)width)) {
        memcpy(row, from + access->address[0] / 4 * width, width * 4);
        return;
    }
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        const uint32_t *at = from + access->address[lane] / 4 * width + lane;
        if (pair)
            row[2 * lane] = at[0], row[2 * lane + 1] = at[width];
        else
            row[lane] = at[0];
    }
}

/* The other way round, from the access's data. */
static void store_local_words(struct simt_warp *warp, const struct simt_access *access, uint64_t lanes,
                              unsigned element)
{
    size_t width = warp->code->width;
    unsigned words = access->element_bytes / 4;
    uint32_t *to = warp->local + element * words * width;
    if (access->same && access->stride == 4 && lanes == mask_low((unsigned)width)) {
        memcpy(to + access->address[0] / 4 * width, access->data, width * 4);
        return;
    }
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        uint32_t *at = to + access->address[lane] / 4 * width + lane;
        const uint8_t *data = simt_access_data(access, lane) + element * access->element_bytes;
        for (unsigned word = 0; word < words; word++)
            memcpy(at + word * width, data + 4 * word, 4);
    }
}

/* An element of every lane between local memory and a row or the access's data. */
static void local_words(struct simt_warp *warp, const struct simt_access *access, uint64_t lanes, unsigned element)
{
    const struct simt_operand *dst = &access->op->dst[element];
    if (access->kind == ISA_FLAG_STORE)
        store_local_words(warp, access, lanes, element);
    else if (dst->place == SIMT_PLACE_ROW)
        load_local_words(warp, access, lanes, element, simt_row(warp, access->reg_base, dst->row));
}

static bool row_fits(const struct simt_access *access)
{
    if (access->kind == ISA_FLAG_STORE)
        return true;
    for (unsigned i = 0; i < access->elements; i++)
        if (access->op->dst[i].place == SIMT_PLACE_ROW && access->op->dst[i].wide != (access->element_bytes == 8))
            return false;
    return true;
}

static void serve_local_lane(struct simt_warp *warp, struct simt_access *access, unsigned lane)
{
    uint8_t bytes[SIMT_ACCESS_BYTES];
    unsigned size = access->element_bytes * access->elements;
    uint64_t offset = access->address[lane];
    if (access->kind == ISA_FLAG_STORE) {
        simt_local_write(warp, lane, offset, simt_access_data(access, lane), size);
        return;
    }
    simt_local_read(warp, lane, offset, bytes, size);
    serve(warp, access, BIT64(lane), bytes, offset, LANE_ATOMIC_SUBNORMAL);
    if (access->kind == ISA_FLAG_ATOMIC)
        simt_local_write(warp, lane, offset, bytes, size);
}

HOT void simt_serve_local(struct simt_warp *warp, struct simt_access *access, uint64_t lanes)
{
    if (!lanes)
        return;
    if (access->kind == ISA_FLAG_ATOMIC || access->element_bytes < 4 || (access->low & 3) || !row_fits(access)) {
        for (uint64_t rest = lanes; rest; rest &= rest - 1)
            serve_local_lane(warp, access, mask_first(rest));
        return;
    }
    uint64_t words = access->element_bytes * access->elements / 4;
    for (uint64_t rest = lanes; rest; rest &= access->same ? 0 : rest - 1)
        simt_grow_local(warp, access->address[mask_first(rest)] / 4 + words);
    for (unsigned i = 0; i < access->elements; i++)
        local_words(warp, access, lanes, i);
}
