/* Mbarriers by object: see profile_mbarriers.h. */
#include "report/profile_mbarriers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/profile_uses.h"

#define MOST_MBARRIERS 5 /* of a kernel */
#define LEAST_SHARE 0.01 /* of its warp-cycles */

static void add_lasts(struct profile_mbarrier_total *total, const json_t *object)
{
    size_t i;
    const json_t *warp;
    json_array_foreach(json_object_get(object, "last_warps"), i, warp)
    {
        uint64_t number = profile_uses_number(warp, "warp");
        if (number < PROFILE_LAST_WARPS)
            profile_uses_count(warp, "times", false, &total->times[number]);
    }
    if (!total->last_at)
        total->last_at = json_object_get(object, "last_at");
    profile_uses_count(object, "last_cycles", false, &total->last_cycles);
    profile_dids_add(&total->dids, json_object_get(object, "last_did"));
}

static void add_object(struct profile_mbarriers_report *report, const json_t *object)
{
    struct profile_mbarrier_total *total = NULL;
    uint64_t address = profile_uses_number(object, "address");
    for (size_t i = 0; i < report->of.count && !total; i++)
        if (profile_uses_number(report->of.items[i].object, "address") == address)
            total = &report->of.items[i];
    if (!total) {
        vec_push(&report->of, (struct profile_mbarrier_total){.object = object});
        total = &report->of.items[report->of.count - 1];
    }
    for (unsigned i = 0; i < PROFILE_MBARRIER_COUNTS; i++)
        profile_uses_count(object, profile_mbarrier_name((enum profile_mbarrier_count)i),
                           i == PROFILE_MBARRIER_waited_most, &total->counts[i]);
    add_lasts(total, object);
}

static int by_cost(const void *a, const void *b)
{
    const struct profile_mbarrier_total *x = a, *y = b;
    uint64_t of_x = x->counts[PROFILE_MBARRIER_waited], of_y = y->counts[PROFILE_MBARRIER_waited];
    if (of_x != of_y)
        return of_x < of_y ? 1 : -1;
    return profile_uses_number(x->object, "address") < profile_uses_number(y->object, "address") ? -1 : 1;
}

struct profile_mbarriers_report *profile_mbarriers_read(const json_t *kernels, const char *name)
{
    struct profile_mbarriers_report *report = base_calloc(1, sizeof *report);
    size_t i;
    const json_t *object;
    json_t *all = profile_uses_all(kernels, name, "mbarriers");
    json_array_foreach(all, i, object) add_object(report, object);
    json_decref(all);
    if (report->of.count)
        qsort(report->of.items, report->of.count, sizeof *report->of.items, by_cost);
    return report;
}

void profile_mbarriers_done(struct profile_mbarriers_report *report)
{
    for (size_t i = 0; i < report->of.count; i++)
        vec_free(&report->of.items[i].dids.of);
    vec_free(&report->of);
    free(report);
}

const struct profile_mbarrier_total *profile_mbarriers_find(const struct profile_mbarriers_report *report,
                                                            const json_t *instr)
{
    const char *member = profile_mbarrier_use_name(PROFILE_MBARRIER_WAITS);
    size_t n;
    const json_t *use;
    for (size_t i = 0; i < report->of.count; i++)
        json_array_foreach(json_object_get(report->of.items[i].object, member), n, use)
        {
            if (profile_uses_same_place(use, instr, true))
                return &report->of.items[i];
        }
    return NULL;
}

void profile_mbarriers_add_last(const struct profile_mbarrier_total *total, struct strbuf *out)
{
    uint64_t phases = total->counts[PROFILE_MBARRIER_phases], bytes = total->counts[PROFILE_MBARRIER_by_bytes];
    unsigned last = 0;
    for (unsigned i = 1; i < PROFILE_LAST_WARPS; i++)
        last = total->times[i] > total->times[last] ? i : last;
    if (bytes * 2 > phases) {
        strbuf_addf(out, "the last bytes of its copies end %.0f%% of its %" PRIu64 " phases",
                    100 * profile_uses_ratio(bytes, phases), phases);
        return;
    }
    if (total->times[last] * 2 < phases)
        return;
    strbuf_addf(out, "warp %u ends %.0f%% of its %" PRIu64 " phases, at ", last,
                100 * profile_uses_ratio(total->times[last], phases), phases);
    profile_uses_add_place(total->last_at, false, out);
    strbuf_addf(out, ", %.0f cycles after the first arrival",
                profile_uses_ratio(total->counts[PROFILE_MBARRIER_open], phases));
    profile_dids_add_spent(&total->dids, total->last_cycles, out);
}

void profile_mbarriers_add_uses(const json_t *object, struct strbuf *out)
{
    static const char *const words[PROFILE_MBARRIER_USES] = {[PROFILE_MBARRIER_WAITS] = "waited for at ",
                                                             [PROFILE_MBARRIER_ARRIVES] = "arrived at ",
                                                             [PROFILE_MBARRIER_EXPECTS] = "bytes expected at ",
                                                             [PROFILE_MBARRIER_BRINGS] = "copied at "};
    bool first = true;
    for (unsigned use = 0; use < PROFILE_MBARRIER_USES; use++) {
        struct strbuf places = {0};
        const char *member = profile_mbarrier_use_name((enum profile_mbarrier_use)use);
        if (profile_uses_add_places(json_object_get(object, member), &places)) {
            strbuf_addf(out, "%s%s%s", first ? "" : ", ", words[use], strbuf_text(&places));
            first = false;
        }
        strbuf_free(&places);
    }
}

static void add_row(const struct profile_mbarrier_total *total, uint64_t warp_cycles, struct strbuf *out)
{
    const uint64_t *n = total->counts;
    struct strbuf last = {0};
    strbuf_addf(out, "%5.1f%%  %8" PRIu64 "  %8" PRIu64 "  %9" PRIu64 "  %7.0f  %7.0f  %s\n",
                100 * profile_uses_ratio(n[PROFILE_MBARRIER_waited], warp_cycles), n[PROFILE_MBARRIER_phases],
                n[PROFILE_MBARRIER_arrivals], n[PROFILE_MBARRIER_came],
                profile_uses_ratio(n[PROFILE_MBARRIER_open], n[PROFILE_MBARRIER_phases]),
                profile_uses_ratio(n[PROFILE_MBARRIER_handed], n[PROFILE_MBARRIER_handovers]),
                profile_uses_name(total->object));
    strbuf_add(out, "            ");
    profile_mbarriers_add_uses(total->object, out);
    strbuf_add(out, "\n");
    profile_mbarriers_add_last(total, &last);
    if (last.length)
        strbuf_addf(out, "            %s\n", strbuf_text(&last));
    strbuf_free(&last);
}

void profile_mbarriers_add_table(const json_t *kernels, const char *name, uint64_t warp_cycles, struct strbuf *out)
{
    struct profile_mbarriers_report *report = profile_mbarriers_read(kernels, name);
    for (size_t i = 0; i < report->of.count && i < MOST_MBARRIERS; i++) {
        const struct profile_mbarrier_total *each = &report->of.items[i];
        if (profile_uses_ratio(each->counts[PROFILE_MBARRIER_waited], warp_cycles) < LEAST_SHARE)
            break;
        if (!i)
            strbuf_add(out, " wait     phases  arrivals      bytes     open   handed  mbarrier\n");
        add_row(each, warp_cycles, out);
    }
    profile_mbarriers_done(report);
}
