/* Barriers by instruction: see profile_barriers.h. */
#include "report/profile_barriers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/profile_uses.h"

#define MOST_BARRIERS 5  /* of a kernel */
#define LEAST_SHARE 0.01 /* of its warp-cycles */

static void add_barrier(struct profile_barriers_report *barriers, const json_t *object)
{
    struct profile_barrier_total *barrier = NULL;
    uint64_t pc = profile_uses_number(object, "pc");
    for (size_t i = 0; i < barriers->of.count && !barrier; i++)
        if (barriers->of.items[i].pc == pc)
            barrier = &barriers->of.items[i];
    if (!barrier) {
        vec_push(&barriers->of, (struct profile_barrier_total){.object = object, .pc = pc});
        barrier = &barriers->of.items[barriers->of.count - 1];
    }
    for (unsigned i = 0; i < PROFILE_BARRIER_COUNTS; i++)
        profile_uses_count(object, profile_barrier_name((enum profile_barrier_count)i),
                           i == PROFILE_BARRIER_waited_most, &barrier->counts[i]);
}

static int by_cost(const void *a, const void *b)
{
    const struct profile_barrier_total *x = a, *y = b;
    uint64_t of_x = x->counts[PROFILE_BARRIER_waited], of_y = y->counts[PROFILE_BARRIER_waited];
    if (of_x != of_y)
        return of_x < of_y ? 1 : -1;
    return x->pc < y->pc ? -1 : 1;
}

static void add_row(const struct profile_barrier_total *barrier, uint64_t warp_cycles, struct strbuf *out)
{
    const uint64_t *n = barrier->counts;
    strbuf_addf(out, "%5.1f%%  %8" PRIu64 "  %8" PRIu64 "  %8" PRIu64 "  %7.0f           ",
                100 * profile_uses_ratio(n[PROFILE_BARRIER_waited], warp_cycles), n[PROFILE_BARRIER_opened],
                n[PROFILE_BARRIER_came], n[PROFILE_BARRIER_waited_most],
                profile_uses_ratio(n[PROFILE_BARRIER_spread], n[PROFILE_BARRIER_opened]));
    profile_uses_add_place(barrier->object, true, out);
    strbuf_add(out, "\n");
}

struct profile_barriers_report *profile_barriers_read(const json_t *kernels, const char *name)
{
    struct profile_barriers_report *report = base_calloc(1, sizeof *report);
    size_t i;
    const json_t *barrier;
    json_t *all = profile_uses_all(kernels, name, "barriers");
    json_array_foreach(all, i, barrier) add_barrier(report, barrier);
    json_decref(all);
    if (report->of.count)
        qsort(report->of.items, report->of.count, sizeof *report->of.items, by_cost);
    return report;
}

void profile_barriers_done(struct profile_barriers_report *report)
{
    vec_free(&report->of);
    free(report);
}

void profile_barriers_add_table(const json_t *kernels, const char *name, uint64_t warp_cycles, struct strbuf *out)
{
    struct profile_barriers_report *report = profile_barriers_read(kernels, name);
    for (size_t i = 0; i < report->of.count && i < MOST_BARRIERS; i++) {
        const struct profile_barrier_total *each = &report->of.items[i];
        if (profile_uses_ratio(each->counts[PROFILE_BARRIER_waited], warp_cycles) < LEAST_SHARE)
            break;
        if (!i)
            strbuf_add(out, " wait     opened      came      most   spread           barrier\n");
        add_row(each, warp_cycles, out);
    }
    profile_barriers_done(report);
}
