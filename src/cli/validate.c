/* `lockstep validate`: every launch file with a record of another simulator, on the record's machine and under its
 * scheduler. Each run is a process of its own, `lockstep run`; the cycles of its JSON are held against the record's.
 *
 * A run may take four times the record's cycles, so that one that hangs costs little; it then counts as failed and is
 * left out of the statistics. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file.h"
#include "cli/cli.h"
#include "cli/hardware/command.h"
#include "cli/listing.h"
#include "cli/process.h"
#include "cli/validate.h"
#include "gpu/departures.h"
#include "core/sched/sched.h"

#define RECORDS_FILE "gpgpusim.csv"
#define PATIENCE 4

const char cli_validate_usage[] =
    "usage: lockstep validate [OPTIONS]\n"
    "       lockstep validate --hardware [OPTIONS] [MACHINE...]\n"
    "\n"
    "Runs the reference cases and compares their cycles with those that GPGPU-Sim gave for the same PTX: a row for\n"
    "each case, machine and scheduler, with the first counter that differs (here/there), then how well each machine\n"
    "agrees.\n"
    "\n"
    "  --case NAME            this case only; may be repeated\n"
    "  --machine NAME         records of this machine only\n"
    "  --sched NAME           records of this scheduler only\n"
    "  --set GROUP.NAME=VALUE changes one parameter for all runs; may be repeated\n"
    "  --allow-code           records may name schedulers that are shared objects\n"
    "  --as-reference         sets back what departs from GPGPU-Sim on purpose: values take effect at issue, volatile\n"
    "                         loads use the L1D, fences wait for no stores, and more: lockstep machines --departures\n"
    "  --fixed-order          sets back the order of warp schedulers alone\n"
    "  --jobs N               so many runs at a time (default: one for each core)\n"
    "  --html FILE            writes the table with a scatter plot for each machine as a page; -: on standard output,\n"
    "                         and the table on standard error\n"
    "  --reference DIR        launch files and " RECORDS_FILE " from DIR\n"
    "\n"
    "With --hardware the programs of tools/measure run on machines, and what they measure is held against what cards did:\n"
    "a row for each kind of figure, with its mean absolute error, how many figures lie within the aim of the kind, and\n"
    "those that are worst (machine/card). --jobs, --html, --machine, --sched, --set and --allow-code go with it.\n"
    "\n"
    "  --hardware MACHINE...  these machines, by name or file; none: all that are held against a card\n"
    "  --card NAME            beside this card, in place of those of the machine (hardware/cards.yaml); may be repeated\n"
    "  --kind NAME            this kind only: rates, latencies, ladders, bandwidths, conflicts, atomics, locks, barriers,\n"
    "                         launches, asynchrony, applications; may be repeated\n"
    "  --rows                 all figures side by side\n"
    "  --stats FILE           kinds and figures as JSON; -: on standard output, and the table on standard error\n"
    "  --within PERCENT       fails when a kind's mean error is more than that; aim: more than the aim of the kind\n"
    "  --out DIR              keeps what the programs printed, a file for each: DIR/MACHINE/PROGRAM.csv\n"
    "  --measured DIR         takes what --out has kept, and runs nothing\n"
    "  --card-page            prints what each machine may be trusted for, as Markdown, in place of the tables\n"
    "  --reference DIR        cards.yaml and the folders of cards from DIR\n"
    "\n"
    "Exit code: 0 when every run ended well, 1 when one failed, or with --within, 2 when nothing was run.\n";

struct validation {
    const struct cli_options *options;
    struct diag_sink *sink;
    struct arena arena;
    const char *folder;
    struct fidelity_records records;
    unsigned count;
    struct trial *trials;
    struct process_job *jobs;
    struct cli_progress progress;
};

static int find_records(struct validation *v)
{
    struct strbuf text = {0};
    const char *home = v->options->reference ? NULL : process_home(&v->arena, v->sink);
    if (!v->options->reference && !home)
        return -1;
    v->folder = home ? arena_printf(&v->arena, "%s/share/lockstep/reference", home) : v->options->reference;
    const char *path = arena_printf(&v->arena, "%s/" RECORDS_FILE, v->folder);
    if (access(path, R_OK) < 0)
        return diag_error(v->sink, DIAG_NOWHERE, "--reference DIR: a folder with launch files and " RECORDS_FILE,
                          "no reference records at %s: %s", path, strerror(errno));
    int rc = cli_read_file(path, &text, v->sink);
    if (rc == 0)
        rc = fidelity_parse(&v->records, path, strbuf_text(&text), v->sink);
    strbuf_free(&text);
    return rc;
}

static bool wanted_case(const struct cli_options *o, const char *name)
{
    bool found = o->cases.count == 0;
    for (size_t i = 0; i < o->cases.count; i++)
        found |= strcmp(o->cases.items[i], name) == 0;
    return found;
}

static bool wanted(const struct cli_options *o, const struct fidelity_record *r)
{
    return wanted_case(o, r->name) && (!o->machine || strcmp(o->machine, r->machine) == 0) &&
           (!o->sched || strcmp(o->sched, r->sched) == 0);
}

/* Every name in the options must be that of some record. */
static int check_name(struct validation *v, const char *what, const char *word, unsigned which)
{
    VEC(const char *) names = {0};
    bool found = false;
    for (size_t i = 0; i < v->records.list.count; i++) {
        const struct fidelity_record *r = &v->records.list.items[i];
        const char *name = which == 0 ? r->name : which == 1 ? r->machine : r->sched;
        found |= strcmp(name, word) == 0;
        if (names.count == 0 || strcmp(names.items[names.count - 1], name) != 0)
            vec_push(&names, name);
    }
    vec_push(&names, NULL);
    if (!found)
        listing_unknown(what, word, names.items, v->sink);
    vec_free(&names);
    return found ? 0 : -1;
}

static int choose(struct validation *v)
{
    const struct cli_options *o = v->options;
    int rc = 0;
    for (size_t i = 0; i < o->cases.count; i++)
        rc |= check_name(v, "case with a record", o->cases.items[i], 0);
    if (o->machine)
        rc |= check_name(v, "machine with records", o->machine, 1);
    if (o->sched)
        rc |= check_name(v, "scheduler with records", o->sched, 2);
    if (rc < 0)
        return -1;
    v->trials = ARENA_NEW(&v->arena, struct trial, v->records.list.count);
    for (size_t i = 0; i < v->records.list.count; i++)
        if (wanted(o, &v->records.list.items[i]))
            v->trials[v->count++].record = &v->records.list.items[i];
    return v->count ? 0 : diag_error(v->sink, DIAG_NOWHERE, NULL, "no record fits all of these options");
}

/* A record belongs to the very bytes that were measured. */
static int check_bytes(struct validation *v, const struct fidelity_record *r)
{
    struct strbuf text = {0};
    char id[9];
    int rc = cli_read_file(arena_printf(&v->arena, "%s/%s.yaml", v->folder, r->name), &text, v->sink);
    const char *ptx = rc == 0 ? strstr(strbuf_text(&text), "ptx: ") : NULL;
    if (ptx) {
        const char *name = arena_strndup(&v->arena, ptx + 5, strcspn(ptx + 5, " \r\n"));
        rc = cli_read_file(arena_printf(&v->arena, "%s/%s", v->folder, name), &text, v->sink);
    }
    snprintf(id, sizeof id, "%08" PRIx32, (uint32_t)crc32_z(0, (const unsigned char *)strbuf_text(&text), text.length));
    strbuf_free(&text);
    if (rc == 0 && strcmp(id, r->id) != 0)
        rc = diag_error(v->sink, DIAG_NOWHERE, "measure it anew",
                        "%s: the launch file or its PTX is not the one that was measured (CRC %s, record %s)", r->name,
                        id, r->id);
    return rc;
}

static enum machine_as taken_as(const struct cli_options *o)
{
    return o->as_reference ? MACHINE_REFERENCE : o->fixed_order ? MACHINE_FIXED_ORDER : MACHINE_SHIPPED;
}

static char *const *command_of(struct validation *v, const struct trial *t)
{
    const struct fidelity_record *r = t->record;
    const struct cli_options *o = v->options;
    struct process_words words = {0};
    enum machine_as as = taken_as(o);
    process_lockstep_run(&words);
    process_option(&words, "--machine", r->machine);
    process_option(&words, "--sched", r->sched);
    process_option(&words, "--stats", t->stats);
    process_option(&words, "--max-cycles",
                   arena_printf(&v->arena, "%" PRIu64, PATIENCE * r->there.value[FIDELITY_CYCLES]));
    if (departure_next(r->machine, as, NULL))
        process_option(&words, "--as", machine_as_names[as]);
    process_sets(&words, o->sets.items, o->sets.count);
    process_word(&words, arena_printf(&v->arena, "%s/%s.yaml", v->folder, r->name));
    return process_argv(&words, &v->arena);
}

static int prepare(struct validation *v)
{
    static const char *const nothing[] = {NULL};
    char **environment = process_environment(&v->arena, nothing);
    int rc = 0;
    for (unsigned i = 0; i < v->count; i++)
        if (i == 0 || strcmp(v->trials[i].record->name, v->trials[i - 1].record->name) != 0)
            rc |= check_bytes(v, v->trials[i].record);
    if (rc < 0)
        return -1;
    v->jobs = ARENA_NEW(&v->arena, struct process_job, v->count);
    for (unsigned i = 0; i < v->count; i++) {
        v->trials[i].stats = process_temporary(&v->arena, ".json", v->sink);
        v->jobs[i].errors = process_temporary(&v->arena, ".err", v->sink);
        if (!v->trials[i].stats || !v->jobs[i].errors)
            return -1;
        v->jobs[i].output = "/dev/null";
        v->jobs[i].environment = environment;
        v->jobs[i].argv = command_of(v, &v->trials[i]);
    }
    return 0;
}

static void remove_files(struct validation *v)
{
    for (unsigned i = 0; v->jobs && i < v->count; i++) {
        if (v->trials[i].stats)
            unlink(v->trials[i].stats);
        if (v->jobs[i].errors)
            unlink(v->jobs[i].errors);
    }
}

/* The first line of what a failed run said, else how it ended. */
static const char *reason(struct validation *v, const struct process_job *job, const char *status)
{
    struct strbuf text = {0};
    const char *why = arena_printf(&v->arena, "%s", status ? status : "no result");
    cli_read_file(job->errors, &text, v->sink);
    if (status && strcmp(status, "ok") == 0 && job->status == CLI_FAILED)
        why = "wrong result: a check of the launch file failed";
    else if (job->status == CLI_LIMIT)
        why = arena_printf(&v->arena, "stopped: over %d times the cycles there", PATIENCE);
    else if (text.length)
        why = arena_strndup(&v->arena, text.text, strcspn(text.text, "\n"));
    strbuf_free(&text);
    return why;
}

static void collect(struct validation *v, unsigned index)
{
    struct trial *t = &v->trials[index];
    const struct process_job *job = &v->jobs[index];
    struct strbuf text = {0};
    file_read(t->stats, FILE_NO_BOUND, &text, v->sink);
    json_t *document = text.length ? json_loadb(text.text, text.length, 0, NULL) : NULL;
    const json_t *kernel = json_array_get(json_object_get(document, "kernels"), 0);
    t->here = fidelity_from_kernel(kernel);
    if (job->failed || job->status || !t->here.value[FIDELITY_CYCLES])
        t->failure = reason(v, job, json_string_value(json_object_get(kernel, "status")));
    json_decref(document);
    strbuf_free(&text);
}

static void tick(void *context)
{
    struct validation *v = context;
    cli_progress_jobs(&v->progress, v->jobs, v->count, "runs done", -1);
}

static int write_page(struct validation *v, const struct trials *all)
{
    const struct cli_options *o = v->options;
    struct strbuf page = {0}, how = {0};
    if (!o->html)
        return 0;
    static const char *const taken[] = {
        "The machines as they are, with Lockstep's departures from GPGPU-Sim.",
        "The machines as they are, but for schedulers that go in fixed order (--fixed-order).",
        "Departures from GPGPU-Sim are set back (--as-reference)."};
    strbuf_add(&how, taken[taken_as(o)]);
    for (size_t i = 0; i < o->sets.count; i++)
        strbuf_addf(&how, " --set %s.", o->sets.items[i]);
    validate_html(all, strbuf_text(&how), &page);
    int rc = cli_write_file(o->html, strbuf_text(&page), page.length, v->sink);
    strbuf_free(&page);
    strbuf_free(&how);
    return rc;
}

static int run_all(struct validation *v)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned parallel = v->options->jobs ? (unsigned)v->options->jobs_value : cores > 0 ? (unsigned)cores : 1;
    struct process_options how = {.parallel = parallel, .tick = tick, .context = v};
    struct table_page page;
    int code = CLI_OK;
    cli_progress_init(&v->progress, false);
    int interrupted = process_run(v->jobs, v->count, &how);
    cli_progress_clear(&v->progress);
    if (interrupted) {
        remove_files(v);
        process_die(interrupted);
    }
    for (unsigned i = 0; i < v->count; i++) {
        collect(v, i);
        code = v->trials[i].failure ? CLI_FAILED : code;
    }
    const struct trials all = {v->trials, v->count, &v->arena};
    int stream = cli_people(v->options);
    cli_page_begin(&page, stream);
    validate_text(&all, &page);
    cli_page_print(&page, stream);
    return write_page(v, &all) < 0 ? CLI_FAILED : code;
}

/* Records are a file too: they choose among schedulers, and load none. */
static int check_code(const struct validation *v)
{
    for (size_t i = 0; i < v->records.list.count && !v->options->allow_code; i++)
        if (sched_is_file(v->records.list.items[i].sched))
            return diag_error(v->sink, DIAG_NOWHERE, "--allow-code loads it, if you trust it",
                              "the records name a scheduler that is code: %s", v->records.list.items[i].sched);
    return 0;
}

/* Options of the one comparison make no sense in the other. */
static int check_side(const struct cli_options *o, struct diag_sink *sink)
{
    const struct {
        bool given, hardware;
        const char *name;
    } sides[] = {
        {o->cases.count, false, "--case"},       {o->as_reference, false, "--as-reference"},
        {o->fixed_order, false, "--fixed-order"}, {o->cards.count, true, "--card"},
        {o->kinds.count, true, "--kind"},        {o->rows, true, "--rows"},
        {o->stats, true, "--stats"},             {o->within, true, "--within"},
        {o->out, true, "--out"},                 {o->measured, true, "--measured"},
        {o->card_page, true, "--card-page"},
    };
    int rc = 0;
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
        if (sides[i].given && sides[i].hardware != o->hardware)
            rc = diag_error(sink, DIAG_NOWHERE, NULL, "%s %s --hardware", sides[i].name,
                            o->hardware ? "does not go with" : "goes with");
    return rc;
}

static int start(const struct cli_options *options, struct diag_sink *sink)
{
    struct validation v = {.options = options, .sink = sink};
    const struct cli_place page = {"--html", options->html, CLI_OUTPUT_PAGE};
    int code = CLI_USAGE;
    if (options->as_reference && options->fixed_order)
        diag_error(sink, DIAG_NOWHERE, NULL, "--as-reference sets the order of schedulers back too: give one of them");
    else if (options->rest[0])
        diag_error(sink, DIAG_NOWHERE, "--case NAME chooses a case", "lockstep validate takes no arguments: %s",
                   options->rest[0]);
    else if (cli_check_places(&page, 1, sink) == 0 && find_records(&v) == 0 && check_code(&v) == 0 && choose(&v) == 0 &&
             prepare(&v) == 0)
        code = run_all(&v);
    remove_files(&v);
    fidelity_free(&v.records);
    arena_free(&v.arena);
    return code;
}

int cli_validate(int argc, char **argv)
{
    struct diag_sink sink;
    struct cli_options options;
    int code = CLI_USAGE;
    diag_init(&sink);
    if (cli_parse_options(&options, argc, argv, CLI_ACCEPTS_validate, &sink) == 0) {
        if (options.help) {
            cli_printf("%s", cli_validate_usage);
            code = CLI_OK;
        } else if (check_side(&options, &sink) == 0) {
            code = options.hardware ? cli_validate_hardware(&options, &sink) : start(&options, &sink);
        }
    }
    cli_free_options(&options);
    return cli_finish(&sink, code);
}
