/* The interface of an observer: code of your own that is told what the SMs do. It counts, and says at the end of each
 * kernel what it has found; it cannot change what is simulated.
 *
 * An observer is a shared object with one function, lockstep_observer_plugin, which hands out a constant `struct
 * lockstep_observer`; `lockstep run --observe ./it.so` loads it. Events are the blocks of lockstep/events.def: for each
 * there is a structure and a function of struct lockstep_observer, which is NULL where the observer does not care. What
 * nobody listens to costs nothing.
 *
 * Each SM tells a state of its own, zeroed memory that Lockstep gives for each kernel, and tells it in the order in
 * which things happen there. SMs are simulated by several threads (--threads), so functions of one observer run at the
 * same time for different SMs: they touch their own state, what the event has, and constants, and nothing else. The
 * states, by number of the SM, come together in report(), which one thread calls. So a report is the same on every
 * number of threads. State holds no pointers: checkpoints copy it.
 *
 * examples/observer/ is one, docs/observers.md says the rest. */
#ifndef LOCKSTEP_OBSERVER_H
#define LOCKSTEP_OBSERVER_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <lockstep/instruction.h>

enum {
#define EVENT(name, doc) LOCKSTEP_EVENT_##name,
#define FIELD(type, name, doc)
#define EVENT_END(name)
#include <lockstep/events.def>
#undef EVENT
#undef FIELD
#undef EVENT_END
    LOCKSTEP_OBSERVER_EVENTS
};

/* Of everything in this file and events.def. Changes whenever an observer that was built for the version before would
 * not work: by itself with the number of events, and by the other summand with anything else. */
#define LOCKSTEP_OBSERVER_VERSION (202u + LOCKSTEP_OBSERVER_EVENTS)

#define LOCKSTEP_NO_MBARRIER UINT32_MAX /* in events: none */
#define LOCKSTEP_NO_PC UINT32_MAX       /* in events: it is not known */

#define LOCKSTEP_OBSERVER_STATE (64u << 20) /* bytes of state of an SM that an observer can have */

/* struct lockstep_issue_event { uint64_t cycle; uint32_t warp; ... }; and so on. */
#define EVENT(name, doc) struct lockstep_##name##_event {
#define FIELD(type, name, doc) type name;
#define EVENT_END(name) };
#include <lockstep/events.def>
#undef EVENT
#undef FIELD
#undef EVENT_END

/* A kernel that is observed. */
struct lockstep_observed {
    const char *kernel;       /* its name */
    uint64_t launch;          /* counts the launches of the device, from 0 */
    uint32_t grid[3], block[3];
    uint32_t cluster[3];      /* blocks of a cluster; 1, 1, 1 where there are none */
    uint32_t sms;             /* of the device */
    uint32_t warps, lanes;    /* warp slots of an SM; threads of a warp */
    uint32_t instructions;    /* of the module: each pc is below it */
    uint32_t first, count;    /* those of the kernel itself: pc first to first + count - 1 */
    uint32_t cause_count;     /* of what a warp's cycles go to (event stand) */
    const char *const *causes; /* their names, as in the statistics warps.* */
    /* An instruction as PTX, and its place in the sources: "file.ptx:41:5 (kernel.cu:12)". The text stays until the
     * same function is called again. For report(), state_bytes() and begin() alone. */
    const char *(*text)(const struct lockstep_observed *observed, uint32_t pc);
    const char *(*place)(const struct lockstep_observed *observed, uint32_t pc);
    const void *context; /* theirs */
    void *user;          /* of an observer that a program gives (lockstep/device.h): what it gave with it; else NULL */
};

struct lockstep_observer {
    uint32_t version; /* LOCKSTEP_OBSERVER_VERSION */
    const char *name, *doc;
    /* Bytes of state of each SM for this kernel, up to LOCKSTEP_OBSERVER_STATE. NULL: none. */
    size_t (*state_bytes)(const struct lockstep_observed *observed);
    /* Fills in the state of an SM before the kernel begins; it is zeroed. May be NULL. */
    void (*begin)(const struct lockstep_observed *observed, void *state);
    /* A kernel has ended, however it did: states[n] is that of SM n. What is written goes to standard output, behind
     * what the kernel printed. May be NULL. */
    void (*report)(const struct lockstep_observed *observed, const void *const *states, FILE *to);
    /* void (*issue)(void *state, const struct lockstep_issue_event *event); and so on, in the order of events.def. */
#define EVENT(name, doc) void (*name)(void *state, const struct lockstep_##name##_event *event);
#define FIELD(type, name, doc)
#define EVENT_END(name)
#include <lockstep/events.def>
#undef EVENT
#undef FIELD
#undef EVENT_END
};

/* A shared object defines this. The structure must live as long as the object is loaded: a constant. */
const struct lockstep_observer *lockstep_observer_plugin(void);

#endif
