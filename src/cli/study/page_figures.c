/* Figures and tables on a study's page. */
#include <ctype.h>
#include <string.h>

#include "cli/study/page.h"
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

/* A column's name stands where its first value does. */
int study_page_rows(struct study *study, const char *what, const char *sql, struct strbuf *out)
{
    const char *said;
    sqlite3_stmt *stmt = study_prepare(&study->rights, study->db, sql, false, NULL, &said);
    if (!stmt)
        return diag_error(study->sink, DIAG_NOWHERE, NULL, "%s: %s", what, said);
    int columns = sqlite3_column_count(stmt), rc = 0;
    bool more = study_next(study, what, stmt, &rc);
    strbuf_add(out, "<div class=scroll><table><tr>");
    for (int i = 0; i < columns; i++) {
        strbuf_add(out, more && sqlite3_column_type(stmt, i) != SQLITE_TEXT ? "<th class=number>" : "<th>");
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

/* A line of a file of comma-separated values within an address. */
static void add_encoded(const struct strbuf *line, struct strbuf *out)
{
    for (size_t i = 0; i < line->length; i++) {
        unsigned char c = (unsigned char)line->text[i];
        bool plain = c < 128 && (isalnum(c) || strchr("-._,+", c));
        strbuf_addf(out, plain ? "%c" : "%%%02X", c);
    }
}

/* The numbers that a figure shows, to be taken along. */
static void add_download(const struct study_figure *figure, const struct study_points *p, struct strbuf *out)
{
    struct strbuf csv = {0};
    strbuf_add(&csv, "series,x,y,least,most,paper\n");
    for (size_t i = 0; i < p->items.count; i++) {
        const struct study_point *point = &p->items.items[i];
        const double values[] = {point->y, point->least, point->most, point->paper};
        const bool there[] = {point->there, point->most >= point->least, point->most >= point->least, point->printed};
        csv_text(&csv, p->series.items.items[point->series]);
        strbuf_add(&csv, ",");
        csv_text(&csv, p->xs.items.items[point->x]);
        for (int k = 0; k < 4; k++)
            strbuf_addf(&csv, there[k] ? ",%.10g" : ",", values[k]);
        strbuf_add(&csv, "\n");
    }
    strbuf_addf(out, "<a class=note download=\"%s.csv\" href=\"data:text/csv;charset=utf-8,", figure->id);
    add_encoded(&csv, out);
    strbuf_add(out, "\">as CSV</a>");
    strbuf_free(&csv);
}

/* Adds the numbers that a figure shows, as a table. */
static void add_points(struct study *study, const struct study_figure *figure, const struct study_points *p,
                       struct strbuf *out)
{
    strbuf_add(out, "<details><summary>numbers</summary><div class=scroll><table><tr><th>series<th>");
    html_escape(out, *figure->x ? figure->x : "x");
    strbuf_add(out, "<th class=number>");
    html_escape(out, *figure->y ? figure->y : "y");
    strbuf_addf(out, "%s%s</tr>\n", p->spread ? "<th class=number>least<th class=number>most" : "",
                p->printed ? "<th class=number>paper" : "");
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
    add_download(figure, p, out);
    strbuf_add(out, "</details>");
}

static int add_rows(struct study *study, const struct study_figure *figure, struct strbuf *out)
{
    strbuf_add(out, "<details><summary>numbers</summary>");
    int rc = study_page_rows(study, figure->id, figure->sql, out);
    strbuf_add(out, "</details>");
    return rc;
}

/* A drawing in words, for those who do not see it; its numbers follow as a table. */
static void add_alternative(const struct study_figure *figure, const struct study_points *p, struct strbuf *out)
{
    static const char *const kinds[] = {"Table", "Bars", "Stacked bars", "Lines", "Timeline"};
    strbuf_addf(out, "%s: ", kinds[figure->kind]);
    html_escape(out, figure->title);
    strbuf_add(out, *figure->y ? ", " : "");
    html_escape(out, figure->y);
    for (size_t i = 0; study_has_points(figure) && i < p->series.items.count; i++) {
        strbuf_add(out, i ? ", " : "; ");
        html_escape(out, p->series.items.items[i]);
    }
    strbuf_add(out, p->printed ? "; beside what the paper prints. Its numbers follow." : ". Its numbers follow.");
}

static int add_drawing(struct study *study, const struct study_figure *figure, const struct study_points *points,
                       struct strbuf *out)
{
    struct strbuf svg = {0};
    int rc = study_draw(study, figure, points, &svg);
    strbuf_add(out, "<div class=scroll>");
    if (svg.length > 4 && !strncmp(svg.text, "<svg", 4)) {
        strbuf_add(out, "<svg role=img aria-label=\"");
        add_alternative(figure, points, out);
        strbuf_addf(out, "\"%s", svg.text + 4);
    }
    strbuf_free(&svg);
    strbuf_add(out, "</div>");
    if (rc == 1)
        strbuf_add(out, "<p class=note>Not drawn: gnuplot is not installed.</p>");
    return rc < 0 ? -1 : 0;
}

static int add_figure(struct study *study, const struct study_figure *figure, const struct study_points *points,
                      struct strbuf *out)
{
    bool table = figure->kind == STUDY_TABLE;
    strbuf_addf(out, "<figure id=\"%s\"><h3>", figure->id);
    html_escape(out, figure->title);
    strbuf_add(out, "</h3>");
    int rc = table ? 0 : add_drawing(study, figure, points, out);
    if (*figure->text) {
        strbuf_add(out, "<figcaption>");
        html_escape(out, figure->text);
        strbuf_add(out, "</figcaption>");
    }
    if (table)
        rc = study_page_rows(study, figure->id, figure->sql, out);
    else if (study_has_points(figure))
        add_points(study, figure, points, out);
    else
        rc |= add_rows(study, figure, out);
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
    bool side = study->figures.items[first].panels > 1 && study->figures.items[first].kind != STUDY_TABLE;
    int rc = 0;
    strbuf_add(out, side ? "<div class=side>\n" : "");
    for (size_t i = first; i < end_of(study, first); i++)
        rc |= add_figure(study, &study->figures.items[i], &found->points[i], out);
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
