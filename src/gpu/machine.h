/* A machine: every parameter of every unit. Each room declares its own table; this is where they meet. */
#ifndef LOCKSTEP_GPU_MACHINE_H
#define LOCKSTEP_GPU_MACHINE_H

#include "base/arena.h"
#include "config/param.h"
#include "energy/energy_params.h"
#include "memory/cache.h"
#include "memory/partition.h"
#include "network/network.h"
#include "core/sched/sched.h"
#include "core/sm_params.h"
#include "watch/spin/spin_params.h"

/* As its file has it; with its warp schedulers in fixed order; with all that departs on purpose from the simulator
 * behind it set back (gpu/departures.h). */
enum machine_as { MACHINE_SHIPPED, MACHINE_FIXED_ORDER, MACHINE_REFERENCE };
/* "shipped", "fixed-order", "reference", NULL. */
extern const char *const machine_as_names[];

enum gpu_registers_as { GPU_REGISTERS_PTX, GPU_REGISTERS_PTXAS };
extern const char *const gpu_registers_as_choices[];

struct gpu_params { /* group "gpu": number of SMs, clocks, device memory, watchdog, limits */
#include "config/param_fields.h"
#include "gpu/gpu_params.def"
#include "config/param_end.h"
};

#define MACHINE_GROUPS 13

struct machine {
    const char *name;   /* "gtx480", or the path of the file */
    const char *origin; /* the machine that comes with Lockstep: this one, or a file's base; "": none */
    const char *doc;
    bool names_code; /* a file, and nobody else, names its warp scheduler, and that is a shared object */
    bool allow_code; /* which is loaded nevertheless; set by whoever asks the user */
    enum machine_as as;
    struct sched_given given; /* a warp scheduler that sm.scheduler may name besides those that there are */
    struct gpu_params gpu;
    struct sm_params sm;
    struct spin_params spin;
    struct cache_params l1i, l1c, l1d;
    struct network_params network;
    struct memory_params memory;
    struct energy_params energy;
    struct param_group groups[MACHINE_GROUPS]; /* gpu sm spin l1i l1c l1d coherence locks network partition l2 dram
                                                  energy, bound to the fields above */
    struct arena arena;
};

/* Names of the machines that come with Lockstep, NULL-terminated; valid for the life of arena. */
const char *const *machine_names(struct arena *arena);
/* Loads a built-in machine by name, or a YAML file by path (anything with a '/' or ending in .yaml). A file may begin
 * with `base: NAME` to start from a built-in one; its `tune:` is left to lockstep tune. -1 with
 * diagnostics on failure. */
int machine_load(struct machine *machine, const char *name, struct diag_sink *sink);
/* As machine_load, from a file's text; name: the file's, for messages. */
int machine_load_text(struct machine *machine, const char *name, const char *text, struct diag_sink *sink);
/* The text of the file of a machine that comes with Lockstep; NULL: none has that name. */
const char *machine_text(const char *name);
/* Returns true if machine_load would take the name for a file's. */
bool machine_is_file(const char *name);
/* Applies one `group.parameter=value`. */
int machine_set(struct machine *machine, const char *assignment, struct diag_sink *sink);
/* True: machine_set gave `group.parameter` its value, not a file or the default. */
bool machine_was_set(const struct machine *machine, const char *name);
/* Appends the value of `group.parameter`; false when there is none of that name. */
bool machine_value(const struct machine *machine, const char *name, struct strbuf *out);
/* Chooses the warp scheduler by a name as sched_open takes it: "gto", "./mine.so". machine_check looks at it. */
void machine_set_scheduler(struct machine *machine, const char *name);
/* Refuses a machine that cannot work: the rules of every room (sm/sm_rules.def and the like), and names that nothing
 * has, and one whose file names code to be loaded (names_code). Each broken rule is an error with its reason, where the
 * parameter was set. Called by gpu_create too. scheduler: NULL, or where to leave the warp scheduler open; it is closed
 * after an error. */
int machine_check(const struct machine *machine, struct sched *scheduler, struct diag_sink *sink);
void machine_free(struct machine *machine);

#endif
