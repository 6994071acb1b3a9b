/* The summary of a timeline: see timeline_report.h. */
#include "report/timeline_report.h"

#include <inttypes.h>
#include <string.h>

#include "profile/profile.h"
#include "report/figures.h"
#include "report/profile_report.h"
#include "report/profile_uses.h"

#define MOST_CAUSES 64
#define SHOWN_CAUSES 3

/* Of one SM, or of all. */
struct sum {
    uint64_t lives, phases, cycles, by[MOST_CAUSES];
    uint64_t waited; /* cycles for which lanes waited for locks */
};

static void add_life(struct sum *to, const struct timeline_read_launch *l, const struct timeline_read_life *life)
{
    to->lives++;
    to->phases += life->count;
    for (size_t i = life->first; i < life->first + life->count; i++) {
        const struct timeline_read_phase *phase = &l->phases.items[i];
        to->cycles += phase->cycles;
        to->by[phase->cause % MOST_CAUSES] += phase->cycles;
    }
}

static void add_busiest(const struct timeline_read_launch *l, const struct sum *sum, struct strbuf *out)
{
    uint64_t shown = 0;
    for (unsigned n = 0; n < SHOWN_CAUSES; n++) {
        unsigned best = MOST_CAUSES;
        for (unsigned c = 0; c < l->causes && c < MOST_CAUSES; c++)
            if (sum->by[c] && !mask_has(shown, c) && (best == MOST_CAUSES || sum->by[c] > sum->by[best]))
                best = c;
        if (best == MOST_CAUSES)
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
        struct sum sum = {0};
        struct strbuf busiest = {0};
        uint32_t sm = (uint32_t)json_integer_value(number);
        for (size_t k = 0; k < l->lives.count; k++)
            if (l->lives.items[k].sm == sm)
                add_life(&sum, l, &l->lives.items[k]);
        for (size_t k = 0; k < l->sections.count; k++)
            if (l->sections.items[k].sm == sm)
                sum.waited += l->sections.items[k].taken - l->sections.items[k].since;
        if (!sum.lives)
            continue;
        add_busiest(l, &sum, &busiest);
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

static void add_lost(const json_t *lost, struct strbuf *out)
{
    static const char *const names[] = {"phases", "lives", "barriers", "locks"};
    static const char *const words[] = {"phases", "warps", "waits at barriers", "times that locks were held"};
    unsigned count = 0;
    for (unsigned i = 0; i < 4; i++) {
        uint64_t value = profile_uses_number(lost, names[i]);
        if (value)
            strbuf_addf(out, "%s%" PRIu64 " %s", count++ ? ", " : "not kept, for want of room: ", value, words[i]);
    }
    if (count)
        strbuf_add(out, "\n");
}

static void add_launch(const struct timeline_read_launch *l, struct table_page *page)
{
    struct strbuf *out = &page->text;
    struct sum sum = {0};
    for (size_t i = 0; i < l->lives.count; i++)
        add_life(&sum, l, &l->lives.items[i]);
    strbuf_addf(out, "\nlaunch %" PRIu64 ": ", profile_uses_number(l->object, "launch"));
    figures_kernel_name(json_string_value(json_object_get(l->object, "name")), out);
    strbuf_addf(out, ", %" PRIu64 " cycles from cycle %" PRIu64 ", %" PRIu64 " warps in %" PRIu64 " phases\n",
                l->cycles, l->start, sum.lives, sum.phases);
    add_lost(json_object_get(l->object, "lost"), out);
    json_t *kernels = json_array();
    json_array_append(kernels, l->object);
    report_profile_words(kernels, json_string_value(json_object_get(l->object, "name")), out);
    report_profile(kernels, false, out);
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
