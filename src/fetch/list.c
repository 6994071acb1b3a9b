/* The list of fetch policies: see policy.h. */
#include <string.h>

#include "fetch/policy.h"

#define FETCH_POLICY(symbol) extern const struct fetch_policy fetch_##symbol;
#include "fetch/list.def"
#undef FETCH_POLICY

static const struct fetch_policy *const policies[] = {
#define FETCH_POLICY(symbol) &fetch_##symbol,
#include "fetch/list.def"
#undef FETCH_POLICY
    NULL,
};

const struct fetch_policy *fetch_find(const char *name)
{
    for (unsigned i = 0; policies[i]; i++)
        if (!strcmp(policies[i]->name, name))
            return policies[i];
    return NULL;
}

const struct fetch_policy *const *fetch_policies(void)
{
    return policies;
}
