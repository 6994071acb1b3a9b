/* An adversary in an L2 slice: requests stay in the ROP delay for longer than others that came later, and loads are
 * answered with what memory had before, so that a program sees the orders that the memory model lets it see and that
 * the machine shows seldom or never.
 *
 * Requests of one SM about the same bytes keep their order, since the coherence of a place needs it; those about the
 * same line as well, where L1s have copies that the order is for (memory/message.def, and the network of check/). All
 * others have none: a fence waits for the acknowledgements of what is before it, however long they take, so a program
 * that has its fences waits longer and ends as before.
 *
 * A load that is answered early is performed at an earlier moment than that of its request. The model lets it be:
 * nothing orders it behind what its thread did since something last ordered that thread, but for accesses to the same
 * bytes (slice_history.h). Its SM says how far back that is (lsu/early.c). No L1 gets a copy of what it has read, since
 * others who hit there may be ordered later; so plain loads go past the L1 here.
 *
 * Which mistakes it shows depends on what it holds. A missing fence shows where a store is held, a later one of the
 * same thread is not, and others read both; if both are held, or the reader's load of the flag is, nothing but time
 * passes. A reader's shows where the flag is new and the data early. So the seed chooses one of several *tempers*,
 * which hold different things and show different mistakes. */
#include "isa/op.h"
#include "memory/byte_mask.h"
#include "memory/slice.h"

/* The odds of being held, in a number drawn below ODDS. */
enum { ODDS = 16 };

/* Of ODDS requests, so many are held; there is no order to be seen in local memory, constants and instructions. */
struct temper {
    uint8_t first;     /* stores of a warp that has no others out: a fence, if there was one, is over */
    uint8_t following; /* stores that no fence parts from one before */
    uint8_t reduction; /* atomics without a result */
    uint8_t atomic;    /* those with one: they hold up their warps, so nothing overtakes them, but time passes */
    uint8_t other; /* loads, with the fills that they ask for, and what the protocol's L1s and slices tell each other */
    uint8_t early; /* loads that are answered early, of those that may be */
    bool by_line;  /* half of the lines are spared */
    bool by_sm;    /* half of the SMs are */
    bool briefly;  /* for 1 to `most` cycles; else for half of them at least */
};
static const struct temper tempers[] = {
    {.first = 8, .following = 8, .reduction = 8, .atomic = 4, .other = 4, .early = 12, .briefly = true}, /* as the dice
                                                                                                            fall */
    {.first = 16}, /* what comes before something */
    {.first = 16, .early = 16, .by_line = true},
    {.first = 8, .atomic = 8, .early = 16, .by_sm = true},
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
        return atomic_of(p)->no_return ? t->reduction : t->atomic;
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

/* Of a line, the bytes that a request writes or reads. */
static struct byte_mask bytes_touched(const struct packet *p)
{
    struct byte_mask bytes = {{0}};
    if (p->kind == PACKET_WRITE)
        return bytes_of_packet(p);
    if (p->kind != PACKET_ATOMIC)
        return bytes_of(p->address, p->bytes);
    const struct message_atomic *m = atomic_of(p);
    for (unsigned i = 0; i < m->lane_count; i++) {
        struct byte_mask lane = bytes_of(m->lanes[i].offset, isa_type_info((enum isa_type)m->type)->bits / 8);
        bytes_add(&bytes, &lane);
    }
    return bytes;
}

/* True: the request may overtake the store in front of it. They touch no byte in common, and no L1 gets a copy of the
 * line, so nothing depends on which of them was first. */
static bool may_pass(const struct slice *s, const struct packet *behind, const struct packet *store)
{
    bool reads = behind->kind == PACKET_READ && read_of(behind)->fill == PACKET_NO_FILL;
    if (s->directory || s->probes || store->kind != PACKET_WRITE || store->space != PACKET_GLOBAL ||
        behind->space != PACKET_GLOBAL || !(reads || behind->kind == PACKET_WRITE || behind->kind == PACKET_ATOMIC))
        return false;
    struct byte_mask a = bytes_touched(store), b = bytes_touched(behind);
    return !bytes_meet(&a, &b);
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

/* Early answers */

bool slice_opposes_early(uint64_t seed, const struct coherence_protocol *protocol)
{
    return tempers[seed % TEMPERS].early && !protocol->registration && !protocol->probes;
}

/* How many cycles a load may go back: none, if it is spared. */
static uint32_t reach_of(struct slice_adversary *a, const struct packet *p)
{
    uint32_t ago = p->kind == PACKET_READ ? read_of(p)->ago : 0;
    return ago && random_below(&a->reads, ODDS) < tempers[a->seed % TEMPERS].early ? ago : 0;
}

void slice_recall(struct slice *s, const struct slice_part *part, uint64_t cycle)
{
    struct packet *p = part->packet;
    uint64_t address = p->address + part->offset;
    if (p->space == PACKET_GLOBAL && slice_place_of(s, address, part->bytes))
        history_read(s->history, p->sm, address, part->bytes, reach_of(s->adversary, p),
                     packet_data(p) + address % PACKET_LINE_BYTES, cycle);
}

void slice_remember(struct slice *s, const struct slice_part *part, uint64_t cycle)
{
    const struct packet *p = part->packet;
    uint64_t address = p->address + part->offset, line = p->address / PACKET_LINE_BYTES * PACKET_LINE_BYTES;
    const uint8_t *values = p->space == PACKET_GLOBAL ? slice_place_of(s, line, PACKET_LINE_BYTES) : NULL;
    struct byte_mask written = bytes_touched(p), here = bytes_of(address, part->bytes);
    for (uint32_t i = 0; i < BYTE_MASK_WORDS; i++)
        written.word[i] &= here.word[i];
    if (values)
        history_write(s->history, p->sm, line, &written, values, cycle);
}
