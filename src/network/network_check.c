/* The derived facts of a network's ends: see base/check.h. Those of a core are in its own file. */
#include "base/check.h"
#include "network/network_impl.h"

/* Flits of the packets that have arrived as a whole and were not received. */
static uint32_t flits_to_receive(const struct network *net, const struct network_receiver *r)
{
    uint32_t flits = 0;
    for (uint32_t at = r->first; at != r->whole; at = network_place_after(at, net->gates.output_mask))
        flits += network_parcel_at(r->ring, at)->flits;
    return flits;
}

static void check_senders(const struct network *net, struct network_side *side, struct check *c)
{
    uint64_t inputs = 0, more = 0;
    for (unsigned i = 0; i < net->gates.inputs; i++)
        if (net->head.side_of_input[i] == side) {
            inputs |= port_bit(i);
            more |= side->senders[i & 63].behind ? port_bit(i) : 0;
            check_holds(c, "side: an input has no more flits in the core than credits", i,
                        tally_count(&side->spent, i & 63) <= net->gates.input_credits);
        }
    CHECK_FACT(c, "side.more", 0, side->more, more);
    check_holds(c, "side: flits behind the front one are behind one", 0, (side->more & ~side->sending) == 0);
    check_holds(c, "side: only its own inputs send", 0, (side->sending & ~inputs) == 0);
    tally_check(&side->spent, c, "side.spent");
}

static void check_receivers(const struct network *net, struct network_side *side, struct check *c)
{
    uint64_t arrivals = 0, full = 0, ejecting = 0;
    for (unsigned i = 0; i < net->gates.outputs; i++) {
        struct network_receiver *r = &side->receivers[i & 63];
        if (net->head.side_of_output[i] != side)
            continue;
        arrivals |= network_has_arrival(r) ? port_bit(i) : 0;
        full |= network_is_full(r) ? port_bit(i) : 0;
        ejecting |= r->ejected ? port_bit(i) : 0;
        CHECK_FACT(c, "side.receiver.room", i, r->room,
                   net->params.boundary_flits - flits_to_receive(net, r) - r->arrived);
        check_holds(c, "side: an ejection buffer holds no more flits than credits", i,
                    r->ejected <= net->gates.output_credits);
        check_holds(c, "side: nothing empty waits to be received", i, r->first == r->whole || network_has_arrival(r));
    }
    CHECK_FACT(c, "side.arrivals", 0, side->arrivals, arrivals);
    CHECK_FACT(c, "side.full", 0, side->full, full);
    CHECK_FACT(c, "side.ejecting", 0, side->ejecting, ejecting);
}

static void check_owners(const struct network *net, struct network_side *side, struct check *c)
{
    struct network_ports inputs = {{0}}, outputs = {{0}};
    for (unsigned i = 0; i < net->gates.inputs; i++)
        inputs.word[i >> 6] |= net->head.side_of_input[i] == side ? port_bit(i) : 0;
    for (unsigned i = 0; i < net->gates.outputs; i++)
        outputs.word[i >> 6] |= net->head.side_of_output[i] == side ? port_bit(i) : 0;
    for (unsigned w = 0; w < net->words; w++) {
        CHECK_FACT(c, "side.inputs", w, side->inputs.word[w], inputs.word[w]);
        CHECK_FACT(c, "side.outputs", w, side->outputs.word[w], outputs.word[w]);
    }
    CHECK_FACT(c, "side.words.in", 0, side->words.in, network_words_of(side).in);
    CHECK_FACT(c, "side.words.out", 0, side->words.out, network_words_of(side).out);
}

void network_check(struct network *net, struct check *c)
{
    for (unsigned n = 0; n < net->side_count; n++) {
        check_of(c, "network side", n);
        check_owners(net, &net->sides[n], c);
        check_senders(net, &net->sides[n], c);
        check_receivers(net, &net->sides[n], c);
    }
    check_holds(c, "network: the core ticks as ports, words and listening sides are", 0,
                net->head.tick_core == network_tick_for(net));
    for (unsigned w = 0; w < net->words; w++) {
        CHECK_FACT(c, "network.turn.flits", w, net->turn.flits.word[w], 0);
        CHECK_FACT(c, "network.turn.credits", w, net->turn.credits.word[w], 0);
        CHECK_FACT(c, "network.turn.sent", w, net->turn.sent.word[w], 0);
        CHECK_FACT(c, "network.turn.freed", w, net->turn.freed.word[w], 0);
    }
    uint64_t busy = 0;
    for (unsigned n = 0; n < net->side_count; n++)
        busy |= network_side_is_awake(&net->sides[n]) ? BIT64(n) : 0;
    check_of(c, "network core", 0);
    check_bits(c, "network.listening", 0, &net->listening, sizeof net->listening, busy | ~mask_low(net->side_count),
               busy);
    if (net->core->kind->check)
        net->core->kind->check(net->core, c);
}
