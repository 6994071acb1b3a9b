/* The registry of spin detectors and controls. */
#include <string.h>

#include "sm/spin/spin.h"

#define SPIN_DETECTOR(symbol) extern const struct spin_detector spin_##symbol;
#define SPIN_CONTROL(symbol) extern const struct spin_control spin_##symbol;
#include "sm/spin/list.def"
#undef SPIN_DETECTOR
#undef SPIN_CONTROL

static const struct spin_detector *const detectors[] = {
#define SPIN_DETECTOR(symbol) &spin_##symbol,
#define SPIN_CONTROL(symbol)
#include "sm/spin/list.def"
#undef SPIN_DETECTOR
#undef SPIN_CONTROL
    NULL,
};

static const struct spin_control *const controls[] = {
#define SPIN_DETECTOR(symbol)
#define SPIN_CONTROL(symbol) &spin_##symbol,
#include "sm/spin/list.def"
#undef SPIN_DETECTOR
#undef SPIN_CONTROL
    NULL,
};

const struct spin_detector *spin_find_detector(const char *name)
{
    for (unsigned i = 0; detectors[i]; i++)
        if (!strcmp(detectors[i]->name, name))
            return detectors[i];
    return NULL;
}

const struct spin_control *spin_find_control(const char *name)
{
    for (unsigned i = 0; controls[i]; i++)
        if (!strcmp(controls[i]->name, name))
            return controls[i];
    return NULL;
}

const struct spin_detector *const *spin_detectors(void)
{
    return detectors;
}

const struct spin_control *const *spin_controls(void)
{
    return controls;
}
