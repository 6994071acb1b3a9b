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
#include "config/param.h"
#include "stats/stat.h"

struct network_params {
#include "config/param_fields.h"
#include "network/network_params.def"
#include "config/param_end.h"
};
extern const struct param_desc network_param_descs[];
extern const unsigned network_param_count;

struct network_stats {
#include "stats/stat_fields.h"
#include "network/network_stats.def"
#include "stats/stat_end.h"
};
extern const struct stat_group network_stat_group;

struct network;

/* A network of `inputs` senders and `outputs` receivers, at most 64 of each; its memory belongs to arena. */
struct network *network_create(const struct network_params *params, unsigned inputs, unsigned outputs,
                               struct arena *arena);
/* Whether input has room for a payload of `bytes` this cycle. */
bool network_can_send(const struct network *net, unsigned input, unsigned bytes);
/* Hands over a payload; only after network_can_send. A NULL payload takes its time and room in the network, but is not
 * received: it vanishes when it has arrived and what arrived before it was received. */
void network_send(struct network *net, unsigned input, unsigned output, unsigned bytes, void *payload, uint64_t cycle);
/* The oldest payload that has fully arrived at output, or NULL; receive also removes it. */
void *network_peek(const struct network *net, unsigned output);
void *network_receive(struct network *net, unsigned output);
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
uint64_t network_arrivals(const struct network *net, unsigned side);
/* Packets that have left the network at a side's receivers, ever. */
uint64_t network_taken(const struct network *net, unsigned side);
/* Adds the statistics of all parts to sum. */
void network_add_stats(const struct network *net, struct network_stats *sum);
void network_stats_reset(struct network *net);
/* Describes everything inside for a checkpoint; describe does so for a payload, which may be NULL. How the network is
 * divided leaves no trace. */
struct archive;
void network_archive(struct network *net, struct archive *ar,
                     void (*describe)(struct archive *ar, void **payload, const void *context), const void *context);

#endif
