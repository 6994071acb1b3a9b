#include "sm/sched/sched.h"

#include <string.h>

#define SCHEDULER(symbol) extern const struct lockstep_scheduler sched_##symbol;
#include "sm/sched/list.def"
#undef SCHEDULER

static const struct lockstep_scheduler *const schedulers[] = {
#define SCHEDULER(symbol) &sched_##symbol,
#include "sm/sched/list.def"
#undef SCHEDULER
    NULL,
};

const struct lockstep_scheduler *sched_find(const char *name)
{
    for (unsigned i = 0; schedulers[i]; i++)
        if (!strcmp(schedulers[i]->name, name))
            return schedulers[i];
    return NULL;
}

const struct lockstep_scheduler *const *sched_list(void)
{
    return schedulers;
}
