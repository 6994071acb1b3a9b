/* Figures of a study, drawn by gnuplot: bars (a group for each x, a bar for each series, beside or on top of each
 * other) or lines. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/study/study.h"

struct names {
    VEC(char *) items;
};

static size_t number_of(struct names *names, const char *name)
{
    for (size_t i = 0; i < names->items.count; i++)
        if (!strcmp(names->items.items[i], name))
            return i;
    vec_push(&names->items, strdup(name));
    return names->items.count - 1;
}

static void forget(struct names *names)
{
    for (size_t i = 0; i < names->items.count; i++)
        free(names->items.items[i]);
    vec_free(&names->items);
}

/* Rows of (series, x, y), and the names in order of appearance. */
struct point {
    size_t series, x;
    double at, y;
    bool there;
};
struct points {
    struct names series, xs;
    VEC(struct point) points;
};

static const char *text_at(sqlite3_stmt *stmt, int column)
{
    const char *text = (const char *)sqlite3_column_text(stmt, column);
    return text ? text : "";
}

static int read_points(struct study *study, const struct study_figure *figure, struct points *p)
{
    sqlite3_stmt *stmt = study_ask(study, figure->id, figure->sql);
    if (!stmt)
        return -1;
    if (sqlite3_column_count(stmt) != 3) {
        sqlite3_finalize(stmt);
        return diag_error(study->sink, DIAG_NOWHERE, NULL, "%s: a figure's sql gives series, x and y", figure->id);
    }
    int rc = 0;
    while (study_next(study, figure->id, stmt, &rc)) {
        struct point point = {.series = number_of(&p->series, text_at(stmt, 0)),
                              .x = number_of(&p->xs, text_at(stmt, 1)),
                              .at = sqlite3_column_double(stmt, 1),
                              .y = sqlite3_column_double(stmt, 2),
                              .there = sqlite3_column_type(stmt, 2) != SQLITE_NULL};
        vec_push(&p->points, point);
    }
    sqlite3_finalize(stmt);
    return rc;
}

static void quote(struct strbuf *out, const char *text)
{
    strbuf_add(out, "\"");
    for (; *text; text++)
        strbuf_addf(out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    strbuf_add(out, "\"");
}

static void head(const struct study_figure *figure, const char *svg, struct strbuf *out)
{
    strbuf_add(out,
               "set terminal svg size 900,360 dynamic noenhanced font 'sans-serif,12'\n"
               "set border 3\nset tics nomirror\n"
               "set grid ytics lt 1 lc rgb '#dddddd'\nset key outside right top Left reverse samplen 2\n"
               "set linetype 1 lc rgb '#4e79a7'\nset linetype 2 lc rgb '#f28e2b'\nset linetype 3 lc rgb '#59a14f'\n"
               "set linetype 4 lc rgb '#e15759'\nset linetype 5 lc rgb '#76b7b2'\nset linetype 6 lc rgb '#b07aa1'\n"
               "set linetype 7 lc rgb '#9c755f'\nset linetype 8 lc rgb '#bab0ac'\nset linetype 9 lc rgb '#edc948'\n"
               "set linetype 10 lc rgb '#222222'\n"
               "set output ");
    quote(out, svg);
    strbuf_add(out, "\nset xlabel ");
    quote(out, figure->x);
    strbuf_add(out, "\nset ylabel ");
    quote(out, figure->y);
    strbuf_add(out, "\n");
}

/* The greatest of 1, 2 and 5 times a power of ten that is not above the value. */
static double mark_below(double value)
{
    double decade = pow(10, floor(log10(value)));
    return value >= 5 * decade ? 5 * decade : value >= 2 * decade ? 2 * decade : decade;
}

static double mark_above(double mark)
{
    return mark_below(mark * 2.6);
}

/* A logarithmic axis between the marks around the values: 1, 2 and 5 of every decade, or, of many, decades alone. */
static void logarithmic(const struct points *p, char axis, struct strbuf *out)
{
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < p->points.count; i++) {
        const struct point *point = &p->points.items[i];
        double value = axis == 'x' ? point->at : point->y;
        least = point->there && value > 0 ? fmin(least, value) : least;
        most = point->there ? fmax(most, value) : most;
    }
    if (!(least <= most))
        return;
    double low = mark_below(least), high = mark_above(mark_below(most));
    strbuf_addf(out, "set logscale %c\nset %crange [%.6g:%.6g]\n", axis, axis, low * 0.999,
                high * 1.001); /* gnuplot loses marks at the very ends */
    if (most >= 10000)
        strbuf_addf(out, "set format %c '%%.0s %%c'\n", axis);
    const char *separator = "";
    strbuf_addf(out, "set %ctics (", axis);
    for (double mark = low; mark < high * 1.01; mark = mark_above(mark)) {
        if (high > 2000 * low && fabs(log10(mark) - round(log10(mark))) > 0.01)
            continue;
        strbuf_addf(out, "%s%.6g", separator, mark);
        separator = ", ";
    }
    strbuf_add(out, ")\n");
}

/* A row for each x, with a column for each series. */
static void rows(const struct points *p, struct strbuf *out)
{
    strbuf_add(out, "$data << END\n");
    for (size_t x = 0; x < p->xs.items.count; x++) {
        quote(out, p->xs.items.items[x]);
        for (size_t s = 0; s < p->series.items.count; s++) {
            const struct point *found = NULL;
            for (size_t i = 0; i < p->points.count; i++)
                if (p->points.items[i].x == x && p->points.items[i].series == s && p->points.items[i].there)
                    found = &p->points.items[i];
            if (found)
                strbuf_addf(out, " %.6g", found->y);
            else
                strbuf_add(out, " NaN");
        }
        strbuf_add(out, "\n");
    }
    strbuf_add(out, "END\n");
}

/* Names below the bars lie flat while they have room. */
static void bar_names(const struct points *p, struct strbuf *out)
{
    size_t widest = 0, count = p->xs.items.count;
    for (size_t x = 0; x < count; x++)
        if (strlen(p->xs.items.items[x]) > widest)
            widest = strlen(p->xs.items.items[x]);
    strbuf_add(out, "set xtics scale 0");
    if (widest * count > 60)
        strbuf_addf(out, " rotate by %d", count > 16 ? -60 : -30);
    strbuf_add(out, "\n");
}

static void draw_bars(const struct study_figure *figure, const struct points *p, struct strbuf *out)
{
    bool stacked = figure->kind == STUDY_STACK;
    bar_names(p, out);
    if (figure->logarithmic)
        logarithmic(p, 'y', out);
    else
        strbuf_addf(out, "set yrange [0:*]%s\n", stacked ? "\nset autoscale yfixmax" : "");
    strbuf_addf(out, "set style data histograms\nset style histogram %s\n", stacked ? "rowstacked" : "clustered gap 1");
    strbuf_addf(out, "set style fill solid 1 noborder\nset boxwidth %s\n", stacked ? "0.7" : "0.9");
    rows(p, out);
    strbuf_add(out, "plot ");
    for (size_t s = 0; s < p->series.items.count; s++) {
        strbuf_addf(out, "%s$data using %zu:xtic(1) title ", s ? ", " : "", s + 2);
        quote(out, p->series.items.items[s]);
    }
    strbuf_add(out, "\n");
}

static void draw_lines(const struct study_figure *figure, const struct points *p, struct strbuf *out)
{
    if (figure->logarithmic)
        logarithmic(p, 'y', out);
    if (figure->logarithmic_x)
        logarithmic(p, 'x', out);
    for (size_t s = 0; s < p->series.items.count; s++) {
        strbuf_addf(out, "$line%zu << END\n", s);
        for (size_t i = 0; i < p->points.count; i++)
            if (p->points.items[i].series == s && p->points.items[i].there)
                strbuf_addf(out, "%.9g %.9g\n", p->points.items[i].at, p->points.items[i].y);
        strbuf_add(out, "END\n");
    }
    strbuf_add(out, "plot ");
    for (size_t s = 0; s < p->series.items.count; s++) {
        strbuf_addf(out, "%s$line%zu using 1:2 with linespoints pt 7 ps 0.6 lw 2 title ", s ? ", " : "", s);
        quote(out, p->series.items.items[s]);
    }
    strbuf_add(out, "\n");
}

static int run_gnuplot(struct study *study, const char *script, const char *log)
{
    static const char *const nothing[] = {NULL};
    char *argv[] = {"/usr/bin/env", "gnuplot", (char *)script, NULL};
    struct process_job job = {
        .argv = argv, .environment = process_environment(&study->arena, nothing), .output = log, .errors = log};
    struct process_options how = {.parallel = 1};
    int stopped = process_run(&job, 1, &how);
    if (stopped)
        process_die(stopped);
    return job.failed ? 127 : job.status;
}

static int render(struct study *study, const struct study_figure *figure, const struct strbuf *script_text,
                  const char *svg_path, struct strbuf *svg)
{
    const char *script = arena_printf(&study->arena, "%s/cache/%s.gnuplot", study->out, figure->id);
    const char *log = arena_printf(&study->arena, "%s/cache/%s.log", study->out, figure->id);
    if (file_write(script, script_text->text, script_text->length, study->sink) < 0)
        return -1;
    int status = run_gnuplot(study, script, log);
    if (status == 127)
        return 1;
    if (status) {
        struct strbuf said = {0};
        cli_read_file(log, &said, study->sink);
        diag_error(study->sink, DIAG_NOWHERE, NULL, "%s: gnuplot: %s", figure->id, strbuf_text(&said));
        strbuf_free(&said);
        return -1;
    }
    struct strbuf drawn = {0};
    int rc = cli_read_file(svg_path, &drawn, study->sink);
    const char *begin =
        strstr(strbuf_text(&drawn), "<svg"); /* behind the declaration of XML, which HTML has no place for */
    if (rc == 0 && begin)
        strbuf_add(svg, begin);
    strbuf_free(&drawn);
    return rc;
}

int study_draw(struct study *study, const struct study_figure *figure, struct strbuf *svg)
{
    struct points p = {.points = {0}};
    struct strbuf script = {0};
    const char *path = arena_printf(&study->arena, "%s/cache/%s.svg", study->out, figure->id);
    int rc = read_points(study, figure, &p);
    if (rc == 0 && p.points.count) {
        head(figure, path, &script);
        if (figure->kind == STUDY_LINES)
            draw_lines(figure, &p, &script);
        else
            draw_bars(figure, &p, &script);
        rc = render(study, figure, &script, path, svg);
    }
    strbuf_free(&script);
    forget(&p.series);
    forget(&p.xs);
    vec_free(&p.points);
    return rc;
}
