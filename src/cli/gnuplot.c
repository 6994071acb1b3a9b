/* gnuplot as a process: see gnuplot.h. */
#include "cli/gnuplot.h"

#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/cli.h"
#include "cli/process.h"

static int run(const char *script, const char *svg, const char *log, struct arena *arena)
{
    static const char *const nothing[] = {NULL};
    char *argv[] = {"/usr/bin/env", "gnuplot", "-d", (char *)script, NULL};
    struct process_job job = {
        .argv = argv, .environment = process_environment(arena, nothing), .output = svg, .errors = log};
    struct process_options how = {.parallel = 1};
    int stopped = process_run(&job, 1, &how);
    if (stopped)
        process_die(stopped);
    return job.failed ? 127 : job.status;
}

/* Why gnuplot failed, in its own words. */
static int complain(const char *stem, const char *log, struct diag_sink *sink)
{
    struct strbuf said = {0};
    cli_read_file(log, &said, sink);
    int rc = diag_error(sink, DIAG_NOWHERE, NULL, "%s: gnuplot: %s", stem, strbuf_text(&said));
    strbuf_free(&said);
    return rc;
}

int gnuplot_draw(const char *stem, const struct strbuf *script, struct arena *arena, struct strbuf *svg,
                 struct diag_sink *sink)
{
    /* "./": a path may begin with '-'. */
    const char *before = *stem == '/' ? "" : "./";
    const char *path = arena_printf(arena, "%s%s.gnuplot", before, stem), *log = arena_printf(arena, "%s.log", stem);
    const char *picture = arena_printf(arena, "%s.svg", stem);
    if (file_write(path, script->text, script->length, sink) < 0)
        return -1;
    int status = run(path, picture, log, arena);
    if (status)
        return status == 127 ? 1 : complain(stem, log, sink);
    struct strbuf drawn = {0};
    int rc = cli_read_file(picture, &drawn, sink);
    const char *begin =
        strstr(strbuf_text(&drawn), "<svg"); /* behind the declaration of XML, which HTML has no place for */
    if (rc == 0 && begin)
        strbuf_add(svg, begin);
    strbuf_free(&drawn);
    return rc;
}

void gnuplot_remove(const char *stem, struct arena *arena)
{
    static const char *const suffixes[] = {"gnuplot", "log", "svg"};
    for (unsigned i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        unlink(arena_printf(arena, "%s.%s", stem, suffixes[i]));
}
