/* Children, signals and temporary files of `lockstep cc`.
 * An interrupt must not leave temporary files or half-written outputs: the signals that end a program are blocked while
 * children run and are taken with sigwaitinfo together with SIGCHLD, so no handler and no global state is needed. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* nftw */
#endif
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cc.h"

extern char **environ;

static sigset_t waited_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    return set;
}

void cc_process_begin(struct cc_process *process, bool verbose)
{
    *process = (struct cc_process){.verbose = verbose};
    sigset_t set = waited_signals();
    signal(SIGCHLD, SIG_DFL); /* an inherited SIG_IGN would reap the children unseen */
    sigprocmask(SIG_BLOCK, &set, &process->old_mask);
}

void cc_process_end(struct cc_process *process)
{
    sigprocmask(SIG_SETMASK, &process->old_mask, NULL);
    if (process->interrupted)
        raise(process->interrupted);
}

static void print_command(const struct cc_args *command)
{
    for (size_t i = 0; i < command->count && command->items[i]; i++) {
        const char *arg = command->items[i];
        bool quote = *arg == '\0' || strpbrk(arg, " \t\"'\\$&|;<>()*?#~");
        fprintf(stderr, quote ? "%s'%s'" : "%s%s", i ? " " : "", arg);
    }
    fputc('\n', stderr);
}

/* Waits for the child; on a signal that asks us to stop, stops the child first. Returns its wait status. */
static int wait_child(struct cc_process *process, pid_t child)
{
    sigset_t set = waited_signals();
    for (;;) {
        int status, signal_number;
        pid_t ended = waitpid(child, &status, WNOHANG);
        if (ended == child)
            return status;
        if (ended < 0 && errno != EINTR)
            return -1;
        signal_number = sigwaitinfo(&set, NULL);
        if (signal_number > 0 && signal_number != SIGCHLD) {
            process->interrupted = signal_number;
            kill(child, SIGTERM);
        }
    }
}

int cc_run(struct cc_process *process, const struct cc_args *command, const char *output, struct diag_sink *diags)
{
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    pid_t child;
    if (process->interrupted)
        return -1;
    if (process->verbose)
        print_command(command);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, &process->old_mask);
    posix_spawn_file_actions_init(&actions);
    if (output)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int error = posix_spawn(&child, command->items[0], &actions, &attributes, (char *const *)command->items, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (error)
        return diag_error(diags, DIAG_NOWHERE, NULL, "cannot run %s: %s", command->items[0], strerror(error));
    int status = wait_child(process, child);
    if (process->interrupted)
        return -1;
    if (WIFSIGNALED(status))
        return diag_error(diags, DIAG_NOWHERE, NULL, "%s was ended by signal %d (%s)", command->items[0],
                          WTERMSIG(status), strsignal(WTERMSIG(status)));
    return WEXITSTATUS(status);
}

int cc_temp_dir_make(char **dir, struct arena *arena, struct diag_sink *diags)
{
    const char *base = getenv("TMPDIR");
    *dir = arena_printf(arena, "%s/lockstep-cc-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(*dir))
        return diag_error(diags, DIAG_NOWHERE, "TMPDIR may name another directory",
                          "cannot make a temporary directory %s: %s", *dir, strerror(errno));
    return 0;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *place)
{
    (void)st, (void)type, (void)place;
    remove(path);
    return 0;
}

void cc_temp_dir_remove(const char *dir)
{
    nftw(dir, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static int copy_bytes(int from, int to)
{
    char block[65536];
    ssize_t n;
    while ((n = read(from, block, sizeof block)) > 0)
        for (ssize_t done = 0, k; done < n; done += k)
            if ((k = write(to, block + done, (size_t)(n - done))) < 0)
                return -1;
    return n < 0 ? -1 : 0;
}

int cc_copy_file(const char *from, const char *to)
{
    struct stat st;
    int in = open(from, O_RDONLY | O_CLOEXEC), out = -1, result = -1;
    if (in >= 0 && fstat(in, &st) == 0)
        out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, st.st_mode & 0777);
    if (out >= 0)
        result = copy_bytes(in, out);
    if (in >= 0)
        close(in);
    if (out >= 0 && close(out) < 0)
        result = -1;
    return result;
}

int cc_move_file(const char *from, const char *to, struct arena *arena, struct diag_sink *diags)
{
    struct stat st;
    if (stat(to, &st) == 0 && !S_ISREG(st.st_mode)) { /* /dev/null, /dev/stdout: write through */
        int in = open(from, O_RDONLY | O_CLOEXEC), out = open(to, O_WRONLY | O_CLOEXEC);
        int failed = in < 0 || out < 0 || copy_bytes(in, out);
        if (in >= 0)
            close(in);
        if (out >= 0)
            close(out);
        return failed ? diag_error(diags, DIAG_NOWHERE, NULL, "cannot write %s: %s", to, strerror(errno)) : 0;
    }
    if (rename(from, to) == 0)
        return 0;
    /* Another file system: copy beside the target, then rename. */
    const char *beside = arena_printf(arena, "%s.%ld.tmp", to, (long)getpid());
    if (cc_copy_file(from, beside) == 0 && rename(beside, to) == 0)
        return 0;
    int error = errno;
    unlink(beside);
    return diag_error(diags, DIAG_NOWHERE, NULL, "cannot write %s: %s", to, strerror(error));
}
