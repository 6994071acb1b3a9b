/* The state of core crossbar, shared by its files; crossbar.c says what it does. */
#ifndef LOCKSTEP_NETWORK_CROSSBAR_H
#define LOCKSTEP_NETWORK_CROSSBAR_H

#include "network/core.h"

#define CHANNEL_TICKS 2

/* An input is *open* while it holds the VC of an output for a packet of which flits are not ready yet. */
struct crossbar_input {
    uint16_t left;  /* of that packet: flits that are not ready yet */
    uint8_t output; /* of that packet */
};

/* A flit is *ready* when it is sure to be switched in the next step: its packet holds the VC and it has a credit.
 *
 * A credit is *out* from then on until the receiver has given it back. A receiver whose boundary buffer takes flits
 * gives it back at once: it is here CREDIT_TICKS after the flit was put into the channel. So credits are not counted,
 * but only the flits that receivers hold back. Besides these and the flits that wait for the channel, an output has at
 * most CREDITS_UNDER_WAY credits out: with a flit that is ready, one that crosses, and those of this tick and the last
 * ones. Where all of them might be more than there are, the output is *tight*, and they are added up. */
#define CREDIT_TICKS (2 * CHANNEL_TICKS)
#define CREDITS_UNDER_WAY (2 + CREDIT_TICKS)

/* Sets of 64 inputs, and of 64 outputs: word w is that of ports 64w and up. */
struct crossbar_inputs {
    _Alignas(CACHE_LINE) uint64_t occupied; /* with flits in the router's buffer */
    uint64_t fresh;                         /* where a head flit has come to the front since the last step */
    uint64_t ready;                         /* whose front flit is ready */
    uint64_t open;
    uint64_t starving;   /* open ones whose front flit has no credit */
    uint64_t owing;      /* whose credits wait for the channel */
    unsigned number;     /* of the word */
    struct tally behind; /* flits in the router's buffer behind the front one */
};

struct crossbar_outputs {
    _Alignas(CACHE_LINE) uint64_t asked; /* whose VC is asked for */
    uint64_t held;                       /* whose VC an input holds */
    uint64_t ready;                      /* where ready flits go */
    uint64_t crossing;                   /* to which a flit crosses in the next step */
    uint64_t open;                       /* whose VC an open input holds */
    uint64_t sent;                       /* that have a flit in this tick's channel */
    uint64_t tight;                      /* that may have no credit */
    uint64_t leaving;                    /* with flits behind the crossbar that wait for the channel */
    uint64_t left[CREDIT_TICKS];         /* by tick: those whose flits were put into the channel */
    unsigned number;                     /* of the word */
};

struct crossbar {
    struct network_core core;
    uint64_t tick;               /* the last one */
    struct network_words moving; /* that this tick may change */
    /* All that the router holds is *alone* in one word of inputs and one of outputs: the others are not awake, have
     * nothing in their buffers or in `left`, and no packet on its way goes there. Ticks of a pair stay with these two
     * words and leave `awake` and `left`, which say at what words a tick is to look, as they are. */
    bool alone;
    struct crossbar_inputs *from; /* these words */
    struct crossbar_outputs *to;
    struct network_words awake;       /* at least those that the next one may change whatever the channels bring */
    uint8_t left[CREDIT_TICKS];       /* by tick: words of outputs that have some in `left` */
    bool busy;                        /* some inputs or outputs are */
    bool varies;                      /* network_vary */
    struct random_stream arbitration; /* when it does */
    struct crossbar_inputs in[NETWORK_MAX_WORDS];
    struct crossbar_outputs out[NETWORK_MAX_WORDS];
    uint64_t waiting[NETWORK_MAX_WORDS]
                    [NETWORK_MAX_PORTS]; /* by word of inputs and by output: those that ask for its VC */
    uint16_t first[NETWORK_MAX_PORTS];   /* by output: the input looked at first, behind the one last served */
    struct crossbar_input inputs[NETWORK_MAX_PORTS];
    uint16_t late_flits[NETWORK_MAX_PORTS], late_credits[NETWORK_MAX_PORTS]; /* how many wait for the channel */
    uint16_t held_back[NETWORK_MAX_PORTS];                                   /* flits in receivers' ejection buffers */
};

/* The router changes something in the next tick, whatever the ends send: a VC is free and asked for, a flit has come to
 * the front, is ready or crosses, or something waits for the channel. */
static inline uint64_t crossbar_inputs_busy(const struct crossbar_inputs *in)
{
    return in->fresh | in->ready | in->owing;
}
static inline uint64_t crossbar_outputs_busy(const struct crossbar_outputs *out)
{
    return (out->asked & ~out->held) | out->crossing | out->leaving;
}
/* A tick is to look at these inputs, or outputs, though the channels bring nothing there: they are busy, or something
 * of the tick before is to be taken back. */
static inline uint64_t crossbar_inputs_awake(const struct crossbar_inputs *in)
{
    return crossbar_inputs_busy(in) | in->starving;
}
static inline uint64_t crossbar_outputs_awake(const struct crossbar_outputs *out)
{
    return crossbar_outputs_busy(out) | out->ready | out->sent;
}
/* After a change of what these outputs of a word hold back, or have waiting for the channel. */
void crossbar_note_tight(struct crossbar *x, unsigned word, uint64_t outputs);
/* Works out what follows from the sets of inputs and outputs: which words are awake, which have outputs in `left`, if
 * any is busy; and core.next. */
struct crossbar_outlook {
    struct network_words awake;
    uint8_t left[CREDIT_TICKS];
    bool busy;
    uint64_t next;
};
struct crossbar_outlook crossbar_look(const struct crossbar *x);

/* crossbar_archive.c. Outputs of a word for which inputs wait; ports of a word whose counter is not zero. */
uint64_t crossbar_asked(const struct crossbar *x, unsigned word);
uint64_t crossbar_some(const uint16_t *counters, unsigned word);
void crossbar_archive(struct network_core *core, struct archive *ar, const struct network_carrier *carrier);
/* crossbar_check.c */
void crossbar_check(struct network_core *core, struct check *check);

#endif
