/* The page of profiles: its begin, and the order of its parts. */
#include "report/profile_page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/chart.h"
#include "report/figures.h"
#include "report/html.h"
#include "report/profile_page_parts.h"
#include "report/profile_sentences.h"
#include "report/profile_uses.h"

#define MOST_HEADS 5 /* kernels of which the first screen tells */
#define MOST_PARTS 3
#define LEAST_PART 0.05

static const char style[] =
    "main > p, .head { max-width: 68rem; } caption { font-size: 15px; } .take { margin: 0.25rem 0 1rem; }\n"
    "code, .code { font: 13px/1.45 ui-monospace, monospace; } .code { white-space: pre; } .code code { tab-size: 4; }\n"
    ".why > summary { font-size: inherit; white-space: pre-line; }\n"
    ".why { font: 12.5px/1.4 system-ui, sans-serif; color: var(--soft); } .ptx { margin: 0.25rem 0; }\n"
    ".source tbody > tr > td, .source tbody > tr > th { border: 0; padding-top: 0; padding-bottom: 0; }\n"
    ".source th { font-weight: normal; color: var(--soft); text-align: right; }\n"
    ".source table { table-layout: fixed; width: 100%; min-width: 40rem; margin: 0; } .source .code { white-space: "
    "pre-wrap; overflow-wrap: anywhere; }\n"
    ".source th { width: 4.5ch; } .source .number { width: 7ch; overflow-wrap: anywhere; } .source thead th:last-child "
    "{ "
    "text-align: left; width: auto; }\n"
    ".source .ptx { overflow-x: auto; }\n"
    ".source .scroll { content-visibility: auto; contain-intrinsic-block-size: auto 7000px; }\n"
    ".heat { background: linear-gradient(90deg, var(--near) var(--heat), transparent 0); }\n"
    ".low .scroll { max-height: 24rem; overflow: auto; } .low td:last-child { min-width: 16rem; } .causes { "
    "white-space: pre-line; min-width: 15rem; }\n"
    ".settings td { white-space: pre-wrap; }\n";

/* The parts of a kernel, in order. One that the kernel has nothing of appends nothing. */
static void (*const parts[])(const struct profile_page_kernel *kernel, struct strbuf *out) = {
    profile_page_causes,  profile_page_lines, profile_page_waits,      profile_page_graph,
    profile_page_sources, profile_page_sms,   profile_page_statistics,
};

void profile_page_heads(struct html_table *t, const struct profile_page *page, const char *what, const char *doc)
{
    for (unsigned i = 0; i < page->count; i++) {
        struct strbuf text = {0};
        if (page->count > 1)
            strbuf_addf(&text, "%s: ", page->results[i].label);
        strbuf_add(&text, what);
        html_table_head(t, strbuf_text(&text), true, doc);
        strbuf_free(&text);
    }
}

void profile_page_share(struct html_table *t, const struct profile_page_side *side, uint64_t cycles)
{
    double share = profile_uses_ratio(cycles, side->lines.sum.total);
    if (side->lines.sum.total)
        html_table_number(t, share, "%.1f%%", 100 * share);
    else
        html_table_none(t);
}

void profile_page_parts(const struct profile_lines *lines, const struct profile_sum *sum, struct strbuf *out)
{
    struct profile_part list[PROFILE_LINES_PARTS];
    unsigned count = profile_parts(lines, sum, list);
    for (unsigned i = 0; i < count && i < MOST_PARTS; i++) {
        double share = profile_uses_ratio(list[i].cycles, profile_cost(sum));
        if (i && share < LEAST_PART)
            return;
        strbuf_addf(out, "%s%s %.0f%%", i ? ", " : "", list[i].words, 100 * share);
    }
}

/* Files are told apart by a number of their name. */
const char *profile_page_anchor(const struct profile_page_kernel *kernel, const char *file, uint32_t line)
{
    uint32_t hash = 2166136261u;
    for (const char *c = file; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    return arena_printf(kernel->arena, "k%u-%08" PRIx32 "-%" PRIu32, kernel->number, hash, line);
}

const char *profile_page_file(const struct profile_page_kernel *kernel, const char *what)
{
    return arena_printf(kernel->arena, "%s-%s", kernel->plain, what);
}

/* The program, the machine and the options */

static const char *member(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

static const char *list_of(const json_t *array, const char *separator, struct arena *arena)
{
    struct strbuf text = {0};
    for (size_t i = 0; i < json_array_size(array); i++)
        strbuf_addf(&text, "%s%s", i ? separator : "", json_string_value(json_array_get(array, i)));
    const char *kept = arena_strdup(arena, strbuf_text(&text));
    strbuf_free(&text);
    return kept;
}

enum setting { PROGRAM, MACHINE, SCHEDULER, AS, PARAMETERS, MODE, ENDED, VERSION, SETTINGS };

static const char *setting_of(const struct profile_page_result *result, enum setting which, struct arena *arena)
{
    const json_t *document = result->document, *machine = json_object_get(document, "machine");
    const char *changed = list_of(json_object_get(document, "parameters"), "\n", arena);
    switch (which) {
    case PROGRAM:
        return list_of(json_object_get(document, "program"), " ", arena);
    case MACHINE:
        return arena_printf(arena, "%s: %s", member(machine, "name"), member(machine, "doc"));
    case SCHEDULER:
        return member(document, "scheduler");
    case AS:
        return member(document, "as");
    case PARAMETERS:
        return *changed ? changed : "none";
    case MODE:
        return member(document, "mode");
    case ENDED:
        return json_is_true(json_object_get(document, "partial"))
                   ? arena_printf(arena, "partial: %s", member(document, "partial_reason"))
                   : "whole";
    case VERSION:
        return arena_printf(arena, "lockstep %s", member(document, "lockstep"));
    case SETTINGS:
        break;
    }
    return "";
}

static void add_settings(const struct profile_page *page, struct arena *arena, struct strbuf *out)
{
    static const char *const names[SETTINGS] = {"program", "machine", "scheduler", "as", "changed parameters",
                                                "mode",    "ended",   "run by"};
    struct html_table t;
    strbuf_add(out, "<section class=settings><h2 id=settings>What ran on what</h2>\n");
    html_table_begin(&t, "settings", "Runs, their machines and options", out);
    html_table_head(&t, "setting", false, NULL);
    for (unsigned i = 0; i < page->count; i++)
        html_table_head(&t, page->results[i].label, false, page->results[i].path);
    for (unsigned which = 0; which < SETTINGS; which++) {
        html_table_row(&t, "");
        html_table_name(&t, names[which]);
        for (unsigned i = 0; i < page->count; i++)
            html_table_text(&t, setting_of(&page->results[i], (enum setting)which, arena));
    }
    html_table_end(&t);
    strbuf_add(out, "</section>\n");
}

/* The first screen */

/* The line that costs most, but for waits of warps that have ended; of several the outer one. */
static const struct profile_line *hottest(const struct profile_lines *lines)
{
    const struct profile_line *best = NULL;
    uint64_t most = 0;
    for (size_t i = 0; i < lines->lines.count; i++) {
        const struct profile_line *line = &lines->lines.items[i];
        uint64_t cost = profile_work_cost(lines, &line->all);
        if (!best || cost > most || (cost == most && line->depth < best->depth)) {
            best = line;
            most = cost;
        }
    }
    return best;
}

static void add_hottest(const struct profile_page_kernel *kernel, const struct profile_lines *lines, struct strbuf *out)
{
    const struct profile_line *line = hottest(lines);
    if (!line)
        return;
    strbuf_addf(out, "; its most expensive line is <a href=\"#%s\">",
                profile_page_anchor(kernel, line->file, line->number));
    html_escape(out, profile_uses_base_name(line->file));
    strbuf_addf(out, ":%" PRIu32 "</a> with <b>%.1f%%</b>", line->number,
                100 * profile_uses_ratio(profile_cost(&line->all), lines->sum.total));
}

static void add_head(const struct profile_page_kernel *kernel, unsigned which, struct strbuf *out)
{
    const struct profile_page_side *side = &kernel->sides[which];
    struct profile_words_report *words = profile_words_read(side->kernels, kernel->name);
    struct profile_polls_report *polls = profile_polls_read(side->kernels, kernel->name);
    struct profile_sharing_report *sharing = profile_sharing_read(side->kernels, kernel->name);
    struct profile_sentences sentences;
    profile_sentences_init(&sentences, &side->lines, words, polls, sharing);
    strbuf_addf(out, "<li><a href=\"#k%u\"><b>", kernel->number);
    html_escape(out, kernel->plain);
    strbuf_add(out, "</b></a>");
    if (kernel->page->count > 1) {
        strbuf_add(out, " in ");
        html_escape(out, kernel->page->results[which].label);
    }
    strbuf_addf(out, ": %" PRIu64 " cycles, %" PRIu64 " warp-cycles", side->lines.cycles, side->lines.sum.total);
    add_hottest(kernel, &side->lines, out);
    strbuf_add(out, ".");
    for (unsigned i = 0; i < sentences.count; i++) {
        strbuf_add(out, "<br>");
        html_escape(out, strbuf_text(&sentences.texts[i]));
    }
    strbuf_add(out, "\n");
    profile_sentences_free(&sentences);
    profile_words_done(words);
    profile_polls_done(polls);
    profile_sharing_done(sharing);
}

static uint64_t cost_of(const struct profile_page_kernel *kernel)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < kernel->page->count; i++)
        sum += kernel->sides[i].lines.sum.total;
    return sum;
}

/* How many kernels cost more; of those that cost the same, come before. */
static size_t rank_of(const struct profile_page_kernel *kernels, size_t count, size_t which)
{
    size_t rank = 0;
    for (size_t i = 0; i < count; i++)
        rank += cost_of(&kernels[i]) > cost_of(&kernels[which]) ||
                (i < which && cost_of(&kernels[i]) == cost_of(&kernels[which]));
    return rank;
}

static void add_heads(const struct profile_page_kernel *kernels, size_t count, struct strbuf *out)
{
    strbuf_add(out, "<ul class=head>\n");
    for (size_t k = 0; k < count; k++)
        for (unsigned i = 0; i < kernels[k].page->count && rank_of(kernels, count, k) < MOST_HEADS; i++)
            if (kernels[k].sides[i].lines.launches)
                add_head(&kernels[k], i, out);
    strbuf_add(out, "</ul>\n");
    if (count > MOST_HEADS)
        strbuf_addf(out, "<p class=note>These are the %d kernels of %zu that cost most.</p>\n", MOST_HEADS, count);
}

/* Kernels */

typedef VEC(struct profile_page_kernel) page_kernels;

/* Chains the instructions of each line. */
static void chain_instrs(struct profile_page_side *side, struct arena *arena)
{
    const struct profile_lines *lines = &side->lines;
    side->first = ARENA_NEW(arena, uint32_t, lines->lines.count + 1);
    side->next = ARENA_NEW(arena, uint32_t, lines->instrs.count + 1);
    for (size_t i = 0; i < lines->lines.count; i++)
        side->first[i] = PROFILE_LINES_NONE;
    for (size_t pc = lines->instrs.count; pc-- > 0;)
        if (lines->instrs.items[pc].object) {
            uint32_t line = lines->instrs.items[pc].line;
            side->next[pc] = side->first[line];
            side->first[line] = (uint32_t)pc;
        }
}

static void add_name(const struct profile_page *page, const char *name, struct arena *arena, page_kernels *kernels)
{
    struct strbuf plain = {0};
    for (size_t i = 0; i < kernels->count; i++)
        if (!strcmp(kernels->items[i].name, name))
            return;
    figures_kernel_name(name, &plain);
    struct profile_page_kernel kernel = {.name = name,
                                         .plain = arena_strdup(arena, strbuf_text(&plain)),
                                         .number = (unsigned)kernels->count,
                                         .sides = ARENA_NEW(arena, struct profile_page_side, page->count),
                                         .page = page,
                                         .arena = arena};
    for (unsigned i = 0; i < page->count; i++) {
        struct profile_page_side *side = &kernel.sides[i];
        side->kernels = json_object_get(page->results[i].document, "kernels");
        profile_lines_init(&side->lines, side->kernels, name);
        chain_instrs(side, arena);
        for (unsigned k = 0; k < PROFILE_WAITS_KINDS; k++)
            profile_waits_read(&side->waits[k], (enum profile_waits_kind)k, side->kernels, name, arena);
    }
    vec_push(kernels, kernel);
    strbuf_free(&plain);
}

static void read_kernels(const struct profile_page *page, struct arena *arena, page_kernels *kernels)
{
    for (unsigned i = 0; i < page->count; i++) {
        const json_t *all = json_object_get(page->results[i].document, "kernels"), *kernel;
        size_t k;
        json_array_foreach(all, k, kernel) if (json_object_get(kernel, "profile") && *member(kernel, "name"))
            add_name(page, member(kernel, "name"), arena, kernels);
    }
}

static void free_kernels(const struct profile_page *page, page_kernels *kernels)
{
    for (size_t k = 0; k < kernels->count; k++)
        for (unsigned i = 0; i < page->count; i++) {
            profile_lines_free(&kernels->items[k].sides[i].lines);
            for (unsigned n = 0; n < PROFILE_WAITS_KINDS; n++)
                profile_waits_free(&kernels->items[k].sides[i].waits[n]);
        }
    vec_free(kernels);
}

static void add_kernel(const struct profile_page_kernel *kernel, struct strbuf *out)
{
    strbuf_addf(out, "<section><h2 id=k%u>Kernel ", kernel->number);
    html_escape(out, kernel->plain);
    strbuf_add(out, "</h2>\n");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        parts[i](kernel, out);
    strbuf_add(out, "</section>\n");
}

static void add_contents(const struct profile_page *page, const page_kernels *kernels, struct strbuf *out)
{
    strbuf_add(out, "<nav aria-label=Contents><details><summary>Contents</summary>\n<div class=contents><a "
                    "href=\"#settings\">What ran on what</a>\n");
    for (size_t k = 0; k < kernels->count; k++) {
        strbuf_addf(out, "<a href=\"#k%zu\">Kernel ", k);
        html_escape(out, kernels->items[k].plain);
        strbuf_add(out, "</a>\n");
    }
    for (unsigned i = 0; i < page->timeline_count; i++) {
        strbuf_addf(out, "<a href=\"#t%u\">Time-line of ", i);
        html_escape(out, page->timelines[i].label);
        strbuf_add(out, "</a>\n");
    }
    strbuf_add(out, "<a href=\"#terms\">Terms</a></div></details></nav>\n");
}

static void begin(const struct profile_page *page, struct strbuf *out)
{
    struct strbuf rules = {0}, title = {0};
    strbuf_add(&title, "Profile of ");
    for (unsigned i = 0; i < page->count; i++)
        strbuf_addf(&title, "%s%s", i ? " and " : "", page->results[i].label);
    strbuf_addf(&rules, "%s%s%s%s%s", chart_style, html_long_style, style, profile_page_graph_style,
                page->timeline_count ? profile_page_timeline_style : "");
    html_begin(out, strbuf_text(&title), strbuf_text(&rules));
    strbuf_free(&rules);
    strbuf_free(&title);
}

bool profile_page_suits(const json_t *document)
{
    const json_t *kernels = json_object_get(document, "kernels"), *kernel;
    size_t i;
    json_array_foreach(kernels, i, kernel) if (json_object_get(kernel, "profile")) return true;
    return false;
}

void profile_page_html(const struct profile_page *page, struct strbuf *out)
{
    struct arena arena = {0};
    page_kernels kernels = {0};
    read_kernels(page, &arena, &kernels);
    begin(page, out);
    if (page->library)
        chart_unscripted(out);
    add_heads(kernels.items, kernels.count, out);
    add_contents(page, &kernels, out);
    for (size_t k = 0; k < kernels.count; k++)
        add_kernel(&kernels.items[k], out);
    profile_page_timelines(page, kernels.items, kernels.count, out);
    add_settings(page, &arena, out);
    profile_page_terms(out);
    strbuf_add(out, "<p class=note>Written by ");
    html_escape(out, page->maker);
    strbuf_add(out, ".</p>\n");
    if (page->library)
        chart_scripts(out, page->library);
    profile_page_timeline_script(page, out);
    strbuf_add(out, "</main>\n</body>\n</html>\n");
    free_kernels(page, &kernels);
    arena_free(&arena);
}
