/* Looking at one lane of a warp from outside: operands, and a digest of what it takes along round a loop. */
#include "simt/observe.h"

#include "base/bits.h"
#include "base/hash.h"
#include "simt/execute.h"
#include "simt/splits.h"

/* The frame in which a live lane is; the lane has just executed in it, perhaps to give its turn away. */
static const struct simt_frame *frame_of(const struct simt_warp *warp, unsigned lane)
{
    struct simt_walk walk = simt_walk(&warp->paths);
    while (simt_walk_next(&walk))
        if (mask_has(walk.lanes, lane))
            return &walk.path->frame;
    return &warp->paths.now->frame;
}

uint32_t simt_operand_in_lane(const struct simt_warp *warp, uint32_t pc, unsigned operand, unsigned lane,
                              uint64_t cycle)
{
    const struct simt_op *op = &warp->code->ops[pc];
    if (operand >= op->src_count || !warp->paths.count)
        return 0;
    uint64_t scratch[SIMT_MAX_WIDTH];
    const void *row = simt_source_row(warp, &op->src[operand], frame_of(warp, lane), cycle, scratch);
    if (!row)
        return 0;
    return op->src[operand].wide ? (uint32_t)((const uint64_t *)row)[lane] : ((const uint32_t *)row)[lane];
}

/* Two multiplicative hashes with different odd factors over the same words. */
static void digest(struct simt_digest *d, uint64_t word)
{
    d->a = hash_add(d->a, word);
    d->a ^= d->a >> 29;
    d->b = (d->b + word) * UINT64_C(0xD6E8FEB86659FD93);
    d->b ^= d->b >> 32;
}

struct simt_digest simt_loop_state(const struct simt_warp *warp, uint32_t pc, unsigned lane)
{
    struct simt_digest d = {1, 2};
    const struct isa_module *module = warp->code->module;
    const struct isa_instr *branch = &module->instrs[pc];
    const struct simt_frame *frame = frame_of(warp, lane);
    const struct isa_function *function = &module->functions[frame->function];
    for (uint32_t i = 0; i < branch->live_count; i++) {
        const struct isa_reg *reg = &function->regs[branch->live[i]];
        const uint32_t *row = simt_row(warp, frame->reg_base, reg->row);
        unsigned bits = isa_type_bits(reg->type);
        if (reg->type == ISA_PRED)
            digest(&d, mask_has(warp->preds[frame->pred_base + reg->row], lane));
        else
            for (unsigned word = 0; word < (bits + 63) / 64; word++)
                digest(&d, bits <= 32 ? row[lane] : ((const uint64_t *)row)[lane * ((bits + 63) / 64) + word]);
    }
    return d;
}

/* Lanes that wait as those of `path` do. */
static uint64_t waiting_like(const struct simt_warp *warp, const struct simt_path *path)
{
    uint64_t lanes = 0;
    struct simt_walk walk = simt_walk(&warp->paths);
    while (simt_walk_next(&walk))
        if (walk.path->kind == path->kind && walk.path->key == path->key && walk.path->what == path->what)
            lanes |= walk.lanes;
    return lanes;
}

/* On a stack the last path has the turn, and others go on behind those above them. */
static enum simt_standing standing_on_stack(const struct simt_warp *warp, const struct simt_walk *walk,
                                            uint64_t *others)
{
    const struct simt_path *path = walk->path;
    *others = warp->live & (path->key ? ~waiting_like(warp, path) : ~walk->left & ~walk->lanes);
    return path->key ? SIMT_STANDS_BARRIER : SIMT_STANDS_BEHIND;
}

enum simt_standing simt_standing_of(const struct simt_warp *warp, const struct simt_walk *walk, uint64_t *others)
{
    const struct simt_path *path = walk->path;
    *others = 0;
    if (path == warp->paths.now)
        return SIMT_STANDS_TURN;
    if (!warp->paths.model->gather)
        return standing_on_stack(warp, walk, others);
    if (path->kind == SIMT_RECONVERGENCE) {
        *others = path->mask & ~walk->lanes & warp->live;
        return SIMT_STANDS_BEHIND;
    }
    if (!simt_waits_for_named(path))
        return SIMT_STANDS_READY;
    bool barrier = path->kind == SIMT_WAITS_BLOCK, upper = path->what >> 7;
    *others = (barrier ? ~UINT64_C(0) : (uint64_t)path->key << (upper ? ISA_WARP_SZ : 0)) & warp->live &
              ~waiting_like(warp, path);
    return barrier ? SIMT_STANDS_BARRIER : SIMT_STANDS_NAMED;
}
