/* Locks over time: see series.h. */
#include "profile/series.h"

#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "profile/series_sm.h"

const char *profile_series_name(enum profile_series_kind kind)
{
    static const char *const names[] = {
#define PROFILE_SERIES(name, doc) #name,
#include "profile/series.def"
#undef PROFILE_SERIES
    };
    return names[kind];
}

/* Intervals */

/* Each two become one. */
static void halve(struct profile_series *s)
{
    for (unsigned kind = 0; kind < PROFILE_SERIES_KINDS; kind++) {
        uint64_t *part = s->part[kind];
        int64_t whole = 0;
        for (unsigned i = 0; i < PROFILE_SERIES_MOST; i++) {
            whole += s->whole[kind][i];
            uint64_t cycles = part[i] + (uint64_t)whole * s->every;
            part[i] = 0;
            part[i / 2] += cycles;
        }
        memset(s->whole[kind], 0, sizeof s->whole[kind]);
    }
    s->every *= 2;
}

void profile_series_begin(void *state, uint64_t every, uint64_t start)
{
    struct profile_series *s = &((struct profile_series_sm *)state)->series;
    contract(every);
    s->every = every;
    s->start = start;
}

void profile_series_add(struct profile_series *s, enum profile_series_kind kind, uint64_t from, uint64_t until)
{
    if (!s->every || from >= until)
        return;
    from -= s->start;
    until -= s->start;
    while ((until - 1) / s->every >= PROFILE_SERIES_MOST)
        halve(s);
    uint64_t first = from / s->every, last = (until - 1) / s->every;
    if (first == last) {
        s->part[kind][first] += until - from;
        return;
    }
    s->part[kind][first] += (first + 1) * s->every - from;
    s->part[kind][last] += until - last * s->every;
    s->whole[kind][first + 1]++;
    s->whole[kind][last]--;
}

void profile_series_sum(const void *state, enum profile_series_kind kind, uint64_t every, uint64_t *to, size_t count)
{
    const struct profile_series *s = &((const struct profile_series_sm *)state)->series;
    uint64_t together = every / s->every;
    int64_t whole = 0;
    for (size_t i = 0; i < PROFILE_SERIES_MOST && i / together < count; i++) {
        whole += s->whole[kind][i];
        to[i / together] += s->part[kind][i] + (uint64_t)whole * s->every;
    }
}

/* Events */

static struct profile_words *words_of(void *state)
{
    return &((struct profile_series_sm *)state)->words;
}

static void begin(const struct lockstep_observed *observed, void *state)
{
    struct profile_series_sm *s = state;
    (void)observed;
    s->words.series = (int64_t)((char *)&s->series - (char *)&s->words);
}

static void launch(void *state, const struct lockstep_launch_event *e)
{
    profile_words_forget(words_of(state), e->warp);
    profile_words_launch(words_of(state), e);
}

static void access(void *state, const struct lockstep_access_event *e)
{
    profile_words_access(words_of(state), e);
}

static void atomic(void *state, const struct lockstep_atomic_event *e)
{
    profile_words_atomic(words_of(state), e);
}

static void leave(void *state, const struct lockstep_leave_event *e)
{
    for (uint64_t rest = e->warps; rest; rest &= rest - 1) {
        profile_words_leave(words_of(state), mask_first(rest), e->cycle);
        profile_words_forget(words_of(state), mask_first(rest));
    }
}

static size_t state_bytes(const struct lockstep_observed *observed)
{
    (void)observed;
    return sizeof(struct profile_series_sm);
}

static const struct lockstep_observer observer = {
    .version = LOCKSTEP_OBSERVER_VERSION,
    .name = NULL, /* the option that it belongs to says more than a name */
    .doc = "locks by intervals",
    .state_bytes = state_bytes,
    .begin = begin,
    .launch = launch,
    .access = access,
    .atomic = atomic,
    .leave = leave,
};

const struct lockstep_observer *profile_series_observer(void)
{
    return &observer;
}
