/* The table of a run's kernels, and CSV; see run_report.h. */
#include "report/run_report.h"

#include <inttypes.h>
#include <string.h>

#include "base/vec.h"
#include "report/csv.h"
#include "report/figures.h"
#include "report/table.h"

/* Above so many launches, launches of one kernel share a row. */
#define ROWS_PER_LAUNCH 12

static void extent_text(const json_t *extent, struct strbuf *out)
{
    long long size[3] = {1, 1, 1};
    for (size_t i = 0; i < 3; i++)
        size[i] = json_integer_value(json_array_get(extent, i));
    strbuf_addf(out, "%lld", size[0]);
    if (size[1] > 1 || size[2] > 1)
        strbuf_addf(out, "x%lld", size[1]);
    if (size[2] > 1)
        strbuf_addf(out, "x%lld", size[2]);
}

static void rate_text(double per_second, struct strbuf *out)
{
    if (per_second <= 0)
        strbuf_add(out, "-");
    else if (per_second < 1e6)
        strbuf_addf(out, "%.0f k/s", per_second / 1e3);
    else
        strbuf_addf(out, "%.2f M/s", per_second / 1e6);
}

static void cell_of(struct table *t, struct strbuf *text)
{
    table_cell(t, "%s", strbuf_text(text));
    strbuf_free(text);
}

static void heading(struct table *t, bool grouped)
{
    table_cell(t, "kernel");
    if (grouped)
        table_cell(t, "launches");
    else {
        table_cell(t, "grid");
        table_cell(t, "block");
    }
    static const char *const names[] = {"cycles", "warp instr",     "IPC",          "SIMD",        "L1D hit",
                                        "L2 hit", "dynamic energy", "total energy", "lost cycles", "host speed"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        table_cell(t, "%s", names[i]);
}

static void figure_cells(struct table *t, const struct figures *f)
{
    struct strbuf text = {0};
    bool timed = f->cycles > 0;
    if (timed)
        table_cell(t, "%" PRIu64, f->cycles);
    else
        table_cell(t, "-");
    table_cell(t, "%" PRIu64, f->warp_instructions);
    if (timed)
        table_cell(t, "%.2f", figures_ipc(f));
    else
        table_cell(t, "-");
    figures_percent(f->thread_instructions, f->lane_slots, &text);
    cell_of(t, &text);
    figures_percent(f->l1d_read_hits, f->l1d_reads, &text);
    cell_of(t, &text);
    figures_percent(f->l2_read_hits, f->l2_reads, &text);
    cell_of(t, &text);
    figures_energy(f, f->dynamic_energy, &text);
    cell_of(t, &text);
    figures_energy(f, f->total_energy, &text);
    cell_of(t, &text);
    figures_top_stalls(f, 2, &text);
    size_t largest = figures_largest_stall(f) ? strcspn(strbuf_text(&text), ",") : 0;
    cell_of(t, &text);
    table_paint(t, TERMINAL_STRONG, largest);
    rate_text(f->host_seconds > 0 ? (double)f->warp_instructions / f->host_seconds : 0, &text);
    cell_of(t, &text);
}

static const char *name_of(const json_t *kernel)
{
    const char *name = json_string_value(json_object_get(kernel, "name"));
    return name ? name : "";
}

static void launch_row(struct table *t, const json_t *kernel)
{
    struct strbuf text = {0};
    struct figures f = {0};
    const char *status = json_string_value(json_object_get(kernel, "status"));
    figures_kernel_name(name_of(kernel), &text);
    if (status && strcmp(status, "ok") != 0)
        strbuf_addf(&text, " (%s, partial)", status);
    cell_of(t, &text);
    extent_text(json_object_get(kernel, "grid"), &text);
    cell_of(t, &text);
    extent_text(json_object_get(kernel, "block"), &text);
    cell_of(t, &text);
    figures_add(&f, kernel);
    figure_cells(t, &f);
}

static bool seen_before(const json_t *kernels, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(name_of(json_array_get(kernels, i)), name_of(json_array_get(kernels, index))) == 0)
            return true;
    return false;
}

static bool any_partial(const json_t *kernels, const char *name)
{
    for (size_t i = 0; i < json_array_size(kernels); i++) {
        const json_t *kernel = json_array_get(kernels, i);
        if (json_is_true(json_object_get(kernel, "partial")) && strcmp(name_of(kernel), name) == 0)
            return true;
    }
    return false;
}

static void kernel_row(struct table *t, const json_t *kernels, const char *name)
{
    struct strbuf text = {0};
    struct figures f = {0};
    for (size_t i = 0; i < json_array_size(kernels); i++)
        if (strcmp(name_of(json_array_get(kernels, i)), name) == 0)
            figures_add(&f, json_array_get(kernels, i));
    figures_kernel_name(name, &text);
    if (any_partial(kernels, name))
        strbuf_add(&text, " (partial)");
    cell_of(t, &text);
    if (f.untimed)
        table_cell(t, "%" PRIu64 " of %" PRIu64, f.launches, f.launches + f.untimed);
    else
        table_cell(t, "%" PRIu64, f.launches);
    figure_cells(t, &f);
}

void report_kernels(const json_t *kernels, struct table_page *page)
{
    struct table t;
    size_t count = json_array_size(kernels);
    bool grouped = count > ROWS_PER_LAUNCH;
    table_init(&t, grouped ? "lrrrrrrrrrlr" : "lrrrrrrrrrrlr");
    heading(&t, grouped);
    for (size_t i = 0; i < count; i++) {
        if (!grouped)
            launch_row(&t, json_array_get(kernels, i));
        else if (!seen_before(kernels, i))
            kernel_row(&t, kernels, name_of(json_array_get(kernels, i)));
    }
    if (count > 0)
        table_text(&t, page);
    table_free(&t);
}

static void csv_value(const json_t *value, struct strbuf *out)
{
    struct strbuf text = {0};
    if (json_is_string(value))
        csv_text(out, json_string_value(value));
    else if (json_is_integer(value))
        strbuf_addf(out, "%lld", json_integer_value(value));
    else if (json_is_real(value))
        strbuf_addf(out, "%.9g", json_real_value(value));
    else if (json_is_boolean(value))
        strbuf_add(out, json_is_true(value) ? "true" : "false");
    else if (json_is_array(value)) {
        extent_text(value, &text);
        csv_text(out, strbuf_text(&text));
    }
    strbuf_free(&text);
}

/* One CSV line: the names of `shape`'s members, or the values that `kernel` has for them. */
static void csv_line(const json_t *shape, const json_t *kernel, struct strbuf *out)
{
    const char *name, *inner;
    json_t *member, *unused;
    bool first = true;
    json_object_foreach((json_t *)shape, name, member)
    {
        if (!json_is_object(member)) {
            strbuf_add(out, first ? "" : ",");
            if (kernel)
                csv_value(json_object_get(kernel, name), out);
            else
                csv_text(out, name);
        } else {
            json_object_foreach(member, inner, unused)
            {
                strbuf_add(out, first ? "" : ",");
                if (kernel)
                    csv_value(json_object_get(json_object_get(kernel, name), inner), out);
                else
                    strbuf_addf(out, "%s.%s", name, inner);
                first = false;
            }
        }
        first = false;
    }
    strbuf_add(out, "\n");
}

/* The words of an array of texts, with blanks between them. */
static void csv_words(const json_t *words, struct strbuf *out)
{
    struct strbuf text = {0};
    for (size_t i = 0; i < json_array_size(words); i++)
        strbuf_addf(&text, "%s%s", i ? " " : "", json_string_value(json_array_get(words, i)));
    csv_text(out, strbuf_text(&text));
    strbuf_free(&text);
}

/* Writes the columns that all kernels of a run share, which stand before each kernel's own. */
static void csv_run(const json_t *document, struct strbuf *out)
{
    csv_words(json_object_get(document, "program"), out);
    strbuf_add(out, ",");
    csv_value(json_object_get(json_object_get(document, "machine"), "name"), out);
    strbuf_add(out, ",");
    csv_value(json_object_get(document, "as"), out);
    strbuf_add(out, ",");
    csv_value(json_object_get(document, "scheduler"), out);
    strbuf_add(out, ",");
    csv_words(json_object_get(document, "parameters"), out);
    strbuf_add(out, ",");
}

/* Adds to shape those members of a kernel, and of its groups, that shape lacks. */
static void widen(json_t *shape, json_t *kernel)
{
    const char *name;
    json_t *member;
    json_object_foreach(kernel, name, member)
    {
        json_t *known = json_object_get(shape, name);
        if (!known || (json_is_object(member) && !json_is_object(known)))
            json_object_set_new(shape, name, json_deep_copy(member));
        else if (json_is_object(member))
            widen(known, member);
    }
}

static json_t *kernels_of(const json_t *documents, size_t index)
{
    return json_object_get(json_array_get(documents, index), "kernels");
}

void report_csv(const json_t *documents, struct strbuf *out)
{
    json_t *shape = json_object();
    for (size_t d = 0; d < json_array_size(documents); d++)
        for (size_t i = 0; i < json_array_size(kernels_of(documents, d)); i++)
            widen(shape, json_array_get(kernels_of(documents, d), i));
    json_object_del(shape, "profile"); /* by instruction: no figure of a kernel */
    json_object_del(shape, "intervals");
    if (!json_object_size(shape)) {
        json_decref(shape);
        return;
    }
    strbuf_add(out, "program,machine,as,scheduler,parameters,");
    csv_line(shape, NULL, out);
    for (size_t d = 0; d < json_array_size(documents); d++)
        for (size_t i = 0; i < json_array_size(kernels_of(documents, d)); i++) {
            csv_run(json_array_get(documents, d), out);
            csv_line(shape, json_array_get(kernels_of(documents, d), i), out);
        }
    json_decref(shape);
}
