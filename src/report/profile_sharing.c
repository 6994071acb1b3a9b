/* Lines that locks and polled words share with others: see profile_sharing.h. */
#include "report/profile_sharing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "report/profile_uses.h"

#define MOST_LINES 5        /* of a kernel */
#define MOST_NAMES 3        /* of a line's other words */
#define LEAST_SHARE 0.01    /* of its warp-cycles, for a row */
#define LEAST_OTHERS 0.01   /* of the first word's accesses */
#define LEAST_SENTENCE 0.05 /* of warp-cycles, for a sentence */
#define LEAST_TOLD 0.1      /* of accesses, for a sentence */

static const json_t *first_word(const json_t *line)
{
    return json_array_get(json_object_get(line, "locks"), 0);
}

static void add_line(struct profile_sharing_report *report, const json_t *object)
{
    const char *name = profile_uses_name(first_word(object));
    struct profile_sharing_line *line = NULL;
    for (size_t i = 0; i < report->lines.count && !line; i++)
        if (!strcmp(report->lines.items[i].name, name))
            line = &report->lines.items[i];
    if (!line) {
        vec_push(&report->lines, (struct profile_sharing_line){.object = object, .name = name});
        line = &report->lines.items[report->lines.count - 1];
    }
    uint64_t own = profile_uses_number(first_word(object), "accesses");
    line->waited += profile_uses_number(first_word(object), "warps_waited");
    line->all_waited += profile_uses_number(object, "warps_waited");
    line->own += own;
    line->others += profile_uses_number(object, "locks_accesses") - own + profile_uses_number(object, "data_accesses");
    profile_uses_count(object, "sms", true, &line->sms);
}

static int by_cost(const void *a, const void *b)
{
    const struct profile_sharing_line *x = a, *y = b;
    return x->waited != y->waited ? (x->waited < y->waited ? 1 : -1) : strcmp(x->name, y->name);
}

/* True: in launches of that kernel L1s that own what they work on answered each other's atomics. */
static bool do_lines_travel(const json_t *kernels, const char *name)
{
    size_t i;
    const json_t *kernel;
    bool travel = false;
    json_array_foreach(kernels, i, kernel)
    {
        const char *of = json_string_value(json_object_get(kernel, "name"));
        if (of && !strcmp(of, name))
            travel = travel || profile_uses_number(json_object_get(kernel, "agents"), "sync_remote");
    }
    return travel;
}

struct profile_sharing_report *profile_sharing_read(const json_t *kernels, const char *name)
{
    struct profile_sharing_report *report = base_calloc(1, sizeof *report);
    size_t i, count = 0;
    const json_t *line;
    json_t *all = profile_uses_all(kernels, name, "shared_lines");
    json_array_foreach(all, i, line) add_line(report, line);
    json_decref(all);
    report->travel = do_lines_travel(kernels, name);
    for (i = 0; i < report->lines.count; i++) {
        struct profile_sharing_line *of = &report->lines.items[i];
        if ((double)of->others >= LEAST_OTHERS * (double)of->own)
            report->lines.items[count++] = *of;
    }
    report->lines.count = count;
    if (count)
        qsort(report->lines.items, count, sizeof *report->lines.items, by_cost);
    return report;
}

void profile_sharing_done(struct profile_sharing_report *report)
{
    vec_free(&report->lines);
    free(report);
}

/* Names of an array, from one on, while there are fewer than MOST_NAMES in all. */
static void add_names(const json_t *words, size_t from, unsigned *count, struct strbuf *out)
{
    for (size_t i = from; i < json_array_size(words) && *count < MOST_NAMES; i++, ++*count)
        strbuf_addf(out, "%s%s", *count ? ", " : "", profile_uses_name(json_array_get(words, i)));
}

void profile_sharing_add_others(const struct profile_sharing_line *line, struct strbuf *out)
{
    unsigned count = 0;
    uint64_t all =
        profile_uses_number(line->object, "locks_count") - 1 + profile_uses_number(line->object, "data_count");
    add_names(json_object_get(line->object, "locks"), 1, &count, out);
    add_names(json_object_get(line->object, "data"), 0, &count, out);
    if (all > count)
        strbuf_addf(out, " and %" PRIu64 " other%s", all - count, all - count > 1 ? "s" : "");
}

void profile_sharing_add_table(const struct profile_sharing_report *report, uint64_t warp_cycles, struct strbuf *out)
{
    for (size_t i = 0; i < report->lines.count && i < MOST_LINES; i++) {
        const struct profile_sharing_line *line = &report->lines.items[i];
        if (profile_uses_ratio(line->waited, warp_cycles) < LEAST_SHARE)
            return;
        if (!i)
            strbuf_add(out, " wait        its    others    SMs                    word in a shared line\n");
        strbuf_addf(out, "%5.1f%%  %8" PRIu64 "  %8" PRIu64 "  %5" PRIu64 "                    %s\n        with ",
                    100 * profile_uses_ratio(line->waited, warp_cycles), line->own, line->others, line->sms,
                    line->name);
        profile_sharing_add_others(line, out);
        strbuf_add(out, "\n");
    }
}

bool profile_sharing_is_early(const struct profile_sharing_report *report)
{
    return report->lines.count &&
           (report->travel || json_array_size(json_object_get(report->lines.items[0].object, "data")));
}

void profile_sharing_add_sentence(const struct profile_sharing_report *report, uint64_t warp_cycles, struct strbuf *out)
{
    const struct profile_sharing_line *line = report->lines.count ? &report->lines.items[0] : NULL;
    if (!line || profile_uses_ratio(line->all_waited, warp_cycles) < LEAST_SENTENCE ||
        (double)line->others < LEAST_TOLD * (double)line->own)
        return;
    const char *kind = json_string_value(json_object_get(first_word(line->object), "kind"));
    const json_t *data = json_array_get(json_object_get(line->object, "data"), 0);
    strbuf_addf(out, "The %s %s lies in one line of %" PRIu64 " bytes with ", kind ? kind : "word", line->name,
                profile_uses_number(line->object, "bytes"));
    profile_sharing_add_others(line, out);
    strbuf_addf(out, ", whose %" PRIu64 " accesses hit it too", line->others);
    if (data) {
        strbuf_add(out, ", as at ");
        profile_uses_add_place(json_object_get(data, "at"), true, out);
    }
    strbuf_add(out, ": padding keeps them apart.");
}
