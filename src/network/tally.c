/* The rare part of a tally: counts that overflow its digits. */
#include "base/hot.h"
#include "network/tally.h"

#include "base/check.h"

/* After a change of what a port has beyond the digits: which digits would be the limit. */
static void note_over(struct tally *t, unsigned port)
{
    unsigned digits = t->limit - 4u * t->over[port];
    mask_put(&t->beyond, port, t->over[port]);
    mask_put(&t->full, port, digits < 8);
    mask_put(&t->full_fours, port, digits & 4);
}

void tally_init(struct tally *t, unsigned limit)
{
    *t = (struct tally){.limit = (uint16_t)limit,
                        .full = -(uint64_t)(limit < 8),
                        .full_ones = -(uint64_t)(limit & 1),
                        .full_twos = -(uint64_t)(limit >> 1 & 1),
                        .full_fours = -(uint64_t)(limit >> 2 & 1)};
}

unsigned tally_count(const struct tally *t, unsigned port)
{
    return 4u * t->over[port] + 4u * mask_has(t->fours, port) + 2u * mask_has(t->twos, port) + mask_has(t->ones, port);
}

/* Counts from 8 on have 4 to 7 in the digits. */
void tally_set(struct tally *t, unsigned port, unsigned count)
{
    t->over[port] = (uint16_t)(count < 8 ? 0 : count / 4 - 1);
    mask_put(&t->ones, port, count & 1);
    mask_put(&t->twos, port, count & 2);
    mask_put(&t->fours, port, count >= 4);
    note_over(t, port);
}

void tally_copy(struct tally *to, const struct tally *from, uint64_t ports)
{
    for (uint64_t rest = ports; rest; rest &= rest - 1)
        tally_set(to, mask_first(rest), tally_count(from, mask_first(rest)));
}

/* 8 in the digits is 0 there: it becomes 4, and four over. -1 is 7 there: it becomes 3, for four of those over. */
HOT void tally_leave(struct tally *t, uint64_t up, uint64_t down)
{
    t->fours ^= up | down;
    for (uint64_t rest = up | down; rest; rest &= rest - 1) {
        unsigned port = mask_first(rest);
        t->over[port] += mask_has(up, port) ? 1 : -1;
        note_over(t, port);
    }
}

void tally_check(struct tally *t, struct check *c, const char *name)
{
    uint64_t beyond = 0, full = 0, fours = 0;
    for (unsigned port = 0; port < 64; port++) {
        unsigned digits = t->limit - 4u * t->over[port];
        beyond |= t->over[port] ? BIT64(port) : 0;
        full |= digits < 8 ? BIT64(port) : 0;
        fours |= digits & 4 ? BIT64(port) : 0;
    }
    CHECK_FACT(c, name, 0, t->beyond, beyond);
    CHECK_FACT(c, name, 1, t->full, full);
    CHECK_FACT(c, name, 2, t->full_ones, -(uint64_t)(t->limit & 1));
    CHECK_FACT(c, name, 3, t->full_twos, -(uint64_t)(t->limit >> 1 & 1));
    CHECK_FACT(c, name, 4, t->full_fours, fours);
}
