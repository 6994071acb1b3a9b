/* An adversary at the entrance of an L2 slice: requests stay in the ROP delay for longer than others that came later,
 * so that a program sees the orders that the memory model lets it see and that the machine shows seldom or never.
 *
 * Requests of one SM about the same bytes keep their order, since the coherence of a place needs it; those about the
 * same line as well, where L1s have copies that the order is for (memory/message.def, and the network of check/). All
 * others have none: a fence waits for the acknowledgements of what is before it, however long they take, so a program
 * that has its fences waits longer and ends as before.
 *
 * Which mistakes it shows depends on what it holds. A missing fence shows where a store is held, a later one of the same
 * thread is not, and others read both; if both are held, or the reader's load of the flag is, nothing but time passes. So
 * the seed chooses one of several *tempers*, which hold different things and show different mistakes. */
#include <string.h>

#include "isa/op.h"
#include "memory/slice.h"

/* The odds of being held, in a number drawn below ODDS. */
enum { ODDS = 16 };

/* An atomic with a result holds up its warp, so nothing overtakes it; nor is there an order to be seen in local memory,
 * constants and instructions. */
struct temper {
    uint8_t first;     /* stores of a warp that has no others out: a fence, if there was one, is over */
    uint8_t following; /* stores that no fence parts from one before */
    uint8_t reduction; /* atomics without a result */
    uint8_t other; /* loads, with the fills that they ask for, and what the protocol's L1s and slices tell each other */
    bool by_line;  /* half of the lines are spared */
    bool by_sm;    /* half of the SMs are */
    bool briefly;  /* for 1 to `most` cycles; else for half of them at least */
};
static const struct temper tempers[] = {
    {.first = 8, .following = 8, .reduction = 8, .other = 4, .briefly = true}, /* everything, as the dice fall */
    {.first = 16, .following = 0},                                             /* what comes before something */
    {.first = 16, .following = 0, .by_line = true},
    {.first = 16, .following = 0, .by_sm = true},
    {.first = 16, .following = 16, .reduction = 16, .by_line = true},
    {.first = 4, .following = 2, .reduction = 2, .other = 8}, /* loads, so that later ones come first */
};
enum { TEMPERS = sizeof tempers / sizeof tempers[0] };

/* For stores that the temper spares. */
static const struct temper mild = {.first = 4, .briefly = true};

/* For so many cycles, as a power of two, the same ones are spared. */
enum { SPARED_FOR = 15 };

/* One of the half of the lines, or of the SMs, that is not spared when a request comes. */
static bool is_slow(const struct slice_adversary *a, const char *of, uint64_t number, uint64_t cycle)
{
    return random_stream_of(a->seed ^ (cycle >> SPARED_FOR) << 32, of, number).key & 1;
}

static bool is_spared(const struct slice_adversary *a, const struct temper *t, const struct packet *p)
{
    return (t->by_line && !is_slow(a, "line", p->address / PACKET_LINE_BYTES, p->ready)) ||
           (t->by_sm && !is_slow(a, "SM", p->sm, p->ready));
}

static uint32_t odds_of(const struct temper *t, const struct packet *p)
{
    if (p->space != PACKET_GLOBAL)
        return 0;
    if (p->kind == PACKET_ATOMIC)
        return atomic_of(p)->no_return ? t->reduction : 0;
    if (p->kind == PACKET_WRITE)
        return (write_of(p)->how & PACKET_FOLLOWS) ? t->following : t->first;
    return t->other;
}

/* Cycles for which the adversary holds a request beyond the delay. */
static uint32_t hold_of(struct slice_adversary *a, const struct packet *p)
{
    const struct temper *t = &tempers[a->seed % TEMPERS];
    bool stores = p->kind == PACKET_WRITE || p->kind == PACKET_ATOMIC;
    if (stores && is_spared(a, t, p))
        t = &mild;
    uint32_t least = t->briefly ? 0 : a->most / 2;
    return random_below(&a->stream, ODDS) < odds_of(t, p) ? least + 1 + random_below(&a->stream, a->most - least) : 0;
}

/* Of a line, the bytes that a request writes or reads: bit i of bytes[0] is byte i, of bytes[1] byte 64 + i. */
static void add_bytes(uint64_t bytes[2], unsigned offset, unsigned count)
{
    for (unsigned i = offset; i < offset + count && i < PACKET_LINE_BYTES; i++)
        bytes[i / 64] |= UINT64_C(1) << i % 64;
}
static void bytes_of(const struct packet *p, uint64_t bytes[2])
{
    if (p->kind == PACKET_WRITE) {
        memcpy(bytes, packet_mask(p), 2 * sizeof *bytes);
        return;
    }
    const struct message_atomic *m = p->kind == PACKET_ATOMIC ? atomic_of(p) : NULL;
    for (unsigned i = 0; m && i < m->lane_count; i++)
        add_bytes(bytes, m->lanes[i].offset, isa_type_info((enum isa_type)m->type)->bits / 8);
    if (!m)
        add_bytes(bytes, p->address % PACKET_LINE_BYTES, p->bytes);
}

/* True: the request may overtake the store in front of it. They touch no byte in common, and no L1 gets a copy of the
 * line, so nothing depends on which of them was first. */
static bool may_pass(const struct slice *s, const struct packet *behind, const struct packet *store)
{
    uint64_t a[2] = {0}, b[2] = {0};
    bool reads = behind->kind == PACKET_READ && read_of(behind)->fill == PACKET_NO_FILL;
    if (s->directory || s->probes || store->kind != PACKET_WRITE || store->space != PACKET_GLOBAL ||
        behind->space != PACKET_GLOBAL || !(reads || behind->kind == PACKET_WRITE || behind->kind == PACKET_ATOMIC))
        return false;
    bytes_of(store, a);
    bytes_of(behind, b);
    return !(a[0] & b[0]) && !(a[1] & b[1]);
}

/* The first is behind the second, which is in the delay. */
static bool keep_order(const struct slice *s, const struct packet *a, const struct packet *b)
{
    return a->sm == b->sm && a->address / PACKET_LINE_BYTES == b->address / PACKET_LINE_BYTES && !may_pass(s, a, b);
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
        if (keep_order(s, packet, p))
            packet->ready = cycle_max(packet->ready, p->ready);
    struct packet *behind = place_of(s, packet->ready), **link = behind ? &behind->next : &s->first;
    packet->next = *link;
    *link = packet;
    if (!packet->next)
        s->last = packet;
}
