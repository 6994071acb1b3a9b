/* Copies in bulk, and what blocks of a cluster do to each other's shared memory, in the functional mode: at once. What comes
 * for a block that has ended is lost, as it is in time. */
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
            continue;
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
        if (!runs(to))
            continue;
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

bool functional_copy_bulk(struct frun *f, const struct fblock *b, unsigned w)
{
    const struct simt_access *a = &f->access;
    for (uint64_t rest = a->mask; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        struct simt_bulk bulk;
        struct simt_piece piece;
        struct simt_fault fault = {0};
        bool fine = simt_bulk_open(&b->place->warps[w], a, lane, store_read, &f->run->gpu->store, &bulk, &fault);
        while (fine && simt_bulk_next(&bulk, &piece)) {
            struct mbarrier_step step = {0};
            fine = move_piece(f, b, &bulk, &piece, &step);
            fault = (struct simt_fault){.kind = SIMT_FAULT_BOUNDS,
                                        .lane = (uint8_t)lane,
                                        .space = ISA_SPACE_GLOBAL,
                                        .address = piece.global,
                                        .pc = a->pc};
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
        unsigned lane = mask_first(rest), rank = LANE_SHARED_RANK(a->address[lane]);
        const struct fblock *peer = functional_peer(f, b, rank);
        if (!runs(peer)) {
            struct simt_fault fault = {.lane = (uint8_t)lane, .address = a->address[lane], .pc = a->pc};
            sm_describe_absent(&b->simt, rank, &fault);
            functional_fault(f, b, w, &fault);
            return false;
        }
        simt_serve_block(&b->place->warps[w], a, rest & -rest, peer->simt.shared);
    }
    return true;
}
