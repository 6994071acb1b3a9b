/* Fills in the events of copies and mbarriers: see tell_copies.h. */
#include "sm/tell_copies.h"

#include <string.h>

#include "simt/copy.h"
#include "simt/send.h"

/* Copies */

static struct lockstep_copy_event copy_of(const struct sm *sm, unsigned slot, unsigned lane, uint32_t pc)
{
    return (struct lockstep_copy_event){.cycle = sm->agenda.now,
                                        .warp = slot,
                                        .block = sm->warp.slots[slot].block,
                                        .pc = pc,
                                        .lane = lane,
                                        .to_space = LOCKSTEP_SHARED,
                                        .mbarrier = LOCKSTEP_NO_MBARRIER};
}

void sm_tell_lane_copies(struct sm *sm, unsigned slot, const struct simt_access *access)
{
    unsigned bytes = (unsigned)access->element_bytes * access->elements;
    uint32_t number = async_number_copies(&sm->async, 1);
    for (uint64_t rest = access->mask | access->beside; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        struct simt_copy_lane asked = simt_copy_of(access, lane);
        struct lockstep_copy_event e = copy_of(sm, slot, lane, access->pc);
        e.kind = LOCKSTEP_COPY_LANE;
        e.copy = number;
        e.to = asked.to;
        e.from = access->address[lane];
        e.from_space = LOCKSTEP_GLOBAL;
        e.bytes = asked.reads;
        if (asked.reads)
            watch_tell_copy(&sm->watch, &e);
        e.to = asked.to + asked.reads;
        e.from = e.from_space = 0;
        e.bytes = bytes - asked.reads;
        if (e.bytes)
            watch_tell_copy(&sm->watch, &e);
    }
}

/* The address in the shared memory of the block of that rank, as events have it. */
static void place_at(const struct simt_block *own, unsigned rank, uint32_t offset, struct lockstep_copy_event *e)
{
    bool here = rank == own->rank;
    e->to_space = here ? LOCKSTEP_SHARED : LOCKSTEP_CLUSTER;
    e->to = here ? offset : LANE_SHARED_ADDRESS(rank, offset);
}

/* A part that comes to shared memory, to all blocks that the command names. */
static void tell_to_blocks(struct sm *sm, const struct simt_bulk *command, uint32_t offset,
                           struct lockstep_copy_event *e)
{
    const struct simt_block *own = sm->warp.slots[e->warp].simt.block;
    for (uint32_t rest = simt_bulk_targets(command, own); rest; rest &= rest - 1) {
        place_at(own, (unsigned)__builtin_ctz(rest), offset, e);
        watch_tell_copy(&sm->watch, e);
    }
}

/* A part that leaves shared memory for global memory: its bytes that are written lie apart if some are left out. */
static void tell_to_global(struct sm *sm, const struct simt_bulk *command, uint32_t at, struct lockstep_copy_event *e)
{
    uint64_t from = e->from, to = e->to;
    uint32_t bytes = e->bytes;
    for (uint32_t first = 0, end; first < bytes; first = end) {
        bool kept = mask_has(command->bytes_kept, (at + first) % 16);
        for (end = first + 1; end < bytes && mask_has(command->bytes_kept, (at + end) % 16) == kept;)
            end++;
        e->from = from + first;
        e->to = to + first;
        e->bytes = end - first;
        if (kept)
            watch_tell_copy(&sm->watch, e);
    }
}

/* A piece, by its parts that lie side by side in shared memory too. */
static void tell_piece(struct sm *sm, const struct simt_bulk *command, const struct simt_piece *piece,
                       struct lockstep_copy_event *e)
{
    for (uint32_t at = 0, run; at < piece->bytes; at += run) {
        uint32_t offset = simt_bulk_place(command, piece->offset + at, &run);
        run = run < piece->bytes - at ? run : piece->bytes - at;
        e->bytes = run;
        if (command->kind == SIMT_BULK_STORE || command->kind == SIMT_BULK_REDUCE) {
            e->from_space = LOCKSTEP_SHARED;
            e->from = offset;
            e->to_space = LOCKSTEP_GLOBAL;
            e->to = piece->global + at;
            tell_to_global(sm, command, piece->offset + at, e);
            continue;
        }
        bool sends = command->kind == SIMT_BULK_SEND;
        e->from_space = piece->outside ? LOCKSTEP_GENERIC : sends ? LOCKSTEP_SHARED : LOCKSTEP_GLOBAL;
        e->from = piece->outside ? 0
                  : sends        ? LANE_SHARED_OFFSET(command->from) + piece->offset + at
                                 : piece->global + at;
        tell_to_blocks(sm, command, offset, e);
    }
}

uint32_t sm_tell_bulk(struct sm *sm, unsigned slot, unsigned lane, uint32_t pc, const struct simt_bulk *command)
{
    struct simt_bulk walk = *command;
    struct simt_piece piece;
    struct lockstep_copy_event e = copy_of(sm, slot, lane, pc);
    e.kind = LOCKSTEP_COPY_BULK;
    e.copy = async_number_copies(&sm->async, 1);
    e.reduces = command->atomic != 0;
    if (command->arrives)
        e.mbarrier = LANE_SHARED_OFFSET(command->mbarrier);
    while (command->kind != SIMT_BULK_PREFETCH && simt_bulk_next(&walk, &piece))
        if (!piece.outside || command->kind == SIMT_BULK_LOAD)
            tell_piece(sm, command, &piece, &e);
    return e.copy;
}

/* mbarriers */

static void tell_mbarrier(struct sm *sm, const struct sm_block *block, struct lockstep_mbarrier_event *e)
{
    uint64_t object;
    memcpy(&object, block->simt.shared + e->address, sizeof object);
    e->cycle = sm->agenda.now;
    e->block = (uint32_t)(block - sm->blocks);
    e->pending = mbarrier_pending(object);
    e->missing = mbarrier_tx(object);
    watch_tell_mbarrier(&sm->watch, e);
}

/* Fills in the operation that an instruction performs on an mbarrier. False: there is none, for it looks at the object,
 * or has the thread's copies arrive later. */
static bool operation_of(unsigned op, uint64_t operand, struct lockstep_mbarrier_event *e)
{
    switch (op) {
    case ISA_OP_MBARRIER_INIT:
        e->operation = LOCKSTEP_MBARRIER_INIT;
        e->arrivals = (uint32_t)operand;
        return true;
    case ISA_OP_MBARRIER_INVAL:
        e->operation = LOCKSTEP_MBARRIER_INVAL;
        return true;
    case ISA_OP_MBARRIER_EXPECT_TX:
    case ISA_OP_MBARRIER_COMPLETE_TX:
        e->operation = op == ISA_OP_MBARRIER_EXPECT_TX ? LOCKSTEP_MBARRIER_EXPECT : LOCKSTEP_MBARRIER_BYTES;
        e->bytes = (uint32_t)operand;
        return true;
    case ISA_OP_MBARRIER_ARRIVE:
    case ISA_OP_MBARRIER_DROP:
        e->operation = LOCKSTEP_MBARRIER_ARRIVE;
        e->arrivals = (uint32_t)operand;
        return true;
    case ISA_OP_MBARRIER_ARRIVE_TX:
    case ISA_OP_MBARRIER_DROP_TX:
        e->operation = LOCKSTEP_MBARRIER_ARRIVE;
        e->arrivals = 1;
        e->bytes = (uint32_t)operand;
        return true;
    default:
        return false;
    }
}

void sm_tell_mbarriers(struct sm *sm, unsigned slot, const struct simt_access *access)
{
    for (uint64_t rest = access->mask & ~access->remote; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        struct simt_sent asked = simt_sent_of(&sm->warp.slots[slot].simt, access, lane);
        struct lockstep_mbarrier_event e = {.address = asked.address,
                                            .sm = sm->setup.index,
                                            .warp = slot,
                                            .lane = lane,
                                            .pc = access->pc,
                                            .ended = mask_has(access->ended, lane)};
        if (operation_of(asked.op, asked.operand, &e))
            tell_mbarrier(sm, &sm->blocks[sm->warp.slots[slot].block], &e);
    }
}

uint32_t sm_tell_sends(struct sm *sm, unsigned slot, const struct simt_access *access)
{
    const struct simt_block *own = sm->warp.slots[slot].simt.block;
    uint32_t first = async_number_copies(&sm->async, SIMT_MAX_WIDTH);
    for (uint64_t rest = access->mask; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        bool here = !mask_has(access->remote, lane);
        struct simt_sent sent = simt_sent_of(&sm->warp.slots[slot].simt, access, lane);
        struct lockstep_copy_event e = copy_of(sm, slot, lane, access->pc);
        e.kind = LOCKSTEP_COPY_SEND;
        e.copy = first + lane;
        e.bytes = sent.bytes;
        e.reduces = sent.atomic != 0;
        e.mbarrier = sent.mbarrier;
        place_at(own, here ? own->rank : LANE_SHARED_RANK(access->address[lane]), sent.address, &e);
        watch_tell_copy(&sm->watch, &e);
        if (here)
            tell_mbarrier(sm, &sm->blocks[sm->warp.slots[slot].block],
                          &(struct lockstep_mbarrier_event){.address = sent.mbarrier,
                                                            .operation = LOCKSTEP_MBARRIER_BYTES,
                                                            .bytes = sent.bytes,
                                                            .sm = sm->setup.index,
                                                            .warp = slot,
                                                            .lane = lane,
                                                            .pc = access->pc,
                                                            .copy = e.copy,
                                                            .ended = mask_has(access->ended, lane)});
    }
    return first;
}

/* p->origin is of an operation the sender's warp and instruction, of bytes the number of their copy (sending.c). */
void sm_tell_message(struct sm *sm, const struct sm_block *block, const struct packet *p, uint32_t address, bool ended)
{
    struct lockstep_mbarrier_event e = {.address = address, .sm = p->sm, .pc = LOCKSTEP_NO_PC, .ended = ended};
    if (access_of(p)->event == LSU_MESSAGE_MBARRIER) {
        const struct packet_lane *l = &atomic_of(p)->lanes[0];
        e.warp = p->origin % WARP_SLOTS;
        e.pc = p->origin / WARP_SLOTS;
        operation_of((unsigned)l->compare, l->operand, &e);
    } else {
        e.operation = LOCKSTEP_MBARRIER_BYTES;
        e.bytes = p->bytes;
        e.copy = p->origin;
    }
    tell_mbarrier(sm, block, &e);
}

void sm_tell_counted(struct sm *sm, unsigned slot, const struct async_counted *what)
{
    if (!watch_hears(&sm->watch, WATCH_mbarrier))
        return;
    tell_mbarrier(
        sm, &sm->blocks[sm->warp.slots[slot].block],
        &(struct lockstep_mbarrier_event){.address = what->address,
                                          .operation = what->bytes ? LOCKSTEP_MBARRIER_BYTES : LOCKSTEP_MBARRIER_ARRIVE,
                                          .arrivals = !what->bytes,
                                          .bytes = what->bytes,
                                          .sm = sm->setup.index,
                                          .warp = slot,
                                          .lane = what->lane,
                                          .pc = what->pc,
                                          .copy = what->copy,
                                          .ended = what->ended});
}
