/* Statistics by intervals: see intervals.h. */
#include "gpu/intervals.h"

#include <stdlib.h>
#include <string.h>

#include "base/archive.h"
#include "gpu/gpu_impl.h"
#include "profile/series.h"

/* Counters in the order of sets. to NULL: they are only counted. Returns how many there are. */
static uint32_t flatten(const struct gpu_counters *c, uint64_t *to)
{
    uint32_t n = 0;
    for (unsigned s = 0; s < GPU_SETS; s++)
        for (unsigned i = 0; i < c->sets[s].group->count; i++)
            if (gpu_intervals_have(c, s, i)) {
                if (to)
                    to[n] = stat_value(&c->sets[s].group->stats[i], c->sets[s].values);
                n++;
            }
    return n;
}

void gpu_set_interval(struct gpu *gpu, uint64_t cycles)
{
    if (cycles && !gpu->interval)
        watch_join(&gpu->observers, profile_series_observer());
    gpu->interval = cycles;
}

/* Locks */

static const void **series_states(const struct gpu_run *run)
{
    const void **states = base_calloc(run->watched.observed.sms, sizeof *states);
    watch_launch_states(&run->watched, profile_series_observer(), states);
    return states;
}

static void begin_series(const struct gpu_run *run, const struct gpu_intervals *v)
{
    const void **states = series_states(run);
    for (uint32_t sm = 0; sm < run->watched.observed.sms; sm++)
        profile_series_begin((void *)(uintptr_t)states[sm], v->every, v->begun);
    free(states);
}

/* All waits have ended, and intervals have the length that they keep. */
static void end_series(const struct gpu_run *run, struct gpu_intervals *v)
{
    const void **states = series_states(run);
    v->count = v->values.count / (v->width + 1);
    v->series = base_calloc(v->count * PROFILE_SERIES_KINDS + 1, sizeof *v->series);
    for (uint32_t sm = 0; sm < run->watched.observed.sms; sm++)
        for (unsigned kind = 0; kind < PROFILE_SERIES_KINDS; kind++)
            profile_series_sum(states[sm], (enum profile_series_kind)kind, v->every, v->series + kind * v->count,
                               v->count);
    free(states);
}

struct gpu_intervals *gpu_intervals_new(const struct gpu_run *run)
{
    if (!run->gpu->interval)
        return NULL;
    struct gpu_intervals *v = base_calloc(1, sizeof *v);
    v->every = run->gpu->interval;
    v->begun = run->start_cycle;
    v->next = v->every < CYCLE_NEVER - v->begun ? v->begun + v->every : CYCLE_NEVER;
    v->width = flatten(run->result->counters, NULL);
    v->before = base_calloc(v->width, sizeof *v->before);
    begin_series(run, v);
    return v;
}

void gpu_intervals_free(struct gpu_intervals *v)
{
    if (!v)
        return;
    vec_free(&v->values);
    free(v->series);
    free(v->before);
    free(v);
}

/* Each two intervals become one. Their number is even. */
static void halve(struct gpu_intervals *v)
{
    size_t row = v->width + 1, rows = v->values.count / row;
    for (size_t i = 0; i < rows / 2; i++)
        for (size_t k = 0; k < row; k++)
            v->values.items[i * row + k] = v->values.items[2 * i * row + k] + v->values.items[(2 * i + 1) * row + k];
    v->values.count = rows / 2 * row;
    v->every *= 2;
}

static void end_interval(struct gpu_intervals *v, const struct gpu_counters *counters, uint64_t cycle)
{
    size_t row = v->width + 1, at = v->values.count;
    vec_reserve(&v->values, at + row);
    v->values.count += row;
    v->values.items[at] = cycle - v->begun;
    flatten(counters, &v->values.items[at + 1]);
    for (uint32_t i = 0; i < v->width; i++) {
        uint64_t now = v->values.items[at + 1 + i];
        v->values.items[at + 1 + i] -= v->before[i];
        v->before[i] = now;
    }
    v->begun = cycle;
    if (v->values.count / row == GPU_INTERVALS_MOST)
        halve(v);
    v->next = v->begun + v->every;
}

void gpu_intervals_until(struct gpu_run *run, uint64_t cycle)
{
    struct gpu *gpu = run->gpu;
    struct gpu_intervals *v = run->intervals;
    while (v && v->next <= cycle) {
        struct gpu_counters *now = gpu_counters_new();
        for (unsigned i = 0; i < gpu->machine.gpu.sms; i++)
            sm_settle(gpu->sms[i], v->next);
        for (unsigned i = 0; i < gpu->machine.memory.partition.channels; i++)
            partition_settle(gpu->partitions[i], v->next);
        gpu_collect(gpu, now);
        end_interval(v, now, v->next);
        free(now);
    }
}

void gpu_intervals_end(struct gpu_run *run, const struct gpu_counters *counters)
{
    struct gpu_intervals *v = run->intervals;
    if (!v)
        return;
    end_interval(v, counters, run->gpu->cycle);
    end_series(run, v);
    gpu_intervals_free(run->result->intervals);
    run->result->intervals = v;
    run->intervals = NULL;
}

/* Checkpoints */

void gpu_intervals_archive(struct gpu_intervals *v, struct archive *ar)
{
    uint64_t count = v->values.count;
    archive_begin(ar, "intervals", 0);
    ARCHIVE(ar, v->every);
    ARCHIVE(ar, v->next);
    ARCHIVE(ar, v->begun);
    archive_same(ar, v->width, "the number of statistics");
    ARCHIVE_ARRAY(ar, v->before, v->width);
    archive_u64_to(ar, &count, (uint64_t)GPU_INTERVALS_MOST * (v->width + 1));
    vec_reserve(&v->values, count + 1);
    v->values.count = count;
    ARCHIVE_ARRAY(ar, v->values.items, count);
    archive_end(ar);
}
