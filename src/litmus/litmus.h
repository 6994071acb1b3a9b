/* Litmus tests of the PTX memory model: short programs of several threads with a condition on how they end.
 *
 * A test is read from text in the format that public suites share (parse.c), or made from a shape (shapes.c). Its
 * *outcomes* are the values that its condition looks at, when all threads have ended. The oracle (oracle.c) enumerates
 * the outcomes that the model allows, by the axioms in axioms.c; the runner (run.c) counts those that a simulated GPU
 * shows. */
#ifndef LOCKSTEP_LITMUS_LITMUS_H
#define LOCKSTEP_LITMUS_LITMUS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/strbuf.h"

#define LITMUS_THREADS 8
#define LITMUS_PLACES 8
#define LITMUS_REGISTERS 16 /* of a thread */
#define LITMUS_INSTRS 200   /* likewise */
#define LITMUS_TERMS 16     /* of an outcome */
#define LITMUS_BARRIERS 16  /* of a block */
#define LITMUS_ALIASES 8    /* names beside those of places */
#define LITMUS_OBJECTS 4    /* mbarriers */

enum litmus_order { LITMUS_WEAK, LITMUS_RELAXED, LITMUS_ACQUIRE, LITMUS_RELEASE, LITMUS_ACQ_REL, LITMUS_SC };
/* From the narrowest on: a wider one includes what a narrower one does. */
enum litmus_scope { LITMUS_CTA, LITMUS_GPU, LITMUS_SYS };
/* The way by which an operation gets to memory (PTX ISA, "Proxies"). The last is of fences alone: not of a way, but
 * of the addresses by which the generic proxy names one place. */
enum litmus_proxy {
    LITMUS_GENERIC,
    LITMUS_SURFACE,
    LITMUS_TEXTURE,
    LITMUS_CONSTANT,
    LITMUS_ASYNC, /* bulk copies */
    LITMUS_TENSORMAP,
    LITMUS_ALIAS
};

enum litmus_kind {
    LITMUS_LOAD,
    LITMUS_STORE,
    LITMUS_ATOMIC, /* also red, whose register nobody reads */
    LITMUS_FENCE,
    LITMUS_PROXY_FENCE,
    LITMUS_COPY,    /* cp.async.bulk */
    LITMUS_AWAIT,   /* cp.async.bulk.wait_group 0: all copies of the thread */
    LITMUS_ARRIVE,  /* mbarrier.arrive, perhaps with .expect_tx */
    LITMUS_PASS,    /* waits until the phase of a parity is over: mbarrier.try_wait.parity in a loop */
    LITMUS_BARRIER, /* bar.sync, or bar.arrive */
    LITMUS_SET,     /* to = a + b */
    LITMUS_BRANCH   /* to `target`, if a and b compare so */
};

enum litmus_update {
#define UPDATE(name, type, value) LITMUS_##name,
#include "litmus/updates.def"
#undef UPDATE
    LITMUS_UPDATES
};

enum litmus_compare { LITMUS_ALWAYS, LITMUS_EQUAL, LITMUS_UNEQUAL };

/* A register, or a number. */
struct litmus_operand {
    bool is_register;
    uint64_t value; /* or the register's number */
};

struct litmus_instr {
    enum litmus_kind kind;
    enum litmus_order order;
    enum litmus_scope scope;
    enum litmus_update update;
    enum litmus_compare compare;
    unsigned place;              /* of a copy: where to */
    unsigned address;            /* by which it is named: two of one place are equal unless one is a generic alias */
    unsigned from, from_address; /* copy */
    enum litmus_proxy proxy; /* of an access; of a fence: the one that it tells of the generic one, or is told by it */
    unsigned to;             /* register */
    struct litmus_operand a, b; /* store: a; atomic: operands; set: summands; branch: what is compared; barrier: its
                                   number, and how many of the test's threads it takes (0: see barriers.h) */
    unsigned target;            /* instruction; the thread's count: its end */
    bool is_volatile;           /* load, store: means relaxed at the scope of the system */
    bool arrives;               /* barrier: does not wait */
    bool reads_only;            /* await: for the copies' reads */
    bool signals;               /* copy: its bytes count at an mbarrier when they have come */
    unsigned object;            /* of a copy that signals, an arrival, a pass */
    unsigned bytes;             /* arrival: that it expects */
    unsigned parity;            /* pass */
};

struct litmus_thread {
    unsigned cta, gpu;
    struct litmus_instr *instrs;
    unsigned count, registers;
    const char *names[LITMUS_REGISTERS];
    uint64_t initial[LITMUS_REGISTERS];
};

/* All accesses to a place have its size. */
struct litmus_place {
    const char *name;
    uint64_t initial;
    unsigned bits; /* 8, 16, 32 or 64 */
};

/* A further name of a place. */
struct litmus_alias {
    const char *name;
    unsigned place, address;
};

/* An mbarrier: how many arrivals a phase takes. */
struct litmus_object {
    const char *name;
    unsigned arrivals;
};

/* A term of an outcome: a thread's register at its end, or a place's last value. */
struct litmus_term {
    bool is_place;
    unsigned thread, number;
};

/* A condition is a tree: nodes name others by index. */
enum litmus_node_kind { LITMUS_AND, LITMUS_OR, LITMUS_NOT, LITMUS_IS, LITMUS_IS_NOT };
struct litmus_node {
    enum litmus_node_kind kind;
    unsigned left, right;
    struct litmus_operand a, b; /* LITMUS_IS: terms (is_register), or numbers */
};

enum litmus_quantifier { LITMUS_EXISTS, LITMUS_NEVER, LITMUS_FORALL };

struct litmus_test {
    const char *name;
    struct litmus_thread threads[LITMUS_THREADS];
    struct litmus_place places[LITMUS_PLACES];
    struct litmus_alias aliases[LITMUS_ALIASES];
    struct litmus_object objects[LITMUS_OBJECTS];
    struct litmus_term terms[LITMUS_TERMS];
    unsigned thread_count, place_count, alias_count, object_count, term_count;
    unsigned register_bits; /* 64 if a place has so many, else 32 */
    enum litmus_quantifier quantifier;
    struct litmus_node *nodes;
    unsigned node_count, condition; /* index of its root */
    struct arena arena;             /* of everything */
};

/* The values of a test's terms, in order; what is behind them is 0. */
struct litmus_outcome {
    uint64_t values[LITMUS_TERMS];
};

/* Outcomes with a count for each, in the order of their values. */
struct litmus_outcomes {
    struct litmus_count {
        struct litmus_outcome outcome;
        uint64_t count;
    } * items;
    unsigned count, capacity;
};
void litmus_add(struct litmus_outcomes *outcomes, const struct litmus_outcome *outcome, uint64_t count);
/* How often an outcome was added; 0: never. */
uint64_t litmus_count_of(const struct litmus_outcomes *outcomes, const struct litmus_outcome *outcome);
void litmus_outcomes_free(struct litmus_outcomes *outcomes);

/* Reads a test. file names the text in messages. Returns 0, or -1 with diagnostics; litmus_free in both cases. */
int litmus_parse(struct litmus_test *test, const char *file, const char *text, size_t length, struct diag_sink *sink);
void litmus_free(struct litmus_test *test);
/* Returns true if the condition's formula (without exists, never or forall) holds for the outcome. */
bool litmus_holds(const struct litmus_test *test, const struct litmus_outcome *outcome);
/* Appends an outcome as "P0:r0=1 x=2". */
void litmus_print(const struct litmus_test *test, const struct litmus_outcome *outcome, struct strbuf *out);
/* The value that an atomic leaves in a place of so many bits. */
uint64_t litmus_updated(enum litmus_update update, unsigned bits, uint64_t old, uint64_t a, uint64_t b);
/* The lowest bits of a value: what a place or register of that size keeps of it. */
static inline uint64_t litmus_fit(uint64_t value, unsigned bits)
{
    return bits == 64 ? value : value & ((UINT64_C(1) << bits) - 1);
}

/* The model's verdict on a test. */
struct litmus_verdict {
    struct litmus_outcomes allowed;    /* by the PTX memory model */
    struct litmus_outcomes sequential; /* under sequential consistency: a subset */
    bool complete; /* false: there were too many executions to look at, and so not all outcomes are known */
    bool unrolled; /* some loop has more turns than were looked at */
};
/* Enumerates the executions of a test: a branch goes back at most `turns` times in a thread. */
void litmus_ask(const struct litmus_test *test, unsigned turns, struct litmus_verdict *verdict);
void litmus_verdict_free(struct litmus_verdict *verdict);

/* Running a test. */
struct machine;
struct litmus_run {
    const struct machine *machine;
    uint64_t runs, seed;
    uint64_t max_cycles; /* of a launch, in which some hundreds of runs are made; 0: none */
    unsigned threads;    /* of the host */
    /* As gpu_launch has it, in launches; NULL: never called. */
    int (*progress)(void *context, uint64_t runs);
    void *context;
};
/* Runs a test and adds what it sees to `seen`. Returns 0, or -1 with a diagnostic: a test that the machine cannot run,
 * a kernel that does not end. */
int litmus_run(const struct litmus_test *test, const struct litmus_run *run, struct litmus_outcomes *seen,
               struct diag_sink *sink);

/* Tests of our own: every shape with every way to order it (shapes.c). Appends the text of test `number`; false: there
 * are not so many. */
bool litmus_shape(unsigned number, struct strbuf *out);
/* Random test `number` of a seed (random.c): appends its text. mixed: of several proxies. */
void litmus_random(uint64_t seed, uint64_t number, bool mixed, struct strbuf *out);

#endif
