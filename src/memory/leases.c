/* Leases end in the order in which they began: a list of the places that have one (leases.h). */
#include "memory/leases.h"

#include "base/archive.h"
#include "base/check.h"

void leases_init(struct leases *l, uint32_t count, uint32_t length, struct arena *arena)
{
    contract(length > 0);
    *l = (struct leases){.of = ARENA_NEW(arena, struct lease, count),
                         .count = count,
                         .length = length,
                         .first = LEASES_NONE,
                         .last = LEASES_NONE};
    for (uint32_t i = 0; i < count; i++)
        l->of[i] = (struct lease){0, LEASES_NONE, LEASES_NONE};
}

static void unlink_place(struct leases *l, uint32_t place)
{
    struct lease *lease = &l->of[place];
    *(lease->before == LEASES_NONE ? &l->first : &l->of[lease->before].next) = lease->next;
    *(lease->next == LEASES_NONE ? &l->last : &l->of[lease->next].before) = lease->before;
    *lease = (struct lease){0, LEASES_NONE, LEASES_NONE};
}

void leases_begin(struct leases *l, uint32_t place, uint64_t cycle)
{
    struct lease *lease = &l->of[place];
    if (lease->end)
        unlink_place(l, place);
    contract(l->last == LEASES_NONE || l->of[l->last].end <= cycle + l->length);
    *lease = (struct lease){cycle + l->length, LEASES_NONE, l->last};
    *(l->last == LEASES_NONE ? &l->first : &l->of[l->last].next) = place;
    l->last = place;
}

uint32_t leases_take(struct leases *l, uint64_t cycle)
{
    uint32_t place = l->first;
    if (cycle < leases_next(l))
        return LEASES_NONE;
    unlink_place(l, place);
    return place;
}

/* The list has every place with a lease, in the order in which they end. */
void leases_check(struct leases *l, struct check *c)
{
    uint32_t listed = 0, with = 0, before = LEASES_NONE;
    uint64_t end = 0;
    for (uint32_t i = l->first; i < l->count && listed < l->count; before = i, i = l->of[i].next, listed++) {
        CHECK_FACT(c, "lease.before", i, l->of[i].before, before);
        check_holds(c, "lease.end", i, l->of[i].end >= end && l->of[i].end > 0);
        end = l->of[i].end;
    }
    for (uint32_t i = 0; i < l->count; i++)
        with += l->of[i].end != 0;
    CHECK_FACT(c, "leases.last", 0, l->last, before);
    check_holds(c, "leases.list", 0, listed == with);
}

/* Checkpoints */

void leases_archive(struct leases *l, struct archive *ar)
{
    for (uint32_t i = 0; i < l->count; i++) {
        ARCHIVE(ar, l->of[i].end);
        archive_place(ar, &l->of[i].next, l->count);
        archive_place(ar, &l->of[i].before, l->count);
    }
    archive_place(ar, &l->first, l->count);
    archive_place(ar, &l->last, l->count);
}
