/* Who waited for whom, and lines that locks share, of a profile, as JSON: parts of what gpu_profile_json makes. */
#ifndef LOCKSTEP_GPU_PROFILE_GRAPH_JSON_H
#define LOCKSTEP_GPU_PROFILE_GRAPH_JSON_H

#include <jansson.h>

#include "profile/profile.h"

/* profile_json.c: an instruction with its places. */
json_t *gpu_use_json(const struct isa_module *module, uint32_t pc);

/* The index of a block, of struct profile_warp_name: x, y, z. */
json_t *gpu_block_json(uint64_t block);
/* Sets in the objects of all words, an array, `graph`, `graph_sites`, `graph_others`, and what closes their sums. */
void gpu_graphs_json(const struct profile *profile, json_t *words);
/* Sets in a profile's object `lock_order` and `lock_circles`: in which order threads take words. */
void gpu_orders_json(const struct profile *profile, json_t *object);
/* Lines in which locks or polled words lie beside each other, or beside data. */
json_t *gpu_shared_json(const struct profile *profile);

#endif
