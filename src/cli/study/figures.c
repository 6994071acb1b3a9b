/* Figures of a study, drawn by gnuplot. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/study/figures.h"

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

int study_draw(struct study *study, const struct study_figure *figure, const struct study_points *points,
               struct strbuf *svg)
{
    struct strbuf script = {0};
    const char *path = arena_printf(&study->arena, "%s/cache/%s.svg", study->out, figure->id);
    int rc = 0;
    bool timeline = figure->kind == STUDY_TIMELINE;
    int bars = timeline ? study_plot_timeline(study, figure, path, &script) : (int)points->items.count;
    if (!timeline && bars)
        study_plot(figure, points, path, &script);
    if (bars)
        rc = bars < 0 ? -1 : render(study, figure, &script, path, svg);
    strbuf_free(&script);
    return rc;
}
