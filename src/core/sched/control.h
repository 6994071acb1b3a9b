/* A spin control holds back warps that spin, and says when and in which order they may issue again. It stands over any
 * warp scheduler: `--sched gto+bows`. A spin detector (watch/spin/) says which warps spin; the SM tells the control.
 * Each is one file that fills in a struct sched_control, and a row of controls.def. Its state is plain memory without
 * pointers, so that checkpoints copy it, and one for all schedulers of an SM. */
#ifndef LOCKSTEP_CORE_SCHED_CONTROL_H
#define LOCKSTEP_CORE_SCHED_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lockstep/scheduler.h"
#include "watch/spin/spin_params.h"

struct sched_control {
    const char *name, *doc;
    size_t state_bytes;
    void (*reset)(void *state, const struct spin_params *params, unsigned schedulers, uint64_t cycle);
    void (*launched)(void *state, unsigned warp, uint64_t cycle);
    /* Every instruction that is issued, before spins() is told of it. held: the warp was held back and is no more. */
    void (*issued)(void *state, unsigned warp, uint64_t cycle, bool held);
    /* The warp executed a spin-inducing branch, and has no lanes elsewhere that may go on (simt_able), such as those
     * that the others wait for: it is held back. Returns the first cycle in which it may issue. */
    uint64_t (*spins)(void *state, unsigned warp, uint64_t cycle);
    /* No warp that is not held back can issue: picks one of view->ready, all of them held back and free to issue. */
    unsigned (*pick)(const void *state, const struct lockstep_scheduler_view *view,
                     const struct lockstep_scheduler *base, const void *base_state);
    /* The SM has no blocks left. */
    void (*drained)(void *state, uint64_t cycle);
    /* The delay that a warp takes along when it leaves at this moment. */
    uint64_t (*delay)(const void *state);
    /* Storage of the hardware for an SM of so many warps and schedulers. */
    uint64_t (*hardware_bits)(const struct spin_params *params, unsigned warps, unsigned schedulers);
};

/* The control of that name, or NULL; all of them, NULL-terminated. */
const struct sched_control *sched_find_control(const char *name);
const struct sched_control *const *sched_controls(void);

#endif
