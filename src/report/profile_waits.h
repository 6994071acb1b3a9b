/* Waits of a kernel's threads, of some kinds in one form: for locks, polled words and barriers, and for words that lie
 * in a line with others, each with the places where that happens and a few figures. For pages, and for what is
 * different between two profiles. */
#ifndef LOCKSTEP_REPORT_PROFILE_WAITS_H
#define LOCKSTEP_REPORT_PROFILE_WAITS_H

#include <stdint.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/vec.h"

enum profile_waits_kind {
    PROFILE_WAITS_LOCKS,
    PROFILE_WAITS_POLLS,
    PROFILE_WAITS_BARRIERS,
    PROFILE_WAITS_MBARRIERS,
    PROFILE_WAITS_SHARED,
    PROFILE_WAITS_KINDS
};

#define PROFILE_WAITS_ONCE PROFILE_WAITS_SHARED /* kinds below it: no wait is in two of them */

#define PROFILE_WAITS_FIGURES 5
#define PROFILE_WAITS_SPREAD 3 /* a barrier's: cycles from the first to come to the last one, on average */

struct profile_waits_figure {
    const char *name, *unit, *doc;
};
/* A kind of waits. */
struct profile_waits_words {
    const char *title, *one, *id;                               /* "Locks", "lock", "locks" */
    const char *about;                                          /* what is in the table */
    struct profile_waits_figure figures[PROFILE_WAITS_FIGURES]; /* name NULL: no more */
};
extern const struct profile_waits_words profile_waits_words[PROFILE_WAITS_KINDS];

struct profile_wait {
    const char *name;  /* of the word; of a barrier its place */
    const char *where; /* "taken at a.cu:9, given back at a.cu:12" */
    const char *last;  /* of a barrier or polled word: who comes last, or ends waits; "": nobody knows, or other kinds */
    uint64_t waited;   /* warp-cycles */
    double figures[PROFILE_WAITS_FIGURES];
};
struct profile_waits {
    VEC(struct profile_wait) of; /* the most expensive first */
};

/* Those of all launches of the kernel of that name among result objects. Texts are the arena's or the objects'. To be
 * freed by profile_waits_free. */
void profile_waits_read(struct profile_waits *waits, enum profile_waits_kind kind, const json_t *kernels,
                        const char *name, struct arena *arena);
/* The one of that name, or NULL. */
const struct profile_wait *profile_waits_find(const struct profile_waits *waits, const char *name);
void profile_waits_free(struct profile_waits *waits);

#endif
