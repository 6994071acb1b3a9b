/* `lockstep study`: runs a study and says what it found. */
#include "cli/study/study.h"

#include <dirent.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/identity.h"

static const char usage[] =
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
    "  --report               runs nothing: answers from the results that are there\n"
    "\n"
    "NAME is a folder of studies/ that comes with Lockstep; a wrong one is answered with those that there are. With "
    "'/' or\n"
    "'.' in it, it is a path. One process at a time works in a folder of results.\n"
    "Exit code: 0 when all runs ended well, 1 when some did not.\n";

struct arguments {
    bool quick, list, report, help;
    const char *out, *jobs, *target;
};

static int parse(struct arguments *a, int argc, char **argv, struct diag_sink *sink)
{
    enum { QUICK = 1, OUT, JOBS, LIST, REPORT, HELP };
    static const struct option known[] = {
        {"quick", no_argument, NULL, QUICK},
        {"out", required_argument, NULL, OUT},
        {"jobs", required_argument, NULL, JOBS},
        {"list", no_argument, NULL, LIST},
        {"report", no_argument, NULL, REPORT},
        {"help", no_argument, NULL, HELP},
        {NULL, 0, NULL, 0},
    };
    opterr = 0;
    optind = 1;
    for (int c; (c = getopt_long(argc, argv, "h", known, NULL)) != -1;)
        switch (c) {
        case QUICK:
            a->quick = true;
            break;
        case OUT:
            a->out = optarg;
            break;
        case JOBS:
            a->jobs = optarg;
            break;
        case LIST:
            a->list = true;
            break;
        case REPORT:
            a->report = true;
            break;
        case HELP:
        case 'h':
            a->help = true;
            break;
        default:
            return diag_error(sink, DIAG_NOWHERE, "lockstep study --help", "option %s is not known, or lacks its value",
                              argv[optind - 1]);
        }
    if (a->help)
        return 0;
    if (optind + 1 != argc)
        return diag_error(sink, DIAG_NOWHERE, "lockstep study --help", "lockstep study needs one name or folder");
    a->target = argv[optind];
    return 0;
}

static int choose_jobs(struct study *study, const char *text)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    char *end = NULL;
    unsigned long n = text ? strtoul(text, &end, 10) : 0;
    if (text && (*end || n < 1 || n > 256))
        return diag_error(study->sink, DIAG_NOWHERE, NULL, "--jobs: %s is no number from 1 to 256", text);
    study->jobs = text ? (unsigned)n : cores > 0 ? (unsigned)cores : 1;
    return 0;
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
    study->build = cli_identity;
    return 0;
}

/* Whether everything the study asks for is there. */
static bool complete(struct study *study)
{
    sqlite3_stmt *stmt =
        study_ask(study, "runs",
                  "SELECT count(*) FROM executions WHERE status = 'failed' AND id IN (SELECT execution "
                  "FROM runs)");
    int rc = 0;
    bool all = stmt && study_next(study, "runs", stmt, &rc) && sqlite3_column_int64(stmt, 0) == 0;
    sqlite3_finalize(stmt);
    return all;
}

static int run(struct study *study, const struct arguments *a)
{
    struct strbuf text = {0};
    int code = CLI_USAGE, stopped = 0;
    const char *path = study_database(study);
    if (study_make_folders(study) == 0 && study_lock(study) == 0 && study_open(study, path) == 0 &&
        study_note_runs(study) == 0 && (a->report || (stopped = study_execute(study)) >= 0)) {
        int rc = study_report(study, &text); /* a question that cannot be asked leaves the others their answers */
        strbuf_addf(&text, "page: %s/index.html\n", study->out);
        cli_print(&text);
        code = rc < 0 ? CLI_USAGE : complete(study) ? CLI_OK : CLI_FAILED;
    }
    strbuf_free(&text);
    study_close(study);
    study_unlock(study);
    if (stopped > 0) {
        cli_flush();
        process_die(stopped);
    }
    return code;
}

static void forget(struct study *study)
{
    for (size_t i = 0; i < study->executions.count; i++)
        vec_free(&study->executions.items[i].sets);
    for (size_t i = 0; i < study->readings.count; i++)
        vec_free(&study->readings.items[i].sets);
    for (size_t i = 0; i < study->machines.count; i++)
        vec_free(&study->machines.items[i].sets);
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
        if (a.help) {
            cli_printf("%s", usage);
            code = CLI_OK;
        } else if (locate(&study, &a) == 0 && choose_jobs(&study, a.jobs) == 0 && study_read(&study) == 0 &&
                   study_check_questions(&study) == 0) {
            code = a.list ? study_list(&study) : run(&study, &a);
        }
    }
    forget(&study);
    return cli_finish(&sink, code);
}
