/* Tables of a kernel: what was waited for, and its statistics with what they mean. */
#include <inttypes.h>
#include <string.h>

#include "base/check.h"
#include "gpu/gpu.h"
#include "report/figures.h"
#include "report/html.h"
#include "report/profile_page_parts.h"
#include "report/profile_uses.h"

/* The names of what was waited for in some result: those of the first one before others. */
static void names_of(const struct profile_page_kernel *kernel, enum profile_waits_kind kind, struct strmap *seen,
                     const struct profile_wait **list, size_t *count)
{
    for (unsigned i = 0; i < kernel->page->count; i++) {
        const struct profile_waits *waits = &kernel->sides[i].waits[kind];
        for (size_t n = 0; n < waits->of.count; n++) {
            const char *name = waits->of.items[n].name;
            if (strmap_get(seen, name, strlen(name)) != STRMAP_NONE)
                continue;
            strmap_put(seen, name, strlen(name), 0);
            list[(*count)++] = &waits->of.items[n];
        }
    }
}

static void add_wait(const struct profile_page_kernel *kernel, enum profile_waits_kind kind,
                     const struct profile_wait *wait, struct html_table *t)
{
    const struct profile_waits_words *words = &profile_waits_words[kind];
    html_table_row(t, "");
    html_table_name(t, wait->name);
    for (unsigned i = 0; i < kernel->page->count; i++) {
        const struct profile_wait *own = profile_waits_find(&kernel->sides[i].waits[kind], wait->name);
        if (own)
            profile_page_share(t, &kernel->sides[i], own->waited);
        else
            html_table_none(t);
    }
    for (unsigned f = 0; f < PROFILE_WAITS_FIGURES && words->figures[f].name; f++)
        for (unsigned i = 0; i < kernel->page->count; i++) {
            const struct profile_wait *own = profile_waits_find(&kernel->sides[i].waits[kind], wait->name);
            if (own)
                html_table_number(t, own->figures[f], "%.0f", own->figures[f]);
            else
                html_table_none(t);
        }
    html_table_text(t, wait->where);
}

static void add_waits(const struct profile_page_kernel *kernel, enum profile_waits_kind kind, struct strbuf *out)
{
    const struct profile_waits_words *words = &profile_waits_words[kind];
    size_t most = 0, count = 0;
    struct strmap seen = {0};
    struct html_table t;
    for (unsigned i = 0; i < kernel->page->count; i++)
        most += kernel->sides[i].waits[kind].of.count;
    if (!most)
        return;
    const struct profile_wait **list = ARENA_NEW(kernel->arena, const struct profile_wait *, most);
    names_of(kernel, kind, &seen, list, &count);
    strbuf_addf(out, "<div class=low><h3>%s</h3>\n", words->title);
    html_table_begin(&t, profile_page_file(kernel, words->id), words->about, out);
    html_table_head(&t, words->one, false, NULL);
    profile_page_heads(&t, kernel->page, "wait", "share of the kernel's warp-cycles in which warps waited there");
    for (unsigned f = 0; f < PROFILE_WAITS_FIGURES && words->figures[f].name; f++)
        profile_page_heads(&t, kernel->page,
                           arena_printf(kernel->arena, "%s (%s)", words->figures[f].name, words->figures[f].unit),
                           words->figures[f].doc);
    html_table_head(&t, kind == PROFILE_WAITS_BARRIERS ? "who comes last" : "where", false, NULL);
    for (size_t i = 0; i < count; i++)
        add_wait(kernel, kind, list[i], &t);
    html_table_end(&t);
    strbuf_add(out, "</div>\n");
    strmap_free(&seen);
}

void profile_page_waits(const struct profile_page_kernel *kernel, struct strbuf *out)
{
    for (unsigned kind = 0; kind < PROFILE_WAITS_KINDS; kind++)
        add_waits(kernel, (enum profile_waits_kind)kind, out);
}

/* Statistics */

/* A statistic over all launches of a kernel: their sum, or the most of one. False: none has measured it. */
static bool statistic_of(const struct profile_page_side *side, const char *name, const char *group,
                         const struct stat_desc *stat, uint64_t *value)
{
    bool measured = false;
    size_t i;
    const json_t *kernel;
    *value = 0;
    json_array_foreach(side->kernels, i, kernel)
    {
        const char *own = json_string_value(json_object_get(kernel, "name"));
        const json_t *values = json_object_get(kernel, group);
        if (!own || strcmp(own, name) != 0 || !json_is_integer(json_object_get(values, stat->name)))
            continue;
        profile_uses_count(values, stat->name, stat->kind != STAT_COUNTER, value);
        measured = true;
    }
    return measured;
}

static void add_statistic(const struct profile_page_kernel *kernel, const char *group, const struct stat_desc *stat,
                          struct html_table *t)
{
    uint64_t value;
    bool any = false;
    for (unsigned i = 0; i < kernel->page->count; i++)
        any |= statistic_of(&kernel->sides[i], kernel->name, group, stat, &value) && value;
    if (!any)
        return;
    html_table_row(t, "");
    html_table_name(t, arena_printf(kernel->arena, "%s.%s", group, stat->name));
    for (unsigned i = 0; i < kernel->page->count; i++)
        if (statistic_of(&kernel->sides[i], kernel->name, group, stat, &value))
            html_table_number(t, (double)value, "%" PRIu64, value);
        else
            html_table_none(t);
    html_table_text(t, stat->unit);
    html_table_text(t, stat->doc);
}

/* The figures of figures_docs, in its order. */
static double figure_of(const struct figures *f, unsigned which)
{
    const double values[] = {(double)f->cycles,
                             (double)f->gap_cycles,
                             f->time_ns,
                             (double)f->warp_instructions,
                             (double)f->thread_instructions,
                             figures_ipc(f),
                             profile_uses_ratio(f->thread_instructions, f->lane_slots)};
    contract(which < sizeof values / sizeof *values);
    return values[which];
}

static void add_figures(const struct profile_page_kernel *kernel, struct html_table *t)
{
    struct figures *sums = ARENA_NEW(kernel->arena, struct figures, kernel->page->count);
    for (unsigned i = 0; i < kernel->page->count; i++)
        for (size_t k = 0; k < json_array_size(kernel->sides[i].kernels); k++) {
            const json_t *launch = json_array_get(kernel->sides[i].kernels, k);
            const char *own = json_string_value(json_object_get(launch, "name"));
            if (own && !strcmp(own, kernel->name))
                figures_add(&sums[i], launch);
        }
    for (unsigned which = 0; which < figures_doc_count; which++) {
        html_table_row(t, "");
        html_table_name(t, figures_docs[which].name);
        for (unsigned i = 0; i < kernel->page->count; i++)
            if (sums[i].launches)
                html_table_number(t, figure_of(&sums[i], which), "%.10g", figure_of(&sums[i], which));
            else
                html_table_none(t);
        html_table_text(t, figures_docs[which].unit);
        html_table_text(t, figures_docs[which].doc);
    }
}

void profile_page_statistics(const struct profile_page_kernel *kernel, struct strbuf *out)
{
    struct gpu_result blank;
    struct html_table t;
    unsigned count;
    gpu_result_blank(&blank);
    const struct gpu_stat_set *sets = gpu_result_sets(&blank, &count);
    strbuf_add(out, "<h3>All statistics</h3>\n<details><summary>those that are not 0, with what they mean</summary>\n");
    html_table_begin(&t, profile_page_file(kernel, "statistics"),
                     "All launches of the kernel: counters added up, of others the most", out);
    html_table_head(&t, "statistic", false, NULL);
    for (unsigned i = 0; i < kernel->page->count; i++)
        html_table_head(&t, kernel->page->count > 1 ? kernel->page->results[i].label : "value", true, NULL);
    html_table_head(&t, "unit", false, NULL);
    html_table_head(&t, "meaning", false, NULL);
    add_figures(kernel, &t);
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < sets[i].group->count; k++)
            add_statistic(kernel, sets[i].group->name, &sets[i].group->stats[k], &t);
    html_table_end(&t);
    strbuf_add(out, "</details>\n");
    gpu_result_free(&blank);
}

/* Terms */

static const struct profile_waits_figure terms[] = {
    {"warp-cycles", "cycles", "every cycle of every resident warp, of all launches of the kernel"},
    {"cost", "share of warp-cycles",
     "what a line costs: cycles of its own instructions, and waits for values that they bring, wherever those are "
     "used; "
     "with the code that stands in place of a call in the line. A called line shows its cost too, so that lines add up "
     "to "
     "more than the kernel"},
    {"stand", "share of warp-cycles",
     "cycles in which warps stood at the line: waits for a value are here at the line that uses it"},
    {"its value awaited", "warp-cycles", "waits of any instruction for the values that the line brings"},
    {"wait", "share of warp-cycles",
     "cycles in which some thread of a warp waited for the word, or a warp at the barrier"},
    {"issues", "times", "that a warp issued the instruction"},
    {"share, of who waited for whom", "share of waits",
     "of the cycles for which lanes waited for the lock, those in which this line or warp held it"},
    {"phase, of a time-line", "cycles",
     "a stay of a warp at one cause and one instruction; several short ones count as the one with most cycles"},
};

static void add_term(struct html_table *t, const char *name, const char *unit, const char *doc)
{
    html_table_row(t, "");
    html_table_name(t, name);
    html_table_text(t, unit);
    html_table_text(t, doc);
}

/* Causes of warp-cycles are told by the table of their statistics. */
static void add_causes(struct html_table *t, struct arena *arena)
{
    struct gpu_result blank;
    unsigned count;
    gpu_result_blank(&blank);
    const struct gpu_stat_set *sets = gpu_result_sets(&blank, &count);
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < sets[i].group->count && !strcmp(sets[i].group->name, "warps"); k++) {
            const struct stat_desc *stat = &sets[i].group->stats[k];
            add_term(t, arena_printf(arena, "%s (warps.%s)", profile_cause_words(stat->name), stat->name), stat->unit,
                     stat->doc);
        }
    gpu_result_free(&blank);
}

void profile_page_terms(struct strbuf *out)
{
    struct arena arena = {0};
    struct html_table t;
    strbuf_add(out, "<section><h2 id=terms>Terms</h2>\n<details><summary>figures of this page, and what they "
                    "mean</summary>\n");
    html_table_begin(&t, "terms", "Figures, their units and meaning", out);
    html_table_head(&t, "figure", false, NULL);
    html_table_head(&t, "unit", false, NULL);
    html_table_head(&t, "meaning", false, NULL);
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
        add_term(&t, terms[i].name, terms[i].unit, terms[i].doc);
    for (unsigned kind = 0; kind < PROFILE_WAITS_KINDS; kind++)
        for (unsigned f = 0; f < PROFILE_WAITS_FIGURES && profile_waits_words[kind].figures[f].name; f++) {
            const struct profile_waits_figure *figure = &profile_waits_words[kind].figures[f];
            add_term(&t, arena_printf(&arena, "%s, of a %s", figure->name, profile_waits_words[kind].one), figure->unit,
                     figure->doc);
        }
    add_causes(&t, &arena);
    html_table_end(&t);
    strbuf_add(out, "</details></section>\n");
    arena_free(&arena);
}
