/* `lockstep study`: runs a study and says what it found. */
#include "cli/study/study.h"

#include <dirent.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/identity.h"
#include "cli/study/inputs.h"
#include "config/yaml.h"

const char cli_study_usage[] =
    "usage: lockstep study NAME|FOLDER [OPTIONS]\n"
    "\n"
    "Runs a published evaluation again: all its programs, machines and schedulers, as many runs at a "
    "time as there are cores.\n"
    "Prints its claims beside what was found, and writes a page with the figures. What was run "
    "before by the same build is not run again.\n"
    "\n"
    "  --quick                a smaller version\n"
    "  --out FOLDER           where results go: a database, index.html, claims.csv, results.csv (default: "
    "study-NAME)\n"
    "  --jobs N               runs at a time\n"
    "  --list                 only says what would be run, after all of the study was checked\n"
    "  --report               runs nothing: answers from the results that are there, of any simulator\n"
    "  --verify N             runs N configurations of the results that come with the study again, and compares to the "
    "digit\n"
    "  --seed S               by which these are drawn (default: 1)\n"
    "  --cheapest             those that take the fewest instructions instead\n"
    "  --allow-code           the study may name schedulers that are shared objects; its programs are built and run in "
    "any "
    "case\n"
    "  --programs DIR         your copy of public suites: benchmarks that are taken from them are built and run, too\n"
    "  --wait SECONDS         how long to wait for another process in the folder (default: 600)\n"
    "\n"
    "On several machines, or by GNU parallel or Slurm:\n"
    "  --shard I/N            runs every N-th run, from the I-th on, into a file of its own: "
    "FOLDER/shards/I-of-N.sqlite\n"
    "  --work FOLDER          where a shard works until it is whole (default: in FOLDER/shards)\n"
    "  --merge                runs nothing: joins the shards that are there, and reports\n"
    "  --status               says how many runs are done, and which shards are missing\n"
    "  --commands [K]         prints the command lines of all shards, of K runs each (default: 8)\n"
    "  --slurm                submits what is missing to Slurm: a job array, and a job behind it that merges; the same "
    "line\n"
    "                         again submits what got lost. What stands behind -- are options of sbatch\n"
    "  --per-task K           runs of a task of the array (default: 8)\n"
    "\n"
    "NAME is a folder of studies/ that comes with Lockstep; a wrong one is answered with those that there are. With "
    "'/' or\n"
    "'.' in it, it is a path. One process at a time works in a folder of results; the next one waits.\n"
    "Exit code: 0 when all runs ended well, 1 when some did not.\n";

struct arguments {
    bool quick, list, report, help, merge, status, commands, slurm, allow_code, cheapest;
    const char *out, *jobs, *target, *wait, *shard, *work, *each, *verify, *seed, *programs;
    char *const *options; /* of sbatch */
};

enum {
    QUICK = 1,
    OUT,
    JOBS,
    LIST,
    REPORT,
    WAIT,
    SHARD,
    WORK,
    MERGE,
    STATUS,
    COMMANDS,
    SLURM,
    PER_TASK,
    ALLOW_CODE,
    VERIFY,
    SEED,
    CHEAPEST,
    PROGRAMS,
    HELP
};

static const struct option known[] = {
    {"quick", no_argument, NULL, QUICK},
    {"out", required_argument, NULL, OUT},
    {"jobs", required_argument, NULL, JOBS},
    {"list", no_argument, NULL, LIST},
    {"report", no_argument, NULL, REPORT},
    {"wait", required_argument, NULL, WAIT},
    {"shard", required_argument, NULL, SHARD},
    {"work", required_argument, NULL, WORK},
    {"merge", no_argument, NULL, MERGE},
    {"status", no_argument, NULL, STATUS},
    {"commands", optional_argument, NULL, COMMANDS},
    {"slurm", no_argument, NULL, SLURM},
    {"per-task", required_argument, NULL, PER_TASK},
    {"allow-code", no_argument, NULL, ALLOW_CODE},
    {"verify", required_argument, NULL, VERIFY},
    {"seed", required_argument, NULL, SEED},
    {"cheapest", no_argument, NULL, CHEAPEST},
    {"programs", required_argument, NULL, PROGRAMS},
    {"help", no_argument, NULL, HELP},
    {NULL, 0, NULL, 0},
};

static bool take(struct arguments *a, int option)
{
    bool *const flags[] = {
        [QUICK] = &a->quick,           [LIST] = &a->list,        [REPORT] = &a->report,     [MERGE] = &a->merge,
        [SLURM] = &a->slurm,           [STATUS] = &a->status,    [COMMANDS] = &a->commands, [HELP] = &a->help,
        [ALLOW_CODE] = &a->allow_code, [CHEAPEST] = &a->cheapest};
    const char **const texts[] = {
        [OUT] = &a->out,       [JOBS] = &a->jobs,     [WAIT] = &a->wait,         [SHARD] = &a->shard, [WORK] = &a->work,
        [PER_TASK] = &a->each, [VERIFY] = &a->verify, [PROGRAMS] = &a->programs, [SEED] = &a->seed};
    if (option == 'h')
        option = HELP;
    if (option < QUICK || option > HELP)
        return false;
    if ((size_t)option < sizeof flags / sizeof *flags && flags[option])
        *flags[option] = true;
    else
        *texts[option] = optarg;
    if (option == COMMANDS && optarg)
        a->each = optarg;
    return true;
}

static int parse(struct arguments *a, int argc, char **argv, struct diag_sink *sink)
{
    int own = 0; /* arguments before a "--" */
    while (own < argc && strcmp(argv[own], "--"))
        own++;
    opterr = 0;
    optind = 1;
    for (int c; (c = getopt_long(own, argv, "h", known, NULL)) != -1;)
        if (!take(a, c))
            return diag_error(sink, DIAG_NOWHERE, "lockstep study --help", "option %s is not known, or lacks its value",
                              argv[optind - 1]);
    if (a->help)
        return 0;
    if (a->commands && !a->each && own - optind == 2)
        a->each = argv[--own];
    if (optind + 1 != own || (own < argc && strcmp(argv[own], "--") && !a->commands))
        return diag_error(sink, DIAG_NOWHERE, "lockstep study --help", "lockstep study needs one name or folder");
    a->target = argv[optind];
    for (a->options = argv + own; *a->options && strcmp(*a->options, "--");)
        a->options++;
    a->options += *a->options != NULL;
    if (*a->options && !a->slurm)
        return diag_error(sink, DIAG_NOWHERE, "lockstep study --help", "options behind -- are those of --slurm");
    if (a->list + a->report + a->merge + a->status + a->commands + a->slurm + (a->shard != NULL) + (a->verify != NULL) >
        1)
        return diag_error(
            sink, DIAG_NOWHERE, "lockstep study --help",
            "--list, --report, --shard, --merge, --status, --commands, --slurm and --verify: give one of them");
    if ((a->seed || a->cheapest) && !a->verify)
        return diag_error(sink, DIAG_NOWHERE, "lockstep study --help", "--seed and --cheapest are those of --verify");
    return 0;
}

/* A number from 1 to most; `otherwise` when there is no text. 0 with a diagnostic. */
static unsigned number_of(struct study *study, const char *option, const char *text, unsigned otherwise, unsigned most)
{
    uint64_t n = otherwise;
    if (!text || (config_parse_u64(text, &n) && n >= 1 && n <= most))
        return (unsigned)n;
    diag_error(study->sink, DIAG_NOWHERE, NULL, "%s: %s is no number from 1 to %u", option, text, most);
    return 0;
}

static int choose_shard(struct study *study, const char *text)
{
    int end = 0;
    if (!text)
        return 0;
    if (sscanf(text, "%u/%u%n", &study->shard, &study->shards, &end) == 2 && !text[end] && study->shard >= 1 &&
        study->shard <= study->shards && study->shards <= 1000000)
        return 0;
    return diag_error(study->sink, DIAG_NOWHERE, NULL, "--shard: %s is not I/N, such as 2/8", text);
}

static int choose_wait(struct study *study, const char *text)
{
    char *end = NULL;
    study->wait = text ? strtod(text, &end) : 600;
    if (!text || (end != text && !*end && study->wait >= 0))
        return 0;
    return diag_error(study->sink, DIAG_NOWHERE, NULL, "--wait: %s is no number of seconds", text);
}

static int choose(struct study *study, const struct arguments *a)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    study->jobs = number_of(study, "--jobs", a->jobs, cores > 0 ? (unsigned)cores : 1, 256);
    return study->jobs && choose_shard(study, a->shard) == 0 && choose_wait(study, a->wait) == 0 ? 0 : -1;
}

static int no_such_study(struct study *study, const char *target)
{
    struct strbuf known = {0};
    struct dirent **names;
    int count = scandir(arena_printf(&study->arena, "%s/studies", study->share), &names, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        if (names[i]->d_name[0] != '.')
            strbuf_addf(&known, "%s%s", known.length ? ", " : "studies that come with Lockstep: ", names[i]->d_name);
        free(names[i]);
    }
    if (count >= 0)
        free(names);
    diag_error(study->sink, DIAG_NOWHERE, known.length ? known.text : NULL, "there is no study named %s (no folder %s)",
               target, study->folder);
    strbuf_free(&known);
    return -1;
}

static int locate(struct study *study, const struct arguments *a)
{
    const char *home = process_home(&study->arena, study->sink);
    if (!home)
        return -1;
    study->share = arena_printf(&study->arena, "%s/share/lockstep", home);
    study->folder =
        strpbrk(a->target, "/.") ? a->target : arena_printf(&study->arena, "%s/studies/%s", study->share, a->target);
    char *real = realpath(study->folder, NULL);
    if (!real)
        return no_such_study(study, a->target);
    study->folder = arena_strdup(&study->arena, real);
    free(real);
    const char *slash = strrchr(study->folder, '/');
    study->name = slash[1] ? slash + 1 : "study"; /* the root folder has no name */
    study->out = a->out ? a->out : arena_printf(&study->arena, "study-%s", study->name);
    study->work = study->out;
    study->build = cli_identity;
    return 0;
}

/* True if the results of all runs that the study asks for and that can be run are there, as the report has found. */
static bool complete(const struct study *study)
{
    return study_count_state(study, STUDY_NOT_RUN) == study_count_absent(study) &&
           !study_count_state(study, STUDY_FAILED);
}

/* Ends as the signal says that stopped the runs, when one did. */
static int leave(struct study *study, int stopped, int code)
{
    study_close(study);
    study_unlock(study);
    if (stopped > 0) {
        cli_flush();
        process_die(stopped);
    }
    return code;
}

/* In the results folder, which is this process's own now: runs what is missing, or takes the shards that are there. */
static int run(struct study *study, const struct arguments *a)
{
    struct strbuf text = {0};
    int code = CLI_USAGE, stopped = 0;
    const char *path = study_database(study);
    if (study_make_folders(study) == 0 && study_lock(study) == 0 && (!a->report || study_unpack(study) == 0) &&
        study_open(study, path) == 0 && study_note_runs(study) == 0 && (!a->merge || study_merge(study) == 0) &&
        (!a->report || study_take_committed(study) == 0) &&
        (a->report || a->merge || (stopped = study_execute(study)) >= 0)) {
        int rc = study_report(study, &text); /* a question that cannot be asked leaves the others their answers */
        bool whole = complete(study);
        if (whole && !study->quick && !study->committed)
            rc |= study_pack(study);
        strbuf_addf(&text, "page: %s/index.html\n", study->out);
        cli_print(&text);
        code = rc < 0 ? CLI_USAGE : whole ? CLI_OK : CLI_FAILED;
    }
    strbuf_free(&text);
    if (code == CLI_FAILED && a->merge)
        study_status(study);
    return leave(study, stopped, code);
}

static int run_shard(struct study *study, const struct arguments *a)
{
    int stopped = 0, code = study_run_shard(study, a->work, &stopped);
    return leave(study, stopped, code < 0 ? CLI_USAGE : code);
}

static int verify(struct study *study, const struct arguments *a)
{
    struct study_draw draw = {.cheapest = a->cheapest, .count = number_of(study, "--verify", a->verify, 1, 1000000)};
    int stopped = 0, code = -1;
    draw.seed = number_of(study, "--seed", a->seed, 1, 1000000000);
    if (draw.count && draw.seed)
        code = study_verify(study, &draw, &stopped);
    return leave(study, stopped, code < 0 ? CLI_USAGE : code);
}

/* Hands the runs to Slurm; when all are done already, joins them here and now. */
static int submit(struct study *study, const struct arguments *a)
{
    unsigned each = number_of(study, "--per-task", a->each, 8, 1000000);
    bool whole = false;
    int code = CLI_USAGE;
    struct arguments merge = *a;
    merge.merge = true;
    if (each && study_make_folders(study) == 0 && study_lock(study) == 0)
        code = study_submit(study, each, a->options, &whole);
    leave(study, 0, code);
    return code == CLI_OK && whole ? run(study, &merge) : code < 0 ? CLI_USAGE : code;
}

static int act(struct study *study, const struct arguments *a)
{
    if (a->list) {
        study_doubt_launches(study);
        return study_list(study);
    }
    if (a->status)
        return study_status(study);
    if (a->commands) {
        unsigned each = number_of(study, "--commands", a->each, 8, 1000000);
        return each ? study_commands(study, each) : CLI_USAGE;
    }
    if (a->verify)
        return verify(study, a);
    return a->slurm ? submit(study, a) : a->shard ? run_shard(study, a) : run(study, a);
}

void study_forget(struct study *study)
{
    for (size_t i = 0; i < study->executions.count; i++)
        vec_free(&study->executions.items[i].sets);
    for (size_t i = 0; i < study->readings.count; i++)
        vec_free(&study->readings.items[i].sets);
    for (size_t i = 0; i < study->machines.count; i++)
        vec_free(&study->machines.items[i].sets);
    for (size_t i = 0; i < study->interventions.count; i++) {
        vec_free(&study->interventions.items[i].sets);
        vec_free(&study->interventions.items[i].swaps);
        vec_free(&study->interventions.items[i].machines);
    }
    vec_free(&study->interventions);
    for (size_t i = 0; i < study->inputs.count; i++) {
        study_free_shape(&study->inputs.items[i].stated);
        study_free_shape(&study->inputs.items[i].paper);
    }
    vec_free(&study->inputs);
    vec_free(&study->tried);
    strmap_free(&study->checked);
    strmap_free(&study->keys);
    strmap_free(&study->named);
    strmap_free(&study->sources);
    vec_free(&study->hashes);
    vec_free(&study->machines);
    vec_free(&study->grid);
    vec_free(&study->benchmarks);
    vec_free(&study->readings);
    vec_free(&study->aliases);
    vec_free(&study->executions);
    vec_free(&study->runs);
    vec_free(&study->figures);
    vec_free(&study->claims);
    vec_free(&study->findings);
    vec_free(&study->imports);
    arena_free(&study->arena);
}

int cli_study(int argc, char **argv)
{
    struct diag_sink sink;
    struct arguments a = {.quick = false};
    struct study study = {.sink = &sink, .lock = -1};
    int code = CLI_USAGE;
    diag_init(&sink);
    if (parse(&a, argc, argv, &sink) == 0) {
        study.quick = a.quick;
        study.report = a.report;
        study.doubts = a.list;
        study.allow_code = a.allow_code;
        if (a.help) {
            cli_printf("%s", cli_study_usage);
            code = CLI_OK;
        } else if (locate(&study, &a) == 0 && choose(&study, &a) == 0 &&
                   study_choose_programs(&study, a.programs) == 0 && study_read(&study) == 0 &&
                   study_check_questions(&study) == 0) {
            study_find_left(&study);
            code = act(&study, &a);
        }
    }
    study_forget(&study);
    return cli_finish(&sink, code);
}
