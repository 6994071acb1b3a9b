/* Writing a page of profiles: see report.h. */
#include "cli/report.h"

#include <string.h>

#include "cli/identity.h"
#include "report/charts.h"
#include "report/profile_uses.h"

#define MAKER "lockstep " LOCKSTEP_VERSION ", simulator "

int report_write(const char *path, const struct profile_page_result *results, unsigned count, struct diag_sink *sink)
{
    struct arena arena = {0};
    struct strbuf out = {0};
    const struct profile_page page = {.results = results,
                                      .count = count,
                                      .maker = arena_printf(&arena, MAKER "%s", cli_identity),
                                      .library = charts_library(&arena)};
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

int report_write_run(const struct cli_options *options, const json_t *document, struct diag_sink *sink)
{
    if (!options->report)
        return 0;
    struct arena arena = {0};
    const struct profile_page_result result = {.label = report_label(&arena, options->rest[0]), .document = document};
    int rc = report_write(options->report, &result, 1, sink);
    arena_free(&arena);
    return rc;
}
