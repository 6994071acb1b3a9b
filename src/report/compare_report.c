/* The comparison of one program under several configurations: configurations side by side, one figure a row, so that
 * the reader's eye moves along a row. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/figures.h"
#include "report/run_report.h"
#include "report/table.h"

static const char *name_of(const json_t *kernel)
{
    const char *name = json_string_value(json_object_get(kernel, "name"));
    return name ? name : "";
}

static struct figures figures_of(const struct report_run *run, const char *only)
{
    struct figures f = {0};
    for (size_t i = 0; i < json_array_size(run->kernels); i++) {
        const json_t *kernel = json_array_get(run->kernels, i);
        if (!only || strcmp(name_of(kernel), only) == 0)
            figures_add(&f, kernel);
    }
    return f;
}

/* A row of the comparison: appends the figure's text. */
typedef void row_text(const struct figures *f, const struct figures *first, struct strbuf *out);

static void cycles_row(const struct figures *f, const struct figures *first, struct strbuf *out)
{
    (void)first;
    if (f->cycles > 0)
        strbuf_addf(out, "%" PRIu64, f->cycles);
    else
        strbuf_add(out, "-");
}

static void speedup_row(const struct figures *f, const struct figures *first, struct strbuf *out)
{
    if (f->time_ns > 0 && first->time_ns > 0)
        strbuf_addf(out, "%.2fx", first->time_ns / f->time_ns);
    else
        strbuf_add(out, "-");
}

static void instructions_row(const struct figures *f, const struct figures *first, struct strbuf *out)
{
    (void)first;
    strbuf_addf(out, "%" PRIu64, f->warp_instructions);
}

static void ipc_row(const struct figures *f, const struct figures *first, struct strbuf *out)
{
    (void)first;
    if (f->cycles > 0)
        strbuf_addf(out, "%.2f", figures_ipc(f));
    else
        strbuf_add(out, "-");
}

static void simd_row(const struct figures *f, const struct figures *first, struct strbuf *out)
{
    (void)first;
    figures_percent(f->thread_instructions, f->lane_slots, out);
}

static void l1d_row(const struct figures *f, const struct figures *first, struct strbuf *out)
{
    (void)first;
    figures_percent(f->l1d_read_hits, f->l1d_reads, out);
}

static void l2_row(const struct figures *f, const struct figures *first, struct strbuf *out)
{
    (void)first;
    figures_percent(f->l2_read_hits, f->l2_reads, out);
}

static void dynamic_row(const struct figures *f, const struct figures *first, struct strbuf *out)
{
    (void)first;
    figures_energy(f, f->dynamic_energy, out);
}

static void total_row(const struct figures *f, const struct figures *first, struct strbuf *out)
{
    (void)first;
    figures_energy(f, f->total_energy, out);
}

/* A run that did not end has no time and no share. */
static void share_text(const struct figures *f, const struct figures *first, uint64_t part, uint64_t whole,
                       struct strbuf *out)
{
    figures_percent(part, f->time_ns > 0 && first->time_ns > 0 ? whole : 0, out);
}

static void dynamic_share_row(const struct figures *f, const struct figures *first, struct strbuf *out)
{
    share_text(f, first, f->dynamic_energy, first->dynamic_energy, out);
}

static void total_share_row(const struct figures *f, const struct figures *first, struct strbuf *out)
{
    share_text(f, first, f->total_energy, first->total_energy, out);
}

static const struct {
    const char *label;
    row_text *text;
} rows[] = {
    {"cycles", cycles_row},          {"speed-up", speedup_row},           {"warp instructions", instructions_row},
    {"instructions/cycle", ipc_row}, {"SIMD efficiency", simd_row},       {"L1D read hits", l1d_row},
    {"L2 read hits", l2_row},        {"dynamic energy", dynamic_row},     {"  of the first", dynamic_share_row},
    {"total energy", total_row},     {"  of the first", total_share_row},
};

static void add_row(struct table *t, const char *label, row_text *text, const struct figures *figures)
{
    table_cell(t, "%s", label);
    for (unsigned i = 0; i + 1 < t->columns; i++) {
        struct strbuf cell = {0};
        if (figures[i].launches)
            text(&figures[i], &figures[0], &cell);
        else
            strbuf_add(&cell, "-");
        table_cell(t, "%s", strbuf_text(&cell));
        strbuf_free(&cell);
    }
}

/* Where the scheduler-cycles went: one row an owner that anybody has. */
static void add_stalls(struct table *t, const struct figures *figures)
{
    unsigned columns = t->columns - 1, widest = 0;
    for (unsigned i = 0; i < columns; i++)
        widest = figures[i].stall_count > figures[widest].stall_count ? i : widest;
    for (unsigned s = 0; s < figures[widest].stall_count; s++) {
        uint64_t any = 0;
        for (unsigned i = 0; i < columns; i++)
            any += figures[i].stalls[s];
        if (!any)
            continue;
        table_cell(t, "  %s", figures[widest].stall_names[s]);
        for (unsigned i = 0; i < columns; i++) {
            struct strbuf cell = {0};
            figures_percent(figures[i].stalls[s], figures[i].stall_total, &cell);
            table_cell(t, "%s", strbuf_text(&cell));
            if (s > 0 && s == figures_largest_stall(&figures[i]))
                table_paint(t, TERMINAL_STRONG, cell.length);
            strbuf_free(&cell);
        }
    }
}

static bool any_stalls(const struct figures *figures, unsigned count)
{
    uint64_t total = 0;
    for (unsigned i = 0; i < count; i++)
        total += figures[i].stall_total;
    return total > 0;
}

void report_compare(const struct report_run *runs, unsigned count, const char *only, struct table_page *page)
{
    struct table t;
    struct arena arena = {0};
    char *align = ARENA_NEW(&arena, char, count + 2);
    struct figures *figures = ARENA_NEW(&arena, struct figures, count);
    memset(align, 'r', count + 1);
    align[0] = 'l';
    table_init(&t, align);
    table_cell(&t, "%s", "");
    bool failed = false;
    for (unsigned i = 0; i < count; i++) {
        figures[i] = figures_of(&runs[i], only);
        if (runs[i].failure)
            figures[i].time_ns = 0; /* a run that did not end has no speed-up */
        table_cell(&t, "%s", runs[i].label);
        failed |= runs[i].failure != NULL;
    }
    if (failed && !only) {
        table_cell(&t, "ended");
        for (unsigned i = 0; i < count; i++)
            table_cell(&t, "%s", runs[i].failure ? runs[i].failure : "ok");
    }
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        add_row(&t, rows[i].label, rows[i].text, figures);
    if (any_stalls(figures, count)) {
        table_cell(&t, "scheduler cycles");
        for (unsigned i = 0; i < count; i++)
            table_cell(&t, "%" PRIu64, figures[i].stall_total);
        add_stalls(&t, figures);
    }
    table_text(&t, page);
    table_free(&t);
    arena_free(&arena);
}

/* The cycles of runs that differ in their seed. */
struct spread {
    bool failed; /* a run did not end well, or has no cycles (functional mode): there is nothing to say */
    uint64_t least, most;
    double mean, deviation, time_ns; /* deviation: of one run, by the mean */
};

/* Mean and squares by Welford's update: they stay exact where the cycles are many and differ little. */
static struct spread spread_of(const struct report_run *runs, unsigned count)
{
    struct spread s = {.least = UINT64_MAX};
    double squares = 0;
    for (unsigned i = 0; i < count; i++) {
        struct figures f = figures_of(&runs[i], NULL);
        double off = (double)f.cycles - s.mean;
        s.failed |= runs[i].failure != NULL || f.cycles == 0;
        s.least = f.cycles < s.least ? f.cycles : s.least;
        s.most = f.cycles > s.most ? f.cycles : s.most;
        s.mean += off / (i + 1);
        squares += off * ((double)f.cycles - s.mean);
        s.time_ns += f.time_ns;
    }
    s.time_ns /= count;
    s.deviation = count > 1 && s.mean > 0 ? sqrt(squares / (count - 1)) / s.mean : 0;
    return s;
}

static void add_spread(struct table *t, const struct spread *s, const struct spread *first)
{
    if (s->failed) {
        for (unsigned i = 0; i < 5; i++)
            table_cell(t, "-");
        return;
    }
    table_cell(t, "%.0f", s->mean);
    table_cell(t, "%.2f%%", 100 * s->deviation);
    table_cell(t, "%" PRIu64, s->least);
    table_cell(t, "%" PRIu64, s->most);
    if (first->failed || s->time_ns <= 0)
        table_cell(t, "-");
    else
        table_cell(t, "%.3fx", first->time_ns / s->time_ns);
}

void report_spread(const struct report_run *runs, unsigned count, unsigned seeds, struct table_page *page)
{
    struct table t;
    const struct spread first = spread_of(runs, seeds);
    table_init(&t, "lrrrrr");
    table_cell(&t, "cycles of %u seeds", seeds);
    table_cell(&t, "mean");
    table_cell(&t, "deviation");
    table_cell(&t, "least");
    table_cell(&t, "most");
    table_cell(&t, "speed-up");
    for (unsigned i = 0; i < count; i += seeds) {
        const struct spread s = spread_of(&runs[i], seeds);
        table_cell(&t, "%s", runs[i].group);
        add_spread(&t, &s, &first);
    }
    table_text(&t, page);
    table_free(&t);
}

void report_kernel_names(const struct report_run *runs, unsigned count, struct report_names *names)
{
    for (unsigned r = 0; r < count; r++)
        for (size_t i = 0; i < json_array_size(runs[r].kernels); i++) {
            const char *name = name_of(json_array_get(runs[r].kernels, i));
            bool known = false;
            for (size_t k = 0; k < names->list.count; k++)
                known |= strcmp(names->list.items[k], name) == 0;
            if (!known)
                vec_push(&names->list, name);
        }
}

void report_compare_kernels(const struct report_run *runs, unsigned count, struct table_page *page)
{
    struct report_names names = {0};
    report_kernel_names(runs, count, &names);
    for (size_t k = 0; k < names.list.count; k++) {
        strbuf_add(&page->text, "\nkernel ");
        figures_kernel_name(names.list.items[k], &page->text);
        strbuf_add(&page->text, "\n");
        report_compare(runs, count, names.list.items[k], page);
    }
    vec_free(&names.list);
}
