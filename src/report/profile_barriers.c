/* Barriers by instruction: see profile_barriers.h. */
#include "report/profile_barriers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"
#include "report/profile_uses.h"

#define MOST_BARRIERS 5  /* of a kernel */
#define LEAST_SHARE 0.01 /* of its warp-cycles */

static void add_lasts(struct profile_barrier_total *barrier, const json_t *object)
{
    const json_t *warp, *block = json_object_get(object, "last_block");
    size_t i;
    json_array_foreach(json_object_get(object, "last_warps"), i, warp)
    {
        uint64_t number = profile_uses_number(warp, "warp");
        if (number >= PROFILE_LAST_WARPS)
            continue;
        profile_uses_count(warp, "times", false, &barrier->times[number]);
        profile_uses_count(warp, "cycles", false, &barrier->cycles[number]);
    }
    profile_uses_count(object, "last_again", false, &barrier->again);
    if (!barrier->block || profile_uses_number(block, "cycles") > profile_uses_number(barrier->block, "cycles"))
        barrier->block = block;
    profile_dids_add(&barrier->dids, json_object_get(object, "last_did"));
}

static struct profile_barrier_total *find(const struct profile_barriers_report *barriers, const json_t *object)
{
    for (size_t i = 0; i < barriers->of.count; i++)
        if (profile_uses_same_place(barriers->of.items[i].object, object, true))
            return &barriers->of.items[i];
    return NULL;
}

const struct profile_barrier_total *profile_barriers_find(const struct profile_barriers_report *barriers,
                                                          const json_t *instr)
{
    return find(barriers, instr);
}

/* Where a compiler has made several instructions of a line, as of a loop, they are one barrier. */
static void add_barrier(struct profile_barriers_report *barriers, const json_t *object)
{
    struct profile_barrier_total *barrier = find(barriers, object);
    if (!barrier) {
        vec_push(&barriers->of,
                 (struct profile_barrier_total){.object = object, .pc = profile_uses_number(object, "pc")});
        barrier = &barriers->of.items[barriers->of.count - 1];
    }
    for (unsigned i = 0; i < PROFILE_BARRIER_COUNTS; i++)
        profile_uses_count(object, profile_barrier_name(i), i == PROFILE_BARRIER_waited_most, &barrier->counts[i]);
    if (json_object_get(object, "last_blocks"))
        profile_meeting_add(&barrier->meeting, object);
    else
        add_lasts(barrier, object);
}

static int by_cost(const void *a, const void *b)
{
    const struct profile_barrier_total *x = a, *y = b;
    uint64_t of_x = x->counts[PROFILE_BARRIER_waited], of_y = y->counts[PROFILE_BARRIER_waited];
    if (of_x != of_y)
        return of_x < of_y ? 1 : -1;
    return x->pc < y->pc ? -1 : 1;
}

/* The warp for which the others wait longest. */
static unsigned last_warp(const struct profile_barrier_total *barrier)
{
    unsigned most = 0;
    for (unsigned i = 1; i < PROFILE_LAST_WARPS; i++)
        most = barrier->cycles[i] > barrier->cycles[most] ? i : most;
    return most;
}

/* True: that is half of the time between the first and the last warps, or twice as much as by chance. */
static bool stands_out(const struct profile_barrier_total *barrier, unsigned warp)
{
    const uint64_t *n = barrier->counts;
    double share = profile_uses_ratio(barrier->cycles[warp], n[PROFILE_BARRIER_spread]);
    return share >= 0.5 || share * profile_uses_ratio(n[PROFILE_BARRIER_came], n[PROFILE_BARRIER_opened]) >= 2;
}

static double often(const struct profile_barrier_total *barrier, unsigned warp)
{
    return 100 * profile_uses_ratio(barrier->times[warp], barrier->counts[PROFILE_BARRIER_opened]);
}

/* True: the warp that comes last is mostly the one that came last in its block before. */
static bool is_one_of_its_block(const struct profile_barrier_total *barrier)
{
    uint64_t times = 0;
    for (unsigned i = 0; i < PROFILE_LAST_WARPS; i++)
        times += barrier->times[i];
    return barrier->again * 2 >= times;
}

static void add_who(const struct profile_barrier_total *barrier, bool ends, struct strbuf *out)
{
    const uint64_t *n = barrier->counts;
    unsigned warp = last_warp(barrier);
    const char *does = ends ? "ends" : "comes", *what = ends ? "blocks" : "phases";
    if (stands_out(barrier, warp))
        strbuf_addf(out, "warp %u %s last in %.0f%% of %" PRIu64 " %s, %.0f cycles after the first", warp, does,
                    often(barrier, warp), n[PROFILE_BARRIER_opened], what,
                    profile_uses_ratio(barrier->cycles[warp], barrier->times[warp]));
    else
        strbuf_addf(out, "the last warp, %s, %s %.0f cycles after the first in %" PRIu64 " %s",
                    ends || is_one_of_its_block(barrier) ? "a different one in each block"
                                                         : "a different one from phase to phase",
                    does, profile_uses_ratio(n[PROFILE_BARRIER_spread], n[PROFILE_BARRIER_opened]),
                    n[PROFILE_BARRIER_opened], what);
}

/* Where the time between the first and the last warps goes to one block more than to others. */
static void add_block(const struct profile_barrier_total *barrier, struct strbuf *out)
{
    double cycles =
        profile_uses_ratio(profile_uses_number(barrier->block, "cycles"), barrier->counts[PROFILE_BARRIER_spread]);
    double times =
        profile_uses_ratio(profile_uses_number(barrier->block, "times"), barrier->counts[PROFILE_BARRIER_opened]);
    if (cycles < 0.5 || times * 2 > cycles)
        return;
    strbuf_addf(out, "; %.0f%% of that time is of ", 100 * cycles);
    profile_uses_add_block(json_object_get(barrier->block, "block"), out);
}

static void add_last(const struct profile_barrier_total *barrier, bool ends, struct strbuf *out)
{
    if (barrier->meeting.phases)
        profile_meeting_add_last(&barrier->meeting, false, out);
    if (barrier->meeting.phases || !barrier->counts[PROFILE_BARRIER_spread])
        return;
    add_who(barrier, ends, out);
    profile_dids_add_spent(&barrier->dids, barrier->counts[PROFILE_BARRIER_spread], out);
    add_block(barrier, out);
}

void profile_barriers_add_last(const struct profile_barrier_total *barrier, struct strbuf *out)
{
    add_last(barrier, false, out);
}

void profile_ends_add_last(const struct profile_ends *ends, struct strbuf *out)
{
    add_last(&ends->as, true, out);
}

struct profile_ends *profile_ends_read(const json_t *kernels, const char *name)
{
    struct profile_ends *ends = base_calloc(1, sizeof *ends);
    size_t i;
    const json_t *kernel;
    json_array_foreach(kernels, i, kernel)
    {
        const char *of = json_string_value(json_object_get(kernel, "name"));
        const json_t *object = json_object_get(json_object_get(kernel, "profile"), "ends");
        const json_t *longest = json_object_get(object, "longest");
        if (!of || strcmp(of, name) != 0 || !object)
            continue;
        profile_uses_count(object, "opened", false, &ends->as.counts[PROFILE_BARRIER_opened]);
        profile_uses_count(object, "came", false, &ends->as.counts[PROFILE_BARRIER_came]);
        profile_uses_count(object, "spread", false, &ends->as.counts[PROFILE_BARRIER_spread]);
        profile_uses_count(object, "cycles", false, &ends->cycles);
        if (!ends->longest || profile_uses_number(longest, "cycles") > profile_uses_number(ends->longest, "cycles"))
            ends->longest = longest;
        add_lasts(&ends->as, object);
    }
    return ends;
}

void profile_ends_done(struct profile_ends *ends)
{
    vec_free(&ends->as.dids.of);
    free(ends);
}

/* The same behind a row, which has the figures. */
static void add_last_row(const struct profile_barrier_total *barrier, struct strbuf *out)
{
    unsigned warp = last_warp(barrier);
    double share;
    const struct profile_did *did =
        profile_dids_line(&barrier->dids, barrier->counts[PROFILE_BARRIER_spread], &share);
    if (barrier->meeting.phases) {
        strbuf_add(out, "        ");
        profile_meeting_add_last(&barrier->meeting, false, out);
        strbuf_add(out, "\n");
    }
    if (barrier->meeting.phases || !barrier->times[warp])
        return;
    strbuf_addf(out, "        warp %u comes last in %.0f%%", warp, often(barrier, warp));
    if (did) {
        strbuf_addf(out, ", %.0f%% of the spread goes to ", 100 * (share < 1 ? share : 1));
        profile_dids_add_line(did, out);
    }
    strbuf_add(out, "\n");
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
    add_last_row(barrier, out);
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
    for (size_t i = 0; i < report->of.count; i++) {
        vec_free(&report->of.items[i].dids.of);
        profile_meeting_done(&report->of.items[i].meeting);
    }
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
