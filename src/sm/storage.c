/* Where warps and blocks of an SM keep their state: scoreboards, registers, predicates, the first entries of the
 * reconvergence stacks, shared memory, who has arrived at mbarriers, how registers are shared out. All of it lies in one
 * piece of the device's memory, as large as the launch needs: hosts clear memory before they give it, and of the register file of a large SM
 * most kernels use a small part. A later launch that needs more gets a larger piece, twice the last one at least, so
 * that all pieces together are less than four times what the largest launch needs. */
#include "base/bits.h"
#include "sm/state.h"

#define PIECE 64 /* bytes: what is one warp's or block's lies in cache lines of its own */

static void make_room(struct sm_storage *storage, size_t bytes)
{
    if (bytes <= storage->bytes)
        return;
    storage->bytes = bytes > 2 * storage->bytes ? bytes : 2 * storage->bytes;
    arena_alloc(storage->device, SM_STAGGER, PIECE);
    storage->memory = arena_alloc(storage->device, storage->bytes, PIECE);
}

void sm_storage_begin(struct sm *sm)
{
    struct sm_storage *storage = &sm->storage;
    const struct sm_kernel *k = sm->kernel;
    const struct isa_function *function = k->grid->kernel;
    unsigned width = k->grid->code->width;
    /* Blocks of one size take the lowest slots that are free: these are all that are ever used. */
    unsigned blocks = mask_count(sm->free_blocks);
    unsigned warps = blocks * k->warps_per_block;
    size_t warp = simt_warp_bytes(function, width), words = k->scoreboard_words;
    size_t boards = round_up_u64(3 * warps * words * sizeof(uint64_t), PIECE);
    size_t shared = round_up_u64(k->shared_bytes, PIECE);
    size_t arrivals = k->mbarriers ? round_up_u64(sizeof(struct simt_arrivals), PIECE) : 0;
    size_t pool = k->pools ? round_up_u64(sizeof(struct sm_pool), PIECE) : 0;
    size_t bytes = boards + warps * warp + blocks * (shared + arrivals + pool);
    make_room(storage, bytes);
    warp_lend(&sm->warp, warps, (uint64_t *)storage->memory, (unsigned)words);
    uint8_t *at = storage->memory + boards;
    for (unsigned slot = 0; slot < warps; slot++, at += warp)
        simt_warp_lend(&sm->warp.slots[slot].simt, function, width, at);
    for (unsigned i = 0; i < blocks; i++, at += shared + arrivals + pool) {
        sm->blocks[i].simt.shared = at;
        sm->blocks[i].simt.arrivals = arrivals ? (struct simt_arrivals *)(at + shared) : NULL;
        sm->blocks[i].pool = pool ? (struct sm_pool *)(void *)(at + shared + arrivals) : NULL;
        sm->blocks[i].simt.barriers = &sm->blocks[i].barriers;
    }
}
