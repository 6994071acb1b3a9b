/* An explicit-state checker of the coherence protocols in which L1s keep what they have written. It drives the very
 * code that is simulated, several agents (memory/agent.h) and a directory (memory/directory.h), through all orders in
 * which their messages can arrive and their threads can access, and looks for a state in which something is wrong
 * (docs/check.md). It prints nothing: who calls it decides what is shown. */
#ifndef LOCKSTEP_CHECK_CHECKER_H
#define LOCKSTEP_CHECK_CHECKER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "memory/coherence/protocol.h"

#define CHECKER_CACHES 4u
#define CHECKER_LINES 3u

struct checker_setup {
    const struct coherence_protocol *protocol;
    const char *program; /* a name of programs.def, or "g" and the number of a generated one */
    uint32_t caches, lines;
    uint32_t sets, ways; /* of an L1: lines that it has room for */
    uint32_t fills;      /* that an L1 can have under way */
    uint32_t merges;     /* loads that may wait for one */
    uint32_t stores;     /* written lines that may wait in an L1's store queue */
    uint32_t requests;   /* that may wait for the network in an L1 */
    uint32_t replies;    /* on their way, above which a slice takes no requests */
    uint32_t l2sets;     /* of the L2, of all its slices together */
    uint32_t places;     /* of lines in such a set */
    uint32_t slices;     /* lines of different slices have networks without a common order */
    uint32_t values;     /* of a data word */
    uint32_t accesses;   /* of a thread, at most; 0: no end */
    uint32_t together;   /* of all threads, at most; 0: as many as each may make */
    uint64_t depth;      /* events from the beginning, at most; 0: no limit */
    uint64_t states;     /* at most; 0: no limit */
    uint64_t memory;     /* bytes for what was seen, at most; 0: no limit */
    bool asymmetric;     /* states that differ by the names of caches alone are told apart: slower, to check the rest */
    /* Hears how far the search is; may be NULL. Returns true: enough. */
    bool (*progress)(void *context, uint64_t states, uint64_t depth);
    void *context;
};
/* Every number that is 0 takes its default; accesses, depth, states and memory stay. */
void checker_defaults(struct checker_setup *setup);

enum checker_verdict {
    CHECKER_PROVED,  /* no fault, and everything was looked at */
    CHECKER_FAULT,   /* one was found: see `trace` */
    CHECKER_STOPPED, /* no fault, but not everything was looked at: a limit */
};

struct checker_result {
    enum checker_verdict verdict;
    uint64_t states, transitions, depth;
    uint64_t quiet;                           /* states in which nothing is under way */
    const char *limit;                        /* STOPPED: by what */
    struct strbuf fault;                      /* FAULT: what is wrong, in a line */
    struct strbuf trace;                      /* FAULT: the events that lead to it, a line each */
    struct coherence_counts agent, directory; /* transitions taken */
};
/* Searches. Returns 0, or -1 with diagnostics for a setup that cannot be checked. */
int checker_run(const struct checker_setup *setup, struct checker_result *result, struct diag_sink *sink);
void checker_free(struct checker_result *result);

/* The programs of threads, in the order of programs.def; {NULL} ends them. */
struct checker_program_name {
    const char *name, *protocols, *doc;
    uint32_t together;
};
extern const struct checker_program_name checker_programs[];
/* Appends the rows of generate.def that make up a generated program, a blank before each; of another program, nothing.
 */
void checker_describe(const char *program, struct strbuf *text);
/* True: there is a generated program of that number for the setup: its rows go together, and its words find a place. */
bool checker_generates(const struct checker_setup *setup, uint64_t number);
/* How many accesses all threads of the setup's program begin together, unless a number is asked for. */
uint32_t checker_usually(const struct checker_setup *setup);
/* True: the protocol promises what the program relies on. */
bool checker_suits(const struct coherence_protocol *protocol, const struct checker_program_name *program);

/* The checker reports every transition that it never takes. Returns the reason why it cannot take this one
 * (unreached.def), or NULL if none is given: the transition should have been reached. side: 0 the L1, 2 the directory.
 */
const char *checker_unreached(const struct coherence_protocol *protocol, unsigned side, unsigned state, unsigned event);

#endif
