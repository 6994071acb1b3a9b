/* The core of a network: what lies between its ends and decides which way flits go, and who waits for whom. A core is
 * one file behind this interface and one row of cores.def; the parameter network.core names it.
 *
 * The ends (side.h) give a core one flit a tick and input at most, while the input has credits for the core's buffer,
 * and one credit a tick and output at most, for a flit that has left the receiver's ejection buffer. The core gives
 * them one flit a tick and output, and one credit a tick and input. Both ways take channel_ticks ticks. So an end does
 * in tick t nothing that depends on what the core, or through it another end, did after tick t - channel_ticks: that is
 * the network's lookahead, within which ends and core can be ticked in any order, or at once by several threads.
 *
 * Only sets of ports pass through the channels. The packets that flits belong to lie in rings: the n-th packet of an
 * input's ring (its entry) is the n-th whose flits come from there, and the n-th packet that the core puts into an
 * output's ring (its exit) is the n-th whose flits go there. A packet must be at its exit before its first flit leaves
 * the core, the flits of a packet must leave one after another, and packets between the same two ports in their order.
 */
#ifndef LOCKSTEP_NETWORK_CORE_H
#define LOCKSTEP_NETWORK_CORE_H

#include "base/random.h"
#include "network/network.h"

struct archive;

/* Where a core takes an input's packets, and where it puts an output's. */
struct network_entry {
    struct network_parcel *ring; /* the sender's */
    uint32_t first;              /* place of the packet whose flits come next, or will when it is sent */
};
struct network_exit {
    struct network_parcel *ring; /* the receiver's */
    uint32_t end;                /* of the packets put there */
};

/* A core's view of the network that it is part of. */
struct network_gates {
    unsigned inputs, outputs, words; /* words: of the larger of both sets of ports */
    uint32_t input_mask, output_mask;
    uint32_t input_credits; /* flits that an input may have in the core, in the channel, or with credits on their way */
    uint32_t output_credits; /* and an output likewise in its channel and ejection buffer */
    struct network_entry entries[NETWORK_MAX_PORTS];
    struct network_exit exits[NETWORK_MAX_PORTS];
};

/* The next packet of an input. */
static inline const struct network_parcel *network_front(const struct network_gates *g, unsigned input)
{
    return network_parcel_at(g->entries[input].ring, g->entries[input].first);
}
/* Takes the next packet of an input; the one behind it is next then. The packet stays in the ring, unchanged, until its
 * first flit's credit is given back. */
static inline const struct network_parcel *network_take(struct network_gates *g, unsigned input)
{
    const struct network_parcel *p = network_front(g, input);
    g->entries[input].first = network_place_after(g->entries[input].first, g->input_mask);
    return p;
}
/* Puts a packet, which is not the ring's own, at an exit. */
static inline void network_put(struct network_gates *g, unsigned output, const struct network_parcel *p)
{
    struct network_exit *exit = &g->exits[output];
    *network_parcel_at(exit->ring, exit->end) = *p;
    exit->end = network_place_after(exit->end, g->output_mask);
}

/* One tick: the channels' requests, and the core's answers, which are empty at first. The core reads only the words of
 * the network. */
struct network_turn {
    uint64_t tick;
    struct network_ports flits, credits; /* inputs from which a flit comes, outputs from which a credit does */
    struct network_ports sent, freed;    /* answers: outputs to which a flit goes, inputs to which a credit does */
    /* In networks of several words: those of flits and of credits that are not empty; those of `freed` and of `sent`
     * that may be, which are all unless the core says less. */
    struct network_words came, answered;
};

/* A tick in which the channels bring flits from word `in` of the inputs only, and credits from word `out` of the
 * outputs: see network_turn. */
struct network_pair {
    uint64_t tick;
    unsigned in, out;
    bool known; /* the core's: it has ticked this pair, and what that needs still holds */
    uint64_t flits, credits, sent, freed;
    uint64_t away;            /* inputs that may have packets under way to other words of outputs */
    uint64_t inputs, outputs; /* ports of the side that the channels are of, in these words */
};

/* The beginning of every core's state. */
struct network_core {
    const struct network_core_kind *kind;
    struct network_gates *gates;
    const struct network_params *params;
    uint64_t next; /* the first tick in which the core does something though the channels bring nothing */
};

struct network_carrier { /* what describes a payload in a checkpoint */
    void (*describe)(struct archive *ar, void **payload, const void *context);
    const void *context;
};

struct network_core_kind {
    const char *name;
    unsigned weight; /* network_weight, for 64 ports on one side */
    /* network_refuses; NULL: any parameters and ports can be. */
    bool (*refuses)(const struct network_params *params, unsigned inputs, unsigned outputs,
                    struct network_refusal *refusal);
    /* Ticks from one end of a channel to the other: 2 to NETWORK_MAX_LOOKAHEAD. */
    unsigned (*channel_ticks)(const struct network_params *params);
    /* Credits of every input and output beyond router_flits and ejection_flits, or NULL: none. */
    unsigned (*spare_credits)(const struct network_params *params);
    /* The state begins with a struct network_core, which the caller fills in. All that the core will ever need is taken
     * from the arena here: later on, threads that tick other networks of the same arena run beside it. */
    struct network_core *(*create)(const struct network_gates *gates, const struct network_params *params,
                                   struct arena *arena);
    /* Called after kind, gates and params have been filled in. */
    void (*start)(struct network_core *core);
    /* One tick, in which the channels bring something or core->next has come. Sets core->next. */
    void (*tick)(struct network_core *core, struct network_turn *turn);
    /* One tick of a core of several words, of which the channels reach two. Returns false, and has changed nothing, if
     * the tick may change or answer in more than these. NULL: always false. */
    bool (*tick_pair)(struct network_core *core, struct network_pair *pair);
    /* network_share: from now on these cores, all of this kind and with the same parameters but for where ports sit,
     * are ticked by tick_together, one with its turn behind the other. NULL: cores of this kind have nothing to share.
     */
    void (*share)(struct network_core *const *cores, unsigned count, struct arena *arena);
    void (*tick_together)(struct network_core *const *cores, struct network_turn *turns, unsigned count);
    /* Returns true if every packet that was taken has been put at its exit. NULL: that is always so after a tick. */
    bool (*is_empty)(const struct network_core *core);
    /* Ticks after which a packet of one flit that meets nobody can be received, counting the first one after its
     * sending as 1. */
    unsigned (*latency)(const struct network_core *core, unsigned input, unsigned output);
    /* network_vary. */
    void (*vary)(struct network_core *core, struct random_stream stream);
    /* Describes what the core holds, but for gates and what follows from parameters, and core->next. */
    void (*archive)(struct network_core *core, struct archive *ar, const struct network_carrier *carrier);
    /* States the derived facts; see base/check.h. */
    void (*check)(struct network_core *core, struct check *check);
};

/* For archives of cores: word `word` of a set of the first `count` ports; a packet. */
void network_archive_word(struct archive *ar, uint64_t *set, unsigned word, unsigned count);
void network_archive_parcel(const struct network_gates *gates, struct archive *ar,
                            const struct network_carrier *carrier, struct network_parcel *p);

#endif
