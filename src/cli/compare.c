/* `lockstep compare`: one program under every combination of what the given lists hold: machines, schedulers, and a
 * list for each row of settings.def. Each run is a process of its own, `lockstep run`, as many at a time as there are
 * cores; its JSON is what the table is made of. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/cli.h"
#include "cli/compare.h"
#include "cli/process.h"
#include "cli/samples.h"
#include "report/run_report.h"
#include "core/sched/sched.h"

const char cli_compare_usage[] =
    "usage: lockstep compare [OPTIONS] PROGRAM|CASE.yaml [ARGUMENTS...]\n"
    "       lockstep compare [--kernels|--profile] A.json B.json\n"
    "\n"
    "Runs a program under several configurations and prints one table. Without lists: every "
    "scheduler on the default machine.\n"
    "\n"
    "  --sched A,B,...        warp schedulers\n"
    "  --fetch P,Q,...        fetch policies\n"
    "  --divergence P,Q,...   divergence models\n"
    "  --protocol P,Q,...     coherence protocols\n"
    "  --machine X,Y,...      machines\n"
    "  --as A,B,...           machines as shipped, reference, fixed-order: see lockstep run\n"
    "  --registers N,M,...    registers of a thread: see lockstep run\n"
    "  --adversary N,M,...    holds messages as the memory model allows: see lockstep run\n"
    "  --seed N,M,...         seeds of small random variations (docs/seeds.md), every "
    "configuration with each\n"
    "  --samples N            every configuration N times, with seeds 0 to N - 1, in one column: mean, deviation, "
    "range\n"
    "  --samples GROUP.NAME=A,B,...   the same with these values of one parameter\n"
    "  --agree FILE           with --samples: whether the cycles can be of the distribution of the file's numbers\n"
    "  --set GROUP.NAME=VALUE one parameter for all of them; may be repeated\n"
    "  --allow-code           files may name schedulers that are shared objects\n"
    "  --mode, --max-cycles, --max-seconds, --host-patience, --time, --skip-, --warm-, --time-launches   as for\n"
    "                         lockstep run\n"
    "  --kernels              a table for each kernel below that of the whole program\n"
    "  --stats FILE           writes all statistics of all runs: JSON, or CSV when FILE ends in .csv;\n"
    "                         -: on standard output, and the table on standard error\n"
    "\n"
    "With two files that --stats has written, nothing is run: they are put side by side, with the settings and the\n"
    "statistics that differ. With --profile, of results of lockstep run --profile, the lines of the sources whose "
    "cost\n"
    "differs, the causes that account for it, and locks likewise: docs/report.md\n"
    "\n"
    "Exit code: 0 when the program succeeded everywhere, else 1; 2 when nothing was run or compared.\n";

/* The options that are combined, in the order of the table: the last one changes first. */
enum choice {
    CHOICE_machine,
    CHOICE_sched,
    CHOICE_as,
#define CLI_SETTING(option, parameter) CHOICE_##option,
#include "cli/settings.def"
#undef CLI_SETTING
    CHOICES
};

static const struct {
    const char *option;
    size_t offset; /* of its text in struct cli_options */
} choices[CHOICES] = {
    {"--machine", offsetof(struct cli_options, machine)},
    {"--sched", offsetof(struct cli_options, sched)},
    {"--as", offsetof(struct cli_options, as)},
#define CLI_SETTING(option, parameter) {"--" #option, offsetof(struct cli_options, option)},
#include "cli/settings.def"
#undef CLI_SETTING
};

/* A single NULL stands for what the other options say. */
struct list {
    const char **words;
    unsigned count;
};

struct configuration {
    const char *word[CHOICES];
    struct cli_sample sample;
};

struct comparison {
    const struct cli_options *options;
    struct diag_sink *sink;
    struct arena arena;
    struct list lists[CHOICES];
    struct cli_sample *samples; /* each configuration with each of them */
    unsigned sample_count;      /* 1: nobody asked for samples */
    struct report_numbers agree;
    struct configuration *configurations;
    unsigned count;
    struct process_job *jobs;
    struct report_run *runs;
    const char **stats;
    json_t **documents;
};

/* The words of a comma-separated text; NULL stands for itself. */
static struct list split(struct arena *arena, const char *text)
{
    unsigned n = 1;
    for (const char *p = text; p && *p; p++)
        n += *p == ',';
    struct list list = {ARENA_NEW(arena, const char *, n), text == NULL};
    for (const char *p = text; p && *p;) {
        size_t length = strcspn(p, ",");
        if (length > 0)
            list.words[list.count++] = arena_strndup(arena, p, length);
        p += length + (p[length] == ',');
    }
    return list;
}

/* Every scheduler that Lockstep has. */
static struct list all_scheds(struct arena *arena)
{
    const struct lockstep_scheduler *const *known = sched_list();
    struct list list = {0};
    while (known[list.count])
        list.count++;
    list.words = ARENA_NEW(arena, const char *, list.count);
    for (unsigned i = 0; i < list.count; i++)
        list.words[i] = known[i]->name;
    return list;
}

static const char **text_of(const struct cli_options *options, unsigned choice)
{
    return (const char **)((char *)options + choices[choice].offset);
}

static struct list list_of(struct comparison *cmp, unsigned choice)
{
    const char *text = *text_of(cmp->options, choice);
    if (choice == CHOICE_machine && !text)
        text = CLI_DEFAULT_MACHINE;
    if (choice == CHOICE_sched && !text && cmp->lists[CHOICE_machine].count == 1)
        return all_scheds(&cmp->arena);
    return split(&cmp->arena, text);
}

static void choose_configurations(struct comparison *cmp)
{
    cmp->count = 1;
    for (unsigned k = 0; k < CHOICES; k++) {
        cmp->lists[k] = list_of(cmp, k);
        cmp->count *= cmp->lists[k].count;
    }
    cmp->count *= cmp->sample_count;
    cmp->configurations = ARENA_NEW(&cmp->arena, struct configuration, cmp->count + 1);
    for (unsigned i = 0; i < cmp->count; i++) {
        unsigned below = cmp->count;
        for (unsigned k = 0; k < CHOICES; k++) {
            const struct list *list = &cmp->lists[k];
            below /= list->count;
            cmp->configurations[i].word[k] = list->words[i / below % list->count];
        }
        cmp->configurations[i].sample = cmp->samples[i % cmp->sample_count];
    }
}

static int check_configuration(struct comparison *cmp, struct cli_options *one, const struct cli_sample *sample)
{
    struct machine machine;
    bool set = sample->option && !strcmp(sample->option, "--set");
    one->sets = (cli_texts){0};
    for (size_t i = 0; i < cmp->options->sets.count; i++)
        vec_push(&one->sets, cmp->options->sets.items[i]);
    if (set)
        vec_push(&one->sets, sample->value);
    int rc = cli_load_machine(&machine, one, cmp->sink);
    if (rc == 0)
        machine_free(&machine);
    vec_free(&one->sets);
    return rc;
}

/* All of the errors in the options, before anything runs. */
static int check_configurations(struct comparison *cmp)
{
    for (unsigned i = 0; i < cmp->count; i++) {
        struct cli_options one = *cmp->options;
        for (unsigned k = 0; k < CHOICES; k++)
            *text_of(&one, k) = cmp->configurations[i].word[k];
        int rc = check_configuration(cmp, &one, &cmp->configurations[i].sample);
        if (rc < 0)
            return -1;
    }
    return 0;
}

/* A choice's word; behind its option's name where it is a number. */
static const char *named_word(struct comparison *cmp, unsigned k, const char *word)
{
    bool number = word && isdigit((unsigned char)word[0]);
    return number ? arena_printf(&cmp->arena, "%s %s", choices[k].option + strlen("--"), word) : word;
}

/* Names what differs, the seed aside: the machine where there are several or no scheduler was asked for. */
static const char *group_of(struct comparison *cmp, const struct configuration *c)
{
    const char *name = c->word[CHOICE_machine], *sched = c->word[CHOICE_sched];
    if (sched)
        name = cmp->lists[CHOICE_machine].count == 1 ? sched : arena_printf(&cmp->arena, "%s %s", name, sched);
    for (unsigned k = CHOICE_sched + 1; k < CHOICES; k++)
        if (k != CHOICE_seed && cmp->lists[k].count > 1)
            name = arena_printf(&cmp->arena, "%s %s", name, named_word(cmp, k, c->word[k]));
    return name;
}

static const char *label_of(struct comparison *cmp, const char *group, const struct configuration *c)
{
    if (c->sample.option)
        return arena_printf(&cmp->arena, "%s %s %s", group, c->sample.option, c->sample.value);
    if (cmp->lists[CHOICE_seed].count == 1)
        return group;
    return arena_printf(&cmp->arena, "%s seed %s", group, c->word[CHOICE_seed]);
}

static char *const *command_of(struct comparison *cmp, const struct configuration *c, const char *stats)
{
    const struct cli_options *o = cmp->options;
    const char *pairs[][2] = {{"--mode", o->mode},
                              {"--max-cycles", o->max_cycles},
                              {"--max-seconds", o->max_seconds},
                              {"--threads", o->threads},
                              {"--check", o->check},
                              {"--host-patience", o->host_patience},
                              {"--time", o->time},
                              {"--skip-launches", o->skip_launches},
                              {"--warm-launches", o->warm_launches},
                              {"--time-launches", o->time_launches},
                              {"--stats", stats}};
    struct process_words words = {0};
    process_lockstep_run(&words);
    for (unsigned k = 0; k < CHOICES; k++)
        process_option(&words, choices[k].option, c->word[k]);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        process_option(&words, pairs[i][0], pairs[i][1]);
    if (o->no_skip)
        process_word(&words, "--no-skip");
    if (o->lenient)
        process_word(&words, "--lenient");
    if (o->allow_code)
        process_word(&words, "--allow-code");
    process_sets(&words, o->sets.items, o->sets.count);
    process_option(&words, c->sample.option, c->sample.value);
    process_word(&words, "--");
    for (char **rest = o->rest; *rest; rest++)
        process_word(&words, *rest);
    return process_argv(&words, &cmp->arena);
}

static int prepare(struct comparison *cmp)
{
    static const char *const nothing[] = {NULL};
    char **environment = process_environment(&cmp->arena, nothing);
    cmp->jobs = ARENA_NEW(&cmp->arena, struct process_job, cmp->count);
    cmp->runs = ARENA_NEW(&cmp->arena, struct report_run, cmp->count);
    cmp->stats = ARENA_NEW(&cmp->arena, const char *, cmp->count);
    cmp->documents = ARENA_NEW(&cmp->arena, json_t *, cmp->count);
    for (unsigned i = 0; i < cmp->count; i++) {
        cmp->stats[i] = process_temporary(&cmp->arena, ".json", cmp->sink);
        cmp->jobs[i].output = process_temporary(&cmp->arena, ".out", cmp->sink);
        cmp->jobs[i].errors = process_temporary(&cmp->arena, ".err", cmp->sink);
        if (!cmp->stats[i] || !cmp->jobs[i].output || !cmp->jobs[i].errors)
            return -1;
        cmp->jobs[i].environment = environment;
        cmp->jobs[i].argv = command_of(cmp, &cmp->configurations[i], cmp->stats[i]);
        cmp->runs[i].group = group_of(cmp, &cmp->configurations[i]);
        cmp->runs[i].label = label_of(cmp, cmp->runs[i].group, &cmp->configurations[i]);
    }
    return 0;
}

static void remove_files(struct comparison *cmp)
{
    for (unsigned i = 0; cmp->jobs && i < cmp->count; i++) {
        const char *const paths[] = {cmp->stats[i], cmp->jobs[i].output, cmp->jobs[i].errors};
        for (size_t k = 0; k < 3; k++)
            if (paths[k])
                unlink(paths[k]);
    }
}

/* Why a run has no results to compare, for the row "ended", or NULL. */
static const char *why_partial(struct comparison *cmp, const json_t *document)
{
    if (!json_is_true(json_object_get(document, "partial")))
        return NULL;
    const char *reason = json_string_value(json_object_get(document, "partial_reason"));
    return arena_printf(&cmp->arena, "partial: %s", reason ? reason : "stopped");
}

static void show_failure(struct comparison *cmp, unsigned index)
{
    struct strbuf text = {0};
    const struct process_job *job = &cmp->jobs[index];
    fprintf(stderr, "lockstep compare: %s: %s\n", cmp->runs[index].label, cmp->runs[index].failure);
    if (job->failed)
        fprintf(stderr, "    cannot start: %s\n", strerror(job->failed));
    cli_read_file(job->errors, &text, cmp->sink);
    if (!text.length)
        cli_read_file(job->output, &text, cmp->sink);
    size_t start = text.length > 4000 ? text.length - 4000 : 0;
    fputs(strbuf_text(&text) + start, stderr);
    strbuf_free(&text);
}

static int collect(struct comparison *cmp)
{
    int code = CLI_OK;
    for (unsigned i = 0; i < cmp->count; i++) {
        struct report_run *run = &cmp->runs[i];
        struct strbuf text = {0};
        file_read(cmp->stats[i], FILE_NO_BOUND, &text, cmp->sink);
        cmp->documents[i] = text.length ? json_loadb(text.text, text.length, 0, NULL) : NULL;
        run->kernels = json_object_get(cmp->documents[i], "kernels");
        run->failure = why_partial(cmp, cmp->documents[i]);
        if (!run->failure && (cmp->jobs[i].failed || cmp->jobs[i].status))
            run->failure = arena_printf(&cmp->arena, "exit %d", cmp->jobs[i].failed ? 127 : cmp->jobs[i].status);
        if (!run->failure && !cmp->jobs[i].started)
            run->failure = "not run";
        if (!run->failure && !json_array_size(run->kernels))
            run->failure = "no kernels";
        if (run->failure) {
            show_failure(cmp, i);
            code = CLI_FAILED;
        }
        strbuf_free(&text);
    }
    return code;
}

static int write_all(struct comparison *cmp)
{
    json_t *all = json_array();
    for (unsigned i = 0; i < cmp->count; i++)
        if (cmp->documents[i])
            json_array_append(all, cmp->documents[i]);
    int rc = cli_write_all_stats(cmp->options, all, cmp->sink);
    json_decref(all);
    return rc;
}

struct ticker {
    const struct comparison *cmp;
    struct cli_progress progress;
};

static void tick(void *context)
{
    struct ticker *t = context;
    cli_progress_jobs(&t->progress, t->cmp->jobs, t->cmp->count, "runs done", -1);
}

static void add_tables(const struct comparison *cmp, struct table_page *page)
{
    unsigned seeds = cmp->lists[CHOICE_seed].count;
    if (cmp->lists[CHOICE_as].count == 1)
        cli_name_as(cmp->options->as, &page->text);
    if (cmp->options->samples)
        report_samples(cmp->runs, cmp->count, cmp->sample_count, cmp->options->agree ? &cmp->agree : NULL, page);
    else
        report_compare(cmp->runs, cmp->count, NULL, page);
    if (seeds > 1) {
        strbuf_add(&page->text, "\n");
        report_spread(cmp->runs, cmp->count, seeds, page);
    }
    if (cmp->options->kernels)
        report_compare_kernels(cmp->runs, cmp->count, page);
}

static int compare(struct comparison *cmp)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    struct ticker ticker = {.cmp = cmp};
    struct process_options how = {.parallel = cores > 0 ? (unsigned)cores : 1, .tick = tick, .context = &ticker};
    struct table_page page;
    cli_progress_init(&ticker.progress, cmp->options->quiet);
    int interrupted = process_run(cmp->jobs, cmp->count, &how);
    cli_progress_clear(&ticker.progress);
    int code = collect(cmp), stream = cli_people(cmp->options);
    cli_page_begin(&page, stream);
    add_tables(cmp, &page);
    cli_page_print(&page, stream);
    if (write_all(cmp) < 0)
        code = CLI_FAILED;
    for (unsigned i = 0; i < cmp->count; i++)
        json_decref(cmp->documents[i]);
    if (interrupted) { /* what was done is shown, then the signal takes effect */
        remove_files(cmp);
        cli_flush();
        process_die(interrupted);
    }
    return code;
}

/* An empty name between commas is a slip, or a variable of a script that is empty. */
static int check_list(const char *option, const char *text, struct diag_sink *sink)
{
    size_t n = text ? strlen(text) : 0;
    if (!n || (text[0] != ',' && text[n - 1] != ',' && !strstr(text, ",,")))
        return 0;
    return diag_error(sink, DIAG_NOWHERE, NULL, "%s %s: a name in the list is empty", option, text);
}

static bool choose_samples(struct comparison *cmp)
{
    const struct cli_options *o = cmp->options;
    bool good = true;
    if (o->agree && !o->samples)
        good = diag_error(cmp->sink, DIAG_NOWHERE, "--samples 8", "--agree compares the numbers of --samples") == 0;
    if (o->kernels && o->samples)
        good = diag_error(cmp->sink, DIAG_NOWHERE, NULL, "--kernels has no table of samples") == 0;
    if (good && o->agree)
        good = cli_read_numbers(o->agree, &cmp->agree, &cmp->arena, cmp->sink) == 0;
    cmp->sample_count = good ? cli_samples(o, &cmp->arena, &cmp->samples, cmp->sink) : 0;
    if (!cmp->sample_count)
        arena_free(&cmp->arena);
    return cmp->sample_count > 0;
}

static int start(const struct cli_options *options, struct diag_sink *sink)
{
    struct comparison cmp = {.options = options, .sink = sink};
    int code = CLI_USAGE;
    if (!options->rest[0]) {
        diag_error(sink, DIAG_NOWHERE, "lockstep compare --help", "lockstep compare needs a program or a launch file");
        return CLI_USAGE;
    }
    if (cli_is_results(options->rest[0]))
        return compare_results(options, sink);
    if (options->profile) {
        diag_error(sink, DIAG_NOWHERE, "lockstep compare --profile A.json B.json",
                   "--profile compares two files of results");
        return CLI_USAGE;
    }
    if (cli_is_case(options->rest[0]) && cli_check_rest(options, "compare CASE.yaml", 1, sink) < 0)
        return CLI_USAGE;
    const struct cli_place stats = {"--stats", options->stats, CLI_OUTPUT_STATS};
    int bad = cli_check_places(&stats, 1, sink);
    for (unsigned k = 0; k < CHOICES; k++)
        bad |= check_list(choices[k].option, *text_of(options, k), sink);
    if (bad)
        return CLI_USAGE;
    if (!choose_samples(&cmp))
        return CLI_USAGE;
    choose_configurations(&cmp);
    if (check_configurations(&cmp) == 0 && prepare(&cmp) == 0)
        code = compare(&cmp);
    remove_files(&cmp);
    arena_free(&cmp.arena);
    return code;
}

int cli_compare(int argc, char **argv)
{
    struct diag_sink sink;
    struct cli_options options;
    int code = CLI_USAGE;
    diag_init(&sink);
    if (cli_parse_options(&options, argc, argv, CLI_ACCEPTS_compare, &sink) == 0) {
        if (options.help) {
            cli_printf("%s", cli_compare_usage);
            code = CLI_OK;
        } else {
            cli_say(&sink);
            code = start(&options, &sink);
        }
    }
    cli_free_options(&options);
    return cli_finish(&sink, code);
}
