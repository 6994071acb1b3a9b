/* The script by which gnuplot draws a timeline: a lane for each name, from top to bottom, in it bars with a label, and
 * behind each bar a thin line for the time that is waited. */
#include <string.h>

#include "cli/study/figures.h"
#include "report/plot.h"

/* A bar's time and the wait behind it. */
struct bar {
    size_t lane;
    double from, to, until;
    const char *label;
};

struct bars {
    struct study_names lanes;
    VEC(struct bar) items;
};

static size_t lane_of(struct study *study, struct study_names *lanes, const char *name)
{
    size_t n = lanes->items.count;
    for (size_t i = n; i > 0; i--) /* rows of a lane mostly stand together */
        if (!strcmp(lanes->items.items[i - 1], name))
            return i - 1;
    vec_push(&lanes->items, arena_strdup(&study->arena, name));
    return n;
}

static int read_bars(struct study *study, const struct study_figure *figure, struct bars *bars)
{
    sqlite3_stmt *stmt = study_ask_at(study, figure->id, yaml_get(figure->node, "sql"), figure->sql);
    int rc = stmt ? 0 : -1;
    while (stmt && study_next(study, figure->id, stmt, &rc)) {
        const char *lane = (const char *)sqlite3_column_text(stmt, 0),
                   *label = (const char *)sqlite3_column_text(stmt, 4);
        struct bar bar = {.lane = lane_of(study, &bars->lanes, lane ? lane : ""),
                          .from = sqlite3_column_double(stmt, 1),
                          .to = sqlite3_column_double(stmt, 2),
                          .until = sqlite3_column_double(stmt, 3),
                          .label = arena_strdup(&study->arena, label ? label : "")};
        vec_push(&bars->items, bar);
    }
    sqlite3_finalize(stmt);
    return rc;
}

/* Lane 0 is the uppermost. */
static double height_of(const struct bars *bars, size_t lane)
{
    return (double)(bars->lanes.items.count - lane);
}

static void head(const struct study_figure *figure, const struct bars *bars, struct strbuf *out)
{
    size_t lanes = bars->lanes.items.count;
    strbuf_addf(out,
                "set terminal svg size 900,%zu dynamic noenhanced font 'sans-serif,11'\n"
                "set border 1\nset xtics nomirror\nset ytics scale 0\nset yrange [0.4:%zu.6]\nunset key\n",
                80 + 15 * lanes, lanes);
    plot_axes(out, figure->x, figure->y);
    strbuf_add(out, "set ytics (");
    for (size_t i = 0; i < lanes; i++) {
        strbuf_add(out, i ? ", " : "");
        plot_quote_tic(out, bars->lanes.items.items[i]);
        strbuf_addf(out, " %g", height_of(bars, i));
    }
    strbuf_add(out, ")\n");
}

/* Neighbours in a lane differ in colour. */
static void boxes(const struct bars *bars, unsigned parity, struct strbuf *out)
{
    strbuf_addf(out, "$bars%u << END\n", parity);
    unsigned next = 0;
    for (size_t i = 0; i < bars->items.count; i++) {
        const struct bar *b = &bars->items.items[i];
        next = i && bars->items.items[i - 1].lane == b->lane ? next ^ 1 : 0;
        double y = height_of(bars, b->lane);
        if (next == parity)
            strbuf_addf(out, "%.9g %g %.9g %.9g %g %g\n", b->from, y, b->from, b->to, y - 0.38, y + 0.38);
    }
    strbuf_add(out, "END\n");
}

/* A label stands where its bar has room for it. */
static void labels(const struct bars *bars, struct strbuf *out)
{
    double least = bars->items.items[0].from, most = least;
    for (size_t i = 0; i < bars->items.count; i++) {
        const struct bar *b = &bars->items.items[i];
        least = b->from < least ? b->from : least;
        most = b->until > most ? b->until : most;
    }
    strbuf_addf(out, "set xrange [%.9g:%.9g]\n$labels << END\n", least, most > least ? most : least + 1);
    for (size_t i = 0; i < bars->items.count; i++) {
        const struct bar *b = &bars->items.items[i];
        if (*b->label && (b->to - b->from) * 110 > (most - least) * (double)strlen(b->label)) {
            strbuf_addf(out, "%.9g %g ", (b->from + b->to) / 2, height_of(bars, b->lane));
            plot_data_word(out, b->label);
            strbuf_add(out, "\n");
        }
    }
    strbuf_add(out, "END\n");
}

int study_plot_timeline(struct study *study, const struct study_figure *figure, struct strbuf *out)
{
    struct bars bars = {0};
    int rc = read_bars(study, figure, &bars), count = (int)bars.items.count;
    if (rc == 0 && count) {
        head(figure, &bars, out);
        boxes(&bars, 0, out);
        boxes(&bars, 1, out);
        labels(&bars, out);
        strbuf_add(out, "$waits << END\n");
        for (int i = 0; i < count; i++)
            strbuf_addf(out, "%.9g %g %.9g 0\n", bars.items.items[i].to, height_of(&bars, bars.items.items[i].lane),
                        bars.items.items[i].until - bars.items.items[i].to);
        strbuf_add(out, "END\nset style fill solid 1 noborder\n"
                        "plot $waits using 1:2:3:4 with vectors nohead lw 1 lc rgb '#e15759', "
                        "$bars0 using 1:2:3:4:5:6 with boxxyerror lc rgb '#4e79a7', "
                        "$bars1 using 1:2:3:4:5:6 with boxxyerror lc rgb '#8fb3d9', "
                        "$labels using 1:2:3 with labels font 'sans-serif,8' textcolor rgb 'black'\n");
    }
    vec_free(&bars.lanes.items);
    vec_free(&bars.items);
    return rc < 0 ? -1 : count;
}
