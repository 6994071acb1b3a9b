/* A machine and a program for the tester, drawn from a seed: small enough that everything runs into everything. */
#ifndef LOCKSTEP_TESTS_TESTER_SETUP_H
#define LOCKSTEP_TESTS_TESTER_SETUP_H

#include "memory/cache.h"
#include "memory/coherence/protocol.h"
#include "memory/partition.h"

#define TESTER_AGENTS 8u
#define TESTER_SLICES 4u
#define TESTER_LINES 12u /* of 128 bytes, that the program uses */

struct tester_setup {
    const struct coherence_protocol *protocol;
    uint64_t seed;
    struct memory_params memory;
    struct cache_params l1;
    uint32_t agents, threads; /* threads of an agent */
    uint32_t requests, store_queue;
    bool rprio;
    /* The network: each message takes 0 to `delay` cycles, one of `rare` of them 0 to `slow`; a channel holds `room`
     * messages, and whoever takes some lets one of `stall` chances pass. */
    uint32_t delay, slow, rare, room, stall;
    uint32_t vary; /* latencies of slices and DRAM, by so much */
    uint32_t hold; /* cycles for which an adversary holds requests; 0: there is none */
    /* The program. */
    uint32_t lines, variables, counters;
    uint64_t line[TESTER_LINES]; /* their addresses */
    uint32_t mixed;              /* of a line's eight-byte words, one in `mixed` is no data */
    uint32_t body;               /* accesses of an episode, at most */
    uint32_t outstanding;        /* of a thread */
    uint32_t kernels, episodes;  /* of a kernel */
    uint32_t narrow;             /* percent of atomic accesses to data that have the scope of the block */
    uint32_t others;             /* percent of homes' variables that threads of other agents choose */
    bool mixes;                  /* of a variable's two sides, one may order by fences and the other by its access */
};

void tester_draw_setup(struct tester_setup *s, const struct coherence_protocol *protocol, uint64_t seed);

/* The next number of a stream, 0..below - 1. */
static inline uint32_t tester_draw(uint64_t *state, uint32_t below)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return (uint32_t)((z >> 32) * below >> 32);
}

#define TESTER_START UINT64_C(0x80000000)
#define TESTER_BYTES (1u << 20)
#define TESTER_OWN (TESTER_START + (TESTER_BYTES / 2)) /* local memory begins here */

#endif
