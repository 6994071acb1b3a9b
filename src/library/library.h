/* The library (lockstep/device.h): thin functions over a device of room gpu. Each begins with library_begin, which
 * forgets what the call before said, and says what is wrong in the device's sink. This header is the room's own. */
#ifndef LOCKSTEP_LIBRARY_LIBRARY_H
#define LOCKSTEP_LIBRARY_LIBRARY_H

/* The functions of the header are defined here, so that they may leave the library. */
#define LOCKSTEP_API __attribute__((visibility("default")))

#include <stdatomic.h>

#include "base/vec.h"
#include "gpu/gpu.h"
#include "gpu/visit.h"
#include "library/bridge.h"

struct lockstep_module {
    struct gpu_module *module;
    bool keeps_registers;
    struct lockstep_module *next;
};

/* breaks.c: which instructions have a breakpoint, and who came to one. */
struct breaks;
struct break_hit {
    uint32_t sm, warp, pc;
    uint64_t mask;
};

/* The launch under way, and what it goes until. */
struct library_run {
    struct gpu_visitor visitor;
    void *params;
    const char *(*progress)(void *user, const struct lockstep_progress *now);
    void *user;         /* for progress */
    const char *reason; /* why progress has stopped it, or NULL */
    uint64_t begun;     /* cycle of the device */
    bool begins;        /* nothing has been simulated */
    uint64_t until;     /* cycle of the device, or CYCLE_NEVER */
    uint32_t flags;     /* set of enum lockstep_until_flag */
    uint32_t why;       /* enum lockstep_why: it was held last */
    struct break_hit hit;
};

struct lockstep_device {
    struct machine own;            /* where the setup describes it */
    const struct machine *machine; /* that, or another room's */
    struct gpu *gpu;               /* NULL: it could not be made */
    struct diag_sink sink;
    struct strbuf message, value, text, place, output, json, lines; /* given out */
    struct strbuf phases, waits;                                    /* of the last launch */
    bool profiles, timelines, checks;                               /* were asked for */
    struct library_besides besides;
    struct lockstep_module *modules;
    struct breaks *breaks; /* NULL: none was ever set */
    atomic_bool halts;
    struct library_run run;
    struct gpu_result result; /* of the last launch, or of that under way when it ends */
    struct gpu_result now;    /* of the launch that is held, so far, or nothing; forgotten when it goes on */
    struct strbuf kernel;     /* the name that results have */
    uint64_t launches;
};

/* Begins a call: forgets what the last one said. Returns LOCKSTEP_OK, or ERROR_STATE when there is no device. */
int library_begin(struct lockstep_device *device);
/* Says in words what is wrong. hint may be NULL. Returns code. */
int library_wrong(struct lockstep_device *device, int code, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* LOCKSTEP_OK when a launch is held; when none is. */
int library_need_held(struct lockstep_device *device, const char *what);
int library_need_idle(struct lockstep_device *device, const char *what);
/* Takes a structure over that begins with its size: `known` bytes, of which those that the program's version has not
 * are zero. `from` NULL: all of them. */
int library_take(struct lockstep_device *device, void *to, size_t known, const void *from, const char *name);
/* Gives one out: as much of the `known` bytes as the program's version has, but for the size. */
int library_give(struct lockstep_device *device, void *to, const void *from, size_t known, const char *name);
/* The module, if it is the device's; else NULL, with a diagnostic. */
struct lockstep_module *library_module(struct lockstep_device *device, const struct lockstep_module *module);
/* The kernel of that name; NULL: *code says what is wrong. */
const struct isa_function *library_kernel(struct lockstep_device *device, const struct isa_module *module,
                                          const char *name, int *code);
/* The code of how a launch ended, or is held. */
int library_code(const struct gpu_result *result);
/* Forgets what is known of a launch that is held. */
void library_forget(struct lockstep_device *device);
/* Forgets the last launch's profile if it is of this code, which goes. */
void library_forget_profile(struct lockstep_device *device, const struct isa_module *code);

/* breaks.c */
void breaks_free(struct breaks *breaks);
/* A launch begins: no SM has come to a breakpoint. */
void breaks_begin(struct breaks *breaks);
/* True: some SM has since the last call; *hit is the first one. */
bool breaks_take(struct breaks *breaks, struct break_hit *hit);

#endif
