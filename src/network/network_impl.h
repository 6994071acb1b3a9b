/* The state of a network, shared by the files of its ends and by nobody else. Its sides are in side.h, its core is
 * behind core.h. */
#ifndef LOCKSTEP_NETWORK_NETWORK_IMPL_H
#define LOCKSTEP_NETWORK_NETWORK_IMPL_H

#include "network/core.h"

struct network {
    struct network_head head;
    struct network_params params;
    struct network_core *core;
    unsigned channel_ticks; /* of the core: the lookahead */
    unsigned channel_mask;  /* of places in the channels */
    unsigned words;         /* of sets of ports: gates.words */
    struct network_words every;
    unsigned side_count;
    unsigned sharing; /* networks whose cores tick together: this one's and those of `shared`; 0: it ticks alone */
    struct network *shared[NETWORK_MAX_SHARING]; /* the first is this one; all NULL where it follows another */
    uint64_t listening;                          /* the sides that the core reads: network_listen */
    struct network_side *only; /* of a core that ticks by pairs of words: the side that it reads, and */
    struct network_pair pair;  /* its words and ports; between ticks the rest is void */
    struct network_turn turn;  /* of a core of several words; between ticks its sets are empty */
    struct network_gates gates;
    struct network_side sides[NETWORK_MAX_SIDES];
};

/* All ports of a network, as sides that hold the ports of one word each. */
struct network_whole {
    struct network_side word[NETWORK_MAX_WORDS];
};

/* network_gather copies everything that the sides hold of ports; network_deal gives each port's part to the side that
 * has the port now. Counts that belong to no port stay where they are: only their sums are asked for. */
void network_gather(const struct network *net, struct network_whole *whole);
void network_deal(struct network *net, const struct network_whole *whole);

/* Words in which a side has ports. */
struct network_words network_words_of(const struct network_side *side);
/* The way in which the core ticks, as ports, words and listening sides are; network_choose_tick notes it. */
network_core_tick *network_tick_for(const struct network *net);
void network_choose_tick(struct network *net);

static inline void network_write(const struct network *net, struct network_channels *c, uint64_t tick, uint64_t flits,
                                 uint64_t credits)
{
    struct network_written *w = &c->written[tick & net->channel_mask];
    w->tick = tick;
    w->flits = flits;
    w->credits = credits;
}

/* The entry that arrives in this tick, which was written channel_ticks ago, or NULL. */
static inline const struct network_written *network_read(const struct network *net, const struct network_channels *c,
                                                         uint64_t tick)
{
    uint64_t then = tick - net->channel_ticks;
    const struct network_written *w = &c->written[then & net->channel_mask];
    return w->tick == then ? w : NULL;
}

/* A side is awake when its next tick changes something whatever the core sends: a sender has a flit and a credit, or a
 * receiver has a flit in its ejection buffer and room in its boundary buffer. */
static inline bool network_side_is_awake(const struct network_side *side)
{
    return (side->sending | side->ejecting) &&
           ((side->sending & ~tally_full(&side->spent)) | (side->ejecting & ~side->full));
}

/* A receiver has arrivals when it has a packet to receive: its bit in the side's set follows from this. */
static inline bool network_has_arrival(const struct network_receiver *r)
{
    return r->first != r->whole && network_parcel_at(r->ring, r->first)->payload;
}
/* A receiver is full when its boundary buffer takes no flit: no room is left, and a whole packet waits there. A packet
 * that is alone there may be larger than the buffer. */
static inline bool network_is_full(const struct network_receiver *r)
{
    return r->room <= 0 && r->first != r->whole;
}

#endif
