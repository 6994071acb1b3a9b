/* The instruction that a cause is charged to: see charge.h. */
#include "profile/charge.h"

#include <string.h>

#include "base/check.h"
#include "profile/profile.h"

enum charge { CHARGE_NEXT, CHARGE_LAST, CHARGE_FENCE };

static const struct {
    const char *name, *words;
    enum charge charge;
} causes[] = {
#define PROFILE_CAUSE(name, charge, words) {#name, words, CHARGE_##charge},
#include "profile/causes.def"
#undef PROFILE_CAUSE
};

const char *profile_cause_words(const char *name)
{
    for (unsigned i = 0; i < sizeof causes / sizeof causes[0]; i++)
        if (!strcmp(causes[i].name, name))
            return causes[i].words;
    return name;
}

/* Causes that are charged so, as a set of their numbers. */
static uint64_t charged_so(const struct lockstep_observed *observed, enum charge charge)
{
    uint64_t set = 0;
    for (uint32_t c = 0; c < observed->cause_count; c++)
        for (unsigned i = 0; i < sizeof causes / sizeof causes[0]; i++)
            if (causes[i].charge == charge && !strcmp(causes[i].name, observed->causes[c]))
                set |= BIT64(c);
    return set;
}

/* Causes whose names begin so. */
static uint64_t causes_named(const struct lockstep_observed *observed, const char *name)
{
    uint64_t set = 0;
    for (uint32_t c = 0; c < observed->cause_count; c++)
        set |= strncmp(observed->causes[c], name, strlen(name)) == 0 ? BIT64(c) : 0;
    return set;
}

void profile_charge_begin(struct profile_charge *charge, const struct lockstep_observed *observed)
{
    contract(observed->cause_count <= 64);
    charge->last = charged_so(observed, CHARGE_LAST);
    charge->data = causes_named(observed, "data_");
    charge->fence = (uint8_t)mask_first(charged_so(observed, CHARGE_FENCE));
    charge->issued = (uint8_t)mask_first(causes_named(observed, "issued"));
    charge->unpicked = (uint8_t)mask_first(causes_named(observed, "unpicked"));
    charge->held = (uint8_t)mask_first(causes_named(observed, "held"));
    charge->mbarrier = (uint8_t)mask_first(causes_named(observed, "mbarrier"));
    charge->cluster = (uint8_t)mask_first(causes_named(observed, "cluster"));
}
