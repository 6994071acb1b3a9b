/* See check.h. */
#include "base/check.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

void check_init(struct check *c)
{
    *c = (struct check){.breaks = CHECK_NONE};
}

void check_init_break(struct check *c, uint64_t target)
{
    *c = (struct check){.breaks = target};
}

void check_of(struct check *c, const char *kind, unsigned number)
{
    snprintf(c->unit, sizeof c->unit, "%s %u", kind, number);
}

static uint64_t read_number(const void *at, size_t bytes)
{
    assert(bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8);
    uint64_t number = 0;
    memcpy(&number, at, bytes); /* hosts are little-endian: archives rely on it too */
    return number;
}

static void note_wrong(struct check *c, const char *name, unsigned at, uint64_t kept, uint64_t should_be)
{
    if (c->wrong)
        return;
    c->wrong = name;
    memcpy(c->wrong_unit, c->unit, sizeof c->unit);
    c->at = at;
    c->kept = kept;
    c->should_be = should_be;
}

/* Whether this statement is the one to break; counts it. */
static bool is_target(struct check *c, const char *name)
{
    bool target = c->stated++ == c->breaks;
    if (target)
        c->broken = name;
    return target;
}

void check_fact(struct check *c, const char *name, unsigned at, void *kept, size_t bytes, uint64_t should_be)
{
    uint64_t number = read_number(kept, bytes);
    if (is_target(c, name)) {
        number ^= 1;
        memcpy(kept, &number, bytes);
    } else if (c->breaks == CHECK_NONE && number != should_be) {
        note_wrong(c, name, at, number, should_be);
    }
}

void check_at_most(struct check *c, const char *name, unsigned at, void *kept, size_t bytes, uint64_t most)
{
    uint64_t number = read_number(kept, bytes);
    if (is_target(c, name)) {
        number = most + 1;
        memcpy(kept, &number, bytes);
    } else if (c->breaks == CHECK_NONE && number > most) {
        note_wrong(c, name, at, number, most);
    }
}

void check_holds(struct check *c, const char *name, unsigned at, bool holds)
{
    if (c->breaks == CHECK_NONE && !holds)
        note_wrong(c, name, at, false, true);
}
