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

static void archive_input(struct network *net, struct archive *ar, const struct carrier *carrier, unsigned i)
{
    struct sender *sender = &net->senders[i];
    struct input *in = &net->inputs[i];
    archive_range(ar, &in->first, &sender->end, net->input_mask);
    for (uint32_t at = in->first; at != sender->end && !archive_failed(ar); at++) {
        struct packet_in *p = &sender->ring[at & net->input_mask];
        carrier->describe(ar, &p->payload, carrier->context);
        ARCHIVE(ar, p->sent);
        ARCHIVE(ar, p->flits);
        archive_u32_to(ar, &p->output, net->output_count - 1);
    }
    ARCHIVE(ar, sender->queued);
    ARCHIVE(ar, sender->credits);
    ARCHIVE(ar, in->buffered);
    archive_u32_to(ar, &in->output, net->output_count - 1);
    ARCHIVE(ar, in->left);
    ARCHIVE(ar, in->owed);
}

static void archive_output(struct network *net, struct archive *ar, const struct carrier *carrier, unsigned i)
{
    struct receiver *r = &net->receivers[i];
    struct output *out = &net->outputs[i];
    archive_range(ar, &r->first, &out->end, net->output_mask);
    for (uint32_t at = r->first; at != out->end && !archive_failed(ar); at++) {
        struct packet_out *p = &r->ring[at & net->output_mask];
        carrier->describe(ar, &p->payload, carrier->context);
        ARCHIVE(ar, p->sent);
        ARCHIVE(ar, p->flits);
    }
    ARCHIVE(ar, r->whole);
    if (r->whole - r->first > out->end - r->first)
        archive_fail(ar, "a queue has received more than it was sent");
    ARCHIVE(ar, r->ejected);
    ARCHIVE(ar, r->boundary);
    ARCHIVE(ar, r->arrived);
    ARCHIVE(ar, out->waiting);
    archive_place(ar, &out->holder, net->input_count);
    archive_u32_to(ar, &out->turn, net->input_count - 1);
    ARCHIVE(ar, out->credits);
    ARCHIVE(ar, out->leaving);
}

/* A set of ports. */
static void archive_ports(struct archive *ar, uint64_t *ports, unsigned count)
{
    ARCHIVE(ar, *ports);
    if (*ports & ~mask_low(count))
        archive_fail(ar, "a port that is not there");
}

static void archive_channel(struct archive *ar, struct channel *c, unsigned count)
{
    for (unsigned slot = 0; slot < 4; slot++) {
        ARCHIVE(ar, c->written[slot].tick);
        archive_ports(ar, &c->written[slot].ports, count);
    }
}

static void archive_router(struct network *net, struct archive *ar)
{
    struct router *router = &net->router;
    archive_ports(ar, &router->asking, net->input_count);
    archive_ports(ar, &router->wanted, net->output_count);
    archive_ports(ar, &router->switching, net->input_count);
    archive_ports(ar, &router->holding, net->input_count);
    archive_ports(ar, &router->crossing, net->output_count);
    archive_ports(ar, &router->leaving, net->output_count);
    archive_ports(ar, &router->owing, net->input_count);
    archive_channel(ar, &router->flits, net->output_count);
    archive_channel(ar, &router->credits, net->input_count);
    archive_bool(ar, &router->awake);
}

static void archive_side(struct network *net, struct archive *ar, struct side *side)
{
    archive_ports(ar, &side->sending, net->input_count);
    archive_ports(ar, &side->ejecting, net->output_count);
    archive_ports(ar, &side->arrivals, net->output_count);
    ARCHIVE(ar, side->sent);
    ARCHIVE(ar, side->taken);
    archive_channel(ar, &side->flits, net->input_count);
    archive_channel(ar, &side->credits, net->output_count);
    ARCHIVE(ar, side->stats);
}

/* Puts everything that lies on sides on the first one; who belongs to which side stays as it was. */
static void gather_sides(struct network *net, struct side *whole)
{
    uint8_t all[64] = {0}, side_of_input[64], side_of_output[64];
    unsigned sides = net->side_count;
    for (unsigned i = 0; i < net->input_count; i++)
        side_of_input[i] = (uint8_t)net->senders[i].side;
    for (unsigned i = 0; i < net->output_count; i++)
        side_of_output[i] = (uint8_t)net->receivers[i].side;
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
        side_of_input[i] = (uint8_t)net->senders[i].side;
    for (unsigned i = 0; i < net->output_count; i++)
        side_of_output[i] = (uint8_t)net->receivers[i].side;
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
