/* Operations that read other lanes: vote, shfl, match, redux. Plain functions over masks and rows of `width` (32 or 64) lanes; `active` are the executing lanes, of which only the results count. PTX ISA, "Parallel Synchronization and Communication
 * Instructions". The masks that PTX gives as 32-bit operands name the lanes of a 32-lane warp; in a 64-lane warp a 32-bit mask of all ones stands for all lanes, and ballots give the low 32 lanes. */
#ifndef LOCKSTEP_SIMT_WARP_OPS_H
#define LOCKSTEP_SIMT_WARP_OPS_H

#include <stdbool.h>
#include <stdint.h>

/* mode ISA_VOTE_*: for all, any, uni every bit of the result is the answer; for ballot the result is the ballot. pred: lanes whose predicate is true; members: lanes that take part. */
uint64_t warp_vote(uint8_t mode, uint64_t pred, uint64_t active, uint64_t members);
/* mode ISA_SHFL_*: d[lane] for active lanes from a; b (lane or delta) and c (clamp and segment mask) per lane. Returns the lanes whose source was in range (the predicate result). A source lane that is not active gives the reader's own value. */
uint64_t warp_shfl(uint8_t mode, unsigned width, uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *c, uint64_t active);
/* match.any: d[lane] = lanes of members with lane's value. */
void warp_match_any(unsigned width, bool wide, uint32_t *d, const void *a, uint64_t active, uint64_t members);
/* match.all: d[lane] = members if all members hold one value, else 0; returns the predicate mask. */
uint64_t warp_match_all(unsigned width, bool wide, uint32_t *d, const void *a, uint64_t active, uint64_t members);
/* redux: the reduction ISA_REDUCE_* over active members of a, of type ISA_S32, ISA_U32 or ISA_B32. */
uint32_t warp_redux(uint8_t reduce, uint8_t type, const uint32_t *a, uint64_t active, uint64_t members);

#endif
