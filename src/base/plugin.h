/* Plug-ins: code from a shared object that the user names, a warp scheduler or an observer. It runs in this process, so
 * a signal that it causes, or a loop in it that does not end, would be put on the program that is simulated. While
 * plug-ins are guarded, the signals of faults are looked at: where the thread's stack leads through the object of one,
 * the fault is its own. That is told on standard error, with the function that was called, and the process ends with
 * exit code 1. A thread looks whether the simulation goes on: one that does not for PLUGIN_GUARD_SECONDS
 * (LOCKSTEP_PLUGIN_SECONDS), with its stack in an object all the time, has come to such a loop. Calls of the plug-in
 * cost nothing more. */
#ifndef LOCKSTEP_BASE_PLUGIN_H
#define LOCKSTEP_BASE_PLUGIN_H

#include <stdint.h>

#include "base/diag.h"
#include "base/strbuf.h"

#define PLUGIN_GUARD_SECONDS 10
#define PLUGINS 16 /* guarded at once */

/* A function that Lockstep calls. */
struct plugin_function {
    const char *name;
    uintptr_t at;
};

struct plugin {
    void *library;                           /* NULL: it is from no file */
    const char *kind;                        /* "warp scheduler" */
    const char *word;                        /* the same for programs that read: "scheduler" */
    const char *symbol;                      /* the function of the object that hands it out */
    const char *name;                        /* NULL while it is loaded */
    const struct plugin_function *functions; /* none while it is loaded */
    unsigned function_count;
};

/* Loads plugin->library from a file; kind and symbol are set. *function receives the symbol's address. -1 with a
 * diagnostic, and then nothing is loaded; hint: how an object is built; contract: the header that says what it must
 * define. */
int plugin_load(struct plugin *plugin, const char *path, const char *hint, const char *contract, void **function,
                struct diag_sink *sink);
void plugin_unload(struct plugin *plugin);
/* The diagnostic of an object that is none of its kind: why. Returns -1. */
int plugin_wrong(const struct plugin *plugin, const char *path, const char *hint, const char *why,
                 struct diag_sink *sink);
/* Appends the file's own name, without folders, and a hash of its content: the same wherever the file lies. */
void plugin_identify(const char *path, struct strbuf *out);

/* The line that is written to `file` as well when a plug-in is at fault: `before`, the plug-in's word, `behind`. */
struct plugin_blame {
    int file;
    const char *before, *behind; /* NULL: nothing */
};

/* Begins to guard these, as far as they are from objects, until plugin_guard_end; what they point to must stay. While
 * some are guarded already, nothing more is begun. blame may be NULL. */
void plugin_guard_begin(const struct plugin *plugins, unsigned count, const struct plugin_blame *blame);
void plugin_guard_end(void);
/* The simulation goes on. To be called now and then. */
void plugin_guard_beat(void);

#endif
