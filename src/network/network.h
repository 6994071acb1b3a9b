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
/* One cycle of the network's clock. */
void network_tick(struct network *net, uint64_t cycle);
/* The next cycle at which a tick changes anything (payloads waiting in ejection queues alone do not count), or
 * CYCLE_NEVER. Never later than the truth; after a send or a receive it may lie in the past, which means the next tick
 * that there is. */
uint64_t network_next(const struct network *net);
/* Whether nothing is inside. */
bool network_idle(const struct network *net);
/* Bit mask of outputs (up to 64) that have a payload to receive. */
uint64_t network_arrivals(const struct network *net);
const struct network_stats *network_stats_of(const struct network *net);
void network_stats_reset(struct network *net);

#endif
