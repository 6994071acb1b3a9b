/* See check.h. */
#include "base/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void check_init(struct check *c)
{
    *c = (struct check){.breaks = CHECK_NONE, .quiet = true};
}

void check_init_break(struct check *c, uint64_t target)
{
    *c = (struct check){.breaks = target};
}

void check_init_hear(struct check *c, void (*hear)(void *context, const char *name, uint64_t number), void *context)
{
    *c = (struct check){.breaks = CHECK_NONE, .hear = hear, .context = context};
}

void check_of(struct check *c, const char *kind, unsigned number)
{
    snprintf(c->unit, sizeof c->unit, "%s %u", kind, number);
}

void check_wrong(struct check *c, const char *name, unsigned at, uint64_t kept, uint64_t should_be)
{
    if (c->wrong || c->breaks != CHECK_NONE)
        return;
    c->wrong = name;
    memcpy(c->wrong_unit, c->unit, sizeof c->unit);
    c->at = at;
    c->kept = kept;
    c->should_be = should_be;
}

static void write_number(struct check *c, const char *name, void *kept, size_t bytes, uint64_t number)
{
    c->broken = name;
    c->broken_at = kept;
    c->broken_was = check_number(kept, bytes);
    c->broken_bytes = bytes;
    memcpy(kept, &number, bytes);
}

void check_mend(struct check *c)
{
    if (c->broken)
        memcpy(c->broken_at, &c->broken_was, c->broken_bytes);
    c->broken = NULL;
}

void check_demand(const struct check *c)
{
    if (!c->wrong)
        return;
    fprintf(stderr, "%s: %s[%u] is %" PRIu64 " and should be %" PRIu64 "\n", c->wrong_unit, c->wrong, c->at, c->kept,
            c->should_be);
    abort();
}

/* Counts a statement. True: it is the one that this walk breaks. */
static bool is_target(struct check *c, const char *name)
{
    if (c->hear)
        c->hear(c->context, name, c->stated);
    return c->stated++ == c->breaks;
}

void check_bits_told(struct check *c, const char *name, unsigned at, void *kept, size_t bytes, uint64_t bits,
                     uint64_t should_be)
{
    if (!bits) /* none is looked at */
        return;
    uint64_t number = check_number(kept, bytes);
    if (is_target(c, name))
        write_number(c, name, kept, bytes, number ^ (bits & -bits));
    else if ((number ^ should_be) & bits)
        check_wrong(c, name, at, number & bits, should_be & bits);
}

void check_at_most(struct check *c, const char *name, unsigned at, void *kept, size_t bytes, uint64_t most)
{
    if (most >= UINT64_MAX >> (64 - 8 * bytes)) /* no number is more */
        return;
    uint64_t number = check_number(kept, bytes);
    if (is_target(c, name))
        write_number(c, name, kept, bytes, most + 1);
    else if (number > most)
        check_wrong(c, name, at, number, most);
}
