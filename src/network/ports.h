/* Sets of a network's ports, in words of 64: port p is bit p mod 64 of word p / 64. Most networks have no port beyond
 * the first word; whoever works in every tick looks at as many words as there are (network_words). */
#ifndef LOCKSTEP_NETWORK_PORTS_H
#define LOCKSTEP_NETWORK_PORTS_H

#include "base/bits.h"

#define NETWORK_MAX_PORTS 256 /* of inputs, and of outputs */
#define NETWORK_MAX_WORDS (NETWORK_MAX_PORTS / 64)

struct network_ports {
    uint64_t word[NETWORK_MAX_WORDS];
};

/* Words of sets of inputs, and of sets of outputs. */
struct network_words {
    uint32_t in, out;
};

/* Words that hold so many ports. */
static inline unsigned network_words(unsigned ports)
{
    return (ports + 63) / 64;
}

/* A port's bit in its word. */
static inline uint64_t port_bit(unsigned port)
{
    return BIT64(port & 63);
}

/* Those of the first `count` ports that are in a word. */
static inline uint64_t ports_in_word(unsigned count, unsigned word)
{
    return count > 64 * word ? mask_low(count - 64 * word) : 0;
}

#endif
