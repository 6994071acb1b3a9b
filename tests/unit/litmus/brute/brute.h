/* A second oracle, straight from the published axioms (Lustig, Sahasrabuddhe and Giroux, "A Formal Analysis of the
 * NVIDIA PTX Memory Consistency Model", ASPLOS 2019; its mixed-proxy extensions, ISCA 2022; PTX ISA, "Memory
 * Consistency Model") and by brute force: every
 * write for every read, every partial order of the writes to a place, every order of the fence.sc operations, every way
 * to meet at barriers. It shares the parsed test with src/litmus and nothing else, and must allow what that allows. So
 * must a random interleaving, run by an interpreter of its own. Tests here are random, short, and without loops: an
 * instruction is done once, and is named by its number. */
#ifndef LOCKSTEP_TESTS_LITMUS_BRUTE_H
#define LOCKSTEP_TESTS_LITMUS_BRUTE_H

#include "unit/litmus/litmus_support.h"

#define MOST_EVENTS 28
#define INIT 255

typedef uint32_t set;
struct relation {
    set row[MOST_EVENTS];
};

struct event {
    unsigned thread, pc; /* thread: INIT for initial values */
    enum { READ, WRITE, FENCE, PROXY_FENCE, BARRIER } kind;
    unsigned place, address;
    enum litmus_proxy proxy;
    bool strong, releases, acquires, is_sc, waits;
    enum litmus_scope scope;
    uint64_t value;
    unsigned phase, number, takes; /* of a barrier */
};

/* Where an instruction that reads takes its value from: an instruction that writes, or INIT. */
struct source {
    uint8_t thread, pc;
};

struct brute {
    const struct litmus_test *test;
    struct source source[LITMUS_THREADS][LITMUS_INSTRS];
    bool done[LITMUS_THREADS][LITMUS_INSTRS]; /* instructions that the thread comes to */
    bool busy[LITMUS_THREADS][LITMUS_INSTRS]; /* whose value is being found */
    bool circular;                            /* a value was needed to find itself */
    struct event events[MOST_EVENTS];
    unsigned count;
    struct relation rf, co, sc;
    struct litmus_outcome *outcomes;
    unsigned outcome_count;
};

static inline bool has(const struct relation *r, unsigned a, unsigned b)
{
    return r->row[a] >> b & 1;
}

static inline void put(struct relation *r, unsigned a, unsigned b)
{
    r->row[a] |= 1u << b;
}

#define PAIRS(b, x, y)                                                                                                 \
    for (unsigned x = 0; x < (b)->count; x++)                                                                          \
        for (unsigned y = 0; y < (b)->count; y++)

/* guess.c: finds all outcomes that the axioms allow. The caller frees b->outcomes. */
void brute_guess(struct brute *b, unsigned thread, unsigned pc);

/* values.c: the values that follow from the sources. False: these are those of no execution. */
bool brute_find_values(struct brute *b);
void brute_list_events(struct brute *b);
/* A register's value when the thread comes to an instruction: done says which of those before it were. */
uint64_t brute_register_value(struct brute *b, unsigned thread, unsigned pc, unsigned number);

/* axioms.c */
bool brute_in_block(const struct brute *b, unsigned t, unsigned u);
struct relation brute_compose(const struct brute *b, const struct relation *r, const struct relation *s);
struct relation brute_causality(const struct brute *b);
bool brute_is_out_of_thin_air(const struct brute *b);
bool brute_is_consistent(const struct brute *b, const struct relation *cause);

#endif
