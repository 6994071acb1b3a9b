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

#include "base/file.h"
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
    fputs("\n", stderr);
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

int cc_run(struct cc_process *process, const struct cc_args *command, int output, int errors, struct diag_sink *diags)
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
    if (output >= 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    if (errors >= 0)
        posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
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

int cc_temp_file(const char *dir, const char **path, struct arena *arena, struct diag_sink *diags)
{
    char *name = arena_printf(arena, "%s/XXXXXX", dir);
    int file = mkostemp(name, O_CLOEXEC);
    *path = name;
    mode_t mask = umask(0);
    umask(mask);
    if (file >= 0)
        fchmod(file, 0666 & ~mask); /* it may be moved to where others read it */
    return file < 0 ? diag_error(diags, DIAG_NOWHERE, "TMPDIR may name another directory", "cannot make %s: %s", name,
                                 strerror(errno))
                    : file;
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

/* As much as a tool may have wanted to write when it failed. */
#define PROBE_BYTES (1 << 20)

void cc_temp_dir_check(const char *dir, struct arena *arena, struct diag_sink *diags)
{
    const char *probe = arena_printf(arena, "%s/probe", dir);
    char *zeros = base_calloc(1, PROBE_BYTES);
    int why = file_store(probe, zeros, PROBE_BYTES, 0600);
    free(zeros);
    unlink(probe);
    if (why)
        diag_error(diags, DIAG_NOWHERE, "TMPDIR may name another directory", "cannot write temporary files in %s: %s",
                   dir, strerror(why));
}

int cc_move_file(const char *from, const char *to, struct diag_sink *diags)
{
    int why = file_move(from, to);
    return why ? diag_error(diags, DIAG_NOWHERE, NULL, "cannot write %s: %s", to, strerror(why)) : 0;
}
