/* Copies in bulk: see bulk.h. */
#include "simt/bulk.h"

#include <stdio.h>
#include <string.h>

#include "base/archive.h"
#include "base/bits.h"
#include "simt/execute.h"
#include "simt/lanes.h"
#include "simt/mbarrier.h"

#define LINE 128u
#define CHUNK 16u
#define ABSENT UINT32_MAX

/* What a lane asks for, in its access's data; the address on the side of global memory, of the tensor map or, of copies
 * between blocks, of the source, is the access's own. */
struct asked {
    uint32_t shared, mbarrier;
    uint16_t blocks, bytes_kept;
    int32_t at[TENSOR_MOST_RANK]; /* the box's place; of others, the bytes come first */
};
_Static_assert(sizeof(struct asked) <= SIMT_ACCESS_BYTES, "it lies in a lane's data");

static struct asked *asked_of(const struct simt_access *access, unsigned lane)
{
    return (struct asked *)(void *)simt_access_data(access, lane);
}

/* Positions of operands: op.def. */
enum { COPY_INTO, COPY_FROM, COPY_BYTES, COPY_MBARRIER, COPY_BLOCKS, COPY_POLICY, COPY_MASK };
enum { TENSOR_SHARED, TENSOR_MAP, TENSOR_MBARRIER, TENSOR_BLOCKS, TENSOR_POLICY, TENSOR_AT };

/* One operand becomes a member of what each lane asks for. */
#define GATHER(member, TYPE, operand, absent)                                                                          \
    do {                                                                                                               \
        simt_operand_values(warp, op, operand, cycle, absent, values);                                                              \
        for (uint64_t rest = access->mask; rest; rest &= rest - 1)                                                     \
            asked_of(access, mask_first(rest))->member = (TYPE)values[mask_first(rest)];                               \
    } while (0)

static void gather_copy(const struct simt_warp *warp, const struct simt_op *op, uint64_t cycle,
                        struct simt_access *access)
{
    uint64_t values[SIMT_MAX_WIDTH];
    bool stores = access->instr->mods.into == ISA_INTO_GLOBAL;
    simt_operand_values(warp, op, stores ? COPY_INTO : COPY_FROM, cycle, 0, access->address);
    GATHER(shared, uint32_t, stores ? COPY_FROM : COPY_INTO, 0);
    GATHER(at[0], int32_t, COPY_BYTES, 0);
    GATHER(mbarrier, uint32_t, COPY_MBARRIER, ABSENT);
    GATHER(blocks, uint16_t, COPY_BLOCKS, 0);
    GATHER(bytes_kept, uint16_t, COPY_MASK, UINT16_MAX);
}

static void gather_tensor(const struct simt_warp *warp, const struct simt_op *op, uint64_t cycle,
                          struct simt_access *access)
{
    uint64_t values[SIMT_MAX_WIDTH];
    simt_operand_values(warp, op, TENSOR_MAP, cycle, 0, access->address);
    GATHER(shared, uint32_t, TENSOR_SHARED, 0);
    GATHER(mbarrier, uint32_t, TENSOR_MBARRIER, ABSENT);
    GATHER(blocks, uint16_t, TENSOR_BLOCKS, 0);
    GATHER(bytes_kept, uint16_t, ABSENT, UINT16_MAX);
    for (unsigned d = 0; d < isa_dimensions(access->instr); d++)
        GATHER(at[d], int32_t, TENSOR_AT + d, 0);
}

enum simt_event simt_bulk(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle, struct simt_access *access,
                          struct simt_result *r)
{
    simt_describe_access(op, r, &warp->paths.now->frame, access);
    access->space = ISA_SPACE_GLOBAL;
    if (isa_dimensions(r->instr))
        gather_tensor(warp, op, cycle, access);
    else
        gather_copy(warp, op, cycle, access);
    simt_advance(&warp->paths, r->pc + 1);
    return SIMT_BULK;
}

/* Commands */

static bool refuse(struct simt_fault *fault, const struct simt_access *access, unsigned lane, uint64_t address,
                   const char *what, unsigned long long found)
{
    *fault = (struct simt_fault){
        .kind = SIMT_FAULT_BULK, .lane = (uint8_t)lane, .space = ISA_SPACE_GLOBAL, .address = address, .pc = access->pc};
    snprintf(fault->message, sizeof fault->message, what, found);
    return false;
}

static enum simt_bulk_kind kind_of(const struct isa_instr *instr)
{
    switch (instr->op) {
    case ISA_OP_BULK_PREFETCH:
    case ISA_OP_TENSOR_PREFETCH:
        return SIMT_BULK_PREFETCH;
    case ISA_OP_BULK_REDUCE:
    case ISA_OP_TENSOR_REDUCE:
        return instr->mods.into == ISA_INTO_GLOBAL ? SIMT_BULK_REDUCE : SIMT_BULK_SEND;
    default:
        return instr->mods.into == ISA_INTO_GLOBAL   ? SIMT_BULK_STORE
               : instr->mods.from == ISA_FROM_GLOBAL ? SIMT_BULK_LOAD
                                                     : SIMT_BULK_SEND;
    }
}

/* Reads a tensor map, which is often a parameter of the kernel, in whose window its generic address lies; or a copy of one in
 * the thread's local memory, which is what clang makes of that. */
static bool read_map(const struct simt_warp *warp, unsigned lane, uint64_t address, simt_read_fn *read, void *context,
                     struct tensor_map *map)
{
    uint64_t param = address - LANE_PARAM_WINDOW, local = address - LANE_LOCAL_WINDOW;
    if (local < LANE_WINDOW_BYTES)
        return simt_local_read((struct simt_warp *)warp, lane, local, map, sizeof *map);
    return read(context, param < LANE_WINDOW_BYTES ? warp->block->grid->param_address + param : address, map, sizeof *map);
}

/* What cuTensorMapEncodeTiled would not have made, and tensormap.replace has: words with a place for *found; NULL: nothing. */
static const char *what_is_replaced(const struct tensor_map *map, uint64_t *found)
{
    uint64_t row = (uint64_t)map->box[0] * map->element_bytes;
    for (unsigned d = 0; d <= map->last; d++) {
        *found = map->step[d];
        if (*found != 1)
            return "the tensor map takes one element of %llu, which is not supported";
        *found = d;
        if (!map->box[d] || !map->size[d])
            return "the tensor map has no elements in dimension %llu";
        *found = d ? map->stride[d - 1] : map->address;
        if (*found % CHUNK)
            return "an address or stride of a tensor map is a multiple of 16, %llu is not";
    }
    *found = row;
    return row % CHUNK || (map->swizzle && row > CHUNK << map->swizzle)
               ? "a row of the tensor map's box has %llu bytes: a multiple of 16, and no more than its swizzle is wide"
               : NULL;
}

static bool open_tensor(const struct simt_warp *warp, const struct simt_access *access, unsigned lane,
                        simt_read_fn *read, void *context, struct simt_bulk *bulk, struct simt_fault *fault)
{
    uint64_t address = access->address[lane];
    const struct tensor_map *map = &bulk->map;
    bulk->is_tensor = true;
    memcpy(bulk->at, asked_of(access, lane)->at, sizeof bulk->at);
    if (address % 16 || !read_map(warp, lane, address, read, context, &bulk->map) || !tensor_map_is_whole(map))
        return refuse(fault, access, lane, address, "there is no tensor map at 0x%llx (cuTensorMapEncodeTiled makes one)",
                      address);
    if (tensor_rank(map) != isa_dimensions(access->instr))
        return refuse(fault, access, lane, address, "the tensor map has %llu dimensions, the instruction others",
                      tensor_rank(map));
    uint64_t found;
    const char *wrong = what_is_replaced(map, &found);
    if (wrong)
        return refuse(fault, access, lane, address, wrong, found);
    bulk->type = map->type;
    if (bulk->kind == SIMT_BULK_REDUCE && !lane_atomic_valid(bulk->atomic, bulk->type))
        return refuse(fault, access, lane, address, "the tensor map at 0x%llx has elements that cannot be reduced so",
                      address);
    bulk->bytes = map->element_bytes;
    for (unsigned d = 0; d <= map->last; d++)
        bulk->bytes *= map->box[d];
    return true;
}

static bool open_copy(const struct simt_access *access, unsigned lane, struct simt_bulk *bulk, struct simt_fault *fault)
{
    uint64_t address = access->address[lane];
    bulk->bytes = (uint32_t)asked_of(access, lane)->at[0];
    bulk->global = address;
    bulk->from = bulk->kind == SIMT_BULK_SEND ? (uint32_t)address : 0;
    bulk->type = access->instr->type;
    if (bulk->bytes % CHUNK)
        return refuse(fault, access, lane, address, "a copy in bulk moves a multiple of 16 bytes, not %llu", bulk->bytes);
    if (address % CHUNK)
        return refuse(fault, access, lane, address, "an address of a copy in bulk is a multiple of 16, 0x%llx is not",
                      address);
    return true;
}

/* True: so many bytes at a shared address fit into a block's memory. */
static bool fits(const struct simt_block *block, uint32_t address, uint64_t bytes)
{
    return LANE_SHARED_OFFSET(address) + bytes <= block->shared_bytes;
}

static bool is_own(const struct simt_block *block, uint32_t address)
{
    return !(address >> LANE_RANK_SHIFT) || LANE_SHARED_RANK(address) == block->rank;
}

/* Bytes from its shared address on that it may touch: a swizzle moves chunks about within a power of two of them. */
static uint64_t reach_of(const struct simt_bulk *bulk)
{
    uint32_t offset = LANE_SHARED_OFFSET(bulk->shared), span = CHUNK << (bulk->is_tensor ? bulk->map.swizzle : 0);
    return round_up_u64(offset + bulk->bytes, span) - offset;
}

/* What is wrong with where a command reads and writes shared memory: words with a place for *found; NULL: nothing is. The
 * blocks that it names have to be in the cluster; it reads the executing block's memory alone. */
static const char *what_is_misplaced(const struct simt_block *block, const struct simt_bulk *bulk, uint64_t *found)
{
    bool sends = bulk->kind == SIMT_BULK_SEND;
    uint32_t source = sends ? bulk->from : bulk->shared, blocks = block->grid->cluster_blocks;
    *found = bulk->shared;
    if (bulk->shared % CHUNK)
        return "an address of a copy in bulk is a multiple of 16, 0x%llx is not";
    if (bulk->shared >> LANE_RANK_SHIFT > blocks)
        return "the cluster has no block for the copy in bulk at 0x%llx";
    if (!fits(block, bulk->shared, reach_of(bulk)) || (sends && !fits(block, bulk->from, bulk->bytes)))
        return "the copy in bulk leaves shared memory at 0x%llx";
    *found = source;
    if (bulk->kind != SIMT_BULK_LOAD && !is_own(block, source))
        return "the copy in bulk reads another block's shared memory, at 0x%llx";
    *found = bulk->blocks;
    if (bulk->blocks >> blocks)
        return "the copy in bulk is for blocks 0x%llx of the cluster, not all of which it has";
    *found = bulk->mbarrier;
    if (bulk->arrives && (bulk->mbarrier % MBARRIER_BYTES || !fits(block, bulk->mbarrier, MBARRIER_BYTES)))
        return "there is no mbarrier at 0x%llx of shared memory";
    return NULL;
}

bool simt_bulk_open(const struct simt_warp *warp, const struct simt_access *access, unsigned lane, simt_read_fn *read,
                    void *context, struct simt_bulk *bulk, struct simt_fault *fault)
{
    const struct asked *asked = asked_of(access, lane);
    *bulk = (struct simt_bulk){.kind = (uint8_t)kind_of(access->instr),
                               .atomic = access->instr->mods.atomic,
                               .arrives = asked->mbarrier != ABSENT,
                               .blocks = asked->blocks,
                               .bytes_kept = asked->bytes_kept,
                               .shared = asked->shared,
                               .mbarrier = asked->mbarrier};
    if (!(isa_dimensions(access->instr) ? open_tensor(warp, access, lane, read, context, bulk, fault)
                                        : open_copy(access, lane, bulk, fault)))
        return false;
    uint64_t found = 0;
    const char *wrong = bulk->kind == SIMT_BULK_PREFETCH ? NULL : what_is_misplaced(warp->block, bulk, &found);
    return !wrong || refuse(fault, access, lane, found, wrong, found);
}

uint32_t simt_bulk_targets(const struct simt_bulk *bulk, const struct simt_block *block)
{
    bool named = bulk->shared >> LANE_RANK_SHIFT;
    unsigned rank = named ? LANE_SHARED_RANK(bulk->shared) : block->rank;
    return bulk->blocks ? bulk->blocks : UINT32_C(1) << rank;
}

/* Pieces */

/* Bytes from an address on that lie in its line. */
static uint64_t left_of_line(const struct simt_bulk *bulk, uint64_t address)
{
    uint64_t line = bulk->line ? bulk->line : LINE;
    return line - address % line;
}

/* The part of a row of a box, from byte `in` of it on, that lies in one line, or outside of the tensor. */
static void cut_row(const struct simt_bulk *bulk, uint64_t in, uint64_t row_address, bool outside,
                    struct simt_piece *piece)
{
    const struct tensor_map *map = &bulk->map;
    int64_t size = (int64_t)(map->size[0] * map->element_bytes), row = (int64_t)map->box[0] * map->element_bytes;
    int64_t from = (int64_t)bulk->at[0] * map->element_bytes + (int64_t)in, end = from + row - (int64_t)in;
    if (outside || from >= size || from < 0) {
        piece->outside = true;
        piece->bytes = (uint32_t)(!outside && from < 0 && end > 0 ? -from : end - from);
        return;
    }
    piece->global = row_address + (uint64_t)from;
    int64_t line = (int64_t)left_of_line(bulk, piece->global);
    end = end > size ? size : end;
    piece->bytes = (uint32_t)(end - from < line ? end - from : line);
}

static void cut_tensor(const struct simt_bulk *bulk, struct simt_piece *piece)
{
    const struct tensor_map *map = &bulk->map;
    uint64_t row = (uint64_t)map->box[0] * map->element_bytes, index = bulk->done / row, address = map->address;
    bool outside = false;
    for (unsigned d = 1; d <= map->last; d++) {
        int64_t at = bulk->at[d] + (int64_t)(index % map->box[d]);
        index /= map->box[d];
        outside |= at < 0 || (uint64_t)at >= map->size[d];
        address += (uint64_t)at * map->stride[d - 1];
    }
    cut_row(bulk, bulk->done % row, address, outside, piece);
}

bool simt_bulk_next(struct simt_bulk *bulk, struct simt_piece *piece)
{
    uint64_t left = bulk->bytes - bulk->done;
    if (!left)
        return false;
    *piece = (struct simt_piece){.offset = (uint32_t)bulk->done};
    if (bulk->is_tensor) {
        cut_tensor(bulk, piece);
    } else {
        piece->global = bulk->global + bulk->done;
        uint64_t line = left_of_line(bulk, piece->global);
        piece->bytes = (uint32_t)(left < line ? left : line);
    }
    bulk->done += piece->bytes;
    return true;
}

/* Where in shared memory byte `offset` of the command lies. */
static uint32_t place_of(const struct simt_bulk *bulk, uint32_t offset)
{
    uint32_t address = LANE_SHARED_OFFSET(bulk->shared) + offset;
    unsigned bits = bulk->is_tensor ? bulk->map.swizzle : 0;
    return address ^ ((address >> 7 & ((1u << bits) - 1)) << 4);
}

uint32_t simt_bulk_place(const struct simt_bulk *bulk, uint32_t offset, uint32_t *run)
{
    uint32_t address = place_of(bulk, offset);
    bool swizzled = bulk->is_tensor && bulk->map.swizzle;
    *run = swizzled ? CHUNK - offset % CHUNK : LINE - address % LINE;
    return address;
}

void simt_bulk_fill(const struct simt_bulk *bulk, const struct simt_piece *piece, uint8_t *bytes)
{
    unsigned family = isa_type_info((enum isa_type)bulk->map.type)->family;
    unsigned fill = bulk->map.nan && family == ISA_CLASS_FLOAT ? 0x7fff : 0; /* of each 16 bits */
    for (uint32_t i = 0; i < piece->bytes; i++)
        bytes[i] = (uint8_t)(fill >> 8 * ((piece->offset + i) & 1));
}

/* Bytes from an offset on that lie side by side, whatever the swizzle. */
static uint32_t run_of(const struct simt_piece *piece, uint32_t at)
{
    uint32_t left = piece->bytes - at, chunk = CHUNK - (piece->offset + at) % CHUNK;
    return left < chunk ? left : chunk;
}

void simt_bulk_write(const struct simt_bulk *bulk, const struct simt_piece *piece, const uint8_t *bytes, uint8_t *shared)
{
    for (uint32_t at = 0, run; at < piece->bytes; at += run) {
        uint8_t *to = shared + place_of(bulk, piece->offset + at);
        run = run_of(piece, at);
        if (bytes)
            memcpy(to, bytes + at, run);
        else
            simt_bulk_fill(bulk, &(struct simt_piece){.offset = piece->offset + at, .bytes = run}, to);
    }
}

void simt_bulk_read(const struct simt_bulk *bulk, const struct simt_piece *piece, const uint8_t *shared, uint8_t *bytes)
{
    for (uint32_t at = 0, run; at < piece->bytes; at += run) {
        run = run_of(piece, at);
        memcpy(bytes + at, shared + place_of(bulk, piece->offset + at), run);
    }
}

unsigned simt_bulk_element(const struct simt_bulk *bulk)
{
    return bulk->is_tensor ? bulk->map.element_bytes : isa_type_bits((enum isa_type)bulk->type) / 8;
}

void simt_bulk_reduce(const struct simt_bulk *bulk, const struct simt_piece *piece, const uint8_t *bytes, uint8_t *memory)
{
    unsigned size = simt_bulk_element(bulk);
    for (uint32_t at = 0; at + size <= piece->bytes; at += size) {
        uint64_t old = 0, operand = 0;
        memcpy(&old, memory + at, size);
        memcpy(&operand, bytes + at, size);
        uint64_t value = lane_atomic(bulk->atomic, bulk->type, old, operand, 0);
        memcpy(memory + at, &value, size);
    }
}

/* Checkpoints */

static void archive_map(struct tensor_map *map, struct archive *ar)
{
    ARCHIVE(ar, map->mark);
    ARCHIVE(ar, map->last);
    ARCHIVE(ar, map->element_bytes);
    ARCHIVE(ar, map->type);
    ARCHIVE(ar, map->swizzle);
    ARCHIVE(ar, map->address);
    ARCHIVE(ar, map->size);
    ARCHIVE(ar, map->stride);
    ARCHIVE(ar, map->box);
    ARCHIVE(ar, map->nan);
    if (archive_loading(ar) && !tensor_map_is_whole(map))
        archive_fail(ar, "a copy in bulk has no tensor map");
}

void simt_bulk_archive(struct simt_bulk *bulk, const struct simt_block *block, struct archive *ar)
{
    uint64_t found;
    archive_u8_to(ar, &bulk->kind, SIMT_BULK_SEND);
    ARCHIVE(ar, bulk->atomic);
    ARCHIVE(ar, bulk->type);
    archive_bool(ar, &bulk->arrives);
    ARCHIVE(ar, bulk->blocks);
    ARCHIVE(ar, bulk->bytes_kept);
    ARCHIVE(ar, bulk->shared);
    ARCHIVE(ar, bulk->from);
    ARCHIVE(ar, bulk->mbarrier);
    ARCHIVE(ar, bulk->global);
    ARCHIVE(ar, bulk->bytes);
    archive_u64_to(ar, &bulk->done, bulk->bytes);
    ARCHIVE(ar, bulk->at);
    archive_u8_to(ar, &bulk->line, LINE);
    archive_bool(ar, &bulk->is_tensor);
    if (bulk->is_tensor)
        archive_map(&bulk->map, ar);
    if (archive_loading(ar) && bulk->kind != SIMT_BULK_PREFETCH && what_is_misplaced(block, bulk, &found))
        archive_fail(ar, "a copy in bulk does not fit its block");
}

void simt_piece_archive(struct simt_piece *piece, const struct simt_bulk *bulk, struct archive *ar)
{
    ARCHIVE(ar, piece->global);
    ARCHIVE(ar, piece->offset);
    archive_u32_to(ar, &piece->bytes, LINE - (uint32_t)(piece->global % LINE));
    archive_bool(ar, &piece->outside);
    if (archive_loading(ar) && piece->offset + (uint64_t)piece->bytes > bulk->bytes)
        archive_fail(ar, "a piece lies behind the end of its copy in bulk");
}
