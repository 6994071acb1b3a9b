/* The timelines of a page: what is drawn, and its numbers by SM. The drawing itself is timeline.js. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/chart.h"
#include "report/chart_embedded.h"
#include "report/figures.h"
#include "report/html.h"
#include "report/profile_page_parts.h"
#include "report/profile_uses.h"
#include "report/timeline_code.h"
#include "report/timeline_report.h"

#define MOST_LAUNCHES 64      /* of a timeline, those that took longest */
#define MOST_BYTES (9u << 20) /* of all launches of a page, before they become text: 12 MiB */
#define MOST_RANKED 9         /* causes with the colours that they have in the drawings of the kernel */

const char profile_page_timeline_style[] =
    ".timeline { position: relative; } .timeline canvas { display: block; width: 100%; touch-action: pan-y; cursor: "
    "crosshair; }\n"
    ".timeline .bar { display: flex; flex-wrap: wrap; gap: 0.25rem 0.5rem; margin: 0.25rem 0; font-size: 14px; }\n"
    ".timeline .bar button, .timeline .bar select { font: inherit; color: inherit; background: var(--wide); border: "
    "1px "
    "solid var(--faint);\n  border-radius: 4px; padding: 0.1rem 0.6rem; max-width: 100%; }\n"
    ".timeline .told { position: absolute; z-index: 1; max-width: min(26rem, 90%); padding: 0.3rem 0.5rem; font-size: "
    "13px; line-height: 1.35;\n  white-space: pre-line; overflow-wrap: anywhere; background: var(--paper); border: 1px "
    "solid var(--soft); border-radius: 4px; pointer-events: none; }\n"
    ".timeline .told:empty { display: none; } .legend i.held { background: var(--ink); }\n"
    ".legend i.waited { background: repeating-linear-gradient(90deg, var(--ink) 0 1px, transparent 1px 3px); }\n"
    ".legend i.barrier { height: 0; border-top: 2px solid var(--ink); vertical-align: middle; }\n";

/* A launch with its place in the file. */
struct launch {
    const struct timeline_read_launch *read;
    size_t place;
    bool shown;
    struct timeline_code code;
};

static int by_cycles(const void *a, const void *b)
{
    const struct launch *x = a, *y = b;
    if (x->read->cycles != y->read->cycles)
        return x->read->cycles < y->read->cycles ? 1 : -1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static int by_place(const void *a, const void *b)
{
    const struct launch *x = a, *y = b;
    return x->place < y->place ? -1 : x->place > y->place;
}

static const char *name_of(const struct timeline_read_launch *l)
{
    const char *name = json_string_value(json_object_get(l->object, "name"));
    return name ? name : "";
}

static const struct profile_page_kernel *kernel_of(const struct profile_page_kernel *kernels, size_t count,
                                                   const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(kernels[i].name, name))
            return &kernels[i];
    return NULL;
}

/* The longest launches first, while there is room: *room is what is left of it. */
static void choose(struct launch *launches, size_t count, const struct profile_page *page,
                   const struct profile_page_kernel *kernels, size_t kernel_count, size_t *room)
{
    static const struct timeline_options all = {0};
    qsort(launches, count, sizeof *launches, by_cycles);
    for (size_t i = 0; i < count && i < MOST_LAUNCHES; i++) {
        struct timeline_code *code = &launches[i].code;
        const struct profile_page_kernel *kernel = kernel_of(kernels, kernel_count, name_of(launches[i].read));
        const char *order[MOST_RANKED];
        *code =
            (struct timeline_code){.launch = launches[i].read, .part = page->part ? page->part : &all, .order = order};
        code->order_count = kernel ? profile_page_ranked(kernel, order, MOST_RANKED) : 0;
        timeline_code_launch(code, *room);
        code->order = NULL;
        launches[i].shown = code->sms > 0;
        *room -= launches[i].shown ? code->bytes.length : 0;
    }
    qsort(launches, count, sizeof *launches, by_place);
}

static void add_title(const struct timeline_read_launch *l, struct strbuf *out)
{
    struct strbuf plain = {0};
    figures_kernel_name(name_of(l), &plain);
    strbuf_addf(out, "launch %" PRIu64 ": ", profile_uses_number(l->object, "launch"));
    html_escape(out, strbuf_text(&plain));
    strbuf_free(&plain);
}

/* Says which part of a time-line the page leaves out, a sentence each. */
static void add_notes(const struct launch *launch, struct strbuf *out)
{
    const struct timeline_code *code = &launch->code;
    struct strbuf note = {0}, lost = {0};
    if (code->sms < code->sms_wanted)
        strbuf_addf(&note, " Shown are SMs up to %u, %u of %u: the others have no room in a page.", code->last_sm,
                    code->sms, code->sms_wanted);
    report_timeline_lost(json_object_get(launch->read->object, "lost"), &lost);
    strbuf_addf(&note, "%s%s", lost.length ? " The file lacks what was " : "", strbuf_text(&lost));
    if (note.length) {
        strbuf_add(out, "<p class=note>");
        add_title(launch->read, out);
        strbuf_addf(out, ".%s</p>\n", strbuf_text(&note));
    }
    strbuf_free(&note);
    strbuf_free(&lost);
}

static void add_data(const struct launch *launch, struct strbuf *out)
{
    strbuf_add(out, "<script type=\"application/octet-stream\" data-title=\"");
    add_title(launch->read, out);
    strbuf_add(out, "\">");
    timeline_code_text(out, &launch->code.bytes);
    strbuf_add(out, "</script>\n");
}

/* SMs of the launches that are shown, all of what the file has of them. */
static void add_numbers(const struct launch *launches, size_t count, const char *file, struct strbuf *out)
{
    struct html_table t;
    strbuf_add(out, "<details open><summary>numbers</summary>\n");
    html_table_begin(&t, file, "What the warps of each SM did, in the whole launch", out);
    html_table_head(&t, "launch", true, "its number in the run");
    html_table_head(&t, "SM", true, "its number");
    html_table_head(&t, "warps", true, "that lived there");
    html_table_head(&t, "warp-cycles", true, "of their phases");
    html_table_head(&t, "lock waits", true, "cycles of lanes that waited for a lock, of waits that ended with it");
    html_table_head(&t, "busiest with", false, NULL);
    for (size_t i = 0; i < count; i++) {
        const struct timeline_read_launch *l = launches[i].read;
        const json_t *sms = json_object_get(l->object, "sms");
        for (size_t k = 0; launches[i].shown && k < json_array_size(sms); k++) {
            struct timeline_sum sum;
            struct strbuf busiest = {0};
            uint32_t sm = (uint32_t)json_integer_value(json_array_get(sms, k));
            report_timeline_sum(l, sm, &sum);
            if (!sum.lives)
                continue;
            report_timeline_busiest(l, &sum, &busiest);
            uint64_t number = profile_uses_number(l->object, "launch");
            html_table_row(&t, "");
            html_table_number(&t, (double)number, "%" PRIu64, number);
            html_table_number(&t, sm, "%u", sm);
            html_table_number(&t, (double)sum.lives, "%" PRIu64, sum.lives);
            html_table_number(&t, (double)sum.cycles, "%" PRIu64, sum.cycles);
            html_table_number(&t, (double)sum.waited, "%" PRIu64, sum.waited);
            html_table_text(&t, strbuf_text(&busiest));
            strbuf_free(&busiest);
        }
    }
    html_table_end(&t);
    strbuf_add(out, "</details>");
}

static size_t count_shown(const struct launch *launches, size_t count)
{
    size_t shown = 0;
    for (size_t i = 0; i < count; i++)
        shown += launches[i].shown;
    return shown;
}

static void add_figure(const struct profile_page_timeline *timeline, unsigned which, const struct launch *launches,
                       size_t count, struct strbuf *out)
{
    struct strbuf file = {0};
    size_t shown = count_shown(launches, count);
    strbuf_addf(out, "<section><h2 id=t%u>Time-line of ", which);
    html_escape(out, timeline->label);
    strbuf_add(out, "</h2>\n");
    if (!shown)
        strbuf_add(out, "<p class=note>There is nothing in the part that was asked for.</p>\n");
    else if (shown < count)
        strbuf_addf(out, "<p class=note>Shown are %zu of its %zu launches: the longest, as far as there is room.</p>\n",
                    shown, count);
    for (size_t i = 0; i < count; i++)
        if (launches[i].shown)
            add_notes(&launches[i], out);
    if (shown) {
        strbuf_addf(&file, "%s-sms", timeline->label);
        strbuf_add(out, "<figure>\n<div class=timeline>\n");
        for (size_t i = 0; i < count; i++)
            if (launches[i].shown)
                add_data(&launches[i], out);
        strbuf_add(out, "</div>\n");
        add_numbers(launches, count, strbuf_text(&file), out);
        strbuf_add(out, "</figure>\n");
        strbuf_free(&file);
    }
    strbuf_add(out, "</section>\n");
}

void profile_page_timelines(const struct profile_page *page, const struct profile_page_kernel *kernels, size_t count,
                            struct strbuf *out)
{
    size_t room = MOST_BYTES;
    for (unsigned i = 0; i < page->timeline_count; i++) {
        const struct timeline_read *read = page->timelines[i].timeline;
        size_t launch_count = read->launches.count;
        struct launch *launches = base_calloc(launch_count + 1, sizeof *launches);
        for (size_t k = 0; k < launch_count; k++)
            launches[k] = (struct launch){.read = &read->launches.items[k], .place = k};
        choose(launches, launch_count, page, kernels, count, &room);
        add_figure(&page->timelines[i], i, launches, launch_count, out);
        for (size_t k = 0; k < launch_count; k++)
            timeline_code_free(&launches[k].code);
        free(launches);
    }
}

void profile_page_timeline_script(const struct profile_page *page, struct strbuf *out)
{
    if (page->timeline_count)
        strbuf_addf(out, "<script>\n%s</script>\n", timeline_script);
}
