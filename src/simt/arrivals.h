/* Which threads have arrived at the mbarriers of a block: in each object's current phase, and in the one before.
 * Objects themselves count arrivals alone; this is for the report of a hang. A block of a kernel without mbarriers has
 * none.
 *
 * The table holds no pointers, so that a checkpoint can copy it. It is of one size: what has no room there is not
 * noted. */
#ifndef LOCKSTEP_SIMT_ARRIVALS_H
#define LOCKSTEP_SIMT_ARRIVALS_H

#include <stdbool.h>
#include <stdint.h>

#define SIMT_ARRIVALS 256 /* objects, and warps that have arrived at each */

/* A thread of the cluster as one number. */
#define SIMT_THREAD(rank, warp, lane) ((uint32_t)((rank) << 16 | (warp) << 8 | (lane)))
#define SIMT_NO_THREAD UINT32_MAX /* bytes of a copy, not a thread */

/* An object; or a warp that has arrived at one. */
struct simt_arrival {
    uint32_t address;       /* of the object, in the block's shared memory */
    uint32_t warp;          /* SIMT_THREAD of its lane 0, + 1; UINT32_MAX: this is the object; 0: the place is free */
    uint32_t phase;         /* of the object, from 1 on; of a warp: that in which `lanes` arrived */
    uint64_t lanes, before; /* that have arrived in the phase, and in the one before */
};
struct simt_arrivals {
    bool full; /* something was not noted */
    struct simt_arrival of[SIMT_ARRIVALS];
};

/* An operation that has changed an object. by: a thread that has arrived with it, or SIMT_NO_THREAD; ended: it has
 * ended the object's phase. */
void simt_arrivals_note(struct simt_arrivals *a, uint32_t address, uint32_t by, bool ended);
/* The object begins anew, or is none any more. */
void simt_arrivals_forget(struct simt_arrivals *a, uint32_t address);
/* The lanes of a warp that have arrived in the object's current phase (before: in the one before). */
uint64_t simt_arrivals_of(const struct simt_arrivals *a, uint32_t address, uint32_t rank, uint32_t warp, bool before);

#endif
