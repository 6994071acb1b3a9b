/* `lockstep report`: results that have profiles, as a page. */
#include "cli/report.h"

#include <string.h>

#include "cli/results.h"
#include "cli/timeline.h"
#include "report/profile_page.h"
#include "report/profile_uses.h"

#define MOST_RESULTS 8 /* columns of one page; and as many timelines */

const char cli_report_usage[] =
    "usage: lockstep report RESULT.json... [TIMELINE...] [-o FILE.html]\n"
    "\n"
    "Writes a page on results of lockstep run --profile --stats RESULT.json, for any browser and without a network: "
    "what\n"
    "ran on what, the lines that cost most, sources with costs beside them, locks, polled words, barriers, and all\n"
    "statistics with their meaning. Several results stand side by side. docs/report.md\n"
    "Files of lockstep run --timeline may stand among the results: they are drawn, with zoom and pan.\n"
    "\n"
    "  -o FILE.html           where to (default: the first result's name, with .html in place of .json)\n"
    "  --timeline-window FROM:TO  of timelines, only these cycles of each kernel\n"
    "  --timeline-sms LIST    of timelines, only these SMs, such as 0,3-5\n"
    "\n"
    "lockstep run --report FILE.html PROGRAM writes the page of a run at once.\n"
    "\n"
    "Exit code: 0, or 2 when nothing was written.\n";

/* All runs of the files. */
struct reading {
    struct arena arena;
    struct profile_page_result results[MOST_RESULTS];
    json_t *documents[MOST_RESULTS];
    unsigned count;
    struct profile_page_timeline timelines[MOST_RESULTS];
    struct timeline_read read[MOST_RESULTS];
    unsigned timeline_count;
};

/* Several runs of a file have their scheduler with its name. */
static const char *label_of(struct reading *r, const char *path, const json_t *document, bool several)
{
    const char *name = report_label(&r->arena, path);
    const char *scheduler = json_string_value(json_object_get(document, "scheduler"));
    name = several && scheduler ? arena_printf(&r->arena, "%s %s", name, scheduler) : name;
    for (unsigned i = 0; i < r->count; i++)
        if (!strcmp(r->results[i].label, name))
            return arena_printf(&r->arena, "%s (%u)", name, r->count + 1);
    return name;
}

static int take_run(struct reading *r, const char *path, json_t *document, bool several, struct diag_sink *sink)
{
    if (!profile_page_suits(document))
        return diag_error(sink, (struct diag_pos){.file = path}, "lockstep run --profile --stats FILE.json PROGRAM",
                          "its kernels have no profile");
    if (r->count == MOST_RESULTS)
        return diag_error(sink, DIAG_NOWHERE, NULL, "a page has room for %d results", MOST_RESULTS);
    r->documents[r->count] = json_incref(document);
    r->results[r->count] =
        (struct profile_page_result){.label = label_of(r, path, document, several), .path = path, .document = document};
    r->count++;
    return 0;
}

static int read_file(struct reading *r, const char *path, struct diag_sink *sink)
{
    json_t *runs = cli_read_runs(path, sink);
    int rc = runs ? 0 : -1;
    size_t count = json_array_size(runs);
    if (runs && !count)
        rc = diag_error(sink, (struct diag_pos){.file = path}, NULL, "it holds no run");
    for (size_t i = 0; i < count && rc == 0; i++)
        rc = take_run(r, path, json_array_get(runs, i), count > 1, sink);
    json_decref(runs);
    return rc;
}

static int read_timeline(struct reading *r, const char *path, struct diag_sink *sink)
{
    unsigned i = r->timeline_count;
    if (i == MOST_RESULTS)
        return diag_error(sink, DIAG_NOWHERE, NULL, "a page has room for %d timelines", MOST_RESULTS);
    r->timelines[i] = (struct profile_page_timeline){profile_uses_base_name(path), path, &r->read[i]};
    r->timeline_count++;
    return cli_read_timeline(&r->read[i], path, sink);
}

static int read_files(struct reading *r, char *const *paths, struct diag_sink *sink)
{
    int rc = 0;
    for (; *paths; paths++)
        rc |= cli_is_timeline(*paths) ? read_timeline(r, *paths, sink) : read_file(r, *paths, sink);
    if (rc == 0 && !r->count)
        rc = diag_error(sink, DIAG_NOWHERE, "lockstep run --profile --stats FILE.json PROGRAM writes one",
                        "a page needs a file of results beside %s", r->timelines[0].path);
    return rc;
}

/* The first file of results gives the page its name. */
static const char *place_of(const struct cli_options *options, struct arena *arena)
{
    if (options->report)
        return options->report;
    char *const *file = options->rest;
    while (file[1] && cli_is_timeline(*file))
        file++;
    const char *first = *file;
    size_t length = cli_is_results(first) ? strlen(first) - strlen(".json") : strlen(first);
    return arena_printf(arena, "%.*s.html", (int)length, first);
}

static int report(struct cli_options *options, struct diag_sink *sink)
{
    struct reading reading = {0};
    int rc = 0;
    if (!options->rest[0]) {
        diag_error(sink, DIAG_NOWHERE, "lockstep report --help", "lockstep report needs a file of results");
        return CLI_USAGE;
    }
    const char *path = place_of(options, &reading.arena);
    const struct cli_place place = {"-o", path, CLI_OUTPUT_PAGE};
    struct timeline_options part;
    rc = timeline_read_options(&part, options->timeline_window, options->timeline_sms, NULL, sink);
    rc |= cli_check_places(&place, 1, sink);
    rc |= read_files(&reading, options->rest, sink);
    if (rc == 0)
        rc = report_write(path,
                          (struct profile_page){.results = reading.results,
                                                .count = reading.count,
                                                .timelines = reading.timelines,
                                                .timeline_count = reading.timeline_count,
                                                .part = &part},
                          sink);
    if (rc == 0 && strcmp(path, "-") != 0)
        cli_printf("page: %s\n", path);
    for (unsigned i = 0; i < reading.count; i++)
        json_decref(reading.documents[i]);
    for (unsigned i = 0; i < reading.timeline_count; i++)
        timeline_read_free(&reading.read[i]);
    arena_free(&reading.arena);
    return rc == 0 ? CLI_OK : CLI_USAGE;
}

int cli_report(int argc, char **argv)
{
    return cli_listing(argc, argv, CLI_ACCEPTS_report, UINT32_MAX, cli_report_usage, report);
}
