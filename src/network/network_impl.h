/* The state of a network, shared by the files of room network and by nobody else. network.c says what it means. */
#ifndef LOCKSTEP_NETWORK_NETWORK_IMPL_H
#define LOCKSTEP_NETWORK_NETWORK_IMPL_H

#include "network/network.h"

#define NOBODY UINT32_MAX
#define CACHE_LINE 64 /* bytes: what different threads write lies in different ones */

struct packet_in { /* a packet between sending and its tail's switching: written by the sender, read by the router */
    void *payload;
    uint64_t sent;
    uint32_t output, flits;
};

struct packet_out { /* a packet between VC allocation and receiving: written by the router, read by the receiver */
    void *payload;
    uint64_t sent;
    uint32_t flits;
};

struct sender {
    _Alignas(CACHE_LINE) struct packet_in *ring;
    uint32_t end;     /* packets sent, counted without wrapping */
    uint32_t queued;  /* flits in the injection queue */
    uint32_t credits; /* free places of the router's buffer, as the sender knows */
    uint32_t side;
};

struct receiver {
    _Alignas(CACHE_LINE) struct packet_out *ring;
    uint32_t first, whole; /* [first, whole) can be received, `whole` is being put together */
    uint32_t ejected;      /* flits in the ejection buffer */
    uint32_t boundary;     /* flits in the boundary buffer */
    uint32_t arrived;      /* flits of packet `whole` in the boundary buffer */
    uint32_t side;
};

struct input {         /* of the router */
    uint32_t first;    /* packet at the front of the sender's ring */
    uint32_t buffered; /* flits in the router's buffer */
    uint32_t output;   /* of packet `first`, once its head is in the router's buffer */
    uint32_t left;     /* flits of that packet that have not left the buffer */
    uint32_t owed;     /* credits to send back */
};

struct output {       /* of the router */
    uint64_t waiting; /* inputs that ask for the VC */
    uint32_t end;     /* packets begun in the receiver's ring */
    uint32_t holder;  /* input whose packet holds the VC, or NOBODY */
    uint32_t turn;    /* input to be looked at first */
    uint32_t credits;
    uint32_t leaving; /* flits behind the crossbar, waiting for the channel */
};

/* Ports that put a flit or a credit into a channel, by tick: read two ticks later. */
struct channel {
    struct {
        uint64_t tick, ports;
    } written[4];
};

struct side {
    _Alignas(CACHE_LINE) uint64_t inputs, outputs; /* its senders and receivers */
    uint64_t sending;                              /* inputs with flits in the injection queue */
    uint64_t ejecting;                             /* outputs with flits in the ejection buffer */
    uint64_t arrivals;                             /* outputs with packets to receive */
    uint64_t sent, taken;                          /* packets */
    struct channel flits, credits;                 /* to the router */
    bool awake;                                    /* the next tick may change something */
    struct network_stats stats;
};

struct router {
    _Alignas(CACHE_LINE) uint64_t asking; /* inputs with a flit in the router and no VC */
    uint64_t wanted;                      /* outputs whose VC is free and asked for */
    uint64_t switching;                   /* inputs with a VC and a flit in the router */
    uint64_t holding;                     /* inputs with a VC */
    uint64_t crossing;                    /* outputs to which a flit crosses in the next step */
    uint64_t leaving;                     /* outputs with flits behind the crossbar */
    uint64_t owing;                       /* inputs to which credits are owed */
    struct channel flits, credits;        /* to receivers and senders */
    bool awake;
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
};

#endif
