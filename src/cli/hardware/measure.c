/* The programs of tools/measure on machines: built once, then run as runs.def says, each run a process of its own. What
 * is built is kept in a folder of the user's cache, by the content of all that it is made of. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "cli/hardware/hardware.h"
#include "cli/process.h"

#define ARCHITECTURE "-arch=sm_80" /* every machine runs PTX of all targets */

#define KIND(name) (1u << HARDWARE_##name)
const struct hardware_run hardware_runs[] = {
#define HARDWARE_RUN(program, arguments, options, kinds) {#program, arguments, options, kinds},
#include "cli/hardware/runs.def"
};
const unsigned hardware_run_count = sizeof hardware_runs / sizeof *hardware_runs;
_Static_assert(sizeof hardware_runs / sizeof *hardware_runs <= HARDWARE_MOST_RUNS, "sets of runs are words");

struct measuring {
    struct hardware_session *session;
    char **environment;
    struct hardware_try *list; /* count of them */
    struct process_job *jobs;
    unsigned count;
    struct cli_progress progress;
    const char *told; /* what cli_progress_jobs says of its jobs */
};

static unsigned index_of(const char *program)
{
    unsigned i = 0;
    while (hardware_programs[i] && strcmp(hardware_programs[i], program) != 0)
        i++;
    return i;
}

bool hardware_run_is_wanted(const struct hardware_run *run, const struct hardware_machine *machine)
{
    return (run->kinds & machine->kinds) && (machine->programs >> index_of(run->program) & 1);
}

/* Adds the content of a folder's files, and of those below it, to a hash, in no order. */
static uint64_t hash_folder(struct arena *arena, const char *folder)
{
    DIR *dir = opendir(folder);
    uint64_t sum = 0;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        struct stat info;
        struct strbuf text = {0};
        const char *path = arena_printf(arena, "%s/%s", folder, entry->d_name);
        if (*entry->d_name == '.' || stat(path, &info) < 0)
            continue;
        if (S_ISDIR(info.st_mode))
            sum += hash_spread(hash_folder(arena, path));
        else if (file_load(path, FILE_TEXT_MOST, &text) == 0)
            sum += hash_add(hash_bytes(strbuf_text(&text), text.length),
                            hash_bytes(entry->d_name, strlen(entry->d_name)));
        strbuf_free(&text);
    }
    if (dir)
        closedir(dir);
    return sum;
}

/* Makes a folder and those above it; -1 with a diagnostic. */
static int make_folder(struct hardware_session *session, const char *path)
{
    char *part = arena_strdup(&session->arena, path);
    for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(part, 0777);
        *slash = '/';
    }
    if (mkdir(part, 0777) < 0 && errno != EEXIST)
        return diag_error(session->sink, DIAG_NOWHERE, NULL, "cannot make the folder %s: %s", path, strerror(errno));
    return 0;
}

/* The folder in which this version's programs are kept. */
static const char *cache_folder(struct hardware_session *session)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    struct arena *arena = &session->arena;
    uint64_t sources = hash_folder(arena, arena_printf(arena, "%s/measure", session->share));
    uint64_t headers = hash_folder(arena, arena_printf(arena, "%s/include", session->share));
    const char *root = cache && *cache == '/' ? cache : home && *home == '/' ? arena_printf(arena, "%s/.cache", home)
                                                                              : "/tmp";
    return arena_printf(arena, "%s/lockstep/measure/" LOCKSTEP_VERSION "-%016llx", root,
                        (unsigned long long)hash_add(sources, headers));
}

static void tick(void *context)
{
    struct measuring *m = context;
    cli_progress_jobs(&m->progress, m->jobs, m->count, m->told, -1);
}

/* Returns 0, or the number of a signal that asked to stop. */
static int run_jobs(struct measuring *m, const char *told)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const struct cli_options *o = m->session->options;
    m->told = told;
    struct process_options how = {.parallel = o->jobs ? (unsigned)o->jobs_value : cores > 0 ? (unsigned)cores : 1,
                                  .tick = tick,
                                  .context = m};
    cli_progress_init(&m->progress, false);
    int stopped = process_run(m->jobs, m->count, &how);
    cli_progress_clear(&m->progress);
    return stopped;
}

static struct process_job build_job(struct measuring *m, const char *program, const char *part)
{
    struct arena *arena = &m->session->arena;
    struct process_words words = {0};
    const char *const line[] = {
        "/proc/self/exe", "cc", ARCHITECTURE, "-o", part, arena_printf(arena, "%s/measure/%s.cu", m->session->share, program)};
    for (size_t i = 0; i < sizeof line / sizeof *line; i++)
        process_word(&words, line[i]);
    return (struct process_job){.argv = process_argv(&words, arena),
                                .environment = m->environment,
                                .output = "/dev/null",
                                .errors = arena_printf(arena, "%s.err", part)};
}

static int explain_build(struct measuring *m, const struct process_job *job, const char *program)
{
    struct strbuf text = {0};
    file_load(job->errors, FILE_TEXT_MOST, &text);
    int rc = diag_error(m->session->sink, DIAG_NOWHERE, NULL, "cannot build %s/measure/%s.cu:\n%s", m->session->share,
                        program, job->failed ? strerror(job->failed) : strbuf_text(&text));
    strbuf_free(&text);
    return rc;
}

/* Builds a set of programs, those that are not there yet. Returns 0, or -1 with a diagnostic, or by *stopped. */
static int build(struct measuring *m, const char *folder, unsigned programs, int *stopped)
{
    struct process_job jobs[32];
    unsigned which[32];
    int rc = make_folder(m->session, folder);
    m->jobs = jobs;
    m->count = 0;
    for (unsigned i = 0; rc == 0 && hardware_programs[i]; i++) {
        const char *built = arena_printf(&m->session->arena, "%s/%s", folder, hardware_programs[i]);
        if (!(programs >> i & 1) || access(built, X_OK) == 0)
            continue;
        which[m->count] = i;
        jobs[m->count++] = build_job(
            m, hardware_programs[i], arena_printf(&m->session->arena, "%s.%ld.part", built, (long)getpid()));
    }
    *stopped = rc == 0 && m->count ? run_jobs(m, "programs built") : 0;
    for (unsigned k = 0; k < m->count && !*stopped; k++) {
        const char *name = hardware_programs[which[k]], *part = jobs[k].argv[4];
        if (jobs[k].failed || jobs[k].status ||
            file_move(part, arena_printf(&m->session->arena, "%s/%s", folder, name)))
            rc = explain_build(m, &jobs[k], name);
        unlink(jobs[k].errors);
    }
    return rc;
}

/* Words with spaces between them. */
static void add_words(struct measuring *m, struct process_words *words, const char *text)
{
    for (; *text; text += strspn(text, " ")) {
        size_t length = strcspn(text, " ");
        process_word(words, arena_strndup(&m->session->arena, text, length));
        text += length;
    }
}

static char *const *command_of(struct measuring *m, const struct hardware_try *w, const char *folder)
{
    const struct cli_options *o = m->session->options;
    struct process_words words = {0};
    process_lockstep_run(&words);
    process_option(&words, "--machine", w->machine->machine);
    process_option(&words, "--sched", o->sched);
    process_option(&words, "--threads", o->threads);
    add_words(m, &words, w->run->options);
    process_sets(&words, o->sets.items, o->sets.count);
    process_sets(&words, w->sets, w->set_count);
    if (o->allow_code)
        process_word(&words, "--allow-code");
    process_word(&words, arena_printf(&m->session->arena, "%s/%s", folder, w->run->program));
    add_words(m, &words, w->run->arguments);
    return process_argv(&words, &m->session->arena);
}

static int prepare_runs(struct measuring *m, const char *folder)
{
    struct hardware_session *session = m->session;
    m->jobs = ARENA_NEW(&session->arena, struct process_job, m->count + 1);
    for (unsigned i = 0; i < m->count; i++) {
        struct hardware_try *w = &m->list[i];
        w->output = process_temporary(&session->arena, ".csv", session->sink);
        w->errors = process_temporary(&session->arena, ".err", session->sink);
        if (!w->output || !w->errors)
            return -1;
        m->jobs[i] = (struct process_job){.argv = command_of(m, w, folder),
                                          .environment = m->environment,
                                          .output = w->output,
                                          .errors = w->errors};
    }
    return 0;
}

/* The first line that a failed run said, else how it ended. */
static const char *reason(struct measuring *m, const struct hardware_try *w, const struct process_job *job)
{
    struct arena *arena = &m->session->arena;
    struct strbuf text = {0};
    file_load(w->errors, FILE_TEXT_MOST, &text);
    const char *said = strbuf_text(&text), *error = strstr(said, "error:");
    said = error ? error : said;
    const char *why = job->failed ? strerror(job->failed)
                      : *said     ? arena_strndup(arena, said, strcspn(said, "\n"))
                                  : arena_printf(arena, "exit code %d", job->status);
    strbuf_free(&text);
    return why;
}

static void note_failure(struct measuring *m, struct hardware_try *w, const char *why)
{
    w->failed = why;
    const struct hardware_failure failure = {w->machine->name, w->run->program, w->run->arguments, why};
    vec_push(&m->session->failures, failure);
}

/* Keeps what a program printed with --out: its runs one behind the other. */
static int keep(struct measuring *m, const struct hardware_try *w, const struct strbuf *text, bool first)
{
    struct hardware_session *session = m->session;
    struct strbuf all = {0};
    if (!session->options->out)
        return 0;
    const char *path = hardware_file(session, session->options->out, w->machine, w->run->program);
    int rc = make_folder(session, arena_printf(&session->arena, "%s/%s", session->options->out, w->machine->name));
    if (rc == 0 && !first)
        file_load(path, FILE_TEXT_MOST, &all);
    strbuf_addn(&all, strbuf_text(text), text->length);
    if (rc == 0)
        rc = cli_write_file(path, strbuf_text(&all), all.length, session->sink);
    strbuf_free(&all);
    return rc;
}

/* Takes a run's rows, also those that it printed before it failed. */
static int collect(struct measuring *m, unsigned index)
{
    struct hardware_try *w = &m->list[index];
    const struct process_job *job = &m->jobs[index];
    struct strbuf text = {0};
    struct diag_sink doubts;
    bool first = index == 0 || w[-1].machine != w->machine || strcmp(w[-1].run->program, w->run->program) != 0;
    diag_init(&doubts);
    file_load(w->output, FILE_TEXT_MOST, &text);
    if (job->failed || job->status)
        note_failure(m, w, reason(m, w, job));
    if (hardware_parse(w->rows, w->run->program, w->output, strbuf_text(&text), &doubts) < 0)
        note_failure(m, w, arena_strdup(&m->session->arena, doubts.count ? doubts.items[0].message : "no figures"));
    int rc = keep(m, w, &text, first);
    diag_free(&doubts);
    strbuf_free(&text);
    return rc;
}

static void remove_files(struct measuring *m)
{
    for (unsigned i = 0; i < m->count; i++) {
        if (m->list[i].output)
            unlink(m->list[i].output);
        if (m->list[i].errors)
            unlink(m->list[i].errors);
    }
}

int hardware_try(struct hardware_session *session, struct hardware_try *tries, unsigned count, const char *told,
                 int *stopped)
{
    static const char *const nothing[] = {NULL};
    struct measuring m = {.session = session, .environment = process_environment(&session->arena, nothing)};
    unsigned programs = 0;
    *stopped = 0;
    if (!session->built)
        session->built = cache_folder(session);
    for (unsigned i = 0; i < count; i++)
        programs |= 1u << index_of(tries[i].run->program);
    int rc = build(&m, session->built, programs, stopped);
    m.list = tries;
    m.count = count;
    if (rc == 0 && !*stopped)
        rc = prepare_runs(&m, session->built);
    if (rc == 0 && !*stopped)
        *stopped = run_jobs(&m, told);
    for (unsigned i = 0; rc == 0 && !*stopped && i < count; i++)
        rc = collect(&m, i);
    remove_files(&m);
    return rc;
}

int hardware_measure(struct hardware_session *session, int *stopped)
{
    VEC(struct hardware_try) tries = {0};
    for (size_t i = 0; i < session->machines.count; i++)
        for (unsigned k = 0; k < hardware_run_count; k++) {
            struct hardware_machine *machine = &session->machines.items[i];
            if (hardware_run_is_wanted(&hardware_runs[k], machine))
                vec_push(&tries, (struct hardware_try){.run = &hardware_runs[k], .machine = machine, .rows = &machine->here});
        }
    int rc = tries.count ? hardware_try(session, tries.items, (unsigned)tries.count, "runs done", stopped)
                         : diag_error(session->sink, DIAG_NOWHERE, NULL,
                                      "no program measures what the cards have rows of");
    vec_free(&tries);
    return rc;
}
