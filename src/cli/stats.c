/* `lockstep stats` and `lockstep explain`: the statistics of a result, and what each of them counts. */
#include <stdio.h>
#include <string.h>

#include "base/strmap.h"
#include "cli/cli.h"
#include "cli/listing.h"
#include "report/figures.h"
#include "report/table.h"

const char cli_stats_usage[] =
    "usage: lockstep stats [GROUP]\n"
    "\n"
    "Lists the statistics that --stats writes: name, unit, meaning. What was not measured is null\n"
    "(JSON) or empty (CSV): in functional mode all but those marked, and the others marked\n"
    "[when ...] where that is not so.\n";
const char cli_explain_usage[] = "usage: lockstep explain NAME\n"
                                 "\n"
                                 "Says what a statistic or a figure of the result tables means: sm.warp_instructions,\n"
                                 "stalls.data, ipc. Without the group, every group that has the name answers.\n";

void listing_stats_heading(struct table *t)
{
    static const char *const names[] = {"statistic", "unit", "meaning"};
    for (unsigned i = 0; i < 3; i++)
        table_cell(t, "%s", names[i]);
}

static const char *kind_note(const struct stat_desc *stat)
{
    return stat->kind == STAT_MAX ? " (the largest of all units)" : "";
}

/* When a result has a value for it, where that is not the rule. */
static const char *needs_note(const struct stat_desc *stat)
{
    switch (stat->needs) {
    case STAT_NEEDS_NOTHING:
        return " [functional mode too]";
    case STAT_NEEDS_DETECTOR:
        return " [when a detector watches]";
    case STAT_NEEDS_MARKS:
        return " [when a detector watches, and the kernel has marked loops]";
    case STAT_NEEDS_TRUTH:
        return " [when a detector watches, and the kernel has marked loops or spin.truth knows without]";
    case STAT_NEEDS_HARDWARE:
        return " [under a scheduler that says so; else left out]";
    case STAT_NEEDS_FORMING:
        return " [where threads go from warp to warp; else left out]";
    case STAT_NEEDS_PREFERRED:
        return " [with sm.counts_preferred; else left out]";
    case STAT_NEEDS_LINES:
        return " [with sm.counts_lines; else left out]";
    default:
        return "";
    }
}

void listing_stats(const struct stat_group *group, struct table *t)
{
    for (unsigned i = 0; i < group->count; i++) {
        table_cell(t, "%s.%s", group->name, group->stats[i].name);
        table_cell(t, "%s", group->stats[i].unit);
        table_cell(t, "%s%s%s", group->stats[i].doc, kind_note(&group->stats[i]), needs_note(&group->stats[i]));
    }
}

void listing_unknown(const char *what, const char *word, const char *const *names, struct diag_sink *sink)
{
    struct strbuf hint = {0};
    unsigned count = 0;
    while (names[count])
        count++;
    const char *near = str_nearest(word, names);
    if (near)
        strbuf_addf(&hint, "did you mean '%s'?", near);
    else
        for (unsigned i = 0; count <= 16 && i < count; i++)
            strbuf_addf(&hint, "%s%s", i ? " " : "there are: ", names[i]);
    diag_error(sink, DIAG_NOWHERE, hint.length ? hint.text : NULL, "there is no %s '%s'", what, word);
    strbuf_free(&hint);
}

static int list_stats(const char *wanted, struct diag_sink *sink)
{
    struct gpu_result result;
    struct table t;
    unsigned count;
    bool found = false;
    gpu_result_blank(&result);
    const struct gpu_stat_set *sets = gpu_result_sets(&result, &count);
    VEC(const char *) names = {0};
    table_init(&t, "lll");
    listing_stats_heading(&t);
    for (unsigned i = 0; i < count; i++) {
        vec_push(&names, sets[i].group->name);
        if (wanted && strcmp(wanted, sets[i].group->name) != 0)
            continue;
        listing_stats(sets[i].group, &t);
        found = true;
    }
    vec_push(&names, NULL);
    if (found) {
        cli_print_table(&t);
    } else {
        listing_unknown("group of statistics", wanted, names.items, sink);
        table_free(&t);
    }
    vec_free(&names);
    gpu_result_free(&result);
    return found ? CLI_OK : CLI_USAGE;
}

static int stats(struct cli_options *options, struct diag_sink *sink)
{
    return list_stats(options->rest[0], sink);
}

int cli_stats(int argc, char **argv)
{
    return cli_listing(argc, argv, CLI_ACCEPTS_stats, 1, cli_stats_usage, stats);
}

static bool explain_figure(const char *name)
{
    for (unsigned i = 0; i < figures_doc_count; i++)
        if (strcmp(name, figures_docs[i].name) == 0) {
            cli_printf("%s (%s): %s\n", name, figures_docs[i].unit, figures_docs[i].doc);
            return true;
        }
    return false;
}

static bool explain_stat(const char *name, const struct stat_group *group)
{
    size_t n = strlen(group->name);
    bool full = strncmp(name, group->name, n) == 0 && name[n] == '.', any = false;
    if (strcmp(name, group->name) == 0) {
        cli_printf("%s: %s; lockstep stats %s lists its statistics\n", group->name, group->doc, group->name);
        return true;
    }
    for (unsigned i = 0; i < group->count; i++) {
        const struct stat_desc *stat = &group->stats[i];
        if (strcmp(full ? name + n + 1 : name, stat->name) != 0)
            continue;
        cli_printf("%s.%s (%s): %s%s%s\n    of: %s\n", group->name, stat->name, stat->unit, stat->doc, kind_note(stat),
                   needs_note(stat), group->doc);
        any = true;
    }
    return any;
}

static int explain(const char *name, struct diag_sink *sink)
{
    struct gpu_result result;
    struct arena arena = {0};
    VEC(const char *) names = {0};
    unsigned count;
    gpu_result_blank(&result);
    const struct gpu_stat_set *sets = gpu_result_sets(&result, &count);
    bool found = explain_figure(name);
    for (unsigned i = 0; i < figures_doc_count; i++)
        vec_push(&names, figures_docs[i].name);
    for (unsigned i = 0; i < count; i++) {
        found |= explain_stat(name, sets[i].group);
        for (unsigned k = 0; k < sets[i].group->count; k++)
            vec_push(&names, strchr(name, '.')
                                 ? arena_printf(&arena, "%s.%s", sets[i].group->name, sets[i].group->stats[k].name)
                                 : sets[i].group->stats[k].name);
    }
    vec_push(&names, NULL);
    if (!found)
        listing_unknown("statistic", name, names.items, sink);
    vec_free(&names);
    arena_free(&arena);
    gpu_result_free(&result);
    return found ? CLI_OK : CLI_USAGE;
}

static int explain_named(struct cli_options *options, struct diag_sink *sink)
{
    if (options->rest[0])
        return explain(options->rest[0], sink);
    diag_error(sink, DIAG_NOWHERE, "lockstep stats lists them", "lockstep explain needs the name of a statistic");
    return CLI_USAGE;
}

int cli_explain(int argc, char **argv)
{
    return cli_listing(argc, argv, CLI_ACCEPTS_explain, 1, cli_explain_usage, explain_named);
}
