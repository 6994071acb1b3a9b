/* Operations that read other lanes: vote, shfl, match, redux. Plain functions over masks and rows of up to 64 lanes;
 * `active` are the executing lanes, of which only the results count, `members` the lanes that the instruction names.
 * PTX ISA, "Parallel Synchronization and Communication Instructions".
 *
 * Lanes that take part are those both active and named: a lane that is named but does not execute the instruction with
 * the others is left out, not waited for. PTX describes 32 lanes, and each half of a 64-lane warp is such a warp to
 * the program: for all but shfl, which stays within a lane's half by itself, the caller passes lanes of one half. */
#ifndef LOCKSTEP_SIMT_WARP_OPS_H
#define LOCKSTEP_SIMT_WARP_OPS_H

#include <stdbool.h>
#include <stdint.h>

/* mode ISA_VOTE_*: for all, any, uni every bit of the result is the answer; for ballot the result is the ballot. pred:
 * lanes whose predicate is true. */
uint64_t warp_vote(uint8_t mode, uint64_t pred, uint64_t active, uint64_t members);
/* Lanes that read from lanes that are not active, and those. */
struct warp_absent {
    uint64_t readers, sources;
};
/* mode ISA_SHFL_*: d[lane] for active lanes from a; b (lane or delta) and c (clamp and segment mask) per lane; d is not
 * a, b or c. Returns the active lanes whose source was in range (the predicate result). A source out of range gives the
 * reader's own value. A source in range but not active gives 0, and reader and source are added to *absent: the manual
 * leaves the value undefined, and programs in wide use are right only where it adds nothing to a sum. */
uint64_t warp_shfl(uint8_t mode, uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *c, uint64_t active,
                   struct warp_absent *absent);
/* match.any: d[lane] = the lanes taking part that hold lane's value, by their place in the half. a: uint32_t, or
 * uint64_t when wide; d is not a. */
void warp_match_any(bool wide, uint32_t *d, const void *a, uint64_t active, uint64_t members);
/* match.all: d[lane] = the lanes taking part if all of them hold one value, else 0; returns the predicate mask: all
 * active lanes or none. */
uint64_t warp_match_all(bool wide, uint32_t *d, const void *a, uint64_t active, uint64_t members);
/* redux: the reduction ISA_REDUCE_* over the lanes of a that take part, of type ISA_S32, ISA_U32 or ISA_B32; the
 * neutral value if none does. */
uint32_t warp_redux(uint8_t reduce, uint8_t type, const uint32_t *a, uint64_t active, uint64_t members);

#endif
