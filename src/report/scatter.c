/* Scatter plots as HTML: see scatter.h. */
#include "report/scatter.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

#include "report/html.h"
#include "report/plot.h"

#define FAR 10 /* points further off than this, in per cent, are labelled */

static const char style[] = "td { white-space: nowrap; }\n"
                            ".plots { display: flex; flex-wrap: wrap; gap: 2rem; }\n"
                            "figure { margin: 0; flex: 1 1 24rem; max-width: 36rem; }\n"
                            "svg { width: 100%; height: auto; }\n" PLOT_STYLE;

static void add_element(struct strbuf *out, const char *tag, const char *text)
{
    strbuf_addf(out, "<%s>", tag);
    html_escape(out, text);
    strbuf_addf(out, "</%s>\n", tag);
}

static double ratio_of(const struct scatter_point *p)
{
    return (double)p->y / (double)p->x;
}

/* Least and greatest of all numbers, with some room. */
static void find_range(const struct scatter_group *group, double *low, double *high)
{
    *low = INFINITY;
    *high = 0;
    for (unsigned i = 0; i < group->count; i++) {
        double x = (double)group->points[i].x, y = (double)group->points[i].y;
        *low = fmin(*low, fmin(x, y) * 0.8);
        *high = fmax(*high, fmax(x, y) * 1.25);
    }
}

/* The points of one mark, and the names of those that are far off: to the left of points at the right end. */
static void add_data(const struct scatter_group *group, double low, double high, struct strbuf *out)
{
    for (unsigned mark = 0; mark < 2; mark++) {
        strbuf_addf(out, "$mark%u << END\n", mark);
        for (unsigned i = 0; i < group->count; i++)
            if (group->points[i].mark == mark)
                strbuf_addf(out, "%" PRIu64 " %" PRIu64 "\n", group->points[i].x, group->points[i].y);
        strbuf_add(out, "END\n");
    }
    double right = low * pow(high / low, 0.8);
    for (unsigned end = 0; end < 2; end++) {
        strbuf_addf(out, "$names%u << END\n", end);
        for (unsigned i = 0; i < group->count; i++) {
            const struct scatter_point *p = &group->points[i];
            if (fabs(ratio_of(p) - 1) * 100 <= FAR || ((double)p->x > right) != end)
                continue;
            strbuf_addf(out, "%" PRIu64 " %" PRIu64 " ", p->x, p->y);
            plot_data_word(out, p->name);
            strbuf_add(out, "\n");
        }
        strbuf_add(out, "END\n");
    }
}

bool scatter_plot(const struct scatter_page *page, const struct scatter_group *group, struct strbuf *out)
{
    if (!group->count)
        return false;
    double low, high;
    find_range(group, &low, &high);
    strbuf_add(out,
               "set terminal svg size 560,560 dynamic noenhanced font 'sans-serif,14'\nset size square\nunset key\n"
               "set logscale xy\nset format xy '%.0s%c'\nset grid lt 1 lc rgb '#dddddd'\n");
    plot_axes(out, page->x_name, page->y_name);
    strbuf_addf(out, "set xrange [%.6g:%.6g]\nset yrange [%.6g:%.6g]\n$ends << END\n%.6g\n%.6g\nEND\n", low, high, low,
                high, low, high);
    add_data(group, low, high, out);
    strbuf_add(out, "plot $ends using 1:($1*0.75):($1*1.25) with filledcurves fc rgb '#4e79a7' fs transparent solid "
                    "0.12 noborder, $ends using 1:($1*0.9):($1*1.1) with filledcurves fc rgb '#4e79a7' fs transparent "
                    "solid 0.2 noborder, $ends using 1:1 with lines dt 2 lc rgb 'black', "
                    "$mark0 with points pt 7 ps 0.7 lc rgb '#0b5cad', $mark1 with points pt 5 ps 0.7 lc rgb '#b0440b', "
                    "$names0 with labels left offset 0.7,0, $names1 with labels right offset -0.7,0\n");
    return true;
}

static void add_plot(struct strbuf *out, const struct scatter_group *group)
{
    strbuf_add(out, "<figure>\n");
    strbuf_add(out, group->drawing ? group->drawing : "");
    strbuf_add(out, "<figcaption><strong>");
    html_escape(out, group->name);
    strbuf_add(out, "</strong>: ");
    html_escape(out, group->summary);
    strbuf_add(out, "</figcaption>\n</figure>\n");
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
    add_heading(out, "first difference", false);
    strbuf_add(out, "</tr></thead>\n<tbody>\n");
    for (unsigned i = 0; i < group->count; i++) {
        const struct scatter_point *p = &group->points[i];
        strbuf_add(out, "<tr><th scope=\"row\">");
        html_escape(out, p->name);
        strbuf_add(out, "</th>");
        add_cell(out, p->variant);
        strbuf_addf(out,
                    "<td class=\"number\">%" PRIu64 "</td><td class=\"number\">%" PRIu64
                    "</td><td class=\"number\">%.3f</td>",
                    p->y, p->x, ratio_of(p));
        add_cell(out, p->note);
        strbuf_add(out, "</tr>\n");
    }
    strbuf_add(out, "</tbody>\n</table>\n</div>\n");
}

void scatter_html(const struct scatter_page *page, struct strbuf *out)
{
    html_begin(out, page->title, style);
    add_element(out, "p", page->text);
    strbuf_add(out, "<div class=\"plots\">\n");
    for (unsigned i = 0; i < page->count; i++)
        add_plot(out, &page->groups[i]);
    strbuf_add(out, "</div>\n");
    for (unsigned i = 0; i < page->count; i++)
        add_table(out, page, &page->groups[i]);
    strbuf_add(out, "</main>\n</body>\n</html>\n");
}
