/* Tells observers what happens. The table of events is include/lockstep/events.def; from it follow here, for each
 * event, its bit in the set of events that some observer hears, and the function that tells it. The model tests the bit
 * where the event happens, which is one branch that is nearly never taken, and fills in the event only if it is set.
 * This room knows nothing of the model's state but what an event carries.
 *
 * An observer (lockstep/observer.h) is a shared object, or part of Lockstep. observers.c loads it, or lets it join;
 * launch.c gives it its states and has it report. */
#ifndef LOCKSTEP_WATCH_WATCH_H
#define LOCKSTEP_WATCH_WATCH_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/plugin.h"
#include "base/strbuf.h"
#include "isa/program.h"
#include "lockstep/observer.h"
#include "watch/stays.h"

#define WATCH_OBSERVERS 8 /* from files, or given */
#define WATCH_JOINED 5    /* that are part of Lockstep */
#define WATCH_LISTENERS (WATCH_OBSERVERS + WATCH_JOINED)

struct watch_listener {
    const struct lockstep_observer *observer;
    void *state;
    size_t bytes; /* of the state */
};
/* The listeners to one SM's events, for one launch. Events go to `first`: the only observer, which is the usual case,
 * or one that passes them on to all. */
struct watch {
    uint32_t heard; /* set of WATCH_*: some observer has a function for it */
    uint32_t count;
    const struct watch_listener *of;
    struct watch_listener first;
    struct watch_stays *stays; /* kept for one of them, whose state and port those are; NULL: nobody wants them */
    const struct watch_stays_port *stays_port;
    void *stays_state;
};

/* WATCH_issue, and so on: events as members of a set. watch_tell_issue(w, &event) tells it; w has listeners. */
enum {
#define EVENT(name, doc) WATCH_##name = 1 << LOCKSTEP_EVENT_##name,
#define FIELD(type, name, doc)
#define EVENT_END(name)
#include "lockstep/events.def"
#undef EVENT
    WATCH_stays = 1 << LOCKSTEP_OBSERVER_EVENTS /* no event: some observer has its stays kept (stays.h) */
};
#define EVENT(name, doc)                                                                                               \
    static inline void watch_tell_##name(const struct watch *w, const struct lockstep_##name##_event *event)           \
    {                                                                                                                  \
        if (w->first.observer->name)                                                                                   \
            w->first.observer->name(w->first.state, event);                                                            \
    }
#include "lockstep/events.def"
#undef EVENT
#undef FIELD
#undef EVENT_END

/* The watch of so many listeners, which must stay. heard: by any of them. */
struct watch watch_for(const struct watch_listener *of, uint32_t count, uint32_t heard);
/* True: some observer hears one of these events, a set of WATCH_*. */
static inline bool watch_hears(const struct watch *w, uint32_t events)
{
    return w->heard & events;
}

/* enum lockstep_class of an instruction; enum lockstep_space of an ISA_SPACE_*, or 0 for a generic address. */
enum lockstep_class watch_class(const struct isa_instr *instr);
enum lockstep_space watch_space(unsigned space);

/* observers.c */

/* An observer from a file, or one that the program around Lockstep gave, or one that is part of Lockstep. */
struct watch_observer {
    struct plugin plugin;
    struct plugin_function functions[LOCKSTEP_OBSERVER_EVENTS + 3];
    const struct lockstep_observer *observer;
    const char *path; /* of a file, else NULL */
    bool given;       /* by the program */
    void *user;       /* lockstep_observed.user */
    const struct watch_stays_port *stays; /* NULL: it wants none */
};
struct watch_observers {
    struct watch_observer of[WATCH_LISTENERS];
    unsigned count;
    unsigned joined; /* of them, those that are part of Lockstep */
};

/* Loads one more; path must stay. -1 with a diagnostic. */
int watch_load(struct watch_observers *all, const char *path, struct diag_sink *sink);
/* Adds one that the program gives; it must stay. -1 with a diagnostic. */
int watch_take(struct watch_observers *all, const struct lockstep_observer *observer, void *user,
               struct diag_sink *sink);
/* One that is part of Lockstep joins them, once; its states may be of any size. */
void watch_join(struct watch_observers *all, const struct lockstep_observer *observer);
/* Likewise; and its stays are kept (stays.h). One observer of all may be such. */
void watch_join_stays(struct watch_observers *all, const struct lockstep_observer *observer,
                      const struct watch_stays_port *port);
void watch_unload(struct watch_observers *all);
/* Loads all of these files. Returns 0, or -1 with diagnostics when one could not be loaded. */
int watch_try(const char *const *paths, size_t count, struct diag_sink *sink);
#define WATCH_NEEDS_TIMING                                                                                             \
    "observers (--observe) need timing mode: functional mode has no cycles, and tells of no events"
/* Appends the options that name them, with the contents of files: a checkpoint is continued under the same ones only.
 */
void watch_identify(const struct watch_observers *all, struct strbuf *out);

/* launch.c */

/* A launch under observers: their states, by observer and SM. */
struct watch_launch {
    const struct watch_observers *all;
    struct lockstep_observed observed;
    const struct isa_module *module;
    struct strbuf text, place;        /* given out by observed.text and observed.place */
    uint32_t heard;                   /* of all of them */
    struct watch_listener *listeners; /* by SM, and by observer */
    void *states[WATCH_LISTENERS];    /* by observer: memory for all SMs' */
};

/* observed: but for its functions. arena has the listeners; watch_launch_free frees the rest. -1 with a diagnostic: an
 * observer wants too much state; nothing is left to be freed. */
int watch_launch_begin(struct watch_launch *launch, const struct watch_observers *all, const struct isa_module *module,
                       const struct lockstep_observed *observed, struct arena *arena, struct diag_sink *sink);
/* The module of a kernel that is observed: for observers that are part of Lockstep. */
static inline const struct isa_module *watch_module(const struct lockstep_observed *observed)
{
    return ((const struct watch_launch *)observed->context)->module;
}
/* The listeners of SM `sm`; launch may be NULL. */
struct watch watch_of(const struct watch_launch *launch, unsigned sm);
/* All observers report, in the order in which they were loaded; what they write is appended to out. */
void watch_launch_report(struct watch_launch *launch, struct strbuf *out);
/* The states that an observer has of this launch, by number of the SM, to states[0] ... [sms - 1]. */
void watch_launch_states(const struct watch_launch *launch, const struct lockstep_observer *observer,
                         const void **states);
void watch_launch_free(struct watch_launch *launch);
struct archive;
/* The states of an SM's observers in a checkpoint. */
void watch_archive(const struct watch *watch, struct archive *ar);

#endif
