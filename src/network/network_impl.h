/* The state of a network, shared by the files of room network and by nobody else. network.c says what it means; its
 * sides are in side.h. */
#ifndef LOCKSTEP_NETWORK_NETWORK_IMPL_H
#define LOCKSTEP_NETWORK_NETWORK_IMPL_H

#include "network/network.h"

struct input { /* of the router */
    struct network_parcel *ring;
    uint32_t first; /* place of the packet in the sender's ring that asks for a VC, or will next */
    uint16_t left;  /* of the packet before it, which has a VC: flits that are not ready yet */
    uint8_t output; /* of that packet, if it is `open` */
};

struct output { /* of the router */
    _Alignas(32) struct network_parcel *ring;
    uint64_t waiting; /* inputs that ask for the VC */
    uint64_t later;   /* inputs behind the one last served: they are looked at first */
    uint32_t end;     /* of the packets begun in the receiver's ring */
};

/* A flit is ready when it is sure to be switched in the next step: its packet holds the VC and it has a credit.
 *
 * A credit is out from then on until the receiver has given it back. A receiver whose boundary buffer takes flits gives
 * it back at once: it is here CREDIT_TICKS after the flit was put into the channel. So credits are not counted, but
 * only the flits that receivers hold back. Besides these and the flits that wait for the channel, an output has at most
 * CREDITS_UNDER_WAY credits out: with a flit that is ready, one that crosses, and those of this tick and the last ones.
 * Where all of them might be more than there are, the output is tight, and they are added up. */
#define CREDIT_TICKS (2 * NETWORK_LOOKAHEAD)
#define CREDITS_UNDER_WAY (2 + CREDIT_TICKS)

/* With network_vary, one in so many contested grants is varied: seldom enough that round robin still shares an output
 * fairly, often enough that no order of service lasts. */
#define ARBITRATION_VARIES 8u

struct router {
    _Alignas(CACHE_LINE) uint64_t occupied; /* inputs with flits in the router's buffer */
    uint64_t fresh;                         /* inputs where a head flit has come to the front since the last step */
    uint64_t ready;                         /* inputs whose front flit is ready */
    uint64_t asked;                         /* outputs whose VC is asked for */
    uint64_t held;                          /* outputs whose VC an input holds */
    uint64_t ready_outputs;                 /* where the ready flits go */
    uint64_t crossing;                      /* outputs to which a flit crosses in the next step */
    uint64_t open, open_outputs;            /* inputs that hold a VC for flits that are not ready yet, and whose VCs */
    uint64_t starving;                      /* those whose front flit has no credit */
    uint64_t sent;                          /* outputs that have a flit in this tick's channel */
    uint64_t tight;                         /* outputs that may have no credit */
    uint64_t busy;                          /* network_router_busy, after a tick */
    uint64_t leaving;                       /* outputs with flits behind the crossbar that wait for the channel */
    uint64_t owing;                         /* inputs whose credits wait for the channel */
    uint64_t tick;                          /* the last one */
    uint64_t left[CREDIT_TICKS];            /* by tick: outputs whose flits were put into the channel */
    struct tally behind;                    /* inputs' flits in the router's buffer behind the front one */
    uint16_t late_flits[NETWORK_MAX_PORTS], late_credits[NETWORK_MAX_PORTS]; /* how many wait for the channel */
    uint16_t held_back[NETWORK_MAX_PORTS];                                   /* flits in receivers' ejection buffers */
};

struct network {
    struct network_head head;
    struct network_params params;
    unsigned input_count, output_count, side_count;
    bool varies;                      /* network_vary */
    struct random_stream arbitration; /* when it does */
    struct router router;
    struct network_channels from_router;
    struct input inputs[NETWORK_MAX_PORTS];
    struct output outputs[NETWORK_MAX_PORTS];
    struct network_side sides[NETWORK_MAX_SIDES];
};

/* Takes everything that the sides hold of these ports, all of them together; network_deal gives it back to whom it now
 * belongs. Counts that belong to no port stay where they are: only sums are asked for. */
void network_gather(const struct network *net, struct network_side *whole);
void network_deal(struct network *net, const struct network_side *whole);

/* After a change of what these outputs hold back, or have waiting for the channel. */
void network_note_tight(struct network *net, uint64_t outputs);

/* What will change in the next tick, whatever the sides send. */
static inline uint64_t network_router_busy(const struct router *router)
{
    return (router->asked & ~router->held) | router->fresh | router->ready | router->crossing | router->leaving |
           router->owing;
}

static inline void network_write(struct network_channels *c, uint64_t tick, uint64_t flits, uint64_t credits)
{
    struct network_written *w = &c->written[tick & 3];
    w->tick = tick;
    w->flits = flits;
    w->credits = credits;
}

/* Before the router's tick, the outputs whose flits left CREDIT_TICKS earlier, and after it those of this tick. Nothing
 * is there in ticks that are left out. */
static inline uint64_t *network_left(struct router *router, uint64_t tick)
{
    return &router->left[tick % CREDIT_TICKS];
}

/* What was written two ticks ago, or NULL. */
static inline const struct network_written *network_read(const struct network_channels *c, uint64_t tick)
{
    const struct network_written *w = &c->written[(tick - NETWORK_LOOKAHEAD) & 3];
    return w->tick == tick - NETWORK_LOOKAHEAD ? w : NULL;
}

#endif
