/* Locks over time: for how many cycles threads held them and waited for them, by intervals of a launch. A consumer of
 * events of its own, which follows words as a profile does (words.h). */
#ifndef LOCKSTEP_PROFILE_SERIES_H
#define LOCKSTEP_PROFILE_SERIES_H

#include <stddef.h>
#include <stdint.h>

#include "lockstep/observer.h"

#define PROFILE_SERIES_MOST 16384 /* intervals: where there are more, each two become one */

enum profile_series_kind {
#define PROFILE_SERIES(name, doc) PROFILE_SERIES_##name,
#include "profile/series.def"
#undef PROFILE_SERIES
    PROFILE_SERIES_KINDS
};

struct profile_series;

/* Gives watch_join its observer. */
const struct lockstep_observer *profile_series_observer(void);
/* The launch begins: of the state of an SM that has the observer. every: cycles of an interval, 1 or more; start: the
 * cycle of the device at which the first one begins. */
void profile_series_begin(void *state, uint64_t every, uint64_t start);
/* Adds the cycles of a time from..until, which has ended, to the intervals in which they lie. */
void profile_series_add(struct profile_series *s, enum profile_series_kind kind, uint64_t from, uint64_t until);
/* Adds an SM's cycles of a kind, by interval of `every` cycles, to `count` of them. Those of the state are as long, or
 * the half, a quarter ... of that. */
void profile_series_sum(const void *state, enum profile_series_kind kind, uint64_t every, uint64_t *to, size_t count);
/* Its name in results. */
const char *profile_series_name(enum profile_series_kind kind);

#endif
