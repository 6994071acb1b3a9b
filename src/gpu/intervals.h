/* Statistics of a launch by intervals of its time (gpu_set_interval): counters, as their difference from the
 * end of one interval to the end of the next. So over all intervals they add up to the launch's. A launch that has more
 * intervals than INTERVALS_MOST has longer ones: each two become one. */
#ifndef LOCKSTEP_GPU_INTERVALS_H
#define LOCKSTEP_GPU_INTERVALS_H

#include <stdint.h>

#include "base/vec.h"
#include "gpu/gpu.h"

#define GPU_INTERVALS_MOST 16384

struct gpu_intervals {
    uint64_t every;       /* cycles of an interval; the last one may be shorter */
    uint64_t next;        /* the cycle of the device at which the present one ends */
    uint64_t begun;       /* and at which it began */
    uint32_t width;       /* counters */
    uint64_t *before;     /* the counters when it began */
    VEC(uint64_t) values; /* of each interval that has ended: its cycles, and its counters in the order of sets */
    size_t count;         /* of intervals, when the launch has ended; 0 until then */
    uint64_t *series;     /* then of locks: by enum profile_series_kind, and interval */
};

struct gpu_run;
struct archive;

/* A launch begins; NULL where nobody asks for intervals. */
struct gpu_intervals *gpu_intervals_new(const struct gpu_run *run);
void gpu_intervals_free(struct gpu_intervals *intervals);
/* Ends those that are over before time comes to a cycle. Nothing has happened in that cycle, or behind the end of
 * those, but that time passes. */
void gpu_intervals_until(struct gpu_run *run, uint64_t cycle);
/* The launch has ended at the present cycle, and all is counted. */
void gpu_intervals_end(struct gpu_run *run, const struct gpu_counters *counters);
/* True: intervals have this statistic. */
bool gpu_intervals_have(const struct gpu_counters *counters, unsigned set, unsigned stat);
void gpu_intervals_archive(struct gpu_intervals *intervals, struct archive *ar);

#endif
