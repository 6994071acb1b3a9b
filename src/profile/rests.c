/* Words that are not shown, by variable: see profile.h. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "profile/profile.h"

size_t profile_variable_bytes(const char *name)
{
    const char *plus = strrchr(name, '+');
    bool offset = plus && plus[1] && !plus[1 + strspn(plus + 1, "0123456789")];
    return offset ? (size_t)(plus - name) : strlen(name);
}

static struct profile_rest *rest_of(struct profile_rests *rests, const char *name)
{
    size_t bytes = profile_variable_bytes(name);
    for (uint32_t i = rests->count; i-- > 0;) /* words of one variable come one after the other, mostly */
        if (strlen(rests->of[i].name) == bytes && !memcmp(rests->of[i].name, name, bytes))
            return &rests->of[i];
    rests->of = base_realloc(rests->of, (size_t)(rests->count + 1) * sizeof *rests->of);
    struct profile_rest *rest = &rests->of[rests->count++];
    *rest = (struct profile_rest){.name = base_calloc(bytes + 1, 1)};
    memcpy(rest->name, name, bytes);
    return rest;
}

void profile_rests_add(struct profile_rests *rests, const char *name, const uint64_t *counts, unsigned count,
                       unsigned most)
{
    struct profile_rest *rest = rest_of(rests, name);
    rest->words++;
    for (unsigned i = 0; i < count; i++)
        if (i != most)
            rest->counts[i] += counts[i];
        else if (counts[i] > rest->counts[i])
            rest->counts[i] = counts[i];
}
