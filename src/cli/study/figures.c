/* Figures of a study, drawn by gnuplot: bars (a group for each x, a bar for each series) or lines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        struct point point = {.series = number_of(&p->series, text_at(stmt, 0)),
                              .x = number_of(&p->xs, text_at(stmt, 1)),
                              .at = sqlite3_column_double(stmt, 1),
                              .y = sqlite3_column_double(stmt, 2),
                              .there = sqlite3_column_type(stmt, 2) != SQLITE_NULL};
        vec_push(&p->points, point);
    }
    sqlite3_finalize(stmt);
    return 0;
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
               "set grid ytics lt 1 lc rgb '#dddddd'\nset key outside right top\n"
               "set linetype 1 lc rgb '#4e79a7'\nset linetype 2 lc rgb '#f28e2b'\nset linetype 3 lc rgb '#59a14f'\n"
               "set linetype 4 lc rgb '#e15759'\nset linetype 5 lc rgb '#76b7b2'\nset linetype 6 lc rgb '#b07aa1'\n"
               "set linetype 7 lc rgb '#9c755f'\nset linetype 8 lc rgb '#bab0ac'\n"
               "set output ");
    quote(out, svg);
    strbuf_add(out, "\nset xlabel ");
    quote(out, figure->x);
    strbuf_add(out, "\nset ylabel ");
    quote(out, figure->y);
    strbuf_add(out, figure->logarithmic ? "\nset logscale y\n" : "\n");
}

static void draw_bars(const struct points *p, struct strbuf *out)
{
    strbuf_add(out, "set style data histograms\nset style histogram clustered gap 1\nset style fill solid 1 noborder\n"
                    "set boxwidth 0.9\nset xtics rotate by -30\n$data << END\n");
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
    strbuf_add(out, "END\nplot ");
    for (size_t s = 0; s < p->series.items.count; s++) {
        strbuf_addf(out, "%s$data using %zu:xtic(1) title ", s ? ", " : "", s + 2);
        quote(out, p->series.items.items[s]);
    }
    strbuf_add(out, "\n");
}

static void draw_lines(const struct points *p, struct strbuf *out)
{
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
    if (cli_write_file(script, script_text->text, script_text->length, study->sink) < 0)
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
        if (figure->kind == STUDY_BARS)
            draw_bars(&p, &script);
        else
            draw_lines(&p, &script);
        rc = render(study, figure, &script, path, svg);
    }
    strbuf_free(&script);
    forget(&p.series);
    forget(&p.xs);
    vec_free(&p.points);
    return rc;
}
