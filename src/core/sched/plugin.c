/* Warp schedulers from shared objects. The object's code runs in Lockstep's own process: what can be checked of it
 * beforehand is, a pick that is not ready is met where it is picked (issue.c), and what ends the process or never ends
 * is told as the object's fault (base/plugin.h). */
#include <stdlib.h>
#include <string.h>

#include "base/plugin.h"
#include "core/sched/sched.h"

#define SYMBOL "lockstep_scheduler_plugin"

static int wrong(const char *path, const char *hint, const char *what, struct diag_sink *sink)
{
    return plugin_wrong(&(struct plugin){.kind = SCHED_KIND}, path, hint, what, sink);
}

static int check_options(const char *path, const struct lockstep_scheduler_option *o, struct diag_sink *sink)
{
    for (unsigned n = 0; o && o[n].name; n++) {
        uint64_t choices = 0;
        while (o[n].choices && o[n].choices[choices])
            choices++;
        if (n == LOCKSTEP_SCHEDULER_OPTIONS)
            return wrong(path, "LOCKSTEP_SCHEDULER_OPTIONS of lockstep/scheduler.h is the limit",
                         "it has too many options", sink);
        if (o[n].choices ? o[n].initial >= choices : o[n].initial < o[n].minimum || o[n].initial > o[n].maximum)
            return wrong(path, NULL, "the initial value of an option is none that the option can have", sink);
        if (o[n].parameter && (o[n].choices || !sched_parameter(o[n].parameter)))
            return wrong(path, "`lockstep params sm` lists them",
                         "an option begins with a parameter that is no number of sm", sink);
    }
    return 0;
}

/* The version first: in a structure of another version the rest may lie elsewhere. */
int sched_check_policy(const char *path, const struct lockstep_scheduler *policy, struct diag_sink *sink)
{
    if (!policy)
        return wrong(path, NULL, SYMBOL " returns nothing", sink);
    if (policy->version != LOCKSTEP_SCHEDULER_VERSION)
        return diag_error(sink, DIAG_NOWHERE,
                          "lockstep/scheduler.h says what has changed: build it again with this one",
                          "%s was built for version %u of the scheduler interface; this is version %u", path,
                          (unsigned)policy->version, LOCKSTEP_SCHEDULER_VERSION);
    if (!policy->name || !policy->name[0])
        return wrong(path, NULL, "it has no name", sink);
    if (!policy->reset || !policy->pick)
        return wrong(path, NULL, "a policy must have the functions reset and pick", sink);
    if (policy->needs & ~(uint32_t)(LOCKSTEP_NEEDS_LONG_WAIT | LOCKSTEP_NEEDS_MEMORY))
        return wrong(path, NULL, "it needs something that this Lockstep does not know", sink);
    if (policy->state_bytes > LOCKSTEP_SCHEDULER_STATE)
        return diag_error(sink, DIAG_NOWHERE, NULL, "%s: a state of %zu bytes is too large; %d bytes are the limit",
                          path, policy->state_bytes, LOCKSTEP_SCHEDULER_STATE);
    return check_options(path, policy->options, sink);
}

/* Asks the object for its policy, guarded. */
static int find_policy(struct sched *sched, const char *path, void *symbol, struct diag_sink *sink)
{
    const struct lockstep_scheduler *(*plugin)(void);
    struct plugin guarded = sched_plugin(sched, NULL);
    memcpy(&plugin, &symbol, sizeof plugin);
    plugin_guard_begin(&guarded, 1, NULL);
    sched->policy = plugin();
    plugin_guard_end();
    return sched_check_policy(path, sched->policy, sink);
}

int sched_load(struct sched *sched, const char *path, struct diag_sink *sink)
{
    struct plugin plugin = sched_plugin(sched, NULL);
    void *symbol;
    if (plugin_load(&plugin, path, "a scheduler is built by: cc -shared -fPIC -o mine.so mine.c",
                    "lockstep/scheduler.h", &symbol, sink) < 0)
        return -1;
    sched->library = plugin.library;
    if (find_policy(sched, path, symbol, sink) < 0) {
        sched_close(sched);
        return -1;
    }
    return 0;
}

struct plugin sched_plugin(const struct sched *sched, struct sched_functions *functions)
{
    const struct lockstep_scheduler *p = sched->policy;
    struct plugin plugin = {.library = sched->library, .kind = SCHED_KIND, .word = "scheduler", .symbol = SYMBOL};
    if (!functions || !p)
        return plugin;
    *functions = (struct sched_functions){{{"reset", (uintptr_t)p->reset},
                                           {"advance", (uintptr_t)p->advance},
                                           {"pick", (uintptr_t)p->pick},
                                           {"issued", (uintptr_t)p->issued},
                                           {"launched", (uintptr_t)p->launched},
                                           {"ended", (uintptr_t)p->ended},
                                           {"arrived", (uintptr_t)p->arrived},
                                           {"released", (uintptr_t)p->released},
                                           {"fetch", (uintptr_t)p->fetch},
                                           {"hardware_bits", (uintptr_t)p->hardware_bits}}};
    plugin.name = p->name;
    plugin.functions = functions->of;
    plugin.function_count = sizeof functions->of / sizeof functions->of[0];
    return plugin;
}

void sched_close(struct sched *sched)
{
    struct plugin plugin = {.library = sched->library};
    plugin_unload(&plugin);
    *sched = (struct sched){0};
}
