/* Children without handlers and without global state: the signals we care for are blocked and taken with sigtimedwait;
 * children start with the mask we were given. A signal the terminal sends reaches the whole foreground group, children
 * included, so only one that another process sent to us alone is passed on. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* posix_spawn attributes, mkostemps */
#endif
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/vec.h"
#include "cli/process.h"
#include "cli/stop.h"

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

static void start(struct process_job *job, const sigset_t *mask)
{
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    int flags = O_WRONLY | O_CREAT | O_TRUNC;
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, mask);
    if (job->output)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, job->output, flags, 0600);
    if (job->errors)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, job->errors, flags, 0600);
    job->failed = posix_spawnp(&job->pid, job->argv[0], &actions, &attributes, job->argv, job->environment);
    job->started = true;
    job->ended = job->failed != 0;
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
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
    struct sigaction child_action, default_action = {.sa_handler = SIG_DFL};
    int interrupted = 0;
    double since = 0;
    unsigned next = 0, running = 0;
    sigaction(SIGCHLD, &default_action, &child_action); /* an inherited SIG_IGN would reap children unseen */
    sigprocmask(SIG_BLOCK, &set, &old);
    while (running > 0 || (next < count && !interrupted)) {
        while (next < count && running < options->parallel && !interrupted) {
            start(&jobs[next], &old);
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
    sigprocmask(SIG_SETMASK, &old, NULL);
    sigaction(SIGCHLD, &child_action, NULL);
    return interrupted;
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
