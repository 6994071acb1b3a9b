/* `lockstep timeline`: what a run's warps did when, from the file of run --timeline. */
#include "cli/timeline.h"

#include <unistd.h>

#include "base/file.h"
#include "base/squeeze.h"
#include "report/timeline_report.h"

#define HEAD_BYTES 64 /* the label of a squeezed file is among them */

const char cli_timeline_usage[] =
    "usage: lockstep timeline FILE [--perfetto TRACE]\n"
    "\n"
    "Prints, of a file that lockstep run --timeline has written, where the cycles of each kernel went and what each "
    "SM\n"
    "was busy with (docs/timeline.md).\n"
    "\n"
    "  --perfetto TRACE       writes all of it as a trace, to be opened in Perfetto (ui.perfetto.dev), instead\n";

bool cli_is_timeline(const char *path)
{
    struct strbuf head = {0};
    bool is = file_head(path, HEAD_BYTES, &head) == 0 && squeeze_is(TIMELINE_LABEL, strbuf_text(&head), head.length);
    strbuf_free(&head);
    return is;
}

int cli_read_timeline(struct timeline_read *t, const char *path, struct diag_sink *sink)
{
    struct strbuf content = {0}, lines = {0};
    int rc = file_read(path, FILE_NO_BOUND, &content, sink);
    if (rc == 0 && !squeeze_is(TIMELINE_LABEL, strbuf_text(&content), content.length))
        rc = diag_error(sink, DIAG_NOWHERE, "lockstep run --timeline FILE writes one", "%s is no timeline", path);
    else if (rc == 0 && !unsqueeze(TIMELINE_LABEL, content.text, content.length, &lines))
        rc = diag_error(sink, DIAG_NOWHERE, NULL, "%s is damaged: it cannot be decompressed", path);
    if (rc == 0)
        rc = timeline_read(t, path, &lines, sink);
    strbuf_free(&content);
    strbuf_free(&lines);
    return rc;
}

static int write_trace(const struct timeline_read *t, const char *path, struct diag_sink *sink)
{
    struct strbuf trace = {0};
    report_trace(t, &trace);
    int rc = cli_write_file(path, strbuf_text(&trace), trace.length, sink);
    strbuf_free(&trace);
    return rc < 0 ? CLI_FAILED : CLI_OK;
}

static int timeline(struct cli_options *options, struct diag_sink *sink)
{
    const struct cli_place place = {"--perfetto", options->perfetto, CLI_OUTPUT_TRACE};
    struct timeline_read t = {0};
    int code = CLI_USAGE;
    if (!options->rest[0])
        diag_error(sink, DIAG_NOWHERE, "lockstep timeline --help", "lockstep timeline needs a file");
    else if (cli_check_places(&place, 1, sink) == 0 && cli_read_timeline(&t, options->rest[0], sink) == 0) {
        code = CLI_OK;
        if (options->perfetto) {
            code = write_trace(&t, options->perfetto, sink);
        } else {
            struct table_page page;
            cli_page_begin(&page, STDOUT_FILENO);
            report_timeline(&t, &page);
            cli_page_print(&page, STDOUT_FILENO);
        }
    }
    timeline_read_free(&t);
    return code;
}

int cli_timeline(int argc, char **argv)
{
    return cli_listing(argc, argv, CLI_ACCEPTS_timeline, 1, cli_timeline_usage, timeline);
}
