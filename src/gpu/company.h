/* Kernels at one time: see company.c. The engine's thread calls these functions, between windows. */
#ifndef LOCKSTEP_GPU_COMPANY_H
#define LOCKSTEP_GPU_COMPANY_H

#include "gpu/domain.h"

/* Observers of all launches but the first get their states; -1 with a diagnostic. */
int gpu_company_observe(struct gpu_company *company);
/* One of the kernels calls the device's functions. */
bool gpu_company_calls_device(const struct gpu_company *company);
/* The device has been divided, and all SMs have begun with the first launch's kernel. */
void gpu_company_begin(struct gpu_company *company);
/* Blocks are left that no SM has been given, of kernels that have begun or not. */
bool gpu_company_has_blocks(const struct gpu_company *company);
/* Behind the cycles before the present one: sees which kernels have ended and which may begin, and corrects the
 * outlook's room and block_may_end, which then say whether a block can start now, or may soon. True: SMs have changed
 * hands. */
bool gpu_company_look(struct gpu_company *company, struct gpu_outlook *outlook);
/* Gives out blocks for the present cycle, `most` at most, as domains' starts. Returns how many. Corrects the outlook
 * too: time may have passed since the look, to a cycle in which a kernel's blocks may start. */
uint64_t gpu_company_dispatch(struct gpu_company *company, uint64_t most, struct gpu_outlook *outlook);
/* The first cycle behind the present one in which blocks of a kernel may start that begins then, or CYCLE_NEVER. */
uint64_t gpu_company_next(const struct gpu_company *company);
/* The first cycle in which a kernel that runs has come to its limit (gpu_launch.max_cycles), or CYCLE_NEVER. */
uint64_t gpu_company_limit(const struct gpu_company *company);
/* The last of the cycles in which kernels have ended. */
uint64_t gpu_company_ended_at(const struct gpu_company *company);
/* The launch to which the SM belongs that has this fault; others are stopped by it. */
struct gpu_run *gpu_company_faulted(struct gpu_company *company, const struct sm_fault *fault);
/* gpu_explain_hang for each kernel that has not ended, in the sink of its launch. */
void gpu_company_explain_hang(struct gpu_company *company, enum gpu_hang how, uint64_t since);
/* What decides what a kernel's warps do (watch.c); made when it is first asked for. */
const struct gpu_control *gpu_company_control(const struct gpu_company *company, const struct simt_grid *grid);
/* The launches have ended with that status, in the present cycle: fills all results. finish: brings the partitions up
 * to a cycle. Returns the status, or GPU_INVALID where the figures contradict each other. */
enum gpu_status gpu_company_conclude(struct gpu_company *company, enum gpu_status status,
                                     void (*finish)(struct gpu *gpu, uint64_t until));

#endif
