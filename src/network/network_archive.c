/* A network in a checkpoint: its ports and its router as they are, its sides as if there were one. */
#include <string.h>

#include "base/archive.h"
#include "base/bits.h"
#include "network/network_impl.h"

/* What describes a payload. */
struct carrier {
    void (*describe)(struct archive *ar, void **payload, const void *context);
    const void *context;
};

/* A set of ports. */
static void archive_ports(struct archive *ar, uint64_t *ports, unsigned count)
{
    ARCHIVE(ar, *ports);
    if (*ports & ~mask_low(count))
        archive_fail(ar, "a port that is not there");
}

/* A counted range of a ring: [first, end), counted without wrapping. */
static void archive_range(struct archive *ar, uint32_t *first, uint32_t *end, uint32_t mask)
{
    ARCHIVE(ar, *first);
    ARCHIVE(ar, *end);
    if (*end - *first <= mask + 1)
        return;
    archive_fail(ar, "a queue holds more than it can");
    *end = *first;
}

static void archive_parcel(struct network *net, struct archive *ar, const struct carrier *carrier, struct parcel *p)
{
    carrier->describe(ar, &p->payload, carrier->context);
    ARCHIVE(ar, p->sent);
    ARCHIVE(ar, p->flits);
    archive_u32_to(ar, &p->output, net->output_count - 1);
}

static void archive_input(struct network *net, struct archive *ar, const struct carrier *carrier, unsigned i)
{
    struct sender *sender = &net->senders[i];
    struct input *in = &net->inputs[i];
    archive_range(ar, &in->first, &sender->end, net->input_mask);
    for (uint32_t at = in->first; at != sender->end && !archive_failed(ar); at++)
        archive_parcel(net, ar, carrier, &sender->ring[at & net->input_mask]);
    ARCHIVE(ar, sender->queued);
    ARCHIVE(ar, sender->credits);
    ARCHIVE(ar, in->behind);
    archive_u32_to(ar, &in->output, net->output_count - 1);
    ARCHIVE(ar, in->left);
    ARCHIVE(ar, in->owed);
}

static void archive_output(struct network *net, struct archive *ar, const struct carrier *carrier, unsigned i)
{
    struct receiver *r = &net->receivers[i];
    struct output *out = &net->outputs[i];
    archive_range(ar, &r->first, &out->end, net->output_mask);
    for (uint32_t at = r->first; at != out->end && !archive_failed(ar); at++)
        archive_parcel(net, ar, carrier, &r->ring[at & net->output_mask]);
    ARCHIVE(ar, r->whole);
    if (r->whole - r->first > out->end - r->first)
        archive_fail(ar, "a queue has received more than it was sent");
    ARCHIVE(ar, r->ejected);
    ARCHIVE(ar, r->boundary);
    ARCHIVE(ar, r->arrived);
    archive_ports(ar, &out->waiting, net->input_count);
    ARCHIVE(ar, out->later);
    ARCHIVE(ar, out->credits);
    ARCHIVE(ar, out->leaving);
}

static void archive_channels(struct archive *ar, struct channels *c, unsigned flits, unsigned credits)
{
    for (unsigned slot = 0; slot < 4; slot++) {
        struct written *w = &c->written[slot];
        ARCHIVE(ar, w->tick);
        archive_ports(ar, &w->flits, flits);
        archive_ports(ar, &w->credits, credits);
    }
}

/* The sets that follow from the ports' counters are made from them. */
static void archive_router(struct network *net, struct archive *ar)
{
    struct router *router = &net->router, old = *router;
    archive_ports(ar, &old.occupied, net->input_count);
    archive_ports(ar, &old.holding, net->input_count);
    archive_ports(ar, &old.ready, net->input_count);
    archive_ports(ar, &old.crossing, net->output_count);
    archive_channels(ar, &net->from_router, net->output_count, net->input_count);
    *router = (struct router){.occupied = old.occupied,
                              .holding = old.holding,
                              .ready = old.ready & old.occupied & old.holding,
                              .crossing = old.crossing};
    for (unsigned i = 0; i < net->input_count; i++) {
        const struct input *in = &net->inputs[i];
        router->more |= in->behind ? BIT64(i) : 0;
        router->owing |= in->owed ? BIT64(i) : 0;
        router->held |= mask_has(router->holding, i) ? BIT64(in->output) : 0;
        router->ready_outputs |= mask_has(router->ready, i) ? BIT64(in->output) : 0;
        router->ending |= mask_has(router->ready, i) && !in->left ? BIT64(i) : 0;
        router->ending_outputs |= mask_has(router->ready, i) && !in->left ? BIT64(in->output) : 0;
    }
    router->starving = router->holding & router->occupied & ~router->ready;
    for (unsigned i = 0; i < net->output_count; i++) {
        router->asked |= net->outputs[i].waiting ? BIT64(i) : 0;
        router->leaving |= net->outputs[i].leaving ? BIT64(i) : 0;
    }
}

static void archive_side(struct network *net, struct archive *ar, struct side *side)
{
    archive_ports(ar, &side->arrivals, net->output_count);
    ARCHIVE(ar, side->sent);
    ARCHIVE(ar, side->taken);
    archive_channels(ar, &side->to_router, net->input_count, net->output_count);
    ARCHIVE(ar, side->stats);
    side->sending = side->broke = side->ejecting = side->full = 0;
    for (unsigned i = 0; i < net->input_count; i++) {
        side->sending |= net->senders[i].queued ? BIT64(i) : 0;
        side->broke |= net->senders[i].credits ? 0 : BIT64(i);
    }
    for (unsigned i = 0; i < net->output_count; i++) {
        const struct receiver *r = &net->receivers[i];
        side->ejecting |= r->ejected ? BIT64(i) : 0;
        side->full |= r->boundary >= net->params.boundary_flits && r->first != r->whole ? BIT64(i) : 0;
    }
}

/* Puts everything that lies on sides on the first one; who belongs to which side stays as it was. */
static void gather_sides(struct network *net, struct side *whole)
{
    uint8_t all[64] = {0}, side_of_input[64], side_of_output[64];
    unsigned sides = net->side_count;
    for (unsigned i = 0; i < net->input_count; i++)
        side_of_input[i] = (uint8_t)(net->senders[i].side - net->sides);
    for (unsigned i = 0; i < net->output_count; i++)
        side_of_output[i] = (uint8_t)(net->receivers[i].side - net->sides);
    network_divide(net, 1, all, all);
    *whole = net->sides[0];
    for (unsigned i = 1; i < NETWORK_MAX_SIDES; i++) {
        whole->sent += net->sides[i].sent;
        whole->taken += net->sides[i].taken;
        stat_merge(&network_stat_group, &whole->stats, &net->sides[i].stats);
    }
    network_divide(net, sides, side_of_input, side_of_output);
}

/* The reverse: all of it lies on the first side for a moment, then each side takes its ports. */
static void spread_sides(struct network *net, const struct side *whole)
{
    uint8_t side_of_input[64], side_of_output[64];
    for (unsigned i = 0; i < net->input_count; i++)
        side_of_input[i] = (uint8_t)(net->senders[i].side - net->sides);
    for (unsigned i = 0; i < net->output_count; i++)
        side_of_output[i] = (uint8_t)(net->receivers[i].side - net->sides);
    memset(net->sides, 0, sizeof net->sides);
    net->sides[0] = *whole;
    network_divide(net, net->side_count, side_of_input, side_of_output);
}

void network_archive(struct network *net, struct archive *ar,
                     void (*describe)(struct archive *ar, void **payload, const void *context), const void *context)
{
    const struct carrier carrier = {describe, context};
    struct side whole;
    archive_begin(ar, "network", 0);
    gather_sides(net, &whole);
    for (unsigned i = 0; i < net->input_count; i++)
        archive_input(net, ar, &carrier, i);
    for (unsigned i = 0; i < net->output_count; i++)
        archive_output(net, ar, &carrier, i);
    archive_router(net, ar);
    archive_side(net, ar, &whole);
    if (archive_loading(ar))
        spread_sides(net, &whole);
    archive_end(ar);
}
