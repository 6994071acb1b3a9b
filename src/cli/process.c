/* Children without handlers and without global state: the signals we care for are blocked and taken with sigtimedwait;
 * children start with the mask we were given. A signal the terminal sends reaches the whole foreground group, children
 * included, so only one that another process sent to us alone is passed on. Children end with us, also when we are
 * killed. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* execvpe, pipe2, mkostemps */
#endif
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/vec.h"
#include "cli/process.h"

extern char **environ;

static sigset_t waited_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGQUIT);
    return set;
}

void process_hold_signals(sigset_t *before)
{
    sigset_t set = waited_signals();
    sigprocmask(SIG_BLOCK, &set, before);
}

void process_let_signals(const sigset_t *before)
{
    sigprocmask(SIG_SETMASK, before, NULL);
}

/* Puts the file at `path`, which is opened, or the open file `to` in place of a stream. Returns 0, or errno. */
static int redirect(const char *path, int to, int stream)
{
    int file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : to ? to : stream;
    return file < 0 || (file != stream && dup2(file, stream) < 0) ? errno : 0;
}

/* In the child: becomes the job's program, and ends with us, even if we are killed without a chance to pass that on.
 * Returns errno of what went wrong. */
static int become(const struct process_job *job, const sigset_t *mask, pid_t parent)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
        return errno;
    if (getppid() != parent) /* ended before it was watched */
        _exit(127);
    int why = redirect(job->output, job->output_to, STDOUT_FILENO);
    if (why == 0)
        why = redirect(job->errors, job->errors_to, STDERR_FILENO);
    if (why)
        return why;
    if (job->folder && chdir(job->folder) < 0)
        return errno;
    sigprocmask(SIG_SETMASK, mask, NULL);
    execvpe(job->argv[0], job->argv, job->environment);
    return errno;
}

/* A pipe that the program's start closes tells whether it started. */
static void start(struct process_job *job, const sigset_t *mask)
{
    int ends[2] = {-1, -1};
    pid_t parent = getpid();
    job->started = true;
    job->failed = pipe2(ends, O_CLOEXEC) < 0 ? errno : 0;
    if (!job->failed && (job->pid = fork()) == 0) {
        int why = become(job, mask, parent);
        _exit(write(ends[1], &why, sizeof why) == sizeof why ? 127 : 126);
    }
    if (!job->failed && job->pid < 0)
        job->failed = errno;
    if (ends[1] >= 0)
        close(ends[1]);
    int why = 0;
    ssize_t got = 0;
    while (!job->failed && (got = read(ends[0], &why, sizeof why)) < 0 && errno == EINTR)
        continue;
    if (ends[0] >= 0)
        close(ends[0]);
    if (got == sizeof why) {
        waitpid(job->pid, NULL, 0);
        job->failed = why;
    }
    job->ended = job->failed != 0;
}

/* Takes every child that has ended; returns how many are still running. */
static unsigned reap(struct process_job *jobs, unsigned count)
{
    unsigned running = 0;
    for (unsigned i = 0; i < count; i++) {
        int status;
        if (!jobs[i].started || jobs[i].ended)
            continue;
        pid_t ended = waitpid(jobs[i].pid, &status, WNOHANG);
        if (ended == jobs[i].pid) {
            jobs[i].ended = true;
            jobs[i].signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
            jobs[i].status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        } else if (ended < 0 && errno != EINTR) {
            jobs[i].ended = true;
            jobs[i].status = 127;
        } else {
            running++;
        }
    }
    return running;
}

static void send(const struct process_job *jobs, unsigned count, int number)
{
    for (unsigned i = 0; i < count; i++)
        if (jobs[i].started && !jobs[i].ended)
            kill(jobs[i].pid, number);
}

static void apply_limits(const struct process_job *jobs, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        int number = jobs[i].limit && jobs[i].started && !jobs[i].ended ? jobs[i].limit(jobs[i].context) : 0;
        if (number)
            kill(jobs[i].pid, number);
    }
}

/* The first signal lets the jobs end in their own way, the next ends them. What comes within half a second of the
 * first is the same request: timeout(1) and batch systems signal a process and then its group. `since` is when the
 * first came, 0 for none. */
static void pass_on(const struct process_job *jobs, unsigned count, const siginfo_t *info, double *since)
{
    double now = host_seconds();
    if (*since > 0) {
        if (now - *since > 0.5)
            send(jobs, count, SIGKILL);
        return;
    }
    *since = now;
    if (info->si_code != SI_KERNEL)
        send(jobs, count, info->si_signo);
}

int process_run(struct process_job *jobs, unsigned count, const struct process_options *options)
{
    sigset_t set = waited_signals(), old;
    const sigset_t *mask = options->mask ? options->mask : &old;
    struct sigaction child_action, default_action = {.sa_handler = SIG_DFL};
    int interrupted = 0;
    double since = 0;
    unsigned next = 0, running = 0;
    sigaction(SIGCHLD, &default_action, &child_action); /* an inherited SIG_IGN would reap children unseen */
    process_hold_signals(&old);
    while (running > 0 || (next < count && !interrupted)) {
        while (next < count && running < options->parallel && !interrupted) {
            start(&jobs[next], mask);
            running += !jobs[next++].ended;
        }
        siginfo_t info;
        const struct timespec wait = {0, 200000000};
        int got = running > 0 ? sigtimedwait(&set, &info, &wait) : -1;
        if (got > 0 && got != SIGCHLD) {
            pass_on(jobs, next, &info, &since);
            interrupted = got;
        }
        apply_limits(jobs, next);
        if (options->tick)
            options->tick(options->context);
        running = reap(jobs, next);
    }
    process_let_signals(&old);
    sigaction(SIGCHLD, &child_action, NULL);
    return interrupted;
}

void process_option(struct process_words *words, const char *name, const char *value)
{
    if (!value)
        return;
    process_word(words, name);
    process_word(words, value);
}

void process_sets(struct process_words *words, const char *const *sets, size_t count)
{
    for (size_t i = 0; i < count; i++)
        process_option(words, "--set", sets[i]);
}

void process_lockstep_run(struct process_words *words)
{
    process_word(words, "/proc/self/exe");
    process_word(words, "run");
    process_word(words, "--quiet");
}

char *const *process_argv(struct process_words *words, struct arena *arena)
{
    char **argv = ARENA_NEW(arena, char *, words->items.count + 1);
    memcpy(argv, words->items.items, words->items.count * sizeof *argv);
    vec_free(&words->items);
    return argv;
}

void process_die(int n)
{
    signal(n, SIG_DFL);
    raise(n);
}

static size_t name_length(const char *entry)
{
    return strcspn(entry, "=");
}

char **process_environment(struct arena *arena, const char *const *additions)
{
    VEC(char *) list = {0};
    for (char **old = environ; *old; old++) {
        bool replaced = false;
        for (const char *const *a = additions; *a; a++)
            replaced |= name_length(*a) == name_length(*old) && strncmp(*a, *old, name_length(*a)) == 0;
        if (!replaced)
            vec_push(&list, *old);
    }
    for (const char *const *a = additions; *a; a++)
        if (strchr(*a, '='))
            vec_push(&list, arena_strdup(arena, *a));
    char **copy = ARENA_NEW(arena, char *, list.count + 1);
    memcpy(copy, list.items, list.count * sizeof *copy);
    vec_free(&list);
    return copy;
}

char *process_temporary(struct arena *arena, const char *suffix, struct diag_sink *sink)
{
    const char *directory = getenv("TMPDIR");
    char *path = arena_printf(arena, "%s/lockstep-XXXXXX%s", directory && *directory ? directory : "/tmp", suffix);
    int fd = mkostemps(path, (int)strlen(suffix), O_CLOEXEC);
    if (fd < 0) {
        diag_error(sink, DIAG_NOWHERE, NULL, "cannot make a temporary file %s: %s", path, strerror(errno));
        return NULL;
    }
    close(fd);
    return path;
}

char *process_home(struct arena *arena, struct diag_sink *sink)
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n < 0) {
        diag_error(sink, DIAG_NOWHERE, NULL, "cannot find where lockstep itself is: /proc/self/exe: %s",
                   strerror(errno));
        return NULL;
    }
    self[n] = '\0';
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(self, '/');
        if (slash)
            *slash = '\0';
    }
    return arena_strdup(arena, self);
}

void process_fix_addresses(void)
{
    int now = personality(0xffffffff);
    if (now >= 0)
        personality((unsigned long)now | ADDR_NO_RANDOMIZE);
}
