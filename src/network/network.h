/* The interconnect between SMs and memory partitions: one object per direction (requests, replies). It carries opaque
 * payloads and knows nothing of memory. A payload of n bytes is cut into ceil(n / flit bytes) flits; it is handed out
 * when its last flit has arrived. Packets between the same input and output keep their order.
 *
 * Modelled: the single-stage crossbar of GPGPU-Sim's GTX 480 (a butterfly of one stage): bounded injection queues per
 * input, virtual-channel buffer per router input, iSLIP-like round-robin output arbitration that holds an output for a
 * packet (wormhole), bounded ejection queue per output. A packet of n flits that meets nobody can be received after the
 * tick 7 + n - 1 ticks from that of its sending, counting the first tick after network_send as 1; see network.c for the
 * time line. */
#ifndef LOCKSTEP_NETWORK_NETWORK_H
#define LOCKSTEP_NETWORK_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
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

/* A network of `inputs` senders and `outputs` receivers, at most NETWORK_MAX_PORTS of each; its memory belongs to
 * arena. */
struct network *network_create(const struct network_params *params, unsigned inputs, unsigned outputs,
                               struct arena *arena);
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

/* Whether input has room for a payload of `bytes` this cycle. An empty injection queue takes a packet of any size, and
 * so does an empty boundary buffer: no packet is too large to pass. */
static inline bool network_can_send(const struct network *net, unsigned input, unsigned bytes)
{
    const struct network_side *side = network_head(net)->side_of_input[input];
    return !mask_has(side->sending, input) ||
           side->senders[input].behind + network_flits(net, bytes) < network_head(net)->injection_flits;
}

/* Hands over a payload; only after network_can_send. A NULL payload takes its time and room in the network, but is not
 * received: it vanishes when it has arrived and what arrived before it was received. */
static inline void network_send(struct network *net, unsigned input, unsigned output, unsigned bytes, void *payload,
                                uint64_t cycle)
{
    struct network_side *side = network_head(net)->side_of_input[input];
    struct network_sender *sender = &side->senders[input];
    uint32_t flits = network_flits(net, bytes), behind = flits - !mask_has(side->sending, input);
    *network_parcel_at(sender->ring, sender->end) = (struct network_parcel){
        .payload = payload, .sent = (uint32_t)cycle, .flits = (uint16_t)flits, .output = (uint8_t)output};
    sender->end = network_place_after(sender->end, network_head(net)->input_mask);
    side->sending |= BIT64(input);
    if (behind) {
        sender->behind += behind;
        side->more |= BIT64(input);
    }
}

/* The oldest payload that has fully arrived at output, or NULL; receive also removes it. */
static inline void *network_peek(const struct network *net, unsigned output)
{
    const struct network_side *side = network_head(net)->side_of_output[output];
    const struct network_receiver *r = &side->receivers[output];
    return mask_has(side->arrivals, output) ? network_parcel_at(r->ring, r->first)->payload : NULL;
}
/* The rest of receiving when packets were behind the one received. */
void network_receive_more(struct network *net, struct network_side *side, unsigned output);
static inline void *network_receive(struct network *net, unsigned output)
{
    struct network_side *side = network_head(net)->side_of_output[output];
    struct network_receiver *r = &side->receivers[output];
    if (!mask_has(side->arrivals, output))
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
    side->arrivals &= ~BIT64(output);
    side->full &= ~BIT64(output);
    return payload;
}

/* Divides senders and receivers into `sides`, each to be ticked by itself: side_of_input and side_of_output name the
 * side of each port. At first there is one side. Allowed between any two ticks. */
#define NETWORK_MAX_SIDES 16
void network_divide(struct network *net, unsigned sides, const uint8_t *side_of_input, const uint8_t *side_of_output);
/* One tick of the network's clock, by its parts: each side and the router, in any order. No part may be more than
 * NETWORK_LOOKAHEAD ticks ahead of another: within that, threads may tick parts at once. cycle: the core cycle of the
 * tick, in which latencies are counted. A side answers with the inputs whose injection queues became shorter, no others
 * will take more than before. Sending and receiving are done between a side's ticks by the side's thread. */
#define NETWORK_LOOKAHEAD 2
uint64_t network_tick_side(struct network *net, unsigned side, uint64_t tick, uint64_t cycle);
void network_tick_router(struct network *net, uint64_t tick);
/* The whole network at once. */
void network_tick(struct network *net, uint64_t tick);
/* The first tick from `from` on, which is to be ticked next, that changes anything (payloads waiting in ejection queues
 * alone do not count), or CYCLE_NEVER. */
uint64_t network_next(const struct network *net, uint64_t from);
/* Whether nothing is inside. */
bool network_idle(const struct network *net);
/* Bit mask of a side's outputs that have a payload to receive. */
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
/* Describes everything inside for a checkpoint; describe does so for a payload, which may be NULL. How the network is
 * divided leaves no trace. */
struct archive;
void network_archive(struct network *net, struct archive *ar,
                     void (*describe)(struct archive *ar, void **payload, const void *context), const void *context);

#endif
