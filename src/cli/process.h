/* Programs run as children: one, with our own input and output, or several at a time with theirs in files. Signals that
 * would end us are passed on to the children and reported, so that the caller can clean up. */
#ifndef LOCKSTEP_CLI_PROCESS_H
#define LOCKSTEP_CLI_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/diag.h"
#include "base/vec.h"

struct process_job {
    char *const *argv;
    char *const *environment;
    const char *folder;          /* where it works; NULL: where we do */
    const char *output, *errors; /* files for standard output and error; NULL: the descriptors below */
    int output_to, errors_to;    /* open descriptors for them; 0: ours */
    int (*limit)(void *context); /* asked about five times a second for a signal to send, 0: none; may be NULL */
    void *context;
    /* Filled in. */
    pid_t pid;
    bool started, ended;
    int failed; /* errno when it could not be started */
    int status; /* exit status, 128 + n when signal n ended it */
    int signal; /* n, or 0 */
};

struct process_options {
    unsigned parallel;           /* how many at a time */
    void (*tick)(void *context); /* called about five times a second, or NULL */
    void *context;
    const sigset_t *mask; /* of signals that children start with; NULL: ours */
};

/* An argument vector, word by word; zero-initialise it. process_argv ends it: the vector belongs to arena. */
struct process_words {
    VEC(const char *) items;
};
static inline void process_word(struct process_words *words, const char *word)
{
    vec_push(&words->items, word);
}
/* An option and its value; nothing when that is NULL. */
void process_option(struct process_words *words, const char *name, const char *value);
/* --set for each of the settings. */
void process_sets(struct process_words *words, const char *const *sets, size_t count);
/* The beginning of `lockstep run` by this very program, without its progress line. */
void process_lockstep_run(struct process_words *words);
char *const *process_argv(struct process_words *words, struct arena *arena);

/* Runs the jobs to their ends. Returns 0, or the number of the signal that asked us to stop; another one kills them. */
int process_run(struct process_job *jobs, unsigned count, const struct process_options *options);
/* From here on signals that would end us wait for process_run to take them, or for process_let_signals: so that what
 * must be cleaned up can be. *before receives our mask, with which children are to start. */
void process_hold_signals(sigset_t *before);
void process_let_signals(const sigset_t *before);
/* Ends this process by signal n, as if nothing had been caught. */
void process_die(int n);
/* Our environment with `additions` (NAME=VALUE, or NAME alone to remove it; NULL-terminated) in place; memory belongs
 * to arena. */
char **process_environment(struct arena *arena, const char *const *additions);
/* A new file of no length in the directory for temporary files; its path belongs to arena. NULL with a diagnostic. */
char *process_temporary(struct arena *arena, const char *suffix, struct diag_sink *sink);
/* The directory the running program was installed in (…/bin/lockstep gives …), or NULL with a diagnostic. */
char *process_home(struct arena *arena, struct diag_sink *sink);

/* Children started from now on lie at the same addresses every time, where the system allows that: a program that hands
 * its pointers to the device then does the same every time. */
void process_fix_addresses(void);

#endif
