/* Figures of a study, drawn by gnuplot. */
#include "cli/study/figures.h"

#include "cli/gnuplot.h"

int study_draw(struct study *study, const struct study_figure *figure, const struct study_points *points,
               struct strbuf *svg)
{
    struct strbuf script = {0};
    const char *stem = arena_printf(&study->arena, "%s/cache/%s", study->out, figure->id);
    int rc = 0;
    bool timeline = figure->kind == STUDY_TIMELINE;
    int bars = timeline ? study_plot_timeline(study, figure, &script) : (int)points->items.count;
    if (!timeline && bars)
        study_plot(figure, points, &script);
    if (bars)
        rc = bars < 0 ? -1 : gnuplot_draw(stem, &script, &study->arena, svg, study->sink);
    strbuf_free(&script);
    return rc;
}
