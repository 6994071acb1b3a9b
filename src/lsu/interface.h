/* The SM's end of the networks. Written by interface.c alone; packets are taken from the pool and given back by whoever
 * sends and receives them. */
#ifndef LOCKSTEP_LSU_INTERFACE_H
#define LOCKSTEP_LSU_INTERFACE_H

#include "memory/packet_queue.h"
#include "memory/partition.h"

#define LSU_ANSWERS 8 /* answers to probes that may wait for the network */

struct lsu_net {
    struct network *requests, *replies; /* the SM is input `index` of requests, output `index` of replies */
    struct network *probe_network, *acknowledgements; /* output and input likewise; NULL: the protocol does not probe */
    unsigned index;                                   /* of the SM */
    struct packet_ring instructions;                  /* requests of the instruction cache that wait for the network */
    uint64_t instructions_since;                      /* cycle since which the oldest of them is the oldest */
    struct packet_pool packets;
    struct packet_ring probes;  /* from their network: the L1D has not answered them; of slices' pools */
    struct packet_ring ejected; /* from the network: not yet sorted into what is fetch's and the load/store unit's */
    struct memory_map map;      /* which slice has an address */
    /* From slices of another side of the L2: each stays for far_latency; by the cycle in which that ends (`ready`). */
    struct packet_list far;
    uint32_t far_latency;        /* 0: the L2 has one side */
    bool sorts;                  /* not all that comes from slices is passed on as it comes */
    uint32_t side_slices, first; /* slices of a side; the first of the SM's */
    uint32_t port_bytes;         /* sm.request_port_bytes; 0: port_at stays 0 */
    uint64_t port_at;            /* no request enters the network before */
};

#endif
