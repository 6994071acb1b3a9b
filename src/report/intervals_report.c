/* Statistics by intervals of time: see intervals_report.h. */
#include "report/intervals_report.h"

#include <inttypes.h>
#include <string.h>

#include "profile/profile.h"
#include "report/csv.h"
#include "report/figures.h"
#include "report/profile_uses.h"

#define MOST_ROWS 24 /* of a table: where there are more intervals, a row is of several */
#define SHOWN_CAUSES 2
#define LOCK_HEADS 7 /* number of the first of two heads of columns that only kernels with locks have */

const char report_intervals_head[] = "launch,kernel,from,cycles";

/* The intervals `first` to `end` - 1 of a result. */
struct span {
    const json_t *intervals;
    size_t first, end;
};

static uint64_t sum_of(const struct span *span, const json_t *values)
{
    uint64_t sum = 0;
    for (size_t i = span->first; i < span->end; i++)
        sum += (uint64_t)json_integer_value(json_array_get(values, i));
    return sum;
}

static uint64_t sum(const struct span *span, const char *group, const char *name)
{
    return sum_of(span, json_object_get(json_object_get(span->intervals, group), name));
}

static uint64_t cycles_of(const struct span *span)
{
    return sum_of(span, json_object_get(span->intervals, "cycles"));
}

static uint64_t accesses(const struct span *span, const char *cache)
{
    return sum(span, cache, "reads") + sum(span, cache, "writes");
}

/* The causes with the most warp-cycles. */
static void add_busiest(const struct span *span, struct strbuf *out)
{
    const char *shown[SHOWN_CAUSES] = {NULL};
    uint64_t all = sum(span, "sm", "warp_cycles");
    for (unsigned n = 0; n < SHOWN_CAUSES; n++) {
        const char *cause;
        json_t *values;
        uint64_t most = 0;
        json_object_foreach(json_object_get(span->intervals, "warps"), cause, values)
        {
            uint64_t cycles = sum_of(span, values);
            if (cycles > most && !(n && !strcmp(cause, shown[0]))) {
                most = cycles;
                shown[n] = cause;
            }
        }
        if (most)
            strbuf_addf(out, "%s%s %.0f%%", n ? ", " : "", profile_cause_words(shown[n]),
                        100 * profile_uses_ratio(most, all));
    }
}

/* Locks are held, and warps wait for them, in some interval. */
static bool has_locks(const json_t *intervals)
{
    return json_object_get(json_object_get(intervals, "words"), "held") ||
           json_object_get(json_object_get(intervals, "words"), "warps_waited");
}

static void add_row(struct table *table, const struct span *span, uint64_t from)
{
    struct strbuf busiest = {0};
    uint64_t cycles = cycles_of(span), reads = sum(span, "l1d", "reads");
    add_busiest(span, &busiest);
    table_cell(table, "%" PRIu64, from);
    table_cell(table, "%.2f", profile_uses_ratio(sum(span, "sm", "thread_instructions"), cycles));
    table_cell(table, "%.1f", profile_uses_ratio(sum(span, "sm", "warp_cycles"), cycles));
    table_cell(table, reads ? "%.0f%%" : "-", 100 * profile_uses_ratio(sum(span, "l1d", "read_hits"), reads));
    table_cell(table, "%" PRIu64, accesses(span, "l2"));
    table_cell(table, "%" PRIu64, sum(span, "dram", "reads") + sum(span, "dram", "writes"));
    table_cell(table, "%" PRIu64, sum(span, "network", "packets"));
    if (has_locks(span->intervals)) {
        table_cell(table, "%.1f", profile_uses_ratio(sum(span, "words", "held"), cycles));
        table_cell(table, "%.1f", profile_uses_ratio(sum(span, "words", "warps_waited"), cycles));
    }
    table_cell(table, "%s", strbuf_text(&busiest));
    strbuf_free(&busiest);
}

static void add_table(const json_t *kernel, const json_t *intervals, struct table_page *page)
{
    static const char *const heads[] = {"from", "ipc",     "warps",      "L1 hits", "L2 accesses",
                                        "DRAM", "packets", "locks held", "waiting", "busiest with"};
    bool locks = has_locks(intervals);
    size_t count = json_array_size(json_object_get(intervals, "cycles")), step = (count + MOST_ROWS - 1) / MOST_ROWS;
    struct table table;
    uint64_t from = 0;
    strbuf_add(&page->text, "\nintervals of ");
    figures_kernel_name(json_string_value(json_object_get(kernel, "name")), &page->text);
    strbuf_addf(&page->text, ": %zu of %" PRIu64 " cycles", count, profile_uses_number(intervals, "every"));
    if (step > 1)
        strbuf_addf(&page->text, ", %zu in a row", step);
    strbuf_add(&page->text, "\n");
    table_init(&table, locks ? "rrrrrrrrrl" : "rrrrrrrl");
    for (unsigned c = 0; c < sizeof heads / sizeof heads[0]; c++)
        if (locks || c < LOCK_HEADS || c >= LOCK_HEADS + 2)
            table_cell(&table, "%s", heads[c]);
    for (size_t i = 0; i < count; i += step) {
        struct span span = {intervals, i, i + step < count ? i + step : count};
        add_row(&table, &span, from);
        from += cycles_of(&span);
    }
    table_text(&table, page);
    table_free(&table);
}

void report_intervals(const json_t *kernels, struct table_page *page)
{
    size_t i;
    const json_t *kernel;
    json_array_foreach(kernels, i, kernel) if (json_object_get(kernel, "intervals"))
        add_table(kernel, json_object_get(kernel, "intervals"), page);
}

/* Comma-separated values */

/* Names of all columns that some result has: group by group, as objects of nulls. */
static json_t *shape_of(const json_t *kernels)
{
    json_t *shape = json_object(), *group, *values;
    const char *group_name, *name;
    for (size_t i = 0; i < json_array_size(kernels); i++)
        json_object_foreach(json_object_get(json_array_get(kernels, i), "intervals"), group_name, group)
        {
            if (!json_is_object(group))
                continue;
            if (!json_object_get(shape, group_name))
                json_object_set_new(shape, group_name, json_object());
            json_object_foreach(group, name, values)
                json_object_set_new(json_object_get(shape, group_name), name, json_null());
        }
    return shape;
}

/* A line of values; intervals NULL: that of names. */
static void add_columns(json_t *shape, const json_t *intervals, size_t at, struct strbuf *out)
{
    const char *group_name, *name;
    json_t *group, *unused;
    json_object_foreach(shape, group_name, group) json_object_foreach(group, name, unused)
    {
        const json_t *values = json_object_get(json_object_get(intervals, group_name), name);
        if (intervals)
            strbuf_addf(out, ",%" PRIu64, (uint64_t)json_integer_value(json_array_get(values, at)));
        else
            strbuf_addf(out, ",%s.%s", group_name, name);
    }
    strbuf_add(out, "\n");
}

void report_intervals_csv(const json_t *kernels, struct strbuf *out)
{
    json_t *shape = shape_of(kernels);
    size_t launch;
    const json_t *kernel;
    strbuf_add(out, report_intervals_head);
    add_columns(shape, NULL, 0, out);
    json_array_foreach(kernels, launch, kernel)
    {
        const json_t *intervals = json_object_get(kernel, "intervals"), *cycles = json_object_get(intervals, "cycles");
        uint64_t from = 0;
        for (size_t i = 0; i < json_array_size(cycles); i++) {
            uint64_t took = (uint64_t)json_integer_value(json_array_get(cycles, i));
            strbuf_addf(out, "%zu,", launch);
            csv_text(out, json_string_value(json_object_get(kernel, "name")));
            strbuf_addf(out, ",%" PRIu64 ",%" PRIu64, from, took);
            add_columns(shape, intervals, i, out);
            from += took;
        }
    }
    json_decref(shape);
}
