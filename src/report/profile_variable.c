/* Words by variable: see profile_variable.h. */
#include "report/profile_variable.h"

#include <inttypes.h>
#include <string.h>

#include "profile/profile.h"
#include "report/profile_uses.h"

static bool is_in(const struct profile_variable *variable, const char *name)
{
    return profile_variable_bytes(name) == variable->bytes && !strncmp(name, variable->name, variable->bytes);
}

/* The variable that word number `first`, its most expensive one, lies in. */
static struct profile_variable variable_at(const struct profile_variable_word *words, size_t count,
                                           const struct profile_variable_rests *rests, size_t first)
{
    struct profile_variable v = {
        .name = words[first].name, .bytes = profile_variable_bytes(words[first].name), .first = first, .alone = true};
    for (size_t i = first; i < count; i++)
        if (is_in(&v, words[i].name)) {
            v.listed++;
            v.waited += words[i].waited;
            v.alone = v.alone && (i == first || words[i].waited * 2 < words[first].waited);
        }
    v.count = v.listed;
    for (size_t i = 0; i < rests->of.count; i++)
        if (is_in(&v, rests->of.items[i].name)) {
            v.count += rests->of.items[i].words;
            v.waited += rests->of.items[i].waited;
        }
    return v;
}

static bool is_first_of_variable(const struct profile_variable_word *words, size_t n)
{
    const struct profile_variable v = {.name = words[n].name, .bytes = profile_variable_bytes(words[n].name)};
    for (size_t i = 0; i < n; i++)
        if (is_in(&v, words[i].name))
            return false;
    return true;
}

struct profile_variable profile_variable_of(const struct profile_variable_word *words, size_t count,
                                            const struct profile_variable_rests *rests, uint64_t least)
{
    struct profile_variable most = variable_at(words, count, rests, 0);
    if (most.count == 1 || (most.alone && words[0].waited >= least)) {
        most.waited = words[0].waited;
        if (most.waited >= least)
            return most;
    }
    most.alone = most.count == 1;
    for (size_t n = 1; n < count; n++) {
        if (!is_first_of_variable(words, n))
            continue;
        struct profile_variable other = variable_at(words, count, rests, n);
        other.alone = other.count == 1;
        if (other.waited > most.waited)
            most = other;
    }
    return most;
}

bool profile_variable_has(const struct profile_variable *variable, const struct profile_variable_word *words, size_t n)
{
    return variable->alone ? n == variable->first : is_in(variable, words[n].name);
}

void profile_variable_rests_read(struct profile_variable_rests *rests, const json_t *kernels, const char *name,
                                 const char *member, const char *waited, const char *const *others)
{
    json_t *all = profile_uses_all(kernels, name, member);
    const json_t *object;
    size_t i;
    json_array_foreach(all, i, object)
    {
        struct profile_variable_rest *rest = NULL;
        for (size_t n = 0; n < rests->of.count && !rest; n++)
            if (!strcmp(rests->of.items[n].name, profile_uses_name(object)))
                rest = &rests->of.items[n];
        if (!rest) {
            vec_push(&rests->of, (struct profile_variable_rest){.name = profile_uses_name(object)});
            rest = &rests->of.items[rests->of.count - 1];
        }
        profile_uses_count(object, "words", true, &rest->words);
        profile_uses_count(object, waited, false, &rest->waited);
        for (unsigned k = 0; k < 2; k++)
            profile_uses_count(object, others[k], false, &rest->others[k]);
    }
    json_decref(all);
}

const struct profile_variable_rest *profile_variable_rest_of(const struct profile_variable *variable,
                                                             const struct profile_variable_rests *rests)
{
    for (size_t i = 0; i < rests->of.count && !variable->alone; i++)
        if (is_in(variable, rests->of.items[i].name))
            return &rests->of.items[i];
    return NULL;
}

void profile_variable_add_words(const struct profile_variable *variable, const char *kind, struct strbuf *out)
{
    strbuf_addf(out, "%" PRIu64 " %ss of %.*s", variable->count, kind, (int)variable->bytes, variable->name);
    if (variable->count > variable->listed)
        strbuf_addf(out, " (%u of them listed)", variable->listed);
}
