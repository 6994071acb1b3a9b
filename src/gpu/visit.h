/* A visitor of a launch: somebody who looks at it while it runs, and may hold it or have it stop again some cycles
 * later. It visits between two windows of the engine, when every unit stands at the same cycle; the launch does nothing
 * meanwhile, and what it does afterwards does not depend on the visit. */
#ifndef LOCKSTEP_GPU_VISIT_H
#define LOCKSTEP_GPU_VISIT_H

#include <jansson.h>

#include "gpu/gpu.h"

/* A launch during a visit, and no longer. */
struct gpu_visit;

enum gpu_visit_then {
    GPU_THEN_RUN,    /* on, until the visitor wants to come again */
    GPU_THEN_CYCLES, /* on, for so many cycles, if it does not want to come sooner; 0 is 1 */
    GPU_THEN_WINDOW, /* on, to the end of the next window */
    GPU_THEN_AGAIN,  /* it stands still: the visitor comes again at once, unless the launch is asked to stop */
    GPU_THEN_HOLD,   /* gpu_launch, or gpu_go_on, returns with GPU_HELD; the visitor comes again when it goes on */
};
struct gpu_visit_end {
    enum gpu_visit_then then;
    uint64_t cycles;
    /* The visitor comes in this cycle of the device at the latest, even if nothing can happen in it; without, it comes
     * in the first one behind the cycles above in which something can. 0: it may be any. */
    uint64_t latest;
};

struct gpu_visitor {
    void *context;
    /* Asked now and then, and to be answered at once: true for a visit soon. */
    bool (*wants)(void *context);
    /* A visit: when the launch begins, soon after `wants`, and when the cycles have passed. It should be over within a
     * tenth of a second, since the launch cannot be stopped meanwhile. */
    struct gpu_visit_end (*visit)(void *context, struct gpu_visit *visit);
};

/* Numbers of the launch so far. */
struct gpu_visit_numbers {
    struct gpu_progress progress;
    uint64_t launch;              /* counts those of the device, from 0 */
    uint64_t device_cycle;        /* gpu_cycle */
    uint64_t thread_instructions; /* of all lanes */
};
void gpu_visit_numbers(const struct gpu_visit *visit, struct gpu_visit_numbers *numbers);
/* The kernel's name as the source has it; until the launch ends. */
const char *gpu_visit_kernel(const struct gpu_visit *visit);
const struct gpu_launch *gpu_visit_launch(const struct gpu_visit *visit);
/* Warp-cycles so far by cause, as the statistics `warps` name them. */
json_t *gpu_visit_causes(const struct gpu_visit *visit);
/* The same, and the numbers but for `launch` and `device_cycle`, of a launch that has ended. */
json_t *gpu_result_causes(const struct gpu_result *result);
void gpu_result_numbers(const struct gpu_result *result, struct gpu_visit_numbers *numbers);
/* The unfinished warps: `unfinished`, how many; `groups`, those that stand at the same place for the same cause, the
 * largest first, with how many `warps`, an `example`, `cause` (a statistic of `warps`), `kind` (waits_kinds.def),
 * `where` and `what` they wait for; how many groups `more` there are; and `report`, the words of a hang report. */
json_t *gpu_visit_waits(const struct gpu_visit *visit);
/* Takes a checkpoint by the function of gpu_set_checkpoints, which must have been given one. */
void gpu_visit_checkpoint(struct gpu_visit *visit);

#endif
