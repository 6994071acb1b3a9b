/* The ends of a network: senders and receivers with their queues and credits, and the channels between them and the
 * core. A side is the ends that one thread at a time hands packets and ticks. Their owners use the functions of
 * network.h; these are compiled into what works in every cycle, and so this is not hidden.
 *
 * A side has at most 64 senders and 64 receivers, no two of which have the same number modulo 64. So port p is bit p
 * mod 64 in each of a side's sets, which are single words, and element p mod 64 of its arrays. A tick looks only at the
 * ports where something moves. A counter of a port therefore holds only what goes beyond the usual (one flit, say), and
 * a set names the ports whose counter is not zero. */
#ifndef LOCKSTEP_NETWORK_SIDE_H
#define LOCKSTEP_NETWORK_SIDE_H

#include "base/bits.h"
#include "base/hot.h"
#include "network/ports.h"
#include "network/tally.h"
#include "stats/stat.h"

struct network_stats {
#include "stats/stat_fields.h"
#include "network/network_stats.def"
#include "stats/stat_end.h"
};

#define NETWORK_MAX_SIDES 16
#define NETWORK_SIDE_PORTS 64 /* senders of a side, and receivers */

/* A packet on its way: written by the sender, read by the core; written again by the core for the receiver. */
struct network_parcel {
    _Alignas(16) void *payload;
    uint32_t sent; /* the cycle, its low half: nothing is under way for that long */
    uint16_t flits;
    uint8_t output;
};
_Static_assert(NETWORK_MAX_PORTS <= 256, "a parcel names its output in a byte");

/* Places in rings of packets are in bytes, and [first, end) is never all of the ring. */
struct network_sender {
    struct network_parcel *ring;
    uint32_t end;    /* of the packets sent */
    uint32_t behind; /* flits in the injection queue behind the front one */
};

struct network_receiver {
    _Alignas(32) struct network_parcel *ring;
    uint32_t first, whole; /* [first, whole) can be received, `whole` is being put together */
    int32_t room;          /* flits that the boundary buffer takes; below 0 for a packet larger than it */
    uint32_t arrived;      /* flits of packet `whole` there, when it is of several */
    uint32_t ejected;      /* flits in the ejection buffer */
};

/* A flit or credit that one end of a channel writes in a tick is read by the other end the core's channel_ticks later.
 * `written` is a ring by tick, of twice as many entries at least, so that a writer never reaches what is still read. */
#define NETWORK_MAX_LOOKAHEAD 32
struct network_channels {
    _Alignas(CACHE_LINE) struct network_written {
        _Alignas(32) uint64_t tick;
        uint64_t flits, credits; /* ports of the side that put one into the channel in that tick */
    } written[2 * NETWORK_MAX_LOOKAHEAD];
};

struct network_side {
    _Alignas(CACHE_LINE) uint64_t sending; /* inputs with flits in the injection queue */
    uint64_t more;                         /* those with flits behind the front one */
    uint64_t arrivals;                     /* outputs with packets to receive */
    uint64_t full;                         /* outputs whose boundary buffer takes no flit */
    uint64_t ejecting;                     /* outputs with flits in the ejection buffer */
    uint64_t taken;                        /* packets that have left the network here, ever */
    struct network_stats stats;
    struct tally spent;                   /* inputs' credits for the core's buffer that have not come back */
    struct network_ports inputs, outputs; /* its senders and receivers */
    struct network_words words;           /* in which it has some */
    unsigned home;                        /* a word in which it has outputs */
    uint64_t away; /* inputs that may have packets under way to outputs of other words: network_away */
    struct network_channels to_core, from_core;
    struct network_sender senders[NETWORK_SIDE_PORTS];
    struct network_receiver receivers[NETWORK_SIDE_PORTS];
};

static inline struct network_parcel *network_parcel_at(struct network_parcel *ring, uint32_t place)
{
    return (struct network_parcel *)((char *)ring + place);
}

static inline uint32_t network_place_after(uint32_t place, uint32_t mask)
{
    return (place + (uint32_t)sizeof(struct network_parcel)) & mask;
}

/* A tick of the core; see network_tick_core. */
struct network;
typedef uint64_t network_core_tick(struct network *net, uint64_t tick);

/* The part of a network that its ends look at for every packet and tick. */
struct network_head {
    network_core_tick *tick_core; /* network_tick_for */
    struct network_side *sides;
    uint32_t inverse;  /* 2^31 / flit bytes, rounded up */
    uint32_t round_up; /* the same of flit bytes less one */
    uint32_t injection_flits;
    uint32_t input_mask, output_mask; /* of places in rings */
    struct network_side *side_of_input[NETWORK_MAX_PORTS], *side_of_output[NETWORK_MAX_PORTS];
};

#endif
