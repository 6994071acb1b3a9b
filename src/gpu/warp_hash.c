/* A hash of a warp's state. A warp that comes back to an equal hash will do the same again, as long as others leave
 * memory alone. */
#include "base/hash.h"
#include "gpu/control.h"
#include "gpu/gpu_impl.h"

static uint64_t mix(uint64_t hash, const void *data, size_t bytes)
{
    const uint64_t *words = data;
    for (size_t i = 0; i < bytes / 8; i++)
        hash = hash_add(hash, words[i]) ^ hash >> 29;
    return hash;
}

static uint32_t greater(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Registers and predicates that matter to any lane, wherever it stands. Those of functions that were called are not
 * known apart: all of them do. */
static uint64_t mix_registers(uint64_t hash, const struct simt_warp *warp, const struct gpu_control *control)
{
    const struct simt_code *code = warp->block->grid->code;
    uint32_t rows = 0, preds = 0;
    for (uint32_t i = 0; i < warp->paths.count; i++) {
        const struct simt_frame *frame = &simt_path_at(&warp->paths, i)->frame;
        const struct isa_function *function = &code->module->functions[frame->function];
        rows = greater(rows, frame->reg_base + function->row_count);
        preds = greater(preds, frame->pred_base + function->pred_count);
    }
    for (uint32_t at = 0; at < rows + preds; at++) {
        bool matters = false;
        for (uint32_t i = 0; i < warp->paths.count && !matters; i++) {
            uint32_t pc = simt_path_at(&warp->paths, i)->pc;
            const uint64_t *set = gpu_control_at(control, pc);
            matters = set ? set[at / 64] >> at % 64 & 1 : pc != ISA_PC_NONE;
        }
        if (matters && at < rows)
            hash = mix(hash ^ at, warp->rows + (size_t)at * code->width, (size_t)code->width * 4);
        else if (matters)
            hash = mix(hash ^ at, warp->preds + (at - rows), 8);
    }
    return hash;
}

uint64_t gpu_warp_hash(const struct simt_warp *warp, const struct gpu_control *control, uint64_t written, uint64_t now)
{
    uint64_t hash = mix(warp->live ^ written, &warp->carry, sizeof warp->carry);
    bool by_clock = false;
    for (uint32_t i = 0; i < warp->paths.count; i++) {
        const struct simt_path *path = simt_path_at(&warp->paths, i);
        uint64_t words[] = {path->mask, (uint64_t)path->pc << 32 | path->until,
                            (uint64_t)path->frame.reg_base << 32 | path->frame.local_base,
                            (uint64_t)path->key << 32 | (uint64_t)path->spent << 8 | path->kind};
        hash = mix(hash, words, sizeof words);
        by_clock |= gpu_control_by_clock(control, path->pc);
    }
    if (by_clock)
        hash = mix(hash, &now, sizeof now);
    hash = mix_registers(hash, warp, control);
    return mix(hash, warp->local, (size_t)warp->local_words * warp->block->grid->code->width * 4);
}
