/* The script by which gnuplot draws a figure: bars (a group for each x, a bar for each series, beside or on top of each
 * other) or lines; over them whiskers from the least to the greatest of the variants, and what the paper prints as
 * marks. Bars are boxes whose places are computed here, so that they can stand on any base. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/study/figures.h"
#include "report/plot.h"

/* A series' colour: names that share what is before '+' have one hue, lighter first. */
static size_t stem(const char *name)
{
    return strcspn(name, "+");
}

static bool same_stem(const char *a, const char *b)
{
    return stem(a) == stem(b) && !strncmp(a, b, stem(a));
}

static unsigned colour(const struct study_points *p, size_t series)
{
    static const unsigned hues[] = {0x4e79a7, 0xf28e2b, 0x59a14f, 0xe15759, 0x76b7b2,
                                    0xb07aa1, 0x9c755f, 0xbab0ac, 0xedc948, 0x7a7f87};
    const char *const *names = p->series.items.items;
    size_t hue = 0, place = 0, count = 0;
    for (size_t i = 0; i < p->series.items.count; i++) {
        bool first = true; /* of its stem */
        for (size_t k = 0; k < i && first; k++)
            first = !same_stem(names[k], names[i]);
        count += same_stem(names[i], names[series]);
        place += i < series && same_stem(names[i], names[series]);
        if (first && !same_stem(names[i], names[series]) && count == 0)
            hue++;
    }
    /* From half way to white to a fifth of the way to black. */
    double share = count > 1 ? (double)place / (double)(count - 1) : 0.7;
    unsigned mixed = 0, whole = hues[hue % (sizeof hues / sizeof *hues)];
    for (int shift = 16; shift >= 0; shift -= 8) {
        double part = (double)(whole >> shift & 255);
        double value =
            share < 0.7 ? part + (255 - part) * 0.5 * (0.7 - share) / 0.7 : part * (1 - (share - 0.7) * 0.67);
        mixed |= (unsigned)value << shift;
    }
    return mixed;
}

static void head(const struct study_figure *figure, struct strbuf *out)
{
    /* of panels side by side the letters are not smaller than those of a figure alone */
    strbuf_addf(out, "set terminal svg size %u,360 dynamic noenhanced font 'sans-serif,12'\n",
                figure->panels > 2    ? 520
                : figure->panels == 2 ? 640
                                      : 900);
    strbuf_add(
        out, "set border 3\nset tics nomirror\n"
             "set grid ytics lt 1 lc rgb '#dddddd'\nset key tmargin left horizontal Left reverse samplen 1 width 1\n");
    plot_axes(out, figure->x, figure->y);
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

static void widen(double value, double *least, double *most)
{
    if (value > 0)
        *least = fmin(*least, value);
    *most = fmax(*most, value);
}

/* A logarithmic axis between the marks around the values: 1, 2 and 5 of every decade, or, of many, decades alone.
 * Returns its lower end, 0 when there is none. */
static double logarithmic(const struct study_figure *figure, const struct study_points *p, char axis,
                          struct strbuf *out)
{
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < p->items.count; i++) {
        const struct study_point *point = &p->items.items[i];
        if (axis == 'x')
            widen(point->at, &least, &most);
        else if (point->there)
            widen(point->y, &least, &most);
        if (axis == 'y' && point->printed)
            widen(point->paper, &least, &most);
        if (axis == 'y' && point->there && point->most > point->least) {
            widen(point->least, &least, &most);
            widen(point->most, &least, &most);
        }
    }
    if (axis == 'y' && figure->has_base)
        widen(figure->base, &least, &most);
    if (!(least <= most))
        return 0;
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
    return low * 0.999;
}

/* Names below the bars lie flat while they have room. */
static void bar_names(const struct study_points *p, struct strbuf *out)
{
    size_t widest = 0, count = p->xs.items.count;
    for (size_t x = 0; x < count; x++)
        if (strlen(p->xs.items.items[x]) > widest)
            widest = strlen(p->xs.items.items[x]);
    strbuf_add(out, "set xtics scale 0");
    if (widest * count > 60)
        strbuf_addf(out, " rotate by %d", count > 16 ? -60 : -30);
    for (size_t x = 0; x < count; x++) {
        strbuf_add(out, x ? ", " : " (");
        plot_quote_tic(out, p->xs.items.items[x]);
        strbuf_addf(out, " %zu", x);
    }
    strbuf_addf(out, ")\nset xrange [-0.6:%zu.%s]\n", count - 1, "6");
}

/* The middle and the half width of a series' bar in a group, whose middle is a whole number. */
static double middle(const struct study_figure *figure, const struct study_points *p, const struct study_point *point)
{
    if (figure->kind == STUDY_STACK)
        return (double)point->x;
    double width = 0.84 / (double)p->series.items.count;
    return (double)point->x - 0.42 + width * ((double)point->series + 0.5);
}

static double half_width(const struct study_figure *figure, const struct study_points *p)
{
    return figure->kind == STUDY_STACK ? 0.35 : 0.84 / (double)p->series.items.count * 0.46;
}

/* Where a bar of a stack begins: on top of those of the series before. */
static double below(const struct study_points *p, const struct study_point *point)
{
    double sum = 0;
    for (size_t i = 0; i < p->items.count; i++)
        if (p->items.items[i].x == point->x && p->items.items[i].series < point->series && p->items.items[i].there)
            sum += p->items.items[i].y;
    return sum;
}

/* The boxes of one series: x y xlow xhigh ylow yhigh. */
static void boxes(const struct study_figure *figure, const struct study_points *p, size_t series, double floor,
                  struct strbuf *out)
{
    strbuf_addf(out, "$bars%zu << END\n", series);
    for (size_t i = 0; i < p->items.count; i++) {
        const struct study_point *point = &p->items.items[i];
        if (point->series != series || !point->there)
            continue;
        double at = middle(figure, p, point), half = half_width(figure, p);
        double base = figure->kind == STUDY_STACK ? below(p, point) : floor;
        double end = figure->kind == STUDY_STACK ? base + point->y : point->y;
        strbuf_addf(out, "%.6g %.6g %.6g %.6g %.6g %.6g\n", at, end, at - half, at + half, fmin(base, end),
                    fmax(base, end));
    }
    strbuf_add(out, "END\n");
}

/* x y least most of what differs between variants; x and y of what the paper prints. */
static void marks(const struct study_figure *figure, const struct study_points *p, struct strbuf *out)
{
    bool bars = figure->kind != STUDY_LINES;
    strbuf_add(out, "$spread << END\n");
    for (size_t i = 0; i < p->items.count; i++) {
        const struct study_point *point = &p->items.items[i];
        if (point->there && point->most > point->least && figure->kind != STUDY_STACK)
            strbuf_addf(out, "%.9g %.9g %.9g %.9g\n", bars ? middle(figure, p, point) : point->at, point->y,
                        point->least, point->most);
    }
    strbuf_add(out, "END\n$paper << END\n");
    for (size_t i = 0; i < p->items.count; i++)
        if (p->items.items[i].printed)
            strbuf_addf(out, "%.9g %.9g\n", bars ? middle(figure, p, &p->items.items[i]) : p->items.items[i].at,
                        p->items.items[i].paper);
    strbuf_add(out, "END\n");
}

static void plot_marks(const struct study_figure *figure, const struct study_points *p, struct strbuf *out)
{
    if (p->spread && figure->kind != STUDY_STACK)
        strbuf_add(out, ", $spread using 1:3:(0):($4-$3) with vectors nohead lw 1.5 lc rgb 'black' title "
                        "\"variants\"");
    if (p->printed)
        strbuf_add(out, ", $paper using 1:2 with points pt 13 ps 0.8 lc rgb '#d6006c' title \"the paper\"");
    strbuf_add(out, "\n");
}

static void plot_bars(const struct study_figure *figure, const struct study_points *p, struct strbuf *out)
{
    double floor = 0;
    bar_names(p, out);
    if (figure->logarithmic)
        floor = logarithmic(figure, p, 'y', out);
    else
        strbuf_addf(out, "set yrange [%s:*]%s\n", figure->has_base ? "*" : "0",
                    figure->kind == STUDY_STACK ? "\nset autoscale yfixmax" : "");
    if (figure->has_base) {
        floor = figure->base;
        strbuf_addf(out, "set arrow from graph 0, first %.9g to graph 1, first %.9g nohead lc rgb 'black' front\n",
                    floor, floor);
    }
    for (size_t s = 0; s < p->series.items.count; s++)
        boxes(figure, p, s, floor, out);
    marks(figure, p, out);
    strbuf_add(out, "set style fill solid 1 noborder\nplot ");
    for (size_t s = 0; s < p->series.items.count; s++) {
        strbuf_addf(out, "%s$bars%zu using 1:2:3:4:5:6 with boxxyerror lc rgb '#%06x' title ", s ? ", " : "", s,
                    colour(p, s));
        plot_quote(out, p->series.items.items[s]);
    }
    plot_marks(figure, p, out);
}

static void plot_lines(const struct study_figure *figure, const struct study_points *p, struct strbuf *out)
{
    if (figure->logarithmic)
        logarithmic(figure, p, 'y', out);
    if (figure->logarithmic_x)
        logarithmic(figure, p, 'x', out);
    for (size_t s = 0; s < p->series.items.count; s++) {
        strbuf_addf(out, "$line%zu << END\n", s);
        for (size_t i = 0; i < p->items.count; i++)
            if (p->items.items[i].series == s && p->items.items[i].there)
                strbuf_addf(out, "%.9g %.9g\n", p->items.items[i].at, p->items.items[i].y);
        strbuf_add(out, "END\n");
    }
    marks(figure, p, out);
    strbuf_add(out, "plot ");
    for (size_t s = 0; s < p->series.items.count; s++) {
        strbuf_addf(out, "%s$line%zu using 1:2 with linespoints pt 7 ps 0.6 lw 2 lc rgb '#%06x' title ", s ? ", " : "",
                    s, colour(p, s));
        plot_quote(out, p->series.items.items[s]);
    }
    plot_marks(figure, p, out);
}

void study_plot(const struct study_figure *figure, const struct study_points *points, struct strbuf *out)
{
    head(figure, out);
    if (figure->kind == STUDY_LINES)
        plot_lines(figure, points, out);
    else
        plot_bars(figure, points, out);
}
