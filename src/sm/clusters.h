/* Blocks of clusters on an SM: their shared memory as other blocks see it, and the barriers of clusters. */
#ifndef LOCKSTEP_SM_CLUSTERS_H
#define LOCKSTEP_SM_CLUSTERS_H

#include <stdint.h>

struct sm;
struct sm_block;
struct simt_result;
struct packet;

/* A block comes, whose index is known; peers: see sm_launch. */
void sm_enter_cluster(struct sm_block *block, const uint16_t *peers);
/* lsu_port: see there. `sm` is the SM. */
unsigned sm_peer(void *sm, unsigned slot, unsigned rank, uint64_t *cluster);
void sm_perform_message(void *sm, struct packet *request);
void sm_miss_block(void *sm, unsigned slot, uint32_t pc, unsigned lane, uint64_t address);
/* A warp of the block has issued an instruction of the cluster's barrier. */
void sm_reach_cluster(struct sm *sm, struct sm_block *block, unsigned slot, const struct simt_result *r);
/* A warp of the block has ended, where the launch has barriers of clusters. */
void sm_cluster_lost_warp(struct sm *sm, struct sm_block *block);

#endif
