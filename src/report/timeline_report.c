/* The summary of a timeline: see timeline_report.h. */
#include "report/timeline_report.h"

#include <inttypes.h>
#include <string.h>

#include "profile/profile.h"
#include "report/figures.h"
#include "report/profile_report.h"
#include "report/profile_uses.h"

#define SHOWN_CAUSES 3

static void add_life(struct timeline_sum *to, const struct timeline_read_launch *l,
                     const struct timeline_read_life *life)
{
    to->lives++;
    to->phases += life->count;
    for (size_t i = life->first; i < life->first + life->count; i++) {
        const struct timeline_read_phase *phase = &l->phases.items[i];
        to->cycles += phase->cycles;
        to->by[phase->cause % TIMELINE_SUM_CAUSES] += phase->cycles;
    }
}

void report_timeline_sum(const struct timeline_read_launch *l, uint32_t sm, struct timeline_sum *sum)
{
    *sum = (struct timeline_sum){0};
    for (size_t i = 0; i < l->lives.count; i++)
        if (l->lives.items[i].sm == sm)
            add_life(sum, l, &l->lives.items[i]);
    for (size_t i = 0; i < l->sections.count; i++)
        if (l->sections.items[i].sm == sm)
            sum->waited += l->sections.items[i].taken - l->sections.items[i].since;
}

void report_timeline_busiest(const struct timeline_read_launch *l, const struct timeline_sum *sum, struct strbuf *out)
{
    uint64_t shown = 0;
    for (unsigned n = 0; n < SHOWN_CAUSES; n++) {
        unsigned best = TIMELINE_SUM_CAUSES;
        for (unsigned c = 0; c < l->causes && c < TIMELINE_SUM_CAUSES; c++)
            if (sum->by[c] && !mask_has(shown, c) && (best == TIMELINE_SUM_CAUSES || sum->by[c] > sum->by[best]))
                best = c;
        if (best == TIMELINE_SUM_CAUSES)
            return;
        shown |= BIT64(best);
        strbuf_addf(out, "%s%s %.0f%%", n ? ", " : "", profile_cause_words(timeline_read_cause(l, best)),
                    100 * profile_uses_ratio(sum->by[best], sum->cycles));
    }
}

static void add_sm_table(const struct timeline_read_launch *l, struct table_page *page)
{
    struct table table;
    size_t i;
    const json_t *number;
    table_init(&table, "rrrrl");
    static const char *const heads[] = {"SM", "warps", "warp-cycles", "lock waits", "busiest with"};
    for (unsigned c = 0; c < 5; c++)
        table_cell(&table, "%s", heads[c]);
    json_array_foreach(json_object_get(l->object, "sms"), i, number)
    {
        struct timeline_sum sum;
        struct strbuf busiest = {0};
        uint32_t sm = (uint32_t)json_integer_value(number);
        report_timeline_sum(l, sm, &sum);
        if (!sum.lives)
            continue;
        report_timeline_busiest(l, &sum, &busiest);
        table_cell(&table, "%u", sm);
        table_cell(&table, "%" PRIu64, sum.lives);
        table_cell(&table, "%" PRIu64, sum.cycles);
        table_cell(&table, "%" PRIu64, sum.waited);
        table_cell(&table, "%s", strbuf_text(&busiest));
        strbuf_free(&busiest);
    }
    table_text(&table, page);
    table_free(&table);
}

void report_timeline_lost(const json_t *lost, struct strbuf *out)
{
    static const char *const names[] = {"phases", "lives", "barriers", "locks"};
    static const char *const words[] = {"phases", "warps", "waits at barriers", "times that locks were held"};
    unsigned count = 0;
    for (unsigned i = 0; i < 4; i++) {
        uint64_t value = profile_uses_number(lost, names[i]);
        if (value)
            strbuf_addf(out, "%s%" PRIu64 " %s", count++ ? ", " : "not kept, for want of room: ", value, words[i]);
    }
}

static void add_launch(const struct timeline_read_launch *l, struct table_page *page)
{
    struct strbuf *out = &page->text;
    struct timeline_sum sum = {0};
    for (size_t i = 0; i < l->lives.count; i++)
        add_life(&sum, l, &l->lives.items[i]);
    strbuf_addf(out, "\nlaunch %" PRIu64 ": ", profile_uses_number(l->object, "launch"));
    figures_kernel_name(json_string_value(json_object_get(l->object, "name")), out);
    strbuf_addf(out, ", %" PRIu64 " cycles from cycle %" PRIu64 ", %" PRIu64 " warps in %" PRIu64 " phases\n",
                l->cycles, l->start, sum.lives, sum.phases);
    size_t length = out->length;
    report_timeline_lost(json_object_get(l->object, "lost"), out);
    strbuf_add(out, out->length > length ? "\n" : "");
    json_t *kernels = json_array();
    json_array_append(kernels, l->object);
    report_profile_words(kernels, json_string_value(json_object_get(l->object, "name")), page->columns, out);
    report_profile(kernels, false, page->columns, out);
    json_decref(kernels);
    strbuf_add(out, "\n");
    add_sm_table(l, page);
}

void report_timeline(const struct timeline_read *t, struct table_page *page)
{
    for (size_t i = 0; i < t->launches.count; i++)
        add_launch(&t->launches.items[i], page);
    if (!t->launches.count)
        strbuf_add(&page->text, "no kernel was launched\n");
}
