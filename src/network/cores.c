/* The list of cores. */
#include <string.h>

#include "network/core.h"

#define NETWORK_CORE(symbol) extern const struct network_core_kind network_core_##symbol;
#include "network/cores.def"
#undef NETWORK_CORE

static const struct network_core_kind *const kinds[] = {
#define NETWORK_CORE(symbol) &network_core_##symbol,
#include "network/cores.def"
#undef NETWORK_CORE
    NULL,
};

const struct network_core_kind *const *network_cores(void)
{
    return kinds;
}

const struct network_core_kind *network_find_core(const char *name)
{
    for (unsigned i = 0; kinds[i]; i++)
        if (!strcmp(kinds[i]->name, name))
            return kinds[i];
    return NULL;
}

bool network_refuses(const struct network_params *params, unsigned inputs, unsigned outputs,
                     struct network_refusal *refusal)
{
    const struct network_core_kind *kind = network_find_core(params->core);
    return kind->refuses && kind->refuses(params, inputs, outputs, refusal);
}

const char *network_core_name(const struct network_core_kind *kind)
{
    return kind->name;
}
