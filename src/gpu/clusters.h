/* Clusters of thread blocks: which launches may have them, and on which SMs their blocks start. */
#ifndef LOCKSTEP_GPU_CLUSTERS_H
#define LOCKSTEP_GPU_CLUSTERS_H

#include "gpu/gpu_impl.h"

/* The SMs of a GPC are [gpu_gpc_first(p, g), gpu_gpc_first(p, g + 1)); the device has so many GPCs, none where it knows
 * no clusters. */
unsigned gpu_gpcs(const struct gpu_params *p);
unsigned gpu_gpc_first(const struct gpu_params *p, unsigned gpc);
/* Settles how many blocks a cluster of the launch has, into run->grid; -1 with a diagnostic when that cannot be. */
int gpu_settle_clusters(struct gpu_run *run);
/* Block number `number` of a launch with clusters, in the order in which they start. */
void gpu_cluster_block_index(const struct gpu_run *run, uint64_t number, uint32_t index[3]);
/* Gives out blocks in this cycle, `most` at most, a cluster at a time: each of its blocks goes to an SM of its own in one
 * GPC, or none starts. Returns how many. */
uint64_t gpu_dispatch_clusters(struct gpu_run *run, uint64_t most);

#endif
