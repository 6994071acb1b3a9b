/* Where a kernel's warp-cycles went, by cause: over all of it, and by SM. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/chart.h"
#include "report/csv.h"
#include "report/html.h"
#include "report/profile_page_parts.h"
#include "report/profile_uses.h"

#define MOST_CAUSES 9 /* that have a colour of their own; the others are drawn together */

/* The causes that some result has, with the kernel's cycles in each result. */
struct cause {
    const char *name;
    uint64_t *cycles; /* by result */
    uint64_t sum;
};
typedef VEC(struct cause) cause_list;

static struct cause *cause_of(cause_list *list, const char *name, unsigned results, struct arena *arena)
{
    for (size_t i = 0; i < list->count; i++)
        if (!strcmp(list->items[i].name, name))
            return &list->items[i];
    struct cause cause = {name, ARENA_NEW(arena, uint64_t, results), 0};
    vec_push(list, cause);
    return &list->items[list->count - 1];
}

static int by_sum(const void *a, const void *b)
{
    const struct cause *x = a, *y = b;
    if (x->sum != y->sum)
        return x->sum < y->sum ? 1 : -1;
    return strcmp(x->name, y->name);
}

/* The one that cost most first. */
static void read_causes(const struct profile_page_kernel *kernel, cause_list *list)
{
    for (unsigned i = 0; i < kernel->page->count; i++) {
        const struct profile_lines *lines = &kernel->sides[i].lines;
        for (unsigned c = 0; c < lines->cause_count; c++) {
            struct cause *cause = cause_of(list, lines->causes[c], kernel->page->count, kernel->arena);
            cause->cycles[i] += lines->sum.cycles[c];
            cause->sum += lines->sum.cycles[c];
        }
    }
    if (list->count)
        qsort(list->items, list->count, sizeof *list->items, by_sum);
}

unsigned profile_page_ranked(const struct profile_page_kernel *kernel, const char **names, unsigned most)
{
    cause_list list = {0};
    unsigned count = 0;
    read_causes(kernel, &list);
    for (; count < most && count < list.count; count++)
        names[count] = list.items[count].name;
    vec_free(&list);
    return count;
}

static void add_point(struct strbuf *csv, const char *series, const char *x, double y)
{
    csv_text(csv, series);
    strbuf_add(csv, ",");
    csv_text(csv, x);
    strbuf_addf(csv, ",%.10g,,,\n", y);
}

static void add_chart(const struct profile_page_kernel *kernel, const char *x, const char *y, const char *name,
                      const struct strbuf *csv, struct strbuf *out)
{
    const struct chart chart = {.kind = "stack", .log = "", .x = x, .y = y};
    struct strbuf alternative = {0};
    strbuf_add(&alternative, "Stacked bars: ");
    html_escape(&alternative, y);
    strbuf_add(&alternative, " by cause. Numbers follow.");
    if (kernel->page->library)
        chart_place(out, &chart, strbuf_text(&alternative));
    strbuf_add(out, "<p class=take>");
    chart_file(out, name, csv);
    strbuf_add(out, "</p>\n");
    strbuf_free(&alternative);
}

static void draw_causes(const struct profile_page_kernel *kernel, const cause_list *list, struct strbuf *out)
{
    struct strbuf csv = {0};
    strbuf_add(&csv, "series,x,y,least,most,paper\n");
    for (unsigned i = 0; i < kernel->page->count; i++) {
        uint64_t total = kernel->sides[i].lines.sum.total, rest = total;
        for (size_t c = 0; c < list->count && c < MOST_CAUSES; c++) {
            rest -= list->items[c].cycles[i];
            add_point(&csv, profile_cause_words(list->items[c].name), kernel->page->results[i].label,
                      100 * profile_uses_ratio(list->items[c].cycles[i], total));
        }
        if (list->count > MOST_CAUSES)
            add_point(&csv, "others", kernel->page->results[i].label, 100 * profile_uses_ratio(rest, total));
    }
    add_chart(kernel, "", "% of warp-cycles", profile_page_file(kernel, "causes-drawn"), &csv, out);
    strbuf_free(&csv);
}

void profile_page_causes(const struct profile_page_kernel *kernel, struct strbuf *out)
{
    cause_list list = {0};
    struct html_table t;
    read_causes(kernel, &list);
    strbuf_add(out, "<figure><h3>Where its warp-cycles went</h3>\n");
    draw_causes(kernel, &list, out);
    strbuf_add(out, "<details open><summary>numbers</summary>\n");
    html_table_begin(&t, profile_page_file(kernel, "causes"), "Warp-cycles by cause: the statistics warps.*", out);
    html_table_head(&t, "cause", false, NULL);
    html_table_head(&t, "statistic", false, NULL);
    profile_page_heads(&t, kernel->page, "warp-cycles", "cycles of all resident warps, of all launches");
    profile_page_heads(&t, kernel->page, "share", "of the kernel's warp-cycles");
    for (size_t c = 0; c < list.count; c++) {
        html_table_row(&t, "");
        html_table_name(&t, profile_cause_words(list.items[c].name));
        html_table_text(&t, arena_printf(kernel->arena, "warps.%s", list.items[c].name));
        for (unsigned i = 0; i < kernel->page->count; i++)
            html_table_number(&t, (double)list.items[c].cycles[i], "%" PRIu64, list.items[c].cycles[i]);
        for (unsigned i = 0; i < kernel->page->count; i++)
            profile_page_share(&t, &kernel->sides[i], list.items[c].cycles[i]);
    }
    html_table_end(&t);
    strbuf_add(out, "</details></figure>\n");
    vec_free(&list);
}

/* SMs */

/* The warp-cycles of an SM in all launches, by cause. */
static uint64_t sm_cycles(const struct profile_page_side *side, const char *name, uint64_t sm, const char *cause)
{
    uint64_t sum = 0;
    size_t i;
    const json_t *kernel;
    json_array_foreach(side->kernels, i, kernel)
    {
        const char *own = json_string_value(json_object_get(kernel, "name"));
        const json_t *sms = json_object_get(json_object_get(kernel, "profile"), "sms");
        if (own && !strcmp(own, name))
            sum += profile_uses_number(json_object_get(json_array_get(sms, sm), "warp_cycles"), cause);
    }
    return sum;
}

static uint64_t sm_count(const struct profile_page_side *side, const char *name)
{
    uint64_t most = 0;
    size_t i;
    const json_t *kernel;
    json_array_foreach(side->kernels, i, kernel)
    {
        const char *own = json_string_value(json_object_get(kernel, "name"));
        uint64_t count = json_array_size(json_object_get(json_object_get(kernel, "profile"), "sms"));
        if (own && !strcmp(own, name) && count > most)
            most = count;
    }
    return most;
}

static void add_sms(const struct profile_page_kernel *kernel, unsigned which, const cause_list *list,
                    struct strbuf *out)
{
    const struct profile_page_side *side = &kernel->sides[which];
    uint64_t sms = sm_count(side, kernel->name);
    struct strbuf csv = {0};
    struct html_table t;
    const char *file = profile_page_file(kernel, arena_printf(kernel->arena, "sms-%u", which + 1));
    strbuf_add(&csv, "series,x,y,least,most,paper\n");
    for (uint64_t sm = 0; sm < sms; sm++)
        for (size_t c = 0; c < list->count && c < MOST_CAUSES; c++)
            add_point(&csv, profile_cause_words(list->items[c].name), arena_printf(kernel->arena, "%" PRIu64, sm),
                      (double)sm_cycles(side, kernel->name, sm, list->items[c].name));
    strbuf_add(out, "<figure><h3>By SM");
    strbuf_add(out, kernel->page->count > 1 ? ": " : "");
    html_escape(out, kernel->page->count > 1 ? kernel->page->results[which].label : "");
    strbuf_add(out, "</h3>\n");
    add_chart(kernel, "SM", "warp-cycles", arena_printf(kernel->arena, "%s-drawn", file), &csv, out);
    strbuf_add(out, "<details open><summary>numbers</summary>\n");
    html_table_begin(&t, file, "Warp-cycles of each SM, by cause", out);
    html_table_head(&t, "SM", true, "its number");
    for (size_t c = 0; c < list->count; c++)
        html_table_head(&t, profile_cause_words(list->items[c].name), true, "warp-cycles");
    for (uint64_t sm = 0; sm < sms; sm++) {
        html_table_row(&t, "");
        html_table_number(&t, (double)sm, "%" PRIu64, sm);
        for (size_t c = 0; c < list->count; c++) {
            uint64_t cycles = sm_cycles(side, kernel->name, sm, list->items[c].name);
            html_table_number(&t, (double)cycles, "%" PRIu64, cycles);
        }
    }
    html_table_end(&t);
    strbuf_add(out, "</details></figure>\n");
    strbuf_free(&csv);
}

void profile_page_sms(const struct profile_page_kernel *kernel, struct strbuf *out)
{
    cause_list list = {0};
    unsigned count = kernel->page->count;
    read_causes(kernel, &list);
    if (count > 1)
        strbuf_addf(out, "<div class=\"side %s\">\n", count == 2 || count == 4 ? "two" : "three");
    for (unsigned i = 0; i < count; i++)
        if (sm_count(&kernel->sides[i], kernel->name))
            add_sms(kernel, i, &list, out);
    strbuf_add(out, count > 1 ? "</div>\n" : "");
    vec_free(&list);
}
