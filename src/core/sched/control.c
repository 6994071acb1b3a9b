/* The registry of spin controls. */
#include "core/sched/control.h"

#include <string.h>

#define CONTROL(symbol) extern const struct sched_control sched_control_##symbol;
#include "core/sched/controls.def"
#undef CONTROL

static const struct sched_control *const controls[] = {
#define CONTROL(symbol) &sched_control_##symbol,
#include "core/sched/controls.def"
#undef CONTROL
    NULL,
};

const struct sched_control *sched_find_control(const char *name)
{
    for (unsigned i = 0; controls[i]; i++)
        if (!strcmp(controls[i]->name, name))
            return controls[i];
    return NULL;
}

const struct sched_control *const *sched_controls(void)
{
    return controls;
}
