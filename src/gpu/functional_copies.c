/* Copies in bulk, and what blocks of a cluster do to each other's shared memory, in the functional mode: at once. What is sent
 * to a block that has ended is an error. */
#include "gpu/functional.h"

#include <string.h>

#include "base/bits.h"
#include "simt/bulk.h"
#include "simt/lanes.h"
#include "simt/mbarrier.h"
#include "simt/send.h"

static bool runs(const struct fblock *b)
{
    return b->place && b->running;
}

/* Something is asked of a block that has ended. Returns false. */
static bool miss_block(struct frun *f, const struct fblock *b, unsigned w, unsigned lane, uint64_t address)
{
    struct simt_fault fault = {.lane = (uint8_t)lane, .address = address, .pc = f->access.pc};
    sm_describe_absent(&b->simt, LANE_SHARED_RANK(address), &fault);
    functional_fault(f, b, w, &fault);
    return false;
}

bool functional_arrive_copied(struct frun *f, const struct fblock *b, unsigned w)
{
    for (uint64_t rest = f->access.mask; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        struct mbarrier_step step = simt_mbarrier_take(&b->simt, f->access.address[lane], ISA_OP_MBARRIER_ARRIVE, 1,
                                                       simt_thread_of(&b->place->warps[w], lane));
        if (!step.fault)
            continue;
        struct simt_fault fault;
        simt_mbarrier_fault(&fault, &step, f->access.address[lane], lane, f->access.pc);
        functional_fault(f, b, w, &fault);
        return false;
    }
    return true;
}

bool functional_send_lanes(struct frun *f, const struct fblock *b, unsigned w)
{
    for (uint64_t rest = f->access.remote; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        const struct fblock *peer = functional_peer(f, b, LANE_SHARED_RANK(f->access.address[lane]));
        if (!runs(peer))
            return miss_block(f, b, w, lane, f->access.address[lane]);
        struct simt_sent sent = simt_sent_of(&b->place->warps[w], &f->access, lane);
        struct mbarrier_step step = simt_sent_take(&peer->simt, &sent);
        struct simt_fault fault;
        if (!step.fault)
            continue;
        simt_mbarrier_fault(&fault, &step, sent.address, lane, f->access.pc);
        functional_fault(f, b, w, &fault);
        return false;
    }
    f->changed = true;
    return true;
}

/* A piece's bytes, NULL: those that fill it, come to the blocks that they are for. */
static struct mbarrier_step deliver(struct frun *f, const struct fblock *b, const struct simt_bulk *bulk,
                                    const struct simt_piece *piece, const uint8_t *bytes)
{
    struct mbarrier_step step = {0};
    for (uint32_t rest = simt_bulk_targets(bulk, &b->simt); rest && !step.fault; rest &= rest - 1) {
        const struct fblock *to = functional_peer(f, b, (unsigned)__builtin_ctz(rest));
        simt_bulk_write(bulk, piece, bytes, to->simt.shared);
        if (bulk->arrives)
            step = simt_mbarrier_take(&to->simt, LANE_SHARED_OFFSET(bulk->mbarrier), ISA_OP_MBARRIER_COMPLETE_TX,
                                      piece->bytes, SIMT_NO_THREAD);
    }
    return step;
}

/* A piece of a copy in bulk is moved at once. False: it lies outside of memory. */
static bool move_piece(struct frun *f, const struct fblock *b, const struct simt_bulk *bulk,
                       const struct simt_piece *piece, struct mbarrier_step *step)
{
    uint8_t bytes[128], *shared = b->simt.shared;
    bool sends = bulk->kind == SIMT_BULK_SEND;
    if (piece->outside && bulk->kind == SIMT_BULK_LOAD)
        *step = deliver(f, b, bulk, piece, NULL);
    if (piece->outside)
        return true;
    if (!sends && !store_covers(&f->run->gpu->store, piece->global, piece->bytes))
        return false;
    uint8_t *global = sends ? shared + LANE_SHARED_OFFSET(bulk->from) + piece->offset
                            : gpu_host_address(f->run->gpu, piece->global);
    if (bulk->kind == SIMT_BULK_LOAD || sends)
        *step = deliver(f, b, bulk, piece, global);
    if (bulk->kind != SIMT_BULK_STORE && bulk->kind != SIMT_BULK_REDUCE)
        return true;
    simt_bulk_read(bulk, piece, shared, bytes);
    if (bulk->kind == SIMT_BULK_REDUCE) {
        simt_bulk_reduce(bulk, piece, bytes, global);
        return true;
    }
    for (uint32_t i = 0; i < piece->bytes; i++)
        if (mask_has(bulk->bytes_kept, (piece->offset + i) % 16))
            global[i] = bytes[i];
    return true;
}

/* The blocks that the lane's copy goes to have not ended. */
static bool all_run(struct frun *f, const struct fblock *b, unsigned w, unsigned lane, const struct simt_bulk *bulk)
{
    bool goes = bulk->kind == SIMT_BULK_LOAD || bulk->kind == SIMT_BULK_SEND;
    for (uint32_t rest = goes ? simt_bulk_targets(bulk, &b->simt) : 0; rest; rest &= rest - 1) {
        unsigned rank = (unsigned)__builtin_ctz(rest);
        if (!runs(functional_peer(f, b, rank)))
            return miss_block(f, b, w, lane, LANE_SHARED_ADDRESS(rank, 0));
    }
    return true;
}

bool functional_copy_bulk(struct frun *f, const struct fblock *b, unsigned w)
{
    const struct simt_access *a = &f->access;
    for (uint64_t rest = a->mask; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        struct simt_bulk bulk;
        struct simt_piece piece;
        struct simt_fault fault = {0};
        bool fine = simt_bulk_open(&b->place->warps[w], a, lane, store_read, &f->run->gpu->store, &bulk, &fault);
        if (fine && !all_run(f, b, w, lane, &bulk))
            return false;
        while (fine && simt_bulk_next(&bulk, &piece)) {
            struct mbarrier_step step = {0};
            fine = move_piece(f, b, &bulk, &piece, &step);
            if (!fine)
                fault = (struct simt_fault){.kind = SIMT_FAULT_BOUNDS,
                                            .lane = (uint8_t)lane,
                                            .space = ISA_SPACE_GLOBAL,
                                            .address = piece.global,
                                            .pc = a->pc};
            if (step.completed && bulk.done < bulk.bytes && simt_bulk_targets(&bulk, &b->simt) == UINT32_C(1) << b->simt.rank)
                step.fault = MBARRIER_PARTED;
            if (step.fault) {
                fine = false;
                simt_mbarrier_fault(&fault, &step, bulk.mbarrier, lane, a->pc);
            }
        }
        if (!fine) {
            functional_fault(f, b, w, &fault);
            return false;
        }
    }
    return true;
}

bool functional_serve_cluster(struct frun *f, const struct fblock *b, unsigned w)
{
    struct simt_access *a = &f->access;
    for (uint64_t rest = a->mask; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        const struct fblock *peer = functional_peer(f, b, LANE_SHARED_RANK(a->address[lane]));
        if (!runs(peer))
            return miss_block(f, b, w, lane, a->address[lane]);
        simt_serve_block(&b->place->warps[w], a, rest & -rest, peer->simt.shared);
    }
    return true;
}
