/* Which registers of a kernel decide what its warps do, at each instruction, as long as they stay in its loop. For the
 * progress watch. */
#ifndef LOCKSTEP_GPU_CONTROL_H
#define LOCKSTEP_GPU_CONTROL_H

#include "isa/program.h"

struct gpu_control {
    const struct isa_function *function;
    uint32_t *loops;  /* by instruction: the outermost loop around it; those outside have one each, of their own */
    uint32_t words;   /* of a set: rows of the frame, then predicates, then the clock */
    bool reads_clock; /* the module does, somewhere */
    uint64_t *sets;   /* by instruction; NULL: not known, since the kernel calls functions */
};

struct gpu_control *gpu_control_new(const struct isa_module *module, const struct isa_function *kernel,
                                    struct arena *arena);
/* The set before the instruction at pc is executed, or NULL: everything. */
const uint64_t *gpu_control_at(const struct gpu_control *control, uint32_t pc);
/* Returns true if the path that a warp takes from pc on depends on a clock. */
bool gpu_control_by_clock(const struct gpu_control *control, uint32_t pc);

#endif
