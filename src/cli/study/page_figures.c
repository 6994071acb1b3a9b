/* Figures and tables on a study's page. */
#include <string.h>

#include "report/charts.h"
#include "cli/study/page.h"
#include "report/chart.h"
#include "report/csv.h"
#include "report/html.h"

static void add_cell(struct study *study, sqlite3_stmt *stmt, int column, struct strbuf *out)
{
    struct study_value value = study_value_of(study, stmt, column);
    if (value.type == SQLITE_TEXT)
        strbuf_add(out, strchr(value.text, '\n') ? "<td class=said>" : "<td>");
    else
        strbuf_add(out, "<td class=number>");
    html_escape(out, value.text);
}

/* The begin of a table that scrolls in a box of its own, also by the keyboard. */
static void begin_table(const char *name, struct strbuf *out)
{
    strbuf_add(out, "<div class=scroll tabindex=0><table><caption class=unseen>");
    html_escape(out, name);
    strbuf_add(out, "</caption>\n");
}

/* A column's name stands where its first value does. */
int study_page_rows(struct study *study, const char *what, const char *name, const char *sql, struct strbuf *out)
{
    const char *said;
    sqlite3_stmt *stmt = study_prepare(&study->rights, study->db, sql, false, NULL, &said);
    if (!stmt)
        return diag_error(study->sink, DIAG_NOWHERE, NULL, "%s: %s", what, said);
    int columns = sqlite3_column_count(stmt), rc = 0;
    bool more = study_next(study, what, stmt, &rc);
    begin_table(name, out);
    strbuf_add(out, "<tr>");
    for (int i = 0; i < columns; i++) {
        bool number = more && sqlite3_column_type(stmt, i) != SQLITE_TEXT;
        strbuf_add(out, number ? "<th scope=col class=number>" : "<th scope=col>");
        html_escape(out, sqlite3_column_name(stmt, i));
    }
    strbuf_add(out, "</tr>\n");
    for (; more; more = study_next(study, what, stmt, &rc)) {
        strbuf_add(out, "<tr>");
        for (int i = 0; i < columns; i++)
            add_cell(study, stmt, i, out);
        strbuf_add(out, "</tr>\n");
    }
    sqlite3_finalize(stmt);
    strbuf_add(out, "</table></div>\n");
    return rc;
}

static void add_number(struct study *study, bool there, double value, struct strbuf *out)
{
    if (there)
        strbuf_addf(out, "<td class=number>%s", study_number(study, value));
    else
        strbuf_add(out, "<td class=number>-");
}

/* The numbers that a figure shows, to be taken along; the drawing is made of them. */
static void add_points_file(const struct study_points *p, struct strbuf *csv)
{
    strbuf_add(csv, "series,x,y,least,most,paper\n");
    for (size_t i = 0; i < p->items.count; i++) {
        const struct study_point *point = &p->items.items[i];
        bool spread = point->most >= point->least;
        const double values[] = {point->y, point->least, point->most, point->paper};
        const bool there[] = {point->there, spread, spread, point->printed};
        csv_text(csv, p->series.items.items[point->series]);
        strbuf_add(csv, ",");
        csv_text(csv, p->xs.items.items[point->x]);
        for (int k = 0; k < 4; k++)
            strbuf_addf(csv, there[k] ? ",%.10g" : ",", values[k]);
        strbuf_add(csv, "\n");
    }
}

/* Likewise of a timeline. */
static int add_bars_file(struct study *study, const struct study_figure *figure, struct strbuf *csv)
{
    sqlite3_stmt *stmt = study_ask_at(study, figure->id, yaml_get(figure->node, "sql"), figure->sql);
    int rc = stmt ? 0 : -1;
    strbuf_add(csv, "lane,from,to,until,label\n");
    while (stmt && study_next(study, figure->id, stmt, &rc)) {
        const char *lane = (const char *)sqlite3_column_text(stmt, 0);
        csv_text(csv, lane ? lane : "");
        for (int i = 1; i < 4; i++)
            strbuf_addf(csv, ",%.10g", sqlite3_column_double(stmt, i));
        const char *label = (const char *)sqlite3_column_text(stmt, 4);
        strbuf_add(csv, ",");
        csv_text(csv, label ? label : "");
        strbuf_add(csv, "\n");
    }
    sqlite3_finalize(stmt);
    return rc;
}

/* Adds the numbers that a figure shows, as a table. */
static void add_points(struct study *study, const struct study_figure *figure, const struct study_points *p,
                       struct strbuf *out)
{
    begin_table(figure->title, out);
    strbuf_add(out, "<tr><th scope=col>series<th scope=col>");
    html_escape(out, *figure->x ? figure->x : "x");
    strbuf_add(out, "<th scope=col class=number>");
    html_escape(out, *figure->y ? figure->y : "y");
    strbuf_addf(out, "%s%s</tr>\n", p->spread ? "<th scope=col class=number>least<th scope=col class=number>most" : "",
                p->printed ? "<th scope=col class=number>paper" : "");
    for (size_t i = 0; i < p->items.count; i++) {
        const struct study_point *point = &p->items.items[i];
        bool spread = point->most >= point->least;
        strbuf_add(out, "<tr><td>");
        html_escape(out, p->series.items.items[point->series]);
        strbuf_add(out, "<td>");
        html_escape(out, p->xs.items.items[point->x]);
        add_number(study, point->there, point->y, out);
        if (p->spread) {
            add_number(study, spread, point->least, out);
            add_number(study, spread, point->most, out);
        }
        if (p->printed)
            add_number(study, point->printed, point->paper, out);
        strbuf_add(out, "</tr>\n");
    }
    strbuf_add(out, "</table></div>");
}

static const char *const kind_names[] = {"Table", "Bars", "Stacked bars", "Lines", "Timeline"};

/* A drawing in words, for those who do not see it; its numbers follow as a table. */
static void add_alternative(const struct study_figure *figure, const struct study_points *p, struct strbuf *out)
{
    strbuf_addf(out, "%s: ", kind_names[figure->kind]);
    html_escape(out, figure->title);
    strbuf_add(out, *figure->y ? ", " : "");
    html_escape(out, figure->y);
    for (size_t i = 0; study_has_points(figure) && i < p->series.items.count; i++) {
        strbuf_add(out, i ? ", " : "; ");
        html_escape(out, p->series.items.items[i]);
    }
    strbuf_add(out, p->printed ? "; beside what the paper prints. Its numbers follow." : ". Its numbers follow.");
}

static void add_drawing(const struct study_figure *figure, const struct study_points *points, struct strbuf *out)
{
    static const char *const kinds[] = {"table", "bars", "stack", "lines", "timeline"};
    const struct chart chart = {
        .kind = kinds[figure->kind],
        .log = figure->logarithmic && figure->logarithmic_x ? "both"
               : figure->logarithmic                        ? "y"
               : figure->logarithmic_x                      ? "x"
                                                            : "",
        .x = figure->x,
        .y = figure->y,
        .has_base = figure->has_base,
        .base = figure->base,
    };
    struct strbuf alternative = {0};
    add_alternative(figure, points, &alternative);
    chart_place(out, &chart, strbuf_text(&alternative));
    strbuf_free(&alternative);
}

static void add_caption(const struct study_figure *figure, struct strbuf *out)
{
    if (!*figure->text)
        return;
    strbuf_add(out, "<figcaption>");
    html_escape(out, figure->text);
    strbuf_add(out, "</figcaption>");
}

/* The table is open until the drawing is there. */
static int add_numbers(struct study *study, const struct study_figure *figure, const struct study_points *points,
                       const struct strbuf *csv, struct strbuf *out)
{
    int rc = 0;
    strbuf_add(out, "<details open><summary>numbers</summary>");
    if (study_has_points(figure))
        add_points(study, figure, points, out);
    else
        rc = study_page_rows(study, figure->id, figure->title, figure->sql, out);
    strbuf_add(out, "</details>\n<p class=take>");
    chart_file(out, figure->id, csv);
    strbuf_add(out, "</p>");
    return rc;
}

static int add_drawn(struct study *study, const struct study_found *found, size_t number, struct strbuf *out)
{
    const struct study_figure *figure = &study->figures.items[number];
    const struct study_points *points = &found->points[number];
    struct strbuf csv = {0};
    int rc = 0;
    if (study_has_points(figure))
        add_points_file(points, &csv);
    else
        rc = add_bars_file(study, figure, &csv);
    bool any = strchr(strbuf_text(&csv), '\n')[1];
    if (any && found->library)
        add_drawing(figure, points, out);
    else
        strbuf_addf(out, "<p class=note>%s</p>", any ? CHARTS_MISSING : "There are no numbers to draw.");
    add_caption(figure, out);
    if (any)
        rc |= add_numbers(study, figure, points, &csv, out);
    strbuf_free(&csv);
    return rc;
}

static int add_figure(struct study *study, const struct study_found *found, size_t number, struct strbuf *out)
{
    const struct study_figure *figure = &study->figures.items[number];
    int rc;
    strbuf_addf(out, "<figure id=\"%s\"><h3>", figure->id);
    html_escape(out, figure->title);
    strbuf_add(out, "</h3>\n");
    if (figure->kind == STUDY_TABLE) {
        add_caption(figure, out);
        rc = study_page_rows(study, figure->id, figure->title, figure->sql, out);
    } else {
        rc = add_drawn(study, found, number, out);
    }
    strbuf_add(out, "</figure>\n");
    return rc;
}

/* One past the last panel of the figure. */
static size_t end_of(const struct study *study, size_t first)
{
    return first + study->figures.items[first].panels;
}

/* Panels of one figure stand side by side, where there is room. */
static int add_group(struct study *study, const struct study_found *found, size_t first, struct strbuf *out)
{
    size_t panels = study->figures.items[first].panels;
    bool side = panels > 1 && study->figures.items[first].kind != STUDY_TABLE;
    int rc = 0;
    if (side)
        strbuf_addf(out, "<div class=\"side %s\">\n", panels == 2 || panels == 4 ? "two" : "three");
    for (size_t i = first; i < end_of(study, first); i++)
        rc |= add_figure(study, found, i, out);
    strbuf_add(out, side ? "</div>\n" : "");
    return rc;
}

/* The index of the main figure's first panel; study->figures.count: there is none. */
static size_t main_figure(const struct study *study, const struct study_found *found)
{
    size_t count = study->figures.count, chosen = count;
    for (size_t i = 0; i < count; i = end_of(study, i)) {
        if (study->figures.items[i].main)
            return i;
        if (chosen == count && found->points[i].printed)
            chosen = i;
    }
    return chosen;
}

int study_page_main(struct study *study, const struct study_found *found, struct strbuf *out)
{
    size_t first = main_figure(study, found);
    return first < study->figures.count ? add_group(study, found, first, out) : 0;
}

int study_page_figures(struct study *study, const struct study_found *found, struct strbuf *out)
{
    size_t already = main_figure(study, found);
    int rc = 0;
    if (study->figures.count)
        strbuf_add(out, "<h2 id=figures>Figures and tables</h2>\n");
    for (size_t i = 0; i < study->figures.count; i = end_of(study, i))
        if (i != already)
            rc |= add_group(study, found, i, out);
    return rc;
}
