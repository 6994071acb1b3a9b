/* Running a study: its programs are built, then every execution that has no result of this build yet is run, as many at
 * a time as there are cores, each as `lockstep run` in a process of its own. A result is stored as soon as it is there:
 * a study that was interrupted goes on where it was. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "cli/case.h"
#include "cli/study/study.h"

enum { HEADER_DEPTH = 8 };

struct batch {
    struct study *study;
    struct study_execution **todo; /* by job */
    struct process_job *jobs;
    const char **stats, **phases; /* files; phases: NULL, where they are not wanted */
    bool *stored;
    unsigned count, done, failed;
    int rc;
    struct cli_progress progress;
};

static char **environment_of(struct study *study)
{
    static const char *const nothing[] = {NULL};
    return process_environment(&study->arena, nothing);
}

/* A file of the study's own folder, or else one that comes with Lockstep. */
static const char *find_file(struct study *study, const char *own, const char *other)
{
    const char *path = arena_printf(&study->arena, "%s/%s", study->folder, own);
    return access(path, R_OK) == 0 ? path : arena_printf(&study->arena, "%s/%s", study->share, other);
}

const char *study_source(struct study *study, const char *program)
{
    if (cli_is_case(program))
        return find_file(study, program, arena_printf(&study->arena, "reference/%s", program));
    return find_file(study, arena_printf(&study->arena, "%s.cu", program),
                     arena_printf(&study->arena, "workloads/%s/%s.cu", program, program));
}

static void add_content(const char *path, struct strbuf *text)
{
    file_load(path, FILE_TEXT_MOST, text); /* a file that is not there is missed when it is built or run */
}

uint64_t study_identify_file(struct study *study, const char *path)
{
    unsigned known = strmap_get(&study->sources, path, strlen(path));
    if (known == STRMAP_NONE) {
        struct strbuf text = {0};
        known = (unsigned)study->hashes.count;
        add_content(path, &text);
        vec_push(&study->hashes, hash_bytes(strbuf_text(&text), text.length));
        strmap_put(&study->sources, arena_strdup(&study->arena, path), strlen(path), known);
        strbuf_free(&text);
    }
    return study->hashes.items[known];
}

/* Files that a launch file names beside itself: its PTX, and what buffers hold. */
static void add_parts(const char *path, const struct strbuf *text, struct strbuf *to)
{
    struct launch_case parts;
    struct diag_sink ignored;
    diag_init(&ignored);
    if (case_parse(&parts, path, strbuf_text(text), text->length, &ignored) == 0) {
        add_content(case_path(&parts, parts.ptx), to);
        for (unsigned i = 0; i < parts.buffer_count; i++)
            if (parts.buffers[i].fill == CASE_FILE)
                add_content(case_path(&parts, parts.buffers[i].file), to);
        for (unsigned i = 0; i < parts.constant_count; i++)
            if (parts.constants[i].fill == CASE_FILE)
                add_content(case_path(&parts, parts.constants[i].file), to);
    }
    case_free(&parts);
    diag_free(&ignored);
}

/* Appends the headers that the file includes from its own folder, and those that they include, except workload.h.
 * `depth` bounds headers that include each other. */
static void add_headers(struct study *study, const char *path, const char *text, unsigned depth, struct strbuf *to)
{
    static const char include[] = "#include \"";
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash + 1 - path) : 0;
    for (const char *at = strstr(text, include); at && depth > 0; at = strstr(at, include)) {
        at += sizeof include - 1;
        const char *name = arena_printf(&study->arena, "%.*s", (int)strcspn(at, "\"\n"), at);
        if (strcmp(name, "../workload.h") == 0 || strcmp(name, "workload.h") == 0)
            continue;
        struct strbuf header = {0};
        const char *found = arena_printf(&study->arena, "%.*s%s", folder, path, name);
        add_content(found, &header);
        strbuf_addn(to, strbuf_text(&header), header.length);
        add_headers(study, found, strbuf_text(&header), depth - 1, to);
        strbuf_free(&header);
    }
}

uint64_t study_identify(struct study *study, const char *program)
{
    unsigned known = strmap_get(&study->sources, program, strlen(program));
    if (known != STRMAP_NONE)
        return study->hashes.items[known];
    struct strbuf text = {0}, parts = {0};
    const char *source = study_source(study, program);
    add_content(source, &text);
    if (cli_is_case(program)) {
        add_parts(source, &text, &parts);
    } else {
        add_content(find_file(study, "workload.h", "workloads/workload.h"), &parts);
        add_headers(study, source, strbuf_text(&text), HEADER_DEPTH, &parts);
    }
    strbuf_addn(&text, strbuf_text(&parts), parts.length);
    uint64_t hash = hash_bytes(strbuf_text(&text), text.length);
    strbuf_free(&text);
    strbuf_free(&parts);
    strmap_put(&study->sources, program, strlen(program), (unsigned)study->hashes.count);
    vec_push(&study->hashes, hash);
    return hash;
}

/* The path that is run: a launch file's, or that of the program as this simulator's compiler built it from this source,
 * in the results folder, or else where we work. */
static const char *path_of(struct study *study, const struct study_execution *e)
{
    if (e->suite && *e->suite->binary)
        return arena_printf(&study->arena, "%s/%s", study->programs, e->suite->binary);
    if (cli_is_case(e->program))
        return study_source(study, e->program);
    const char *name =
        e->suite
            ? arena_printf(&study->arena, "cache/bin/suite-%016llx-%.8s",
                           (unsigned long long)hash_add(e->suite->code, hash_bytes(e->program, strlen(e->program))),
                           study->build)
            : arena_printf(&study->arena, "cache/bin/%s-%016llx-%.8s", e->program,
                           (unsigned long long)study_identify(study, e->program), study->build);
    const char *shared = arena_printf(&study->arena, "%s/%s", study->out, name);
    return access(shared, X_OK) == 0 ? shared : arena_printf(&study->arena, "%s/%s", study->work, name);
}

static int make_folder(struct study *study, const char *path)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return 0;
    return diag_error(study->sink, DIAG_NOWHERE, NULL, "cannot create %s: %s", path, strerror(errno));
}

/* A folder that holds a page but no study is somebody's own. */
static int check_folder(struct study *study)
{
    static const char *const databases[] = {"quick.sqlite", "full.sqlite"};
    static const char *const results[] = {"index.html", "claims.csv", "results.csv"};
    for (size_t i = 0; i < sizeof databases / sizeof *databases; i++)
        if (access(arena_printf(&study->arena, "%s/%s", study->out, databases[i]), F_OK) == 0)
            return 0;
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        if (access(arena_printf(&study->arena, "%s/%s", study->out, results[i]), F_OK) == 0)
            return diag_error(study->sink, DIAG_NOWHERE, "--out FOLDER chooses another one",
                              "%s has a file %s and no study's database: it is not replaced", study->out, results[i]);
    return 0;
}

int study_make_folders(struct study *study)
{
    const char *shards = arena_printf(&study->arena, "%s/shards", study->out);
    const char *cache = arena_printf(&study->arena, "%s/cache", study->work);
    if (make_folder(study, study->out) < 0 || check_folder(study) < 0 ||
        (study->shards && make_folder(study, shards) < 0) || make_folder(study, study->work) < 0)
        return -1;
    return make_folder(study, cache) | make_folder(study, arena_printf(&study->arena, "%s/bin", cache));
}

/* The words of a text, by blanks. */
static void add_words(struct study *study, const char *text, struct process_words *words)
{
    for (const char *p = text + strspn(text, " "); *p;) {
        size_t length = strcspn(p, " ");
        process_word(words, study_below_programs(study, arena_strndup(&study->arena, p, length)));
        p += length;
        p += strspn(p, " ");
    }
}

/* A scheduler by a path that holds in every folder. */
static const char *absolute_scheduler(struct study *study, const char *scheduler)
{
    size_t n = strcspn(scheduler, ":+");
    const char *name = arena_strndup(&study->arena, scheduler, n);
    return strchr(name, '/') ? arena_printf(&study->arena, "%s%s", study_absolute(study, name), scheduler + n)
                             : scheduler;
}

/* Of a suite's program all paths are absolute, since it works elsewhere. */
static char *const *run_command(struct study *study, const struct study_execution *e, const char *stats,
                                const char *phases)
{
    struct process_words words = {0};
    bool moves = e->suite && machine_is_file(e->machine);
    process_lockstep_run(&words);
    process_option(&words, "--machine", moves ? study_absolute(study, e->machine) : e->machine);
    process_option(&words, "--sched", e->suite ? absolute_scheduler(study, e->scheduler) : e->scheduler);
    if (study->allow_code)
        process_word(&words, "--allow-code");
    process_option(&words, "--mode", e->mode);
    process_option(&words, "--stats", stats);
    process_option(&words, "--phases", phases);
    process_option(&words, "--max-cycles", e->max_cycles);
    process_sets(&words, e->sets.items, e->sets.count);
    process_word(&words, "--");
    process_word(&words, e->suite ? study_absolute(study, path_of(study, e)) : path_of(study, e));
    add_words(study, e->arguments, &words);
    return process_argv(&words, &study->arena);
}

/* Takes a folder's name off the paths in a text: where a study ran says nothing of what it found. */
static void drop_folder(char *text, const char *folder)
{
    size_t n = strlen(folder);
    for (char *at = text; n && (at = strstr(at, folder));)
        memmove(at, at + n, strlen(at + n) + 1);
}

/* The last lines of what the run said. */
static const char *last_words(struct study *study, const char *path)
{
    struct strbuf text = {0};
    struct diag_sink ignored;
    diag_init(&ignored);
    cli_read_file(path, &text, &ignored);
    diag_free(&ignored);
    size_t from = text.length > 400 ? text.length - 400 : 0;
    char *words = arena_strdup(&study->arena, strbuf_text(&text) + from);
    drop_folder(words, arena_printf(&study->arena, "%s/", study->share));
    drop_folder(words, arena_printf(&study->arena, "%s/cache/bin/", study->out));
    drop_folder(words, arena_printf(&study->arena, "%s/cache/bin/", study->work));
    if (study->programs)
        drop_folder(words, arena_printf(&study->arena, "%s/", study->programs));
    strbuf_free(&text);
    return words;
}

/* Programs */

struct build {
    const struct study_execution *of;
    const char *built, *part; /* part: its name until it is whole */
};

/* Programs that are being built, one job each. */
struct yard {
    struct build *builds;
    struct process_job *jobs;
    unsigned count;
    struct cli_progress progress;
};

static struct process_job build_job(struct study *study, const struct build *b)
{
    const char *const line[] = {"/proc/self/exe", "cc", "-o", b->part};
    struct process_words words = {0};
    for (unsigned i = 0; i < sizeof line / sizeof *line; i++)
        process_word(&words, line[i]);
    if (b->of->suite)
        study_suite_words(study, b->of->suite, &words);
    else
        process_word(&words, study_source(study, b->of->program));
    return (struct process_job){.argv = process_argv(&words, &study->arena),
                                .environment = environment_of(study),
                                .output = arena_printf(&study->arena, "%s.log", b->built),
                                .errors = arena_printf(&study->arena, "%s.err", b->built)};
}

static int explain_build(struct study *study, const struct process_job *job, const char *program)
{
    struct strbuf text = {0};
    if (job->errors)
        cli_read_file(job->errors, &text, study->sink);
    int rc = diag_error(study->sink, DIAG_NOWHERE, NULL, "cannot build workload %s:\n%s", program, strbuf_text(&text));
    strbuf_free(&text);
    return rc;
}

static void tell_built(void *context)
{
    struct yard *yard = context;
    cli_progress_jobs(&yard->progress, yard->jobs, yard->count, "programs built", -1);
}

/* Adds a program that is wanted and not there. */
static void want(struct study *study, struct yard *yard, const struct study_execution *e)
{
    struct build b = {e, path_of(study, e), NULL};
    bool known = cli_is_case(e->program) || (e->suite && *e->suite->binary) || access(b.built, X_OK) == 0;
    for (unsigned i = 0; i < yard->count && !known; i++)
        known = !strcmp(yard->builds[i].built, b.built);
    if (known)
        return;
    b.part = arena_printf(&study->arena, "%s.part", b.built);
    yard->jobs[yard->count] = build_job(study, &b);
    yard->builds[yard->count++] = b;
}

/* A program of the user's own that cannot be built ends its runs, and nobody else's. */
static int fail_runs(struct study *study, const struct yard *yard, unsigned index)
{
    const struct build *b = &yard->builds[index];
    struct study_left left = {.status = "failed",
                              .error = arena_printf(&study->arena, "cannot build %s: %s", b->of->program,
                                                    last_words(study, yard->jobs[index].errors))};
    int rc = 0;
    for (size_t i = 0; i < study->executions.count && rc == 0; i++) {
        struct study_execution *e = &study->executions.items[i];
        if (study_is_due(study, i) && e->suite && !*e->suite->binary && !strcmp(path_of(study, e), b->built))
            rc = study_store(study, e, &left);
    }
    return rc;
}

int study_build(struct study *study)
{
    struct yard yard = {.builds = ARENA_NEW(&study->arena, struct build, study->benchmarks.count + 1),
                        .jobs = ARENA_NEW(&study->arena, struct process_job, study->benchmarks.count + 1)};
    for (size_t i = 0; i < study->executions.count; i++)
        if (study_is_due(study, i))
            want(study, &yard, &study->executions.items[i]);
    cli_progress_init(&yard.progress, false);
    struct process_options how = {.parallel = study->jobs, .tick = tell_built, .context = &yard};
    int stopped = process_run(yard.jobs, yard.count, &how), rc = 0;
    cli_progress_clear(&yard.progress);
    for (unsigned i = 0; i < yard.count && !stopped; i++)
        if (yard.jobs[i].failed || yard.jobs[i].status || file_move(yard.builds[i].part, yard.builds[i].built))
            rc |= yard.builds[i].of->suite ? fail_runs(study, &yard, i)
                                           : explain_build(study, &yard.jobs[i], yard.builds[i].of->program);
    return stopped ? stopped : rc;
}

/* Executions */

static double seconds_of(const json_t *document)
{
    json_t *kernels = json_object_get(document, "kernels"), *kernel;
    double seconds = 0;
    size_t i;
    json_array_foreach(kernels, i, kernel)
    {
        seconds += json_number_value(json_object_get(json_object_get(kernel, "host"), "seconds"));
    }
    return seconds;
}

/* NULL: a run that failed early has left none. */
static json_t *document_of(const char *path)
{
    struct strbuf text = {0};
    int why = file_load(path, FILE_NO_BOUND, &text);
    json_t *document = why ? NULL : json_loadb(strbuf_text(&text), text.length, 0, NULL);
    strbuf_free(&text);
    return document;
}

/* How a run ended: "ok"; "hang" or "limit" when that is what its kernels came to, which is a result; else "failed". */
static const char *status_of(const struct process_job *job, const json_t *document)
{
    const char *reason = json_string_value(json_object_get(document, "partial_reason"));
    if (!job->failed && job->status == 0 && document && !reason)
        return "ok";
    if (!reason || job->failed || job->signal)
        return "failed";
    return !strcmp(reason, "hang") ? "hang" : !strcmp(reason, "max-cycles") ? "limit" : "failed";
}

/* A run that somebody ended by a signal has not been run. */
static bool was_stopped(const struct process_job *job)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    bool stopped = false;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        stopped |= job->status == 128 + ends[i];
    return stopped;
}

static void remove_files(const struct batch *batch, unsigned i)
{
    unlink(batch->stats[i]);
    if (batch->phases[i])
        unlink(batch->phases[i]);
    unlink(batch->jobs[i].output);
    unlink(batch->jobs[i].errors);
    if (batch->jobs[i].folder)
        study_remove_folder(batch->jobs[i].folder);
}

static int store(struct batch *batch, unsigned i)
{
    const struct process_job *job = &batch->jobs[i];
    json_t *document = document_of(batch->stats[i]);
    const char *status = status_of(job, document), *doubt = NULL;
    if (batch->todo[i]->suite && !strcmp(status, "ok"))
        doubt = study_suite_doubt(batch->study, batch->todo[i]->suite, job->output, job->folder);
    if (doubt)
        status = "failed";
    const char *error = !strcmp(status, "ok") ? "" : doubt ? doubt : last_words(batch->study, job->errors);
    struct strbuf phases = {0};
    if (batch->phases[i])
        file_load(batch->phases[i], FILE_NO_BOUND, &phases);
    struct study_left left = {.document = document,
                              .status = status,
                              .error = error,
                              .seconds = seconds_of(document),
                              .phases = batch->phases[i] ? strbuf_text(&phases) : NULL};
    int rc = study_store(batch->study, batch->todo[i], &left);
    batch->failed += strcmp(status, "ok") != 0;
    batch->done++;
    json_decref(document);
    strbuf_free(&phases);
    study_tell_progress(batch->study, batch->done == batch->count);
    return rc;
}

static void tick(void *context)
{
    struct batch *batch = context;
    for (unsigned i = 0; i < batch->count; i++)
        if (batch->jobs[i].ended && !batch->stored[i]) {
            batch->stored[i] = true;
            batch->rc |= was_stopped(&batch->jobs[i]) ? 0 : store(batch, i);
            remove_files(batch, i);
        }
    cli_progress_jobs(&batch->progress, batch->jobs, batch->count, "runs done", (int)batch->failed);
}

/* Where a suite's program works: what it writes beside itself is not the user's. */
static const char *fresh_folder(struct study *study, const char *name)
{
    const char *folder = arena_printf(&study->arena, "%s.folder", name);
    study_remove_folder(folder);
    mkdir(folder, 0777); /* where that fails, the run does not start */
    return folder;
}

static void prepare(struct batch *batch)
{
    struct study *study = batch->study;
    size_t most = study->executions.count + 1;
    batch->todo = ARENA_NEW(&study->arena, struct study_execution *, most);
    batch->jobs = ARENA_NEW(&study->arena, struct process_job, most);
    batch->stats = ARENA_NEW(&study->arena, const char *, most);
    batch->phases = ARENA_NEW(&study->arena, const char *, most);
    batch->stored = ARENA_NEW(&study->arena, bool, most);
    char **environment = environment_of(study);
    for (size_t i = 0; i < study->executions.count; i++) {
        struct study_execution *e = &study->executions.items[i];
        if (!study_is_due(study, i))
            continue;
        const char *work = e->suite ? study_absolute(study, study->work) : study->work;
        const char *name = arena_printf(&study->arena, "%s/cache/%lld", work, (long long)e->id);
        unsigned at = batch->count++;
        batch->todo[at] = e;
        batch->stats[at] = arena_printf(&study->arena, "%s.json", name);
        unlink(batch->stats[at]);
        batch->phases[at] = e->phases ? arena_printf(&study->arena, "%s.csv", name) : NULL;
        batch->jobs[at] = (struct process_job){.argv = run_command(study, e, batch->stats[at], batch->phases[at]),
                                               .environment = environment,
                                               .output = arena_printf(&study->arena, "%s.out", name),
                                               .errors = arena_printf(&study->arena, "%s.err", name),
                                               .folder = e->suite ? fresh_folder(study, name) : NULL};
    }
}

/* A run that was interrupted says how far it came. */
static void tell_stopped(const struct study *study)
{
    size_t done = 0, all = 0;
    for (size_t i = 0; i < study->executions.count; i++)
        if (study_is_mine(study, i) && !study_is_absent(study, i)) {
            all++;
            done += study->executions.items[i].stored;
        }
    fprintf(stderr, "lockstep study: stopped: %zu of %zu runs are done; %s\n", done, all,
            study->only ? "nothing of them is kept" : "the same line goes on with the others");
}

/* Before anything runs. */
static void tell_begin(struct study *study)
{
    bool any = false;
    for (size_t i = 0; i < study->executions.count; i++)
        any |= study_is_due(study, i);
    if (any && study->left)
        fprintf(stderr, "lockstep study: %s\n", study->left);
    if (any)
        fprintf(stderr, "lockstep study: %s\n", study_estimate(study));
}

int study_execute(struct study *study)
{
    struct batch batch = {.study = study};
    tell_begin(study);
    int stopped = study_build(study);
    if (stopped > 0)
        tell_stopped(study);
    if (stopped)
        return stopped;
    prepare(&batch);
    cli_progress_init(&batch.progress, false);
    struct process_options how = {.parallel = study->jobs, .tick = tick, .context = &batch};
    study_tell_progress(study, true);
    stopped = process_run(batch.jobs, batch.count, &how);
    tick(&batch);
    cli_progress_clear(&batch.progress);
    if (stopped && !batch.rc)
        tell_stopped(study);
    return batch.rc ? -1 : stopped;
}
