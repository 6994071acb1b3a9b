/* A launch that is held: see held.h. */
#include "gpu/held.h"

#include <string.h>

#include "gpu/gpu_impl.h"
#include "simt/warp.h"

void gpu_held_result(struct gpu *gpu, struct gpu_result *result)
{
    const struct gpu_run *run = gpu->standing;
    *result = *run->result;
    result->status = GPU_HELD;
    result->counters = gpu_counters_new();
    result->cycles = gpu->cycle - run->start_cycle;
    result->gap_cycles = (int64_t)run->gap_cycles;
    result->time_ns = (double)result->cycles * 1000.0 / gpu->machine.gpu.core_mhz;
    result->host = host_use_since(&run->start);
    for (unsigned i = 0; i < gpu->machine.gpu.sms; i++)
        sm_settle(gpu->sms[i], gpu->cycle);
    for (unsigned i = 0; i < gpu->machine.memory.partition.channels; i++)
        partition_settle(gpu->partitions[i], gpu->cycle);
    gpu_collect(gpu, result->counters);
    gpu_add_energy(&gpu->machine, result);
}

/* False: there is no such SM or slot, or nothing is in it. */
static bool find_warp(const struct gpu *gpu, unsigned sm, unsigned slot, struct sm_warp_state *state)
{
    if (sm >= gpu->machine.gpu.sms || slot >= gpu->machine.sm.warps)
        return false;
    sm_warp_state(gpu->sms[sm], slot, state);
    return state->resident;
}

bool gpu_held_warp(const struct gpu *gpu, unsigned sm, unsigned slot, struct gpu_held_warp *warp)
{
    struct sm_warp_state state;
    if (!find_warp(gpu, sm, slot, &state))
        return false;
    *warp = (struct gpu_held_warp){.finished = state.finished,
                                   .index = state.index,
                                   .pc = state.pc,
                                   .lanes = state.mask,
                                   .live = state.live,
                                   .cause = warp_cause_names[state.cause]};
    memcpy(warp->block, state.block, sizeof warp->block);
    return true;
}

/* Where a live lane stands: the last path that has it. */
static const struct simt_path *path_of(const struct simt_warp *warp, unsigned lane)
{
    struct simt_walk walk = simt_walk(&warp->paths);
    while (lane < SIMT_MAX_WIDTH && mask_has(warp->live, lane) && simt_walk_next(&walk))
        if (mask_has(walk.lanes, lane))
            return walk.path;
    return NULL;
}

const struct isa_function *gpu_held_function(const struct gpu *gpu, unsigned sm, unsigned slot, unsigned lane,
                                             uint32_t *pc)
{
    struct sm_warp_state state;
    const struct simt_path *path = find_warp(gpu, sm, slot, &state) ? path_of(state.warp, lane) : NULL;
    if (!path)
        return NULL;
    *pc = path->pc;
    return &state.warp->code->module->functions[path->frame.function];
}

uint64_t gpu_held_register(const struct gpu *gpu, unsigned sm, unsigned slot, unsigned lane, const struct isa_reg *reg)
{
    struct sm_warp_state state;
    const struct simt_path *path = find_warp(gpu, sm, slot, &state) ? path_of(state.warp, lane) : NULL;
    if (!path)
        return 0;
    const struct simt_warp *warp = state.warp;
    if (reg->type == ISA_PRED)
        return mask_has(warp->preds[path->frame.pred_base + reg->row], lane);
    const uint32_t *row = warp->rows + (size_t)(path->frame.reg_base + reg->row) * warp->code->width;
    return isa_type_bits(reg->type) <= 32 ? row[lane] : ((const uint64_t *)(const void *)row)[lane];
}

const void *gpu_held_shared(const struct gpu *gpu, unsigned sm, unsigned slot, uint64_t *bytes)
{
    struct sm_warp_state state;
    if (!find_warp(gpu, sm, slot, &state))
        return NULL;
    *bytes = state.warp->block->shared_bytes;
    return state.warp->block->shared;
}

int gpu_held_read(struct gpu *gpu, void *to, uint64_t address, uint64_t bytes, struct diag_sink *sink)
{
    uint32_t line = gpu->machine.l1d.line_bytes;
    if (gpu_read(gpu, to, address, bytes, sink) < 0)
        return -1;
    if (!gpu_protocol(&gpu->machine)->registration)
        return 0;
    for (uint64_t done = 0, part; done < bytes; done += part) {
        part = line - (address + done) % line;
        part = part < bytes - done ? part : bytes - done;
        for (unsigned i = 0; i < gpu->machine.gpu.sms; i++)
            sm_peek(gpu->sms[i], address + done, (uint8_t *)to + done, (uint32_t)part);
    }
    return 0;
}
