/* An adversary at the entrance of an L2 slice: requests stay in the ROP delay for longer than others that came later,
 * so that a program sees the orders that the memory model lets it see and that the machine shows seldom or never.
 *
 * Two requests of one SM about one line keep their order, since the coherence of a place and the protocols need it
 * (memory/message.def, and the network of check/). All others have none: a fence waits for the acknowledgements of what
 * is before it, however long they take, so a program that has its fences waits longer and ends as before. */
#include "memory/slice.h"

/* The odds of being held, in a number drawn below ODDS. Half of what no thread waits for is held, so that what follows
 * it overtakes it; of loads, which other accesses of their thread can overtake as well, fewer, or all would be late
 * alike. An atomic with a result holds up its warp, so nothing overtakes it; nor is there an order to be seen in local
 * memory, constants and instructions. */
enum { ODDS = 16, HELD_STORES = 8, HELD_LOADS = 4 };

static uint32_t odds_of(const struct packet *p)
{
    if (p->space != PACKET_GLOBAL)
        return 0;
    if (p->kind == PACKET_ATOMIC)
        return atomic_of(p)->no_return ? HELD_STORES : 0;
    return p->kind == PACKET_WRITE ? HELD_STORES : HELD_LOADS;
}

/* Cycles for which the adversary holds a request beyond the delay. */
static uint32_t hold_of(struct slice_adversary *a, const struct packet *p)
{
    return random_below(&a->stream, ODDS) < odds_of(p) ? 1 + random_below(&a->stream, a->most) : 0;
}

static bool keep_order(const struct packet *a, const struct packet *b)
{
    return a->sm == b->sm && a->address / PACKET_LINE_BYTES == b->address / PACKET_LINE_BYTES;
}

/* The packet behind which the delay has one that leaves it in cycle `ready`: the last that leaves no later; of those
 * before the delay, the last. NULL: it is the first of all. A packet that has begun to leave was due earlier, and so
 * stays before it. */
static struct packet *place_of(const struct slice *s, uint64_t ready)
{
    struct packet *behind = NULL, *p = s->first;
    for (; p != s->rop_first; p = p->next)
        behind = p;
    for (; p && p->ready <= ready; p = p->next)
        behind = p;
    return behind;
}

void slice_hold(struct slice *s, struct packet *packet)
{
    packet->ready += hold_of(s->adversary, packet);
    for (const struct packet *p = s->rop_first; p; p = p->next)
        if (keep_order(p, packet))
            packet->ready = cycle_max(packet->ready, p->ready);
    struct packet *behind = place_of(s, packet->ready), **link = behind ? &behind->next : &s->first;
    packet->next = *link;
    *link = packet;
    if (!packet->next)
        s->last = packet;
}
