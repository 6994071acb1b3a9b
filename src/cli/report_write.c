/* Writing a page of profiles: see report.h. */
#include "cli/report.h"

#include <string.h>

#include "cli/identity.h"
#include "cli/timeline.h"
#include "report/charts.h"
#include "report/profile_uses.h"

#define MAKER "lockstep " LOCKSTEP_VERSION ", simulator "

int report_write(const char *path, struct profile_page page, struct diag_sink *sink)
{
    struct arena arena = {0};
    struct strbuf out = {0};
    page.maker = arena_printf(&arena, MAKER "%s", cli_identity);
    page.library = charts_library(&arena);
    profile_page_html(&page, &out);
    int rc = cli_write_file(path, out.text, out.length, sink);
    strbuf_free(&out);
    arena_free(&arena);
    return rc;
}

const char *report_label(struct arena *arena, const char *path)
{
    const char *base = profile_uses_base_name(path), *dot = strrchr(base, '.');
    bool known = dot && dot > base && (cli_is_results(base) || cli_is_case(base));
    return arena_strndup(arena, base, known ? (size_t)(dot - base) : strlen(base));
}

/* The timeline of the run itself. Returns 0, or -1 with a diagnostic. */
static int read_timeline(struct timeline_read *t, const struct cli_options *options, const char *lines, size_t bytes,
                         struct diag_sink *sink)
{
    struct strbuf text = {0};
    if (!options->timeline)
        return 0;
    cli_add_timeline(options, lines, bytes, &text);
    int rc = timeline_read(t, options->timeline, &text, sink);
    strbuf_free(&text);
    return rc;
}

int report_write_run(const struct cli_options *options, const json_t *document, const char *lines, size_t bytes,
                     struct diag_sink *sink)
{
    if (!options->report)
        return 0;
    struct arena arena = {0};
    struct timeline_read read = {0};
    const struct profile_page_result result = {.label = report_label(&arena, options->rest[0]), .document = document};
    const struct profile_page_timeline timeline = {result.label, options->timeline, &read};
    int rc = read_timeline(&read, options, lines, bytes, sink);
    if (rc == 0)
        rc = report_write(
            options->report,
            (struct profile_page){
                .results = &result, .count = 1, .timelines = &timeline, .timeline_count = options->timeline != NULL},
            sink);
    timeline_read_free(&read);
    arena_free(&arena);
    return rc;
}
