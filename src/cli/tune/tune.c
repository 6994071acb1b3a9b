/* `lockstep tune`: see tune.h. */
#include "cli/tune/tune.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/process.h"

const char cli_tune_usage[] =
    "usage: lockstep tune MACHINE [OPTIONS] [--from FILE.csv...]\n"
    "\n"
    "Fits parameters of a machine to what was measured on a card: runs the programs of tools/measure with other values "
    "of\n"
    "them until their figures are as near to the rows as they come, and reports how far off those rows are that it was "
    "not\n"
    "fitted to. MACHINE is a name, or a machine file; docs/tuning.md goes the whole way.\n"
    "\n"
    "  --fit NAME=LOW..HIGH   fits this parameter, within these bounds; may be repeated. LOW..HIGH/STEP: in steps;\n"
    "                         LOW..HIGH@ROWS: to these rows alone, PROGRAM/WHAT/TYPE/PARAMETER with * for any text; "
    "else\n"
    "                         to all rows that change between LOW and HIGH\n"
    "  --fit-file FILE        fits the parameters under `tune:` in FILE; without both: those under `tune:` in MACHINE\n"
    "  --from FILE.csv        to the rows of this file, named as the program that measures them; may be repeated\n"
    "  --card NAME            to those of this card (hardware/cards.yaml); may be repeated; without both: to those of "
    "the\n"
    "                         cards that MACHINE is held against\n"
    "  --kind NAME            to rows of this kind only, as validate has them; may be repeated\n"
    "  --leave-out N          leaves out every Nth measured row of a kind, and reports it apart (default: 5; 0: none)\n"
    "  --budget RUNS          runs of programs at most (default: 1000)\n"
    "  -o FILE                writes the machine file with the values that were found, each with its rows and error;\n"
    "                         -: on standard output, and the tables on standard error\n"
    "  --force                replaces FILE, also where it is MACHINE\n"
    "  --set GROUP.NAME=VALUE changes one parameter for all runs, such as gpu.sms=1; it is not written; may be "
    "repeated\n"
    "  --jobs N               so many runs at a time (default: one for each core)\n"
    "  --threads N            threads of each run\n"
    "  --stats FILE           parameters and rows as JSON; -: on standard output, and the tables on standard error\n"
    "  --reference DIR        cards.yaml and the folders of cards from DIR\n"
    "  --allow-code           the machine file may name schedulers that are shared objects\n"
    "\n"
    "The result is the same with any number of jobs and threads. Exit code: 0 when values were found, 2 when nothing "
    "was run.\n";

static int load(struct tune *t)
{
    const struct cli_options *o = t->session.options;
    struct cli_options with = *o;
    if (o->machine && o->rest[0] && strcmp(o->machine, o->rest[0]) != 0)
        return diag_error(t->session.sink, DIAG_NOWHERE, NULL, "two machines are named: %s and %s", o->machine,
                          o->rest[0]);
    with.machine = t->held.machine = o->rest[0] ? o->rest[0] : o->machine;
    if (!t->held.machine)
        return diag_error(t->session.sink, DIAG_NOWHERE, "lockstep tune --help", "lockstep tune needs a machine");
    t->held.name = hardware_plain_name(&t->session.arena, t->held.machine);
    t->loaded = cli_load_machine(&t->machine, &with, t->session.sink) == 0;
    return t->loaded ? 0 : -1;
}

/* A file that is there is replaced only where that is asked for. */
static int check_output(const struct tune *t)
{
    const struct cli_options *o = t->session.options;
    const struct cli_place places[] = {{"-o", o->report, CLI_OUTPUT_MACHINE}, {"--stats", o->stats, CLI_OUTPUT_STATS}};
    if (cli_check_places(places, 2, t->session.sink) < 0)
        return -1;
    bool there =
        o->report && strcmp(o->report, "-") != 0 && access(o->report, F_OK) == 0 && !file_is_special(o->report);
    if (there && !o->force)
        return diag_error(t->session.sink, DIAG_NOWHERE, "--force replaces it", "-o %s: it is there", o->report);
    return 0;
}

/* Lines that could not be changed are told before anything runs. */
static int check_lines(struct tune *t)
{
    struct strbuf text = {0};
    if (!t->session.options->report)
        return 0;
    for (size_t i = 0; i < t->params.count; i++)
        t->params.items[i].fitted = 1;
    int rc = tune_machine_file(t, &text);
    for (size_t i = 0; i < t->params.count; i++)
        t->params.items[i].fitted = 0;
    strbuf_free(&text);
    return rc;
}

static int prepare(struct tune *t)
{
    const struct cli_options *o = t->session.options;
    t->budget = o->budget ? o->budget_value : TUNE_BUDGET;
    return check_output(t) < 0 || load(t) < 0 || hardware_begin(&t->session) < 0 || tune_read_asked(t) < 0 ||
                   tune_read_rows(t) < 0 || check_lines(t) < 0
               ? -1
               : 0;
}

static int write_results(const struct tune *t)
{
    const struct cli_options *o = t->session.options;
    struct strbuf text = {0};
    int rc = 0;
    if (o->report) {
        rc = tune_machine_file(t, &text);
        if (rc == 0)
            rc = cli_write_file(o->report, strbuf_text(&text), text.length, t->session.sink);
    }
    strbuf_free(&text);
    if (o->stats) {
        json_t *document = tune_json(t);
        char *json = json_dumps(document, JSON_INDENT(2));
        strbuf_addf(&text, "%s\n", json ? json : "{}");
        rc |= cli_write_file(o->stats, strbuf_text(&text), text.length, t->session.sink);
        free(json);
        json_decref(document);
    }
    strbuf_free(&text);
    return rc;
}

static int tell(const struct tune *t)
{
    struct table_page page;
    int stream = cli_people(t->session.options);
    cli_page_begin(&page, stream);
    tune_text(t, &page);
    cli_page_print(&page, stream);
    return write_results(t) < 0 ? CLI_FAILED : CLI_OK;
}

static void give_back(struct tune *t)
{
    for (size_t i = 0; i < t->sources.count; i++)
        hardware_rows_free(&t->sources.items[i]->rows);
    vec_free(&t->sources);
    vec_free(&t->params);
    vec_free(&t->rows);
    vec_free(&t->results);
    vec_free(&t->held.holds);
    strmap_free(&t->keys);
    if (t->loaded)
        machine_free(&t->machine);
    hardware_end(&t->session);
}

static int tune(struct cli_options *options, struct diag_sink *sink)
{
    struct tune t = {.session = {.options = options, .sink = sink}};
    int code = CLI_USAGE;
    if (prepare(&t) == 0) {
        code = tune_search(&t) == 0 ? tell(&t) : CLI_FAILED;
        if (code == CLI_FAILED && t.spent == 0)
            code = CLI_USAGE;
    }
    int stopped = t.stopped;
    give_back(&t);
    if (stopped)
        process_die(stopped);
    return code;
}

int cli_tune(int argc, char **argv)
{
    return cli_listing(argc, argv, CLI_ACCEPTS_tune, UINT32_MAX, cli_tune_usage, tune);
}
