/* `lockstep compare A.json B.json`: two runs whose results are there already. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/compare.h"
#include "cli/results.h"
#include "report/difference.h"
#include "report/profile_difference.h"
#include "report/profile_page.h"

/* Why there is nothing to be said of its time, or NULL. */
static const char *failure_of(const json_t *document)
{
    const char *reason = json_string_value(json_object_get(document, "partial_reason"));
    if (json_is_true(json_object_get(document, "partial")))
        return reason ? reason : "partial";
    return json_array_size(json_object_get(document, "kernels")) ? NULL : "no kernels";
}

static void print(const struct cli_options *options, const struct report_run runs[2], json_t *const documents[2])
{
    struct table_page page;
    cli_page_begin(&page, STDOUT_FILENO);
    report_settings(runs, documents, &page);
    report_compare(runs, 2, NULL, &page);
    strbuf_add(&page.text, "\n");
    report_differences(runs, &page);
    if (options->kernels)
        report_differences_kernels(runs, &page);
    cli_page_print(&page, STDOUT_FILENO);
}

/* Prints the differences of two profiles, by line. Returns the exit code. */
static int print_profiles(const struct report_run runs[2], json_t *const documents[2], struct diag_sink *sink)
{
    const json_t *const kernels[2] = {runs[0].kernels, runs[1].kernels};
    const char *const names[2] = {runs[0].label, runs[1].label};
    struct table_page page;
    for (unsigned i = 0; i < 2; i++)
        if (!profile_page_suits(documents[i])) {
            diag_error(sink, (struct diag_pos){.file = names[i]}, "lockstep run --profile --stats FILE.json PROGRAM",
                       "its kernels have no profile");
            return CLI_USAGE;
        }
    cli_page_begin(&page, STDOUT_FILENO);
    report_settings(runs, documents, &page);
    if (!profile_difference(kernels, names, page.columns, &page.text)) {
        table_page_free(&page);
        diag_error(sink, DIAG_NOWHERE, NULL, "%s and %s have profiles of no kernel in common", names[0], names[1]);
        return CLI_USAGE;
    }
    cli_page_print(&page, STDOUT_FILENO);
    return CLI_OK;
}

/* The options of a run have no meaning for one that is over. */
static int check_options(const struct cli_options *options, struct diag_sink *sink)
{
    const struct {
        const char *name;
        bool given;
    } wrong[] = {
        {"--machine", options->machine != NULL},
        {"--sched", options->sched != NULL},
        {"--as", options->as != NULL},
#define CLI_SETTING(option, parameter) {"--" #option, options->option != NULL},
#include "cli/settings.def"
#undef CLI_SETTING
        {"--set", options->sets.count > 0},
        {"--samples", options->samples != NULL},
        {"--agree", options->agree != NULL},
        {"--mode", options->mode != NULL},
        {"--max-cycles", options->max_cycles != NULL},
        {"--max-seconds", options->max_seconds != NULL},
        {"--host-patience", options->host_patience != NULL},
        {"--threads", options->threads != NULL},
        {"--no-skip", options->no_skip},
        {"--lenient", options->lenient},
        {"--check", options->check != NULL},
        {"--stats", options->stats != NULL},
        {"--kernels", options->kernels && options->profile},
    };
    int rc = 0;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (wrong[i].given)
            rc = diag_error(sink, DIAG_NOWHERE, NULL, "%s is for runs: of results that are there nothing is run",
                            wrong[i].name);
    return rc;
}

int compare_results(const struct cli_options *options, struct diag_sink *sink)
{
    char *const *files = options->rest;
    json_t *documents[2] = {NULL, NULL};
    struct report_run runs[2] = {{0}, {0}};
    if (check_options(options, sink) < 0)
        return CLI_USAGE;
    if (!files[1] || files[2] || !cli_is_results(files[1])) {
        diag_error(sink, DIAG_NOWHERE, "lockstep compare A.json B.json",
                   "results are compared with those of one other file");
        return CLI_USAGE;
    }
    for (unsigned i = 0; i < 2; i++) {
        documents[i] = cli_read_results(files[i], sink);
        runs[i] = (struct report_run){.label = files[i],
                                      .kernels = json_object_get(documents[i], "kernels"),
                                      .failure = failure_of(documents[i]),
                                      .group = files[i]};
    }
    int code = documents[0] && documents[1] ? CLI_OK : CLI_USAGE;
    if (code == CLI_OK && options->profile)
        code = print_profiles(runs, documents, sink);
    else if (code == CLI_OK)
        print(options, runs, documents);
    for (unsigned i = 0; i < 2; i++)
        json_decref(documents[i]);
    return code;
}
