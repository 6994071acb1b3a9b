/* The SM's end of the networks from SM to SM, by which the blocks of a cluster reach each other: accesses to the shared
 * memory of another block, and what a barrier of the cluster tells. Written by cluster.c alone.
 *
 * A message is a READ, WRITE or ATOMIC of the space PACKET_SHARED. Its address is one of .shared::cluster, which names
 * the block by its rank; `local` is the number of the cluster in the grid. It goes to the SM of that block, which
 * performs it and sends it back, also when it asks for nothing. On its way it waits, behind the network, for the time
 * that the way takes (sm.cluster_latency and others), and then for shared memory. */
#ifndef LOCKSTEP_LSU_CLUSTER_H
#define LOCKSTEP_LSU_CLUSTER_H

#include "memory/packet_queue.h"

/* What a request is: in message_access.event. */
enum lsu_message {
    LSU_MESSAGE_ACCESS,
    LSU_MESSAGE_ARRIVED, /* the sender's block has arrived at the cluster's barrier: waiter is its rank * 2 + parity */
    LSU_MESSAGE_ENDED,   /* the sender's block has ended: waiter is its rank * 2 */
    LSU_MESSAGE_MBARRIER, /* an operation on an mbarrier (sm/sending.c) */
    LSU_MESSAGE_BYTES,    /* bytes that count at the mbarrier with the offset `waiter` or, of an ATOMIC, as a comparand */
    LSU_MESSAGE_CAST,     /* the same, where the networks of memory bring the bytes to all blocks at once (multicast) */
    LSU_MESSAGE_ABSENT,  /* the answer to an access: the block has ended */
    LSU_MESSAGES
};

struct lsu_cluster {
    struct network *requests, *replies; /* the SM is input and output `index` of both; NULL: the machine has none */
    struct packet_list asking;    /* requests that wait for the network; `ready`: the SM that they go to */
    struct packet_list answering; /* answers to other SMs that wait for it, of their pools */
    struct packet_list coming;    /* what it has brought: by the cycle, `ready`, in which it is there */
    uint32_t accesses;            /* in `asking`, but for barriers */
    struct packet_list *casts;    /* of this SM: partition_open_casts; NULL: it sends what a multicast has read on itself */
    uint64_t port_free;           /* when the port has passed all that went through it so far, in bytes that it could pass */
};

struct lsu;
struct lsu_transaction;
struct core_op;
struct arena;
struct message_write;
/* Takes what the networks have brought, as far as the port passes it. The SM is to be stepped in this cycle. */
void lsu_cluster_take(struct lsu *lsu, uint64_t now);
/* One cycle: what is there is performed, or answers accesses of this SM; messages leave. Returns true if shared memory
 * was in use for it. */
bool lsu_cluster_step(struct lsu *lsu);
/* A request of an access has a place among those that wait for the network. */
bool lsu_cluster_has_place(const struct lsu *lsu);
/* A request of that kind for some bytes at an address of .shared::cluster, which lsu_cluster_ask sends. */
struct packet *lsu_cluster_message(struct lsu *lsu, unsigned kind, enum lsu_message what, uint64_t address,
                                   unsigned bytes);
/* A store to another block's shared memory takes its bytes along, and counts among the warp's until it is acknowledged. A
 * fault of it is one of `entry`, a lane, at `waiter`, its instruction. */
void lsu_fill_block_store(struct lsu *lsu, const struct core_op *o, const struct lsu_transaction *t,
                          struct message_write *m);
/* Sends a request, which has what it is to bring, to the block of that rank in a cluster, on that SM. */
void lsu_cluster_ask(struct lsu *lsu, struct packet *p, unsigned sm);
/* Tells the block of that rank in a cluster, on that SM, of an arrival at the cluster's barrier, or of an end. */
void lsu_cluster_tell(struct lsu *lsu, enum lsu_message what, uint64_t cluster, unsigned rank, unsigned sm, uint32_t of);
/* What a READ of the asynchronous unit with that number brings is to go to that SM too, in the message p, whose bytes
 * begin at `from` in the line that is read. The slice sends it (partition_open_casts). */
void lsu_cluster_cast(struct lsu *lsu, uint32_t number, struct packet *p, unsigned sm, uint32_t from);
/* A slice has sent the SM what another one of its cluster has read for it. */
void lsu_cluster_bring(struct lsu *lsu, struct packet *p, uint64_t now);
/* The agenda's bits, which follow from the lists. */
uint32_t lsu_due_of_cluster(const struct lsu *lsu);

#endif
