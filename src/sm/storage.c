/* Where warps and blocks of an SM keep their state: scoreboards, registers, predicates, the first entries of the
 * reconvergence stacks, shared memory. All of it lies in one piece of the device's memory, made when the SM is made and
 * as large as what it stands for: the register file and the shared memory. A launch that keeps more per thread than the
 * hardware would (PTX names registers that a compiler for the hardware would let share one) gets a larger piece. */
#include "base/bits.h"
#include "sm/sm_impl.h"

#define PIECE 64 /* bytes: what is one warp's or block's lies in cache lines of its own */

/* Memory that a warp slot of a usual kernel needs beside its registers. */
#define USUAL_WARP_BYTES 1024

void sm_storage_init(struct sm *sm, struct arena *device)
{
    const struct sm_params *p = sm->params;
    sm->storage.device = device;
    sm->storage.bytes =
        (size_t)p->registers * 4 + (size_t)p->warps * USUAL_WARP_BYTES + p->shared_bytes + p->blocks * PIECE;
    sm->storage.memory = arena_alloc(device, sm->storage.bytes, PIECE);
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
    size_t bytes = boards + warps * warp + blocks * shared;
    if (bytes > storage->bytes) {
        storage->memory = arena_alloc(storage->device, bytes, PIECE);
        storage->bytes = bytes;
    }
    uint64_t *board = (uint64_t *)storage->memory;
    uint8_t *at = storage->memory + boards;
    for (unsigned slot = 0; slot < warps; slot++, at += warp) {
        simt_warp_lend(&sm->warps[slot].simt, function, width, at);
        /* Side by side: they are looked at together. */
        sm->warps[slot].scoreboard = board + 3 * slot * words;
        sm->warps[slot].from_memory = sm->warps[slot].scoreboard + words;
        sm->warps[slot].from_chip = sm->warps[slot].from_memory + words;
    }
    for (unsigned i = 0; i < blocks; i++, at += shared)
        sm->blocks[i].simt.shared = at;
}
