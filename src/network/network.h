/* The interconnect between SMs and memory partitions: one object per direction (requests, replies). It carries opaque
 * payloads and knows nothing of memory. A payload of n bytes is cut into ceil(n / flit bytes) flits; it is handed out
 * when its last flit has arrived. Packets between the same input and output keep their order.
 *
 * A network is ends and a core. The ends are a bounded injection queue for each sender and an ejection queue and a
 * boundary buffer for each receiver, with credits for the buffers behind them (side.h). The core is what lies between:
 * one of cores.def, behind core.h, chosen by the parameter network.core. */
#ifndef LOCKSTEP_NETWORK_NETWORK_H
#define LOCKSTEP_NETWORK_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/random.h"
#include "config/param.h"
#include "network/side.h"

struct network_params {
#include "config/param_fields.h"
#include "network/network_params.def"
#include "config/param_end.h"
};
extern const struct param_desc network_param_descs[];
extern const unsigned network_param_count;

extern const struct stat_group network_stat_group;

struct network;

/* The cores that there are, NULL-terminated; one by its name, or NULL. */
struct network_core_kind;
const struct network_core_kind *const *network_cores(void);
const struct network_core_kind *network_find_core(const char *name);
const char *network_core_name(const struct network_core_kind *kind);
/* Returns whether the core that params name cannot be built with these parameters and so many ports; then *refusal has
 * the parameters of the network that stand against it, and why. */
struct network_refusal {
    const char *names, *why; /* as param_conflict takes them */
};
bool network_refuses(const struct network_params *params, unsigned inputs, unsigned outputs,
                     struct network_refusal *refusal);
/* The parameters of the network for the way back, where receivers send. */
static inline struct network_params network_back(const struct network_params *params)
{
    struct network_params back = *params;
    back.sm_nodes = params->slice_nodes;
    back.slice_nodes = params->sm_nodes;
    return back;
}

/* The parameters of such a network of its own, in which packets meet nobody but at their ends. */
struct network_params network_without_contention(const struct network_params *params);

/* A network of `inputs` senders and `outputs` receivers, at most NETWORK_MAX_PORTS of each; its memory belongs to
 * arena. params->core names its core; NULL: the first of cores.def. */
struct network *network_create(const struct network_params *params, unsigned inputs, unsigned outputs,
                               struct arena *arena);
#define NETWORK_MAX_SHARING 4
/* Lets the cores of these networks, NETWORK_MAX_SHARING at most, share what their kind lets them share: links, in a
 * mesh. Their cores tick together, as that of the first: the others' are not to be ticked. Before the first tick, and
 * where network.shared_links says so; memory belongs to arena. */
void network_share(struct network *const *nets, unsigned count, struct arena *arena);
/* True: the core ticks with that of another network. */
bool network_follows(const struct network *net);
/* Lets arbitration vary: now and then, by this stream, an output for which several inputs wait starts at a random one
 * of them instead of behind the one last served. Packets between the same input and output keep their order. */
void network_vary(struct network *net, struct random_stream stream);
static inline const struct network_head *network_head(const struct network *net)
{
    return (const struct network_head *)net;
}

/* Flits of a payload of `bytes`, which are 1 to 65535: bytes / flit bytes, rounded up. */
static inline uint32_t network_flits(const struct network *net, unsigned bytes)
{
    return (uint32_t)(((uint64_t)bytes * network_head(net)->inverse + network_head(net)->round_up) >> 31);
}

/* True when input has room for a payload of `bytes` this cycle. An empty injection queue takes a packet of any size,
 * and so does an empty boundary buffer: no packet is too large to pass. */
static inline bool network_can_send(const struct network *net, unsigned input, unsigned bytes)
{
    const struct network_side *side = network_head(net)->side_of_input[input];
    return !mask_has(side->sending, input & 63) ||
           side->senders[input & 63].behind + network_flits(net, bytes) < network_head(net)->injection_flits;
}

/* Hands over a payload; only after network_can_send. A NULL payload takes its time and room in the network, but is not
 * received: it vanishes when it has arrived and what arrived before it was received. */
static inline void network_send(struct network *net, unsigned input, unsigned output, unsigned bytes, void *payload,
                                uint64_t cycle)
{
    struct network_side *side = network_head(net)->side_of_input[input];
    struct network_sender *sender = &side->senders[input & 63];
    contract(network_can_send(net, input, bytes));
    uint32_t flits = network_flits(net, bytes), behind = flits - !mask_has(side->sending, input & 63);
    *network_parcel_at(sender->ring, sender->end) = (struct network_parcel){
        .payload = payload, .sent = (uint32_t)cycle, .flits = (uint16_t)flits, .output = (uint8_t)output};
    sender->end = network_place_after(sender->end, network_head(net)->input_mask);
    side->sending |= port_bit(input);
    side->away |= output >> 6 != side->home ? port_bit(input) : 0;
    if (behind) {
        sender->behind += behind;
        side->more |= port_bit(input);
    }
}

/* The oldest payload that has fully arrived at output, or NULL; receive also removes it. */
static inline void *network_peek(const struct network *net, unsigned output)
{
    const struct network_side *side = network_head(net)->side_of_output[output];
    const struct network_receiver *r = &side->receivers[output & 63];
    return mask_has(side->arrivals, output & 63) ? network_parcel_at(r->ring, r->first)->payload : NULL;
}
/* The slow rest of network_receive: packets were behind the one received. */
void network_receive_more(struct network *net, struct network_side *side, unsigned output);
static inline void *network_receive(struct network *net, unsigned output)
{
    struct network_side *side = network_head(net)->side_of_output[output];
    struct network_receiver *r = &side->receivers[output & 63];
    if (!mask_has(side->arrivals, output & 63))
        return NULL;
    const struct network_parcel *p = network_parcel_at(r->ring, r->first);
    void *payload = p->payload;
    r->room += p->flits;
    r->first = network_place_after(r->first, network_head(net)->output_mask);
    side->taken++;
    if (r->first != r->whole) {
        network_receive_more(net, side, output);
        return payload;
    }
    side->arrivals &= ~port_bit(output);
    side->full &= ~port_bit(output);
    return payload;
}

/* How long it takes to simulate the core, roughly, beside SMs that are busy: as long as so many of them. 0 for one that
 * follows another. */
unsigned network_weight(const struct network *net);
/* Divides senders and receivers into `sides`, at most NETWORK_MAX_SIDES, each to be ticked by itself: side_of_input and
 * side_of_output name the side of each port. No two inputs of a side may have the same number modulo 64, and no two
 * outputs: any 64 or fewer neighbours can be a side. At first there is one side for every 64 ports. Allowed between any
 * two ticks. */
void network_divide(struct network *net, unsigned sides, const uint8_t *side_of_input, const uint8_t *side_of_output);
/* Ticks by which a side or the core may be ahead of another, at least 2; it follows from the core's channels. Within
 * it, threads may tick sides and core at once. */
unsigned network_lookahead(const struct network *net);
/* Ticks after which a packet of one flit that meets nobody can be received, counting the first one after its sending
 * as 1. */
unsigned network_latency(const struct network *net, unsigned input, unsigned output);
/* One tick of the network's clock, by its parts: each side and the core, in any order. cycle: the core cycle of the
 * tick, in which latencies are counted. A side answers with the inputs whose injection queues became shorter, as bits
 * modulo 64; no others will take more than before. Sending and receiving are done between a side's ticks by the side's
 * thread. */
uint64_t network_tick_side(struct network *net, unsigned side, uint64_t tick, uint64_t cycle);
/* Answers with the sides to which the core writes, as bits: these do not rest (network_listen). */
static inline uint64_t network_tick_core(struct network *net, uint64_t tick)
{
    return network_head(net)->tick_core(net, tick);
}
/* A side *rests* when none of its ticks from `tick` on changes anything, as long as nothing is sent there and the core
 * writes nothing to it, and the core has read all that it wrote. */
bool network_side_rests(const struct network *net, unsigned side, uint64_t tick);
/* The sides that do not rest, as bits: the others are neither ticked nor looked at. At first, and when a network has
 * been divided anew, all. Called between ticks that are done on all threads. */
void network_listen(struct network *net, uint64_t sides);
void network_listen_to_all(struct network *net);
/* Ticks `from` to `end` are done: true if doing them again changes nothing, since nothing arrived in them and nothing was
 * written in them to arrive later. */
bool network_may_repeat(const struct network *net, uint64_t from, uint64_t end);
/* The whole network at once, but for a core that ticks with another's: that one's network comes last. */
void network_tick(struct network *net, uint64_t tick);
/* The first tick from `from` on, which is to be ticked next, that changes anything (payloads waiting in ejection queues
 * alone do not count), or CYCLE_NEVER. */
uint64_t network_next(const struct network *net, uint64_t from);
/* True when no packet is inside, one that waits to be received included. */
bool network_idle(const struct network *net);
/* A side's outputs that have a payload to receive: output p is bit p modulo 64. */
static inline uint64_t network_arrivals(const struct network *net, unsigned side)
{
    return network_head(net)->sides[side].arrivals;
}
/* Packets that have left the network at a side's receivers, ever. */
static inline uint64_t network_taken(const struct network *net, unsigned side)
{
    return network_head(net)->sides[side].taken;
}
/* Adds the statistics of all parts to sum. */
void network_add_stats(const struct network *net, struct network_stats *sum);
void network_stats_reset(struct network *net);
/* States the derived facts of the ends and of the core; between two ticks. */
void network_check(struct network *net, struct check *check);
/* Describes everything inside for a checkpoint; describe does so for a payload, which may be NULL. How the network is
 * divided leaves no trace. */
struct archive;
void network_archive(struct network *net, struct archive *ar,
                     void (*describe)(struct archive *ar, void **payload, const void *context), const void *context);

#endif
