/* The registry of warp schedulers, and schedulers from shared objects. A scheduler is named
 *     NAME[:OPTION=VALUE...][+CONTROL]
 * where NAME is one of the list, or a file: a name with a '/' or that ends in ".so"; CONTROL holds back spinning warps
 * (control.h). */
#ifndef LOCKSTEP_CORE_SCHED_SCHED_H
#define LOCKSTEP_CORE_SCHED_SCHED_H

#include <stdbool.h>

#include "base/diag.h"
#include "base/plugin.h"
#include "lockstep/scheduler.h"
#include "core/sched/control.h"
#include "core/sm_params.h"

/* A scheduler as a run uses it. */
struct sched {
    const struct lockstep_scheduler *policy;
    uint64_t options[LOCKSTEP_SCHEDULER_OPTIONS]; /* values, in the order of policy->options */
    uint32_t named;                               /* set of options whose value the name says */
    const struct sched_control *control;          /* over the policy, or NULL */
    void *library;                                /* of a policy that came from a file, else NULL */
    void *user;                                   /* lockstep_scheduler_setup.user */
};
/* A policy that the program around Lockstep brings, under its own name; policy NULL: none. */
struct sched_given {
    const struct lockstep_scheduler *policy;
    void *user;
};

/* The scheduler of the list with that very name, or NULL. */
const struct lockstep_scheduler *sched_find(const char *name);
/* All schedulers of the list, NULL-terminated. */
const struct lockstep_scheduler *const *sched_list(void);

/* Finds or loads the scheduler that `name` names, with its options. -1 with a diagnostic. */
int sched_open(struct sched *sched, const char *name, struct diag_sink *sink);
/* As sched_open, where the name may be that of `given` too, which comes before one of the list. */
int sched_open_given(struct sched *sched, const char *name, const struct sched_given *given, struct diag_sink *sink);
/* Gives the options that begin with a parameter's value that value, where the name said none. */
void sched_settle(struct sched *sched, const struct sm_params *params);
/* The value of an option, or `otherwise` where the policy has none of that name. */
uint64_t sched_value(const struct sched *sched, const char *option, uint64_t otherwise);
/* The parameter of group sm of that name if it holds a number, else NULL. */
const struct param_desc *sched_parameter(const char *name);
/* Unloads it; a zeroed struct is closed already. */
void sched_close(struct sched *sched);
/* True: the name is that of a file. */
bool sched_is_file(const char *name);
/* Appends the name as it stands for the same policy anywhere: of a file, its own name without folders and a hash of its
 * content. */
void sched_identify(const char *name, struct strbuf *out);

/* plugin.c: loads the policy of a shared object into sched->policy and sched->library. */
int sched_load(struct sched *sched, const char *path, struct diag_sink *sink);
/* Refuses a policy that is not as the contract says: -1 with a diagnostic, which calls it `path`. */
int sched_check_policy(const char *path, const struct lockstep_scheduler *policy, struct diag_sink *sink);
/* The scheduler as plugin_guard_begin takes it; functions: room for those of its policy, or NULL while that is not
 * known. */
#define SCHED_KIND "warp scheduler"
struct sched_functions {
    struct plugin_function of[10];
};
struct plugin sched_plugin(const struct sched *sched, struct sched_functions *functions);

#endif
