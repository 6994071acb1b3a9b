/* The SM's end of the networks. Written by port.c alone; packets are taken from the pool and given back by whoever
 * sends and receives them. */
#ifndef LOCKSTEP_SM_PORT_H
#define LOCKSTEP_SM_PORT_H

#include "memory/packet_queue.h"
#include "memory/partition.h"

#define SM_ANSWERS 8 /* answers to probes that may wait for the network */

struct sm_port {
    struct packet_pool packets;
    struct packet_ring probes;  /* from their network: the L1D has not answered them; of slices' pools */
    struct packet_ring ejected; /* from the network: not yet sorted into what is fetch's and the load/store unit's */
    struct memory_map map;      /* of setup.partition */
};

struct sm;
void sm_port_init(struct sm *sm, struct arena *own);
/* A packet enters the network, which has room for it (sm_port_has_room). */
void sm_port_send(struct sm *sm, struct packet *p);
/* Sends the oldest packet of a queue, if the network has room for it. */
void sm_port_send_one(struct sm *sm, struct packet_ring *queue);
/* Sends what waits: a request of each of the load/store unit's caches. */
void sm_send_requests(struct sm *sm);
/* Sends the oldest answer to a probe, if the network has room for it, and lets the L1D answer another probe. */
void sm_serve_probes(struct sm *sm);
/* Requests wait for the network, or answers. */
bool sm_has_requests(const struct sm *sm);

#endif
