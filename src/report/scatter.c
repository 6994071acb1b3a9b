/* Scatter plots as HTML: see scatter.h. Lengths are in units of the SVG's view box. */
#include "report/scatter.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include "report/html.h"

#define SIZE 560.0
#define LEFT 72.0
#define TOP 16.0
#define SIDE (SIZE - LEFT - TOP) /* of the square that is plotted in */
#define FAR 10                   /* points further off than this, in per cent, are labelled */

/* What the axes of one plot show: from 10^low to 10^high, both. */
struct scale {
    double low, high;
};

static const char style[] =
    "td { white-space: nowrap; }\n"
    ".plots { display: flex; flex-wrap: wrap; gap: 2rem; }\n"
    "figure { margin: 0; flex: 1 1 24rem; max-width: 36rem; }\n"
    "svg { width: 100%; height: auto; }\n"
    "svg text { fill: var(--ink); font-size: 12px; }\n"
    ".wide { fill: var(--wide); } .near { fill: var(--near); }\n"
    ".grid { stroke: var(--faint); stroke-width: 0.5; } .frame { fill: none; stroke: var(--ink); }\n"
    ".equal { stroke: var(--ink); stroke-dasharray: 4 3; }\n"
    ".mark0 { fill: var(--dot); } .mark1 { fill: var(--square); } .mark0, .mark1 { fill-opacity: 0.8; }\n"
    ".mark0:hover, .mark1:hover { stroke: var(--ink); stroke-width: 2; }\n";

static void add_element(struct strbuf *out, const char *tag, const char *text)
{
    strbuf_addf(out, "<%s>", tag);
    html_escape(out, text);
    strbuf_addf(out, "</%s>\n", tag);
}

static struct scale scale_of(const struct scatter_group *group)
{
    struct scale s = {INFINITY, -INFINITY};
    for (unsigned i = 0; i < group->count; i++) {
        double x = log10((double)group->points[i].x), y = log10((double)group->points[i].y);
        s.low = fmin(s.low, fmin(x, y));
        s.high = fmax(s.high, fmax(x, y));
    }
    return group->count ? (struct scale){s.low - 0.1, s.high + 0.1} : (struct scale){0, 1};
}

static double place(const struct scale *s, double exponent)
{
    return SIDE * (exponent - s->low) / (s->high - s->low);
}

static double across(const struct scale *s, double exponent)
{
    return LEFT + place(s, exponent);
}

static double down(const struct scale *s, double exponent)
{
    return TOP + SIDE - place(s, exponent);
}

/* The stripe in which y differs from x by at most `part` of x. */
static void add_band(struct strbuf *out, const struct scale *s, const char *class, double part)
{
    double above = log10(1 + part), below = log10(1 - part);
    strbuf_addf(out, "<polygon class=\"%s\" points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f %.1f,%.1f\"/>\n", class,
                across(s, s->low), down(s, s->low + above), across(s, s->high), down(s, s->high + above),
                across(s, s->high), down(s, s->high + below), across(s, s->low), down(s, s->low + below));
}

static void add_ticks(struct strbuf *out, const struct scale *s)
{
    static const unsigned steps[] = {1, 2, 5};
    for (int decade = (int)floor(s->low); decade <= (int)ceil(s->high); decade++)
        for (unsigned i = 0; i < 3; i++) {
            double at = decade + log10(steps[i]), x = across(s, at), y = down(s, at);
            if (at < s->low || at > s->high)
                continue;
            strbuf_addf(out, "<path class=\"grid\" d=\"M%.1f %.1fV%.1fM%.1f %.1fH%.1f\"/>\n", x, TOP, TOP + SIDE, LEFT,
                        y, LEFT + SIDE);
            strbuf_addf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%.0f</text>\n", x, TOP + SIDE + 16,
                        pow(10, at));
            strbuf_addf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%.0f</text>\n", LEFT - 6, y + 4,
                        pow(10, at));
        }
}

static double ratio_of(const struct scatter_point *p)
{
    return (double)p->y / (double)p->x;
}

static void add_point(struct strbuf *out, const struct scale *s, const struct scatter_point *p)
{
    double x = across(s, log10((double)p->x)), y = down(s, log10((double)p->y));
    if (p->mark == 0)
        strbuf_addf(out, "<circle class=\"mark0\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"><title>", x, y);
    else
        strbuf_addf(out, "<rect class=\"mark1\" x=\"%.1f\" y=\"%.1f\" width=\"7\" height=\"7\"><title>", x - 3.5,
                    y - 3.5);
    html_escape(out, p->name);
    strbuf_add(out, " ");
    html_escape(out, p->variant);
    strbuf_addf(out, ": %" PRIu64 " / %" PRIu64 " = %.3f</title></%s>\n", p->y, p->x, ratio_of(p),
                p->mark == 0 ? "circle" : "rect");
    if (fabs(ratio_of(p) - 1) * 100 <= FAR)
        return;
    bool right = x > LEFT + SIDE * 0.8;
    strbuf_addf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", right ? x - 7 : x + 7, y + 4,
                right ? "end" : "start");
    html_escape(out, p->name);
    strbuf_add(out, "</text>\n");
}

static void add_plot(struct strbuf *out, const struct scatter_page *page, unsigned index)
{
    const struct scatter_group *group = &page->groups[index];
    struct scale s = scale_of(group);
    strbuf_addf(out,
                "<figure>\n<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-labelledby=\"title%u about%u\">\n<title "
                "id=\"title%u\">",
                SIZE, SIZE, index, index, index);
    html_escape(out, group->name);
    strbuf_addf(out, "</title>\n<desc id=\"about%u\">", index);
    html_escape(out, group->summary);
    strbuf_addf(
        out,
        "</desc>\n<clipPath id=\"clip%u\"><rect x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\"/></clipPath>\n"
        "<g clip-path=\"url(#clip%u)\">\n",
        index, LEFT, TOP, SIDE, SIDE, index);
    add_band(out, &s, "wide", 0.25);
    add_band(out, &s, "near", 0.10);
    strbuf_add(out, "</g>\n");
    add_ticks(out, &s);
    strbuf_addf(out, "<path class=\"equal\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", LEFT, TOP + SIDE, LEFT + SIDE, TOP);
    strbuf_addf(out, "<rect class=\"frame\" x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\"/>\n", LEFT, TOP, SIDE,
                SIDE);
    for (unsigned i = 0; i < group->count; i++)
        add_point(out, &s, &group->points[i]);
    strbuf_addf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", LEFT + SIDE / 2, SIZE - 12);
    html_escape(out, page->x_name);
    strbuf_addf(out, "</text>\n<text transform=\"translate(12 %.1f) rotate(-90)\" text-anchor=\"middle\">",
                TOP + SIDE / 2);
    html_escape(out, page->y_name);
    strbuf_add(out, "</text>\n</svg>\n<figcaption><strong>");
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
        add_plot(out, page, i);
    strbuf_add(out, "</div>\n");
    for (unsigned i = 0; i < page->count; i++)
        add_table(out, page, &page->groups[i]);
    strbuf_add(out, "</main>\n</body>\n</html>\n");
}
