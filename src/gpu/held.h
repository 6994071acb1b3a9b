/* A launch that its visitor holds (GPU_HELD), seen from outside: its statistics so far, its warps, the registers of
 * their lanes, and memory as a thread would read it. Nothing here changes what it does when it goes on. Only while a
 * launch is held. */
#ifndef LOCKSTEP_GPU_HELD_H
#define LOCKSTEP_GPU_HELD_H

#include "gpu/gpu.h"

/* The result as far as the launch has come, with status GPU_HELD; for gpu_result_free. */
void gpu_held_result(struct gpu *gpu, struct gpu_result *result);

/* A warp in its slot. */
struct gpu_held_warp {
    bool finished;
    uint32_t block[3], index; /* of its block in the grid; of the warp in the block */
    uint32_t pc;              /* of the lanes that have the turn; 0 where all have ended */
    uint64_t lanes, live;     /* those that have the turn; those that have not ended */
    const char *cause;        /* where its cycles go: a statistic of `warps` */
};
/* False: no warp is in the slot. */
bool gpu_held_warp(const struct gpu *gpu, unsigned sm, unsigned slot, struct gpu_held_warp *warp);
/* The function that a lane of a warp is in, and its pc there; NULL: it has ended, or there is no such lane. */
const struct isa_function *gpu_held_function(const struct gpu *gpu, unsigned sm, unsigned slot, unsigned lane,
                                             uint32_t *pc);
/* The value of a register of that function, of 64 bits at most, in that lane. */
uint64_t gpu_held_register(const struct gpu *gpu, unsigned sm, unsigned slot, unsigned lane, const struct isa_reg *reg);
/* Shared memory of a warp's block: *bytes receives how much it has. NULL: no warp is in the slot. */
const void *gpu_held_shared(const struct gpu *gpu, unsigned sm, unsigned slot, uint64_t *bytes);
/* As gpu_read, and where an L1 has registered what it has written, that. */
int gpu_held_read(struct gpu *gpu, void *to, uint64_t address, uint64_t bytes, struct diag_sink *sink);

#endif
