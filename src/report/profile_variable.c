/* Words by variable: see profile_variable.h. */
#include "report/profile_variable.h"

#include <string.h>

/* Bytes of a word's name that name the variable or allocation which it lies in: all but an offset. */
static size_t variable_bytes(const char *name)
{
    const char *plus = strrchr(name, '+');
    bool offset = plus && plus[1] && !plus[1 + strspn(plus + 1, "0123456789")];
    return offset ? (size_t)(plus - name) : strlen(name);
}

static bool is_in(const struct profile_variable *variable, const char *name)
{
    return variable_bytes(name) == variable->bytes && !strncmp(name, variable->name, variable->bytes);
}

/* The variable that word number `first`, its most expensive one, lies in. */
static struct profile_variable variable_at(const struct profile_variable_word *words, size_t count, size_t first)
{
    struct profile_variable v = {
        .name = words[first].name, .bytes = variable_bytes(words[first].name), .first = first, .alone = true};
    for (size_t i = first; i < count; i++)
        if (is_in(&v, words[i].name)) {
            v.count++;
            v.waited += words[i].waited;
            v.alone = v.alone && (i == first || words[i].waited * 2 < words[first].waited);
        }
    return v;
}

static bool is_first_of_variable(const struct profile_variable_word *words, size_t n)
{
    const struct profile_variable v = {.name = words[n].name, .bytes = variable_bytes(words[n].name)};
    for (size_t i = 0; i < n; i++)
        if (is_in(&v, words[i].name))
            return false;
    return true;
}

struct profile_variable profile_variable_of(const struct profile_variable_word *words, size_t count, uint64_t least)
{
    struct profile_variable most = variable_at(words, count, 0);
    if (most.count == 1 || (most.alone && words[0].waited >= least)) {
        most.waited = words[0].waited;
        if (most.waited >= least)
            return most;
    }
    most.alone = most.count == 1;
    for (size_t n = 1; n < count; n++) {
        if (!is_first_of_variable(words, n))
            continue;
        struct profile_variable other = variable_at(words, count, n);
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
