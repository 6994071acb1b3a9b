/* A network in a checkpoint: its ports and its router as they are, its sides as if there were one. */
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

/* A place in a ring. */
static void archive_ring_place(struct archive *ar, uint32_t *place, uint32_t mask)
{
    archive_u32_to(ar, place, mask);
    if (*place % sizeof(struct network_parcel) == 0)
        return;
    archive_fail(ar, "a packet in the middle of another");
    *place = 0;
}

static void archive_parcel(struct network *net, struct archive *ar, const struct carrier *carrier,
                           struct network_parcel *p)
{
    carrier->describe(ar, &p->payload, carrier->context);
    ARCHIVE(ar, p->sent);
    ARCHIVE(ar, p->flits);
    archive_u8_to(ar, &p->output, (uint8_t)(net->output_count - 1));
}

static void archive_count(struct archive *ar, struct tally *t, unsigned port)
{
    uint32_t count = tally_count(t, port);
    archive_u32_to(ar, &count, TALLY_MOST);
    tally_set(t, port, count);
}

static void archive_input(struct network *net, struct archive *ar, const struct carrier *carrier,
                          struct network_side *whole, unsigned i)
{
    struct network_sender *sender = &whole->senders[i];
    struct input *in = &net->inputs[i];
    uint32_t mask = net->head.input_mask;
    archive_ring_place(ar, &in->first, mask);
    archive_ring_place(ar, &sender->end, mask);
    for (uint32_t at = in->first; at != sender->end && !archive_failed(ar); at = network_place_after(at, mask))
        archive_parcel(net, ar, carrier, network_parcel_at(in->ring, at));
    ARCHIVE(ar, sender->behind);
    archive_count(ar, &whole->spent, i);
    archive_count(ar, &net->router.behind, i);
    archive_u8_to(ar, &in->output, (uint8_t)(net->output_count - 1));
    ARCHIVE(ar, in->left);
    ARCHIVE(ar, net->router.late_credits[i]);
}

static void archive_output(struct network *net, struct archive *ar, const struct carrier *carrier,
                           struct network_side *whole, unsigned i)
{
    struct network_receiver *r = &whole->receivers[i];
    struct output *out = &net->outputs[i];
    uint32_t mask = net->head.output_mask;
    archive_ring_place(ar, &r->first, mask);
    archive_ring_place(ar, &out->end, mask);
    archive_ring_place(ar, &r->whole, mask);
    if (((r->whole - r->first) & mask) > ((out->end - r->first) & mask))
        archive_fail(ar, "a queue has received more than it was sent");
    for (uint32_t at = r->first; at != out->end && !archive_failed(ar); at = network_place_after(at, mask))
        archive_parcel(net, ar, carrier, network_parcel_at(out->ring, at));
    ARCHIVE(ar, r->ejected);
    ARCHIVE(ar, r->room);
    ARCHIVE(ar, r->arrived);
    archive_ports(ar, &out->waiting, net->input_count);
    ARCHIVE(ar, out->later);
    ARCHIVE(ar, net->router.late_flits[i]);
    ARCHIVE(ar, net->router.held_back[i]);
}

static void archive_channels(struct archive *ar, struct network_channels *c, unsigned flits, unsigned credits)
{
    for (unsigned slot = 0; slot < 4; slot++) {
        struct network_written *w = &c->written[slot];
        ARCHIVE(ar, w->tick);
        archive_ports(ar, &w->flits, flits);
        archive_ports(ar, &w->credits, credits);
    }
}

/* The sets that follow from the ports' counters are made from them. */
static void archive_router(struct network *net, struct archive *ar)
{
    struct router *router = &net->router;
    uint64_t *const of_inputs[] = {&router->occupied, &router->fresh, &router->ready, &router->open, &router->starving};
    uint64_t *const of_outputs[] = {&router->held, &router->ready_outputs, &router->crossing, &router->open_outputs};
    for (unsigned i = 0; i < sizeof of_inputs / sizeof of_inputs[0]; i++)
        archive_ports(ar, of_inputs[i], net->input_count);
    for (unsigned i = 0; i < sizeof of_outputs / sizeof of_outputs[0]; i++)
        archive_ports(ar, of_outputs[i], net->output_count);
    for (unsigned i = 0; i < CREDIT_TICKS; i++)
        archive_ports(ar, &router->left[i], net->output_count);
    ARCHIVE(ar, router->tick);
    archive_channels(ar, &net->from_router, net->output_count, net->input_count);
    router->asked = router->leaving = router->owing = 0;
    for (unsigned i = 0; i < net->input_count; i++)
        router->owing |= router->late_credits[i] ? BIT64(i) : 0;
    for (unsigned i = 0; i < net->output_count; i++) {
        router->asked |= net->outputs[i].waiting ? BIT64(i) : 0;
        router->leaving |= router->late_flits[i] ? BIT64(i) : 0;
    }
    router->busy = network_router_busy(router);
    network_note_tight(net, mask_low(net->output_count));
}

/* What is in the sides, and which belong together. */
static void archive_side(struct network *net, struct archive *ar, struct network_side *side)
{
    archive_ports(ar, &side->sending, net->input_count);
    ARCHIVE(ar, side->taken);
    archive_channels(ar, &side->to_router, net->input_count, net->output_count);
    ARCHIVE(ar, side->stats);
    side->more = side->arrivals = side->ejecting = side->full = 0;
    for (unsigned i = 0; i < net->input_count; i++)
        side->more |= side->senders[i].behind ? BIT64(i) : 0;
    for (unsigned i = 0; i < net->output_count; i++) {
        const struct network_receiver *r = &side->receivers[i];
        side->arrivals |= r->first != r->whole && network_parcel_at(r->ring, r->first)->payload ? BIT64(i) : 0;
        side->ejecting |= r->ejected ? BIT64(i) : 0;
        side->full |= r->room <= 0 && r->first != r->whole ? BIT64(i) : 0;
    }
}

/* Counts that belong to no port, of all sides, as if they were the first one's. */
static void gather_counts(const struct network *net, struct network_side *whole)
{
    for (unsigned i = 0; i < NETWORK_MAX_SIDES; i++) {
        whole->taken += net->sides[i].taken;
        stat_merge(&network_stat_group, &whole->stats, &net->sides[i].stats);
    }
}

static void deal_counts(struct network *net, const struct network_side *whole)
{
    for (unsigned i = 0; i < NETWORK_MAX_SIDES; i++) {
        struct network_side *s = &net->sides[i];
        s->taken = i ? 0 : whole->taken;
        s->stats = i ? (struct network_stats){0} : whole->stats;
    }
}

void network_archive(struct network *net, struct archive *ar,
                     void (*describe)(struct archive *ar, void **payload, const void *context), const void *context)
{
    const struct carrier carrier = {describe, context};
    struct network_side whole;
    archive_begin(ar, "network", 0);
    network_gather(net, &whole);
    gather_counts(net, &whole);
    for (unsigned i = 0; i < net->input_count; i++)
        archive_input(net, ar, &carrier, &whole, i);
    for (unsigned i = 0; i < net->output_count; i++)
        archive_output(net, ar, &carrier, &whole, i);
    archive_router(net, ar);
    ARCHIVE(ar, net->arbitration.drawn);
    archive_side(net, ar, &whole);
    if (archive_loading(ar)) {
        network_deal(net, &whole);
        deal_counts(net, &whole);
    }
    archive_end(ar);
}
