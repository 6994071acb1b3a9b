/* The list of stray accesses, and what becomes of them: see strays.h. */
#include "sm/strays.h"

#include <string.h>

#include "base/archive.h"
#include "base/bits.h"
#include "base/vec.h"

enum place { PLACE_LEGAL, PLACE_ACROSS, PLACE_STRAY, PLACE_ILLEGAL };

/* Where the access of a lane lies; *kind receives the fault of one that is illegal. */
static enum place place_of(const struct sm_stray_memory *memory, const struct simt_access *access, unsigned lane,
                           uint8_t *kind)
{
    unsigned bytes = access->element_bytes * access->elements;
    uint64_t address = access->address[lane];
    bool loads = access->kind == ISA_FLAG_LOAD;
    const struct store_block *block = store_find(memory->store, address);
    if (block && !loads && memory->read_only(memory->context, address)) {
        *kind = SIMT_FAULT_READ_ONLY;
        return PLACE_ILLEGAL;
    }
    if (block && bytes <= block->end - address)
        return PLACE_LEGAL;
    if (block && loads && bytes <= memory->store->start + memory->store->size - address)
        return PLACE_ACROSS;
    if (block || store_near(memory->store, address))
        return PLACE_STRAY;
    *kind = SIMT_FAULT_BOUNDS;
    return PLACE_ILLEGAL;
}

static void note(struct sm_stray_list *list, enum sm_stray_why why, const struct simt_warp *warp,
                 const struct simt_access *access, uint64_t lanes, uint64_t cycle)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].pc == access->pc && list->items[i].why == why) {
            list->items[i].count += mask_count(lanes);
            return;
        }
    unsigned lane = mask_first(lanes);
    struct sm_stray first = {.pc = access->pc,
                             .why = (uint8_t)why,
                             .space = access->space,
                             .lane = (uint8_t)lane,
                             .address = access->address[lane],
                             .thread = warp->threads[lane],
                             .cycle = cycle,
                             .count = mask_count(lanes)};
    memcpy(first.block, warp->block->index, sizeof first.block);
    vec_push(list, first);
}

/* The lanes get what they loaded, or what an atomic found: zeros. */
static void give_zeros(struct simt_warp *warp, const struct simt_access *access, uint64_t lanes)
{
    static const _Alignas(SIMT_ACCESS_BYTES) uint8_t zeros[SIMT_ACCESS_BYTES];
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        if (access->kind == ISA_FLAG_LOAD)
            simt_load_lanes(warp, access, BIT64(lane), zeros, sizeof zeros);
        else if (access->kind == ISA_FLAG_ATOMIC)
            for (unsigned part = 0; part < access->elements; part++)
                simt_atomic_lane_part(warp, access, lane, part, 0);
    }
}

COLD bool sm_strays_pass(struct sm_stray_list *list, const struct sm_stray_memory *memory, struct simt_warp *warp,
                         struct simt_access *access, uint64_t cycle, struct simt_fault *fault)
{
    uint64_t strays = 0, across = 0;
    for (uint64_t rest = access->mask; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        uint8_t kind = SIMT_FAULT_NONE;
        enum place place = place_of(memory, access, lane, &kind);
        if (place == PLACE_ILLEGAL) {
            *fault = (struct simt_fault){.kind = kind,
                                         .lane = (uint8_t)lane,
                                         .space = access->space,
                                         .address = access->address[lane],
                                         .pc = access->pc};
            return false;
        }
        strays |= place == PLACE_STRAY ? BIT64(lane) : 0;
        across |= place == PLACE_ACROSS ? BIT64(lane) : 0;
    }
    if (strays | across)
        note(list, SM_STRAY_OUTSIDE, warp, access, strays | across, cycle);
    give_zeros(warp, access, strays);
    access->mask &= ~strays;
    return true;
}

/* Bounds */

COLD void sm_strays_look(struct sm_stray_list *list, const struct sm_bounds *bounds, const struct simt_warp *warp,
                         const struct simt_access *access, uint64_t cycle)
{
    const struct isa_base *base = &bounds->bases[access->pc];
    bool shared = access->space == ISA_SPACE_SHARED,
         dram = access->space == ISA_SPACE_GLOBAL || access->space == ISA_SPACE_CONST;
    uint64_t start, end, from = 0, reserved = 0, bytes = (uint64_t)access->element_bytes * access->elements;
    bool known = base->kind && bounds->reach(bounds->context, base, &start, &end);
    for (uint64_t rest = shared || dram ? access->mask : 0; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        uint64_t address = shared ? LANE_SHARED_OFFSET(access->address[lane]) : access->address[lane];
        if (known && (address < start || address >= end || bytes > end - address))
            from |= BIT64(lane);
        else if (dram && bounds->reserved(bounds->context, access->instr, address, bytes))
            reserved |= BIT64(lane);
    }
    if (from)
        note(list, SM_STRAY_FROM, warp, access, from, cycle);
    if (reserved)
        note(list, SM_STRAY_RESERVED, warp, access, reserved, cycle);
}

/* Checkpoints */

void sm_strays_archive(struct sm_stray_list *list, uint32_t instructions, struct archive *ar)
{
    uint32_t count = (uint32_t)list->count;
    archive_u32_to(ar, &count, instructions * (SM_STRAY_RESERVED + 1));
    if (archive_loading(ar))
        list->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct sm_stray none = {0};
        if (archive_loading(ar))
            vec_push(list, none);
        struct sm_stray *item = &list->items[i];
        archive_u32_to(ar, &item->pc, instructions - 1);
        archive_u8_to(ar, &item->why, SM_STRAY_RESERVED);
        archive_u8_to(ar, &item->space, UINT8_MAX);
        archive_u8_to(ar, &item->lane, SIMT_MAX_WIDTH - 1);
        ARCHIVE(ar, item->address);
        ARCHIVE(ar, item->block);
        ARCHIVE(ar, item->thread);
        ARCHIVE(ar, item->cycle);
        ARCHIVE(ar, item->count);
    }
}
