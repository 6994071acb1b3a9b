/* Scatter plots as HTML: see scatter.h. */
#include "report/scatter.h"

#include <stdbool.h>

#include "report/chart.h"
#include "report/csv.h"
#include "report/html.h"

static const char style[] = "td { white-space: nowrap; } h3 { margin: 0; }\n"
                            ".plots { display: flex; flex-wrap: wrap; gap: 2rem; }\n"
                            "figure { margin: 0; flex: 1 1 24rem; max-width: 36rem; min-width: 0; }\n";

static void add_element(struct strbuf *out, const char *tag, const char *text)
{
    strbuf_addf(out, "<%s>", tag);
    html_escape(out, text);
    strbuf_addf(out, "</%s>\n", tag);
}

static double ratio_of(const struct scatter_point *p)
{
    return p->y / p->x;
}

static void add_heading(struct strbuf *out, const char *text, bool number)
{
    strbuf_addf(out, "<th scope=\"col\"%s>", number ? " class=\"number\"" : "");
    html_escape(out, text);
    strbuf_add(out, "</th>");
}

static void add_cell(struct strbuf *out, const char *text)
{
    strbuf_add(out, "<td>");
    html_escape(out, text);
    strbuf_add(out, "</td>");
}

static void add_table(struct strbuf *out, const struct scatter_page *page, const struct scatter_group *group)
{
    strbuf_add(out, "<div class=\"scroll\" tabindex=\"0\">\n<table>\n");
    add_element(out, "caption", group->name);
    strbuf_add(out, "<thead><tr>");
    add_heading(out, "case", false);
    add_heading(out, page->variant_name, false);
    add_heading(out, page->y_name, true);
    add_heading(out, page->x_name, true);
    add_heading(out, "ratio", true);
    add_heading(out, page->note_name, false);
    strbuf_add(out, "</tr></thead>\n<tbody>\n");
    for (unsigned i = 0; i < group->count; i++) {
        const struct scatter_point *p = &group->points[i];
        strbuf_add(out, "<tr><th scope=\"row\">");
        html_escape(out, p->name);
        strbuf_add(out, "</th>");
        add_cell(out, p->variant);
        strbuf_addf(out,
                    "<td class=\"number\">%.15g</td><td class=\"number\">%.15g</td><td class=\"number\">%.3f</td>",
                    p->y, p->x, ratio_of(p));
        add_cell(out, p->note);
        strbuf_add(out, "</tr>\n");
    }
    strbuf_add(out, "</tbody>\n</table>\n</div>\n");
}

static void add_drawing(struct strbuf *out, const struct scatter_page *page, const struct scatter_group *group)
{
    struct strbuf alternative = {0};
    const struct chart chart = {.kind = "scatter", .log = "both", .x = page->x_name, .y = page->y_name};
    html_escape(&alternative, group->name);
    strbuf_add(&alternative, ": ");
    html_escape(&alternative, group->summary);
    chart_place(out, &chart, strbuf_text(&alternative));
    strbuf_free(&alternative);
}

/* The numbers of a group, to be taken along; its drawing is made of them. */
static void add_file(struct strbuf *out, const struct scatter_group *group)
{
    struct strbuf csv = {0};
    strbuf_add(&csv, "name,variant,mark,x,y\n");
    for (unsigned i = 0; i < group->count; i++) {
        const struct scatter_point *p = &group->points[i];
        csv_text(&csv, p->name);
        strbuf_add(&csv, ",");
        csv_text(&csv, p->variant);
        strbuf_addf(&csv, ",%u,%.15g,%.15g\n", p->mark, p->x, p->y);
    }
    strbuf_add(out, "<p class=take>");
    chart_file(out, group->name, &csv);
    strbuf_add(out, "</p>\n");
    strbuf_free(&csv);
}

static void add_plot(struct strbuf *out, const struct scatter_page *page, const struct scatter_group *group)
{
    strbuf_add(out, "<figure>\n");
    add_element(out, "h3", group->name);
    if (page->library && group->count)
        add_drawing(out, page, group);
    add_element(out, "figcaption", group->summary);
    strbuf_add(out, "<details open><summary>numbers</summary>\n");
    add_table(out, page, group);
    strbuf_add(out, "</details>\n");
    add_file(out, group);
    strbuf_add(out, "</figure>\n");
}

void scatter_html(const struct scatter_page *page, struct strbuf *out)
{
    struct strbuf rules = {0};
    strbuf_addf(&rules, "%s%s", chart_style, style);
    html_begin(out, page->title, strbuf_text(&rules));
    strbuf_free(&rules);
    add_element(out, "p", page->text);
    if (page->library)
        chart_unscripted(out);
    strbuf_add(out, "<div class=\"plots\">\n");
    for (unsigned i = 0; i < page->count; i++)
        add_plot(out, page, &page->groups[i]);
    strbuf_add(out, "</div>\n");
    if (page->library)
        chart_scripts(out, page->library);
    strbuf_add(out, "</main>\n</body>\n</html>\n");
}
