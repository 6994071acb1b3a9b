/* The state of a launch in the functional mode, shared by its files (functional*.c). */
#ifndef LOCKSTEP_GPU_FUNCTIONAL_H
#define LOCKSTEP_GPU_FUNCTIONAL_H

#include "gpu/gpu_impl.h"
#include "simt/image.h"
#include "sm/barrier.h"
#include "sm/cluster.h"
#include "sm/pool.h"
#include "watch/value_history.h"

/* A warp's last access that synchronises: for reports. */
struct fsync {
    uint64_t count; /* since it last did more */
    uint64_t address;
    uint32_t pc;
    bool shared, cluster; /* in shared memory; in that of a block of the cluster */
};

/* A running block's memory. The next block to start takes the place that was given back last, so blocks that end
 * in their first turn, as most do that need not wait, all run in memory that is near. */
struct fplace {
    struct fplace *next; /* in the list of those that are free */
    struct simt_warp *warps;
    struct simt_barrier *waits; /* what each warp waits at */
    uint64_t *states;           /* of each warp, in the turn that all are compared with */
    struct fsync *syncs;        /* how each warp last synchronised */
    uint8_t *shared;
    struct simt_arrivals *arrivals; /* NULL: the kernel has no mbarriers */
    struct sm_pool *pool; /* NULL: the launch moves no registers */
    struct sm_barriers barriers;
    struct sm_cluster cluster;
};

/* As many as may be resident. */
struct fblock {
    struct fplace *place; /* NULL: no block is there */
    struct simt_block simt;
    uint64_t waiting, running;
    uint64_t back;    /* warps that were in the state of place->states again */
    uint64_t at_grid; /* warps that wait for other blocks: all that have not ended */
    uint64_t at_cluster; /* warps of `waiting` that wait for other blocks of their cluster */
};

struct frun {
    struct gpu_run *run;
    struct fblock *blocks;
    unsigned block_count;
    struct fplace *free_places;
    uint64_t instructions; /* stands for the cycle */
    uint64_t idle, noted;  /* turns since anybody did more; the one in which states were noted */
    uint64_t idle_from;    /* instructions when that began */
    bool listens;          /* gpu_launch.listens */
    bool changed;          /* memory did since then */
    uint64_t round;        /* turns of everybody so far, + 1 */
    struct gpu_control *control;
    struct simt_access access;
    struct simt_texels texels; /* of it */
    struct watch_value_history values;
    struct sm_fault fault;
    bool faulted;
    struct sm_unsynced_list unsynced;
    struct sm_stray_list strays;
    struct gpu_counters *counters;
    struct watch_holder
        *holders; /* by hash of the address, for reports; NULL: nobody has taken anything yet */
};

/* Blocks of a cluster have places one behind the other. */
static inline struct fblock *functional_peer(const struct frun *f, const struct fblock *b, unsigned rank)
{
    return &f->blocks[(size_t)(b - f->blocks) / f->run->grid.cluster_blocks * f->run->grid.cluster_blocks + rank];
}

/* functional_turn.c */

/* Runs a warp until its slice is used up, it waits, ends or faults. Returns whether it did anything but synchronise. */
bool functional_turn(struct frun *f, struct fblock *b, unsigned w);
/* Opens the grid's barrier if all blocks have come to it or ended. Returns whether it did. */
bool functional_pass_grid(struct frun *f);
/* Addresses of the block's shared memory lie behind this one, where those of all blocks are looked at together. */
uint64_t functional_shared_base(const struct frun *f, const struct fblock *b);
/* Where the holder of the lock at an address is noted, if there is one; other addresses may have the same place. */
struct watch_holder *functional_holder(const struct frun *f, uint64_t address);
/* A warp did something that is not allowed. */
void functional_fault(struct frun *f, const struct fblock *b, unsigned w, const struct simt_fault *fault);

/* functional_copies.c: what the lanes of f->access ask for is done. False: one of them asked for something that is not allowed,
 * which ends the launch.
 *
 * cp.async.mbarrier.arrive, behind copies that are all done already. */
bool functional_arrive_copied(struct frun *f, const struct fblock *b, unsigned w);
/* Operations on mbarriers of other blocks of the cluster, and bytes that count there. */
bool functional_send_lanes(struct frun *f, const struct fblock *b, unsigned w);
bool functional_copy_bulk(struct frun *f, const struct fblock *b, unsigned w);
/* An access to the shared memory of other blocks of the cluster. */
bool functional_serve_cluster(struct frun *f, const struct fblock *b, unsigned w);

/* functional_cluster.c */

/* A block of a cluster has arrived at the cluster's barrier, or ended: the others hear so. */
void functional_tell_cluster(struct frun *f, const struct fblock *b, bool ended);
/* A warp of it has come to an instruction of that barrier. */
void functional_arrive_at_cluster(struct frun *f, struct fblock *b, unsigned w, const struct simt_result *r);

#endif
