/* Results as JSON. The same objects serve `lockstep run`, the files written by --stats and the CUDA runtime. */
#ifndef LOCKSTEP_GPU_RESULT_JSON_H
#define LOCKSTEP_GPU_RESULT_JSON_H

#include <jansson.h>

#include "gpu/gpu.h"

/* Grows when a member changes its name or meaning; new members do not count. 2: what was not measured is null, no
 * longer zero. */
#define RESULT_SCHEMA 2

/* One launch: name, grid, block, status, cycles and the headline figures; then one object per group of statistics,
 * under the group's name (stalls, l1d, ...); last `host`, the only member that differs between two equal runs. A launch
 * that did not come to its end is `partial`, and `partial_reason` says why: max-cycles, max-seconds, SIGINT, hang ...
 * What was not measured is null, and `not_measured` says why. */
json_t *gpu_result_json(const struct gpu_result *result, const struct machine *machine);
/* The member `profile` of a result, where the launch was profiled: `instructions`, those that counted something, each
 * with its pc, text, place in the PTX (ptx_file, ptx_line), places in the sources (from its own line outwards: file,
 * line, function), counts (profile/counts.def) and warp-cycles by cause. What is 0 is left out. */
json_t *gpu_profile_json(const struct profile *profile);
/* An instruction: its pc, text, place in the PTX, places in the sources. */
json_t *gpu_instruction_json(const struct isa_module *module, uint32_t pc);
/* The member `intervals` of a result that has them: `every`, the cycles of an interval; `cycles`, those of each, of
 * which the last one may be shorter; then, under each group's name, statistics that are not 0 throughout, with a number
 * for each interval. */
json_t *gpu_intervals_json(const struct gpu_result *result);
/* The resolved machine: name, doc, and under each group's name every parameter with its value. */
json_t *machine_json(const struct machine *machine);

#endif
