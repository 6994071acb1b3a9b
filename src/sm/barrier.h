/* Barriers of one thread block: who has arrived, who is still awaited, and what a reducing barrier sums up. Pure
 * bookkeeping over warp numbers (their index in the block), shared by the SM and the functional mode. PTX ISA, "bar".
 */
#ifndef LOCKSTEP_SM_BARRIER_H
#define LOCKSTEP_SM_BARRIER_H

#include <stdbool.h>
#include <stdint.h>

#include "simt/warp.h"

#define SM_BARRIERS 16
#define SM_GRID_BARRIER SM_BARRIERS /* the number, in the block, of the barrier of the grid */
#define SM_CLUSTER_BARRIER (SM_BARRIERS + 1) /* for those who look at warps: that of the cluster */

struct sm_barrier_state {
    uint64_t waiting;           /* warps that wait (bar.sync, bar.red) */
    uint64_t arrived[2];        /* warps of which that half (ISA_WARP_SZ threads) has arrived, waiting or not */
    uint32_t threads;           /* expected; 0: every warp of the block that has not ended, which come as a whole */
    uint32_t true_lanes, lanes; /* of bar.red predicates */
    uint8_t reduce;
};

struct sm_barriers {
    uint64_t running; /* warps of the block that have not ended */
    struct sm_barrier_state state[SM_BARRIERS + 1];
};

void sm_barriers_init(struct sm_barriers *b, unsigned warps);
/* Warp arrives; at the grid's barrier as at one of the block that has its number. Returns the set of warps released
 * (perhaps including it), 0 when the barrier still waits; *value is then the reduction's result. */
uint64_t sm_barrier_arrive(struct sm_barriers *b, unsigned warp, const struct simt_barrier *barrier, uint64_t *value);
/* simt_services.arrived, of struct sm_barriers. */
uint32_t sm_barrier_arrived(const void *barriers, uint32_t number);
/* Warp ended: barriers that only waited for it release. Call until it returns 0; *id is the barrier. */
uint64_t sm_barrier_ended(struct sm_barriers *b, unsigned warp, uint32_t *id, uint64_t *value);

#endif
