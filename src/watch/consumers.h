/* The consumers of events that every SM has, whoever else listens: a row of WATCH_CONSUMERS says that a function of one
 * hears an event. watch_issue(w, c, &event) and so on tell an event to them, by direct calls that the compiler puts in
 * place, and to observers. */
#ifndef LOCKSTEP_WATCH_CONSUMERS_H
#define LOCKSTEP_WATCH_CONSUMERS_H

#include "base/hot.h"
#include "watch/progress.h"
#include "watch/phases.h"
#include "watch/watch.h"

struct watch_consumers {
    struct watch_phases phases;
    struct watch_progress progress;
};

/* ROW(event, member of struct watch_consumers, function) */
#define WATCH_CONSUMERS(ROW)                                                                                           \
    ROW(launch, phases, watch_phases_launch)                                                                           \
    ROW(launch, progress, watch_progress_launch)                                                                       \
    ROW(access, progress, watch_progress_access)                                                                       \
    ROW(atomic, progress, watch_progress_atomic)                                                                       \
    ROW(arrive, phases, watch_phases_arrive)                                                                           \
    ROW(open, phases, watch_phases_open)                                                                               \
    ROW(end, phases, watch_phases_end)

#define WATCH_TELL_ROW(event, member, function)                                                                        \
    if (LOCKSTEP_EVENT_##event == told)                                                                                \
        function(&c->member, e);
#define EVENT(name, doc)                                                                                               \
    HOT_INLINE void watch_##name(const struct watch *w, struct watch_consumers *c,                                     \
                                 const struct lockstep_##name##_event *event)                                          \
    {                                                                                                                  \
        const unsigned told = LOCKSTEP_EVENT_##name;                                                                   \
        const void *e = event;                                                                                         \
        WATCH_CONSUMERS(WATCH_TELL_ROW)                                                                                \
        if (RARELY(watch_hears(w, WATCH_##name)))                                                                      \
            watch_tell_##name(w, event);                                                                               \
    }
#define FIELD(type, name, doc)
#define EVENT_END(name)
#include "lockstep/events.def"
#undef EVENT
#undef FIELD
#undef EVENT_END
#undef WATCH_TELL_ROW

#endif
