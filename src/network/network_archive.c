/* A network in a checkpoint: its ports and its core as they are, its sides as if there were one for each word of ports.
 */
#include "base/archive.h"
#include "network/network_impl.h"

void network_archive_word(struct archive *ar, uint64_t *set, unsigned word, unsigned count)
{
    ARCHIVE(ar, *set);
    if (*set & ~ports_in_word(count, word))
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

void network_archive_parcel(const struct network_gates *g, struct archive *ar, const struct network_carrier *carrier,
                            struct network_parcel *p)
{
    carrier->describe(ar, &p->payload, carrier->context);
    ARCHIVE(ar, p->sent);
    ARCHIVE(ar, p->flits);
    archive_u8_to(ar, &p->output, (uint8_t)(g->outputs - 1));
}

static void archive_input(struct network_gates *g, struct archive *ar, const struct network_carrier *carrier,
                          struct network_side *side, unsigned i)
{
    struct network_sender *sender = &side->senders[i & 63];
    struct network_entry *entry = &g->entries[i];
    uint32_t spent = tally_count(&side->spent, i & 63);
    archive_ring_place(ar, &entry->first, g->input_mask);
    archive_ring_place(ar, &sender->end, g->input_mask);
    for (uint32_t at = entry->first; at != sender->end && !archive_failed(ar);
         at = network_place_after(at, g->input_mask))
        network_archive_parcel(g, ar, carrier, network_parcel_at(entry->ring, at));
    ARCHIVE(ar, sender->behind);
    archive_u32_to(ar, &spent, TALLY_MOST);
    tally_set(&side->spent, i & 63, spent);
}

static void archive_output(struct network_gates *g, struct archive *ar, const struct network_carrier *carrier,
                           struct network_side *side, unsigned i)
{
    struct network_receiver *r = &side->receivers[i & 63];
    struct network_exit *exit = &g->exits[i];
    uint32_t mask = g->output_mask;
    archive_ring_place(ar, &r->first, mask);
    archive_ring_place(ar, &exit->end, mask);
    archive_ring_place(ar, &r->whole, mask);
    if (((r->whole - r->first) & mask) > ((exit->end - r->first) & mask))
        archive_fail(ar, "a queue has received more than it was sent");
    for (uint32_t at = r->first; at != exit->end && !archive_failed(ar); at = network_place_after(at, mask))
        network_archive_parcel(g, ar, carrier, network_parcel_at(exit->ring, at));
    ARCHIVE(ar, r->ejected);
    ARCHIVE(ar, r->room);
    ARCHIVE(ar, r->arrived);
}

/* The channels of a word's ports. */
static void archive_channels(const struct network *net, struct archive *ar, struct network_channels *c, unsigned word,
                             unsigned flits, unsigned credits)
{
    for (unsigned slot = 0; slot <= net->channel_mask; slot++) {
        struct network_written *w = &c->written[slot];
        ARCHIVE(ar, w->tick);
        network_archive_word(ar, &w->flits, word, flits);
        network_archive_word(ar, &w->credits, word, credits);
    }
}

/* The sides' content for the ports of a word. Sets that follow from the ports' counters are made from them. */
static void archive_side(const struct network *net, struct archive *ar, struct network_side *side, unsigned word)
{
    const struct network_gates *g = &net->gates;
    network_archive_word(ar, &side->sending, word, g->inputs);
    archive_channels(net, ar, &side->to_core, word, g->inputs, g->outputs);
    archive_channels(net, ar, &side->from_core, word, g->outputs, g->inputs);
    side->more = side->arrivals = side->ejecting = side->full = 0;
    for (uint64_t rest = ports_in_word(g->inputs, word); rest; rest &= rest - 1)
        side->more |= side->senders[mask_first(rest)].behind ? rest & -rest : 0;
    for (uint64_t rest = ports_in_word(g->outputs, word); rest; rest &= rest - 1) {
        const struct network_receiver *r = &side->receivers[mask_first(rest)];
        side->arrivals |= network_has_arrival(r) ? rest & -rest : 0;
        side->ejecting |= r->ejected ? rest & -rest : 0;
        side->full |= network_is_full(r) ? rest & -rest : 0;
    }
}

/* Counts that belong to no port, of all sides, become the first one's. */
static void archive_counts(struct network *net, struct archive *ar)
{
    struct network_stats stats = {0};
    uint64_t taken = 0;
    network_add_stats(net, &stats);
    for (unsigned i = 0; i < NETWORK_MAX_SIDES; i++)
        taken += net->sides[i].taken;
    ARCHIVE(ar, taken);
    ARCHIVE(ar, stats);
    for (unsigned i = 0; i < NETWORK_MAX_SIDES && archive_loading(ar); i++) {
        net->sides[i].taken = i ? 0 : taken;
        net->sides[i].stats = i ? (struct network_stats){0} : stats;
    }
}

void network_archive(struct network *net, struct archive *ar,
                     void (*describe)(struct archive *ar, void **payload, const void *context), const void *context)
{
    const struct network_carrier carrier = {describe, context};
    struct network_whole whole;
    archive_begin(ar, "network", 0);
    network_gather(net, &whole);
    for (unsigned i = 0; i < net->gates.inputs; i++)
        archive_input(&net->gates, ar, &carrier, &whole.word[i >> 6], i);
    for (unsigned i = 0; i < net->gates.outputs; i++)
        archive_output(&net->gates, ar, &carrier, &whole.word[i >> 6], i);
    net->core->kind->archive(net->core, ar, &carrier);
    for (unsigned w = 0; w < net->words; w++)
        archive_side(net, ar, &whole.word[w], w);
    archive_counts(net, ar);
    if (archive_loading(ar))
        network_deal(net, &whole);
    archive_end(ar);
}
