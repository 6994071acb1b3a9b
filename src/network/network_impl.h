/* The state of a network, shared by the files of room network and by nobody else. network.c says what it means. Sets of
 * ports are bits. A tick looks only at the ports where something moves, so what most ports have most of the time is not
 * counted: a counter holds what goes beyond it, and a set says who has a counter that is not zero. */
#ifndef LOCKSTEP_NETWORK_NETWORK_IMPL_H
#define LOCKSTEP_NETWORK_NETWORK_IMPL_H

#include "base/bits.h"
#include "base/hot.h"
#include "network/network.h"

/* A packet on its way: written by the sender, read by the router; written again by the router for the receiver. */
struct parcel {
    _Alignas(32) void *payload;
    uint64_t sent;
    uint32_t output, flits;
};

struct sender {
    _Alignas(CACHE_LINE) struct parcel *ring;
    struct side *side;
    uint32_t end;     /* packets sent, counted without wrapping */
    uint32_t queued;  /* flits in the injection queue */
    uint32_t credits; /* free places of the router's buffer, as the sender knows */
};

struct receiver {
    _Alignas(CACHE_LINE) struct parcel *ring;
    struct side *side;
    uint32_t first, whole; /* [first, whole) can be received, `whole` is being put together */
    uint32_t ejected;      /* flits in the ejection buffer */
    uint32_t boundary;     /* flits in the boundary buffer */
    uint32_t arrived;      /* flits of packet `whole` in the boundary buffer */
};

struct input { /* of the router */
    _Alignas(32) struct parcel *ring;
    uint32_t first;  /* packet at the front of the sender's ring */
    uint32_t behind; /* flits in the router's buffer behind the front one */
    uint32_t output; /* of packet `first`, once its head is at the front */
    uint32_t left;   /* flits of that packet that are not ready yet */
    uint32_t owed;   /* credits to send back when the channel is free */
};

struct output { /* of the router */
    _Alignas(64) struct parcel *ring;
    uint64_t waiting; /* inputs that ask for the VC */
    uint64_t later;   /* inputs behind the one last served: they are looked at first */
    uint32_t end;     /* packets begun in the receiver's ring */
    uint32_t credits; /* those of ready flits are spent */
    uint32_t leaving; /* flits behind the crossbar, waiting for the channel */
};

/* Ports that put a flit or a credit into the channels of a tick: read two ticks later. */
struct channels {
    _Alignas(CACHE_LINE) struct written {
        _Alignas(32) uint64_t tick, flits, credits;
    } written[4];
};

struct side {
    _Alignas(CACHE_LINE) uint64_t inputs, outputs; /* its senders and receivers */
    uint64_t sending;                              /* inputs with flits in the injection queue */
    uint64_t broke;                                /* inputs without credits */
    uint64_t ejecting;                             /* outputs with flits in the ejection buffer */
    uint64_t full;                                 /* outputs whose boundary buffer takes no flit */
    uint64_t arrivals;                             /* outputs with packets to receive */
    uint64_t sent, taken;                          /* packets */
    struct network_stats stats;
    struct channels to_router;
};

/* A flit is ready when it is sure to be switched in the next step: its packet holds the VC and it has a credit. */
struct router {
    _Alignas(CACHE_LINE) uint64_t occupied; /* inputs with flits in the router's buffer */
    uint64_t more;                          /* those with flits behind the front one */
    uint64_t holding;                       /* inputs with a VC; those occupied and not holding ask for one */
    uint64_t starving;                      /* inputs with a VC whose front flit has no credit */
    uint64_t ready;                         /* inputs whose front flit is ready */
    uint64_t ending;                        /* and the last of its packet */
    uint64_t asked;                         /* outputs whose VC is asked for */
    uint64_t held;                          /* outputs whose VC an input holds */
    uint64_t ready_outputs;                 /* where the ready flits go */
    uint64_t ending_outputs;                /* where the ending ones go */
    uint64_t crossing;                      /* outputs to which a flit crosses in the next step */
    uint64_t leaving;                       /* outputs with flits that wait for the channel */
    uint64_t owing;                         /* inputs whose credits wait for the channel */
};

struct network {
    struct network_params params;
    unsigned input_count, output_count, side_count;
    uint32_t input_mask, output_mask; /* of the rings */
    struct sender *senders;
    struct receiver *receivers;
    struct input *inputs;
    struct output *outputs;
    struct side sides[NETWORK_MAX_SIDES];
    struct router router;
    struct channels from_router;
};

/* Whether the next tick changes something, whatever the sides send. */
static inline bool network_router_awake(const struct router *router)
{
    return (router->asked & ~router->held) | router->ready | router->crossing | router->leaving | router->owing;
}

static inline void network_write(struct channels *c, uint64_t tick, uint64_t flits, uint64_t credits)
{
    struct written *w = &c->written[tick & 3];
    w->tick = tick;
    w->flits = flits;
    w->credits = credits;
}

/* What was written two ticks ago, or NULL. */
static inline const struct written *network_read(const struct channels *c, uint64_t tick)
{
    const struct written *w = &c->written[(tick - NETWORK_LOOKAHEAD) & 3];
    return w->tick == tick - NETWORK_LOOKAHEAD ? w : NULL;
}

#endif
