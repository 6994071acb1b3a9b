/* The registry of spin detectors. */
#include <string.h>

#include "watch/spin/spin.h"

#define SPIN_DETECTOR(symbol) extern const struct spin_detector spin_##symbol;
#include "watch/spin/list.def"
#undef SPIN_DETECTOR

static const struct spin_detector *const detectors[] = {
#define SPIN_DETECTOR(symbol) &spin_##symbol,
#include "watch/spin/list.def"
#undef SPIN_DETECTOR
    NULL,
};

const struct spin_detector *spin_find_detector(const char *name)
{
    for (unsigned i = 0; detectors[i]; i++)
        if (!strcmp(detectors[i]->name, name))
            return detectors[i];
    return NULL;
}

const struct spin_detector *const *spin_detectors(void)
{
    return detectors;
}
