/* Commands and temporary files of `lockstep cc`. An interrupt must not leave temporary files or half-written outputs:
 * so the signals that end a program wait from the first command to the last (process.h). */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* environ, nftw, strsignal */
#endif
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/cc.h"
#include "cli/process.h"

void cc_process_begin(struct cc_process *process, bool verbose)
{
    *process = (struct cc_process){.verbose = verbose};
    process_hold_signals(&process->old_mask);
}

void cc_process_end(struct cc_process *process)
{
    process_let_signals(&process->old_mask);
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

int cc_run(struct cc_process *process, const struct cc_args *command, int output, int errors, struct diag_sink *diags)
{
    struct process_job job = {.argv = (char *const *)command->items,
                              .environment = environ,
                              .output_to = output < 0 ? 0 : output,
                              .errors_to = errors < 0 ? 0 : errors};
    const struct process_options how = {.parallel = 1, .mask = &process->old_mask};
    if (process->interrupted)
        return -1;
    if (process->verbose)
        print_command(command);
    process->interrupted = process_run(&job, 1, &how);
    if (process->interrupted)
        return -1;
    if (job.failed)
        return diag_error(diags, DIAG_NOWHERE, NULL, "cannot run %s: %s", command->items[0], strerror(job.failed));
    if (job.signal)
        return diag_error(diags, DIAG_NOWHERE, NULL, "%s was ended by signal %d (%s)", command->items[0], job.signal,
                          strsignal(job.signal));
    return job.status;
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
