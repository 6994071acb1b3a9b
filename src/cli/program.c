/* `lockstep run PROGRAM`: a CUDA program under our libcudart. The program is an ordinary child; what it is to be
 * simulated on goes to it through the environment, and what its kernels did comes back as lines of JSON in a file
 * (src/cuda/results.c). That file lies in memory, so that no disk that is full can lose them; the program opens it by
 * its name among our open files. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sigabbrev_np, memfd_create */
#endif
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "cli/checkpoint.h"
#include "cli/cli.h"
#include "cli/monitor/watch.h"
#include "cli/process.h"
#include "cli/report.h"
#include "report/figures.h"
#include "report/run_report.h"
#include "report/sampled.h"
#include "core/sched/sched.h"

/* A program whose kernel was stopped by a limit may still say what it has to say, for so many seconds, and for as many
 * after SIGTERM. */
#define GRACE 5.0
/* --max-seconds is first the library's, which stops the kernel; a program that launches nothing is ended so much later.
 */
#define HEAD_START 1.0

/* The results file while it grows, and what follows from it and from the clock. */
struct follower {
    int file;
    off_t read; /* bytes of it that were seen */
    struct cli_progress progress;
    struct strbuf line;     /* the unfinished last line */
    json_t *news;           /* progress that is to be shown when all was read, or NULL */
    const char *stopped_by; /* the limit that was reached, or NULL */
    double deadline;        /* when the program is to end, in host_seconds; 0: never */
    bool warned;            /* it had SIGTERM */
};

/* A kernel was stopped by a limit: the program's own end is near. */
static void note_limit(struct follower *f, const char *reason)
{
    if (f->stopped_by || !reason || (strcmp(reason, "max-cycles") != 0 && strcmp(reason, "max-seconds") != 0))
        return;
    f->stopped_by = reason[4] == 'c' ? "max-cycles" : "max-seconds";
    f->deadline = host_seconds() + GRACE;
}

static void show_news(struct follower *f)
{
    const char *name = json_string_value(json_object_get(f->news, "name"));
    struct gpu_progress now = {
        .cycle = (uint64_t)json_integer_value(json_object_get(f->news, "cycle")),
        .warp_instructions = (uint64_t)json_integer_value(json_object_get(f->news, "warp_instructions")),
        .blocks_done = (uint64_t)json_integer_value(json_object_get(f->news, "blocks_done")),
        .blocks = (uint64_t)json_integer_value(json_object_get(f->news, "blocks")),
        .seconds = json_number_value(json_object_get(f->news, "seconds")),
    };
    if (f->news)
        cli_progress_show(&f->progress, name ? name : "kernel", &now);
    json_decref(f->news);
    f->news = NULL;
}

/* True: the line is of a kernel that came to its end. With profiles such lines are long, and nothing else is to be
 * known of them here. */
static bool is_whole_kernel(const char *text)
{
    static const char begin[] = "{\"type\":\"kernel\",";
    return strncmp(text, begin, sizeof begin - 1) == 0 && !strstr(text, "\"partial\":true");
}

static void take_line(struct follower *f, const char *text)
{
    bool whole = is_whole_kernel(text);
    json_t *line = whole ? NULL : json_loads(text, 0, NULL);
    const char *type = whole ? "kernel" : json_string_value(json_object_get(line, "type"));
    if (type) {
        json_decref(f->news);
        f->news = NULL;
    }
    if (type && strcmp(type, "progress") == 0) {
        f->news = json_incref(line);
    } else if (type && strcmp(type, "pause") == 0 && json_is_true(json_object_get(line, "erased"))) {
        cli_progress_erased(&f->progress);
    } else if (type) {
        cli_progress_clear(&f->progress);
        note_limit(f, json_string_value(json_object_get(line, "partial_reason")));
    }
    json_decref(line);
}

/* Reads on, and shows progress, if it is the last that was told. The lock keeps the program from going on in between:
 * results_pause in src/cuda. */
static void follow(struct follower *f)
{
    char buffer[4096];
    ssize_t n;
    flock(f->file, LOCK_EX);
    for (; (n = pread(f->file, buffer, sizeof buffer, f->read)) > 0; f->read += n) {
        const char *at = buffer, *end = buffer + n;
        for (const char *line; (line = memchr(at, '\n', (size_t)(end - at))); at = line + 1) {
            strbuf_addn(&f->line, at, (size_t)(line - at));
            take_line(f, strbuf_text(&f->line));
            f->line.length = 0;
        }
        strbuf_addn(&f->line, at, (size_t)(end - at));
    }
    show_news(f);
    flock(f->file, LOCK_UN);
}

static int enforce(void *context)
{
    struct follower *f = context;
    follow(f);
    if (f->deadline <= 0 || host_seconds() < f->deadline)
        return 0;
    int number = f->warned ? SIGKILL : SIGTERM;
    if (!f->stopped_by)
        f->stopped_by = "max-seconds";
    f->warned = true;
    f->deadline = host_seconds() + GRACE;
    return number;
}

static void follow_end(struct follower *f)
{
    cli_progress_clear(&f->progress);
    strbuf_free(&f->line);
}

/* Plug-ins, by the word that results have when one ended the program (base/plugin.h). */
static const struct plugin_kind {
    const char *word, *name;
} plugin_kinds[] = {{"scheduler", "warp scheduler"}, {"observer", "observer"}};

/* The results' statements about the program itself, kernels aside. */
struct findings {
    bool loaded;                       /* the program has our runtime library */
    bool called;                       /* and made a call */
    bool refused;                      /* the program cannot be continued from the checkpoint */
    bool resumed;                      /* it was */
    const struct plugin_kind *culprit; /* a plug-in of this kind ended it, or NULL */
    bool lost;                         /* some of them could not be written */
    bool output;                       /* what kernels printed, or a checkpoint, could not be written */
    struct strbuf phases;              /* rows of --phases */
    struct strbuf timeline;            /* lines of --timeline */
    json_t *waits;                     /* the graph of waiting of the last kernel that hung, or NULL */
    json_t *together;                  /* sums of kernels that ran together, or NULL: none did */
    json_t *failed; /* launches that failed before their kernel began: kernel and error of each, in order */
    size_t seen;    /* of these, the first so many: the program then asked for its last error, and was told */
};

/* The kernels in the results, in order. A line that is no JSON is the last, of a program that was killed while writing
 * it. */
static json_t *read_kernels(const char *path, struct findings *found, struct diag_sink *sink)
{
    struct strbuf text = {0};
    struct stat info;
    json_t *kernels = json_array();
    *found = (struct findings){.failed = json_array()};
    found->lost = file_read(path, FILE_NO_BOUND, &text, sink) < 0 || stat(path, &info) < 0 || !(info.st_mode & S_IWUSR);
    for (const char *at = strbuf_text(&text); *at;) {
        size_t n = strcspn(at, "\n");
        json_t *line = json_loadb(at, n, 0, NULL);
        const char *type = json_string_value(json_object_get(line, "type"));
        found->loaded |= type != NULL;
        found->called |= type && strcmp(type, "loaded") != 0;
        found->refused |= type && strcmp(type, "refused") == 0;
        found->resumed |= type && strcmp(type, "resumed") == 0;
        for (size_t i = 0; type && i < sizeof plugin_kinds / sizeof plugin_kinds[0]; i++)
            if (strcmp(type, plugin_kinds[i].word) == 0)
                found->culprit = &plugin_kinds[i];
        found->output |= type && (strcmp(type, "output lost") == 0 || strcmp(type, "checkpoint lost") == 0);
        if (type && strcmp(type, "waits") == 0) {
            json_decref(found->waits);
            found->waits = json_incref(json_object_get(line, "graph"));
        }
        if (type && strcmp(type, "phases") == 0)
            strbuf_add(&found->phases, json_string_value(json_object_get(line, "rows")));
        if (type && strcmp(type, "together") == 0) {
            json_object_del(line, "type");
            found->together = found->together ? found->together : json_array();
            json_array_append(found->together, line);
        }
        bool kernel = type && strcmp(type, "kernel") == 0, seen = type && strcmp(type, "seen") == 0;
        const char *timeline = kernel ? json_string_value(json_object_get(line, "timeline")) : NULL;
        strbuf_add(&found->timeline, timeline ? timeline : "");
        json_object_del(line, "timeline");
        if (kernel || (type && strcmp(type, "lost") == 0)) {
            json_object_del(line, "type");
            json_array_append(kernel ? kernels : found->failed, line);
        }
        if (seen)
            found->seen = json_array_size(found->failed);
        json_decref(line);
        at += n + (at[n] == '\n');
    }
    strbuf_free(&text);
    return kernels;
}

/* NAME=VALUE, or NAME alone, which removes what we may have inherited. */
static const char *variable(struct arena *arena, const char *name, const char *value)
{
    return value ? arena_printf(arena, "%s=%s", name, value) : name;
}

/* A file's name as it stays the same file when the program goes to another folder. NULL for NULL. */
static const char *from_anywhere(struct arena *arena, const char *path)
{
    char *here = path && path[0] != '/' ? getcwd(NULL, 0) : NULL;
    const char *whole = here ? arena_printf(arena, "%s/%s", here, path) : path;
    free(here);
    return whole;
}

static const char *set_lines(struct arena *arena, const struct cli_options *options)
{
    struct strbuf lines = {0};
    for (size_t i = 0; i < options->sets.count; i++)
        strbuf_addf(&lines, "%s\n", options->sets.items[i]);
#define CLI_SETTING(option, parameter)                                                                                 \
    if (options->option)                                                                                               \
        strbuf_addf(&lines, parameter "=%s\n", options->option);
#include "cli/settings.def"
#undef CLI_SETTING
    char *copy = lines.length ? arena_strdup(arena, lines.text) : NULL;
    strbuf_free(&lines);
    return copy;
}

/* Files, one a line. */
static const char *observer_lines(struct arena *arena, const struct cli_options *options)
{
    struct strbuf lines = {0};
    for (size_t i = 0; i < options->observers.count; i++)
        strbuf_addf(&lines, "%s\n", from_anywhere(arena, options->observers.items[i]));
    char *copy = lines.length ? arena_strdup(arena, lines.text) : NULL;
    strbuf_free(&lines);
    return copy;
}

/* loaded: the machine as the options make it. A program loads its scheduler when it first uses the device, wherever it
 * is then, so that a file is named in whole, whether --sched, --set or a machine file named it. */
static char **environment_of(struct arena *arena, const struct cli_options *options, const struct machine *loaded,
                             const char *home, const char *results, const char *board)
{
    const char *libraries = getenv("LD_LIBRARY_PATH");
    const char *machine = options->machine ? options->machine : CLI_DEFAULT_MACHINE, *sched = loaded->sm.scheduler;
    const char *pattern = checkpoint_possible(options) ? checkpoint_pattern(options, arena) : NULL;
    const char *additions[] = {
        variable(arena, "LOCKSTEP_MACHINE", machine_is_file(machine) ? from_anywhere(arena, machine) : machine),
        variable(arena, "LOCKSTEP_SCHED", sched_is_file(sched) ? from_anywhere(arena, sched) : sched),
        variable(arena, "LOCKSTEP_AS", options->as),
        variable(arena, "LOCKSTEP_OBSERVE", observer_lines(arena, options)),
        variable(arena, "LOCKSTEP_PROFILE", options->profile ? "1" : NULL),
        variable(arena, "LOCKSTEP_INTERVAL", options->interval),
        variable(arena, "LOCKSTEP_TIMELINE", options->timeline ? "1" : NULL),
        variable(arena, "LOCKSTEP_TIMELINE_WINDOW", options->timeline_window),
        variable(arena, "LOCKSTEP_TIMELINE_SMS", options->timeline_sms),
        variable(arena, "LOCKSTEP_TIMELINE_RESOLUTION", options->timeline_resolution),
        variable(arena, "LOCKSTEP_SET", set_lines(arena, options)),
        variable(arena, "LOCKSTEP_MODE", options->mode),
        variable(arena, "LOCKSTEP_TIME", options->time),
        variable(arena, "LOCKSTEP_SKIP_LAUNCHES", options->skip_launches),
        variable(arena, "LOCKSTEP_WARM_LAUNCHES", options->warm_launches),
        variable(arena, "LOCKSTEP_TIME_LAUNCHES", options->time_launches),
        variable(arena, "LOCKSTEP_MAX_CYCLES", options->max_cycles),
        variable(arena, "LOCKSTEP_MAX_SECONDS", options->max_seconds),
        variable(arena, "LOCKSTEP_HOST_PATIENCE", options->host_patience),
        variable(arena, "LOCKSTEP_THREADS", options->threads),
        variable(arena, "LOCKSTEP_NO_SKIP", options->no_skip ? "1" : NULL),
        variable(arena, "LOCKSTEP_CHECK", options->check),
        variable(arena, "LOCKSTEP_LENIENT", options->lenient ? "1" : NULL),
        variable(arena, "LOCKSTEP_PHASES", options->phases ? "1" : NULL),
        variable(arena, "LOCKSTEP_CHECKPOINT_EVERY", options->checkpoint_every),
        variable(arena, "LOCKSTEP_CHECKPOINT", from_anywhere(arena, pattern)),
        variable(arena, "LOCKSTEP_RESUME", from_anywhere(arena, options->resume)),
        variable(arena, "LOCKSTEP_COMMAND", pattern ? checkpoint_command(options, arena) : NULL),
        variable(arena, "LOCKSTEP_RESULTS", results),
        variable(arena, "LOCKSTEP_MONITOR", board),
        arena_printf(arena, "LOCKSTEP_RUN=%ld", (long)getpid()),
        variable(arena, "LOCKSTEP_PROGRESS", !options->quiet && isatty(STDERR_FILENO) ? "1" : NULL),
        arena_printf(arena, "LD_LIBRARY_PATH=%s/lib/lockstep%s%s", home, libraries && *libraries ? ":" : "",
                     libraries && *libraries ? libraries : ""),
        NULL,
    };
    return process_environment(arena, additions);
}

static int cannot_start(const char *program, int why, struct diag_sink *sink)
{
    struct strbuf hint = {0};
    if (why == ENOENT && !strchr(program, '/') && access(program, F_OK) == 0)
        strbuf_addf(&hint, "write ./%s for a program in this directory", program);
    else if (why == EACCES)
        strbuf_add(&hint, "it must be a program; a CUDA source is built with lockstep cc");
    diag_error(sink, DIAG_NOWHERE, hint.length ? hint.text : NULL, "cannot run %s: %s", program, strerror(why));
    strbuf_free(&hint);
    return CLI_USAGE;
}

/* Says why there are no kernels to show. */
static void explain_absence(const struct cli_options *options, const json_t *kernels, const struct findings *found)
{
    if (found->lost || found->culprit)
        return;
    if (!found->called)
        fprintf(stderr, "lockstep: %s never used the simulated GPU%s\n", options->rest[0],
                found->loaded ? "" : " (a program built by nvcc needs -cudart shared)");
    else if (!json_array_size(kernels) && !json_array_size(found->failed))
        fprintf(stderr, "lockstep: %s launched no kernel\n", options->rest[0]);
}

static void print_kernels(const struct cli_options *options, const json_t *kernels, const struct findings *found)
{
    struct table_page page;
    int stream = cli_people(options);
    if (options->quiet)
        return;
    explain_absence(options, kernels, found);
    cli_page_begin(&page, stream);
    if (json_array_size(kernels)) {
        strbuf_add(&page.text, "\n");
        cli_name_as(options->as, &page.text);
    }
    report_kernels(kernels, &page);
    json_t *sampled = report_sampled_json(kernels);
    report_sampled(sampled, &page.text);
    json_decref(sampled);
    cli_page_print(&page, stream);
}

static const char *signal_name(struct arena *arena, int number)
{
    const char *name = sigabbrev_np(number);
    return name ? arena_printf(arena, "SIG%s", name) : arena_printf(arena, "signal %d", number);
}

/* True if the program did not go on from the checkpoint that it was given: it then did nothing worth reporting. */
static bool strayed(const struct cli_options *options, const struct process_job *job, const struct findings *found,
                    struct diag_sink *sink)
{
    if (!options->resume || found->resumed || (job->signal && !found->refused))
        return false;
    if (!found->refused)
        diag_error(sink, DIAG_NOWHERE, NULL, "%s ended without coming to the launch at which %s was taken",
                   options->rest[0], options->resume);
    return true;
}

/* Says how many errors --check found. Returns the exit code. */
static int judge_checks(const json_t *kernels)
{
    json_int_t found = 0;
    for (size_t i = 0; i < json_array_size(kernels); i++)
        found += json_integer_value(json_object_get(json_array_get(kernels, i), "findings"));
    if (found)
        fprintf(stderr, "lockstep: --check found %lld error%s\n", (long long)found, found == 1 ? "" : "s");
    return found ? CLI_FAILED : CLI_OK;
}

/* Says that a program exited with 0 although a kernel of its failed, if one did. Returns the exit code: programs that
 * do not look for errors must not pass for ones that succeeded. */
static int judge_kernels(const char *program, const json_t *kernels, const struct findings *found)
{
    size_t failed = json_array_size(found->failed) - found->seen;
    const json_t *first = NULL, *lost = json_array_get(found->failed, found->seen);
    for (size_t i = 0; i < json_array_size(kernels); i++) {
        const json_t *kernel = json_array_get(kernels, i);
        if (!json_is_true(json_object_get(kernel, "partial")))
            continue;
        first = first ? first : kernel;
        failed++;
    }
    if (!failed)
        return CLI_OK;
    struct strbuf name = {0}, more = {0};
    figures_kernel_name(json_string_value(json_object_get(first ? first : lost, first ? "name" : "kernel")), &name);
    if (failed > 1)
        strbuf_addf(&more, ", nor did %zu more", failed - 1);
    fprintf(stderr, "lockstep: %s exited with 0 although kernel %s did not %s (%s)%s\n", program, strbuf_text(&name),
            first ? "end whole" : "begin",
            json_string_value(json_object_get(first ? first : lost, first ? "partial_reason" : "error")),
            strbuf_text(&more));
    strbuf_free(&name);
    strbuf_free(&more);
    return CLI_FAILED;
}

/* The document of --stats. Takes over kernels. */
static json_t *document_of(const struct cli_options *options, const struct machine *machine, int status,
                           json_t *kernels, const struct findings *found, const char *reason)
{
    json_t *document = cli_document(machine, options, options->rest, kernels, reason);
    json_object_set_new(document, "exit_status", json_integer(status));
    json_object_set(document, "lost_launches", found->failed);
    if (found->together)
        json_object_set(document, "together", found->together);
    if (json_array_size(found->failed) > found->seen && !json_is_true(json_object_get(document, "partial"))) {
        json_object_set_new(document, "partial", json_true());
        json_object_set_new(document, "partial_reason", json_string("refused"));
    }
    return document;
}

/* Reports the program's run, on the terminal and for --stats. Returns the exit code. */
static int report(const struct cli_options *options, const struct machine *machine, const struct process_job *job,
                  const char *results, const char *limit, const char *reason, struct diag_sink *sink)
{
    struct findings found;
    int code = !limit ? job->status : strcmp(limit, "max-cycles") == 0 ? CLI_LIMIT : CLI_TIME;
    json_t *kernels = read_kernels(results, &found, sink);
    if (strayed(options, job, &found, sink)) {
        json_decref(kernels);
        json_decref(found.waits);
        json_decref(found.failed);
        json_decref(found.together);
        strbuf_free(&found.phases);
        strbuf_free(&found.timeline);
        return CLI_USAGE;
    }
    print_kernels(options, kernels, &found);
    cli_print_profile(options, kernels);
    if (found.culprit) {
        fprintf(stderr, "lockstep: %s was ended by a fault of its %s: its results are partial\n", options->rest[0],
                found.culprit->name);
        reason = found.culprit->word;
    } else if (found.lost) {
        diag_error(sink, DIAG_NOWHERE, NULL, "results of %s are lost: the kernels shown are not all", options->rest[0]);
        reason = reason ? reason : "lost results";
    } else if (reason)
        fprintf(stderr, "lockstep: %s was stopped by %s%s: its results are partial\n", options->rest[0],
                limit ? "--" : "", reason);
    const char *waits = options->hang_report ? json_string_value(found.waits) : NULL;
    bool lost =
        found.lost || found.output || (waits && cli_write_file(options->hang_report, waits, strlen(waits), sink) < 0);
    json_decref(found.waits);
    lost |= cli_write_phases(options, &found.phases, sink) < 0;
    strbuf_free(&found.phases);
    lost |= !found.lost && cli_write_intervals(options, kernels, sink) < 0;
    lost |= !found.lost && cli_write_timeline(options, strbuf_text(&found.timeline), found.timeline.length, sink) < 0;
    if (code == CLI_OK && !lost)
        code = judge_kernels(options->rest[0], kernels, &found);
    int checked = judge_checks(kernels);
    code = code == CLI_OK ? checked : code;
    if (options->stats || options->report) {
        json_t *document = document_of(options, machine, job->status, json_incref(kernels), &found, reason);
        lost |= cli_write_stats(options, document, sink) < 0;
        lost |= report_write_run(options, document, strbuf_text(&found.timeline), found.timeline.length, sink) < 0;
        json_decref(document);
    }
    strbuf_free(&found.timeline);
    json_decref(kernels);
    json_decref(found.failed);
    json_decref(found.together);
    return lost && code == CLI_OK ? CLI_FAILED : code;
}

/* Makes the file of results; *path receives the name by which other processes open it. */
static int open_results(struct arena *arena, const char **path, struct diag_sink *sink)
{
    int file = memfd_create("lockstep results", MFD_CLOEXEC);
    if (file < 0)
        return diag_error(sink, DIAG_NOWHERE, NULL, "cannot make a file for results in memory: %s", strerror(errno));
    *path = arena_printf(arena, "/proc/%ld/fd/%d", (long)getpid(), file);
    return file;
}

int cli_run_program(const struct cli_options *options, const struct machine *machine, struct diag_sink *sink)
{
    struct arena arena = {0};
    int code = CLI_USAGE, interrupted = 0;
    const char *home = process_home(&arena, sink), *results = NULL;
    int file = open_results(&arena, &results, sink);
    struct cli_watched watched;
    bool can_watch = cli_watch_begin(&watched, options, sink) == 0;
    if (home && file >= 0 && can_watch) {
        struct follower follower = {.file = file};
        struct process_job job = {
            .argv = options->rest,
            .environment = environment_of(&arena, options, machine, home, results, cli_watch_path(&watched, &arena)),
            .limit = enforce,
            .context = &follower};
        struct process_options how = {.parallel = 1};
        cli_progress_init(&follower.progress, options->quiet);
        if (options->max_seconds)
            follower.deadline = host_seconds() + options->max_seconds_value + HEAD_START;
        if (checkpoint_possible(options) || options->resume)
            process_fix_addresses();
        cli_flush();
        interrupted = process_run(&job, 1, &how);
        follow(&follower);
        follow_end(&follower);
        const char *limit = follower.stopped_by, *reason = job.signal ? signal_name(&arena, job.signal) : NULL;
        code = job.failed ? cannot_start(options->rest[0], job.failed, sink)
                          : report(options, machine, &job, results, limit, limit ? limit : reason, sink);
    }
    cli_watch_end(&watched);
    if (file >= 0)
        close(file);
    arena_free(&arena);
    if (interrupted && interrupted != SIGQUIT && code == 128 + interrupted) {
        cli_flush();
        process_die(interrupted);
    }
    return code;
}
