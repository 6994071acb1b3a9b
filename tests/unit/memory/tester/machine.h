/* The machine that the tester drives: L1s as an SM has them, each with a load/store unit that tries one access at a
 * time; the slices of an L2 with their DRAM; and between them channels that take their time: one for each agent, slice
 * and virtual network, each in order. */
#ifndef LOCKSTEP_TESTS_TESTER_MACHINE_H
#define LOCKSTEP_TESTS_TESTER_MACHINE_H

#include "isa/mod_values.h"
#include "memory/l1.h"
#include "memory/order.h"
#include "unit/memory/tester/model.h"
#include "unit/memory/tester/setup.h"

#define TESTER_PARTS 4u
#define TESTER_OPS 32u /* accesses of an agent that are not over */
#define TESTER_ROOM 64u
#define TESTER_MESSAGE 400u

/* An access of one lane. */
struct tester_part {
    uint64_t address;
    uint32_t bytes;
    uint64_t operand, compare; /* what is written, added, or put in the place of `compare` */
    uint64_t expected, got;
    bool check;
};

/* The purpose of an access. */
enum tester_role {
    ROLE_DATA,    /* its parts are places */
    ROLE_SYNC,    /* of an episode's variable: `target` */
    ROLE_LOOK,    /* a relaxed load of variable `target`, which orders nothing */
    ROLE_COUNTER, /* of counter `target`: expected is the least that it can have been */
    ROLE_OWN      /* of local memory */
};

/* An access of a thread, to a segment of a line. */
struct tester_op {
    bool used;
    uint8_t role; /* enum tester_role */
    uint32_t target;
    uint8_t kind; /* PACKET_READ, PACKET_WRITE, PACKET_ATOMIC */
    uint8_t order, scope, atomic;
    bool past;  /* .cg */
    bool own;   /* local memory */
    bool waits; /* its thread does nothing else meanwhile */
    uint32_t thread;
    uint64_t since;
    bool counts; /* among its block's accesses that are out: it was issued, and is of an epoch */
    uint8_t epoch;
    uint64_t address;
    uint32_t bytes, part_count;
    struct tester_part parts[TESTER_PARTS];
};

struct tester_agent {
    struct packet_pool packets;
    struct l1 l1;
    struct tester_op ops[TESTER_OPS];
    uint32_t queue[TESTER_OPS]; /* ops that the L1 has not taken, in order */
    uint32_t first, queued;
    uint32_t line;            /* that was accessed last, of the program's */
    struct block_order order; /* its threads are a block */
};

enum tester_state {
    TESTER_RUNS,
    TESTER_WAITS,   /* for an op */
    TESTER_ORDERS,  /* for what a fence or a release waits for */
    TESTER_FLUSHES, /* for the L1's flush */
    TESTER_SLEEPS,  /* till `until` */
    TESTER_ENDED    /* the kernel */
};
/* Of an episode: it begins, tries its variable, joins what was seen there to what it knows, has its body, orders that
 * before its release, and releases. */
enum tester_stage { STAGE_BEGIN, STAGE_TRY, STAGE_JOIN, STAGE_BODY, STAGE_ORDER, STAGE_RELEASE };

struct tester_thread {
    uint32_t agent;
    uint8_t state;           /* enum tester_state */
    uint8_t stage;           /* enum tester_stage */
    uint32_t ops;            /* accesses of its own that are in use */
    struct order_wait order; /* what is waited for */
    uint64_t until;
    uint64_t since;       /* when it last went on */
    struct tester_op *op; /* that is to begin after that; NULL: a fence */
    uint32_t variable;    /* of the episode, or MODEL_NONE */
    uint32_t number;      /* the record of its write */
    uint32_t seen;        /* the record that it has seen */
    uint32_t left;        /* accesses of its body */
    uint32_t fails;       /* tries of a lock, up to some number */
    uint8_t scope;        /* of its access to the variable */
    uint32_t held;        /* of a lock that it holds: the record that says so */
    bool holds;
    struct model_clock clock; /* what its fence gives along */
};

struct tester_channel {
    struct {
        struct packet *packet;
        uint64_t due;
    } messages[TESTER_ROOM];
    uint32_t first, count;
    uint64_t last; /* when its last message is due */
};

struct tester {
    const struct tester_setup *setup;
    struct arena arena;
    struct store store;
    uint32_t slices, threads;
    struct partition *partitions[2];
    struct memory_map map;
    struct tester_agent agents[TESTER_AGENTS];
    struct tester_thread all[MODEL_THREADS];
    struct tester_channel channels[MESSAGE_NETWORKS][TESTER_AGENTS][TESTER_SLICES];
    uint32_t to_slice[TESTER_SLICES], to_agent[TESTER_AGENTS]; /* messages under way */
    struct model model;
    uint32_t first_place[TESTER_LINES + 1]; /* places by line */
    uint64_t cycle, random, accesses;
    uint32_t episodes_left, running; /* threads that have not ended */
    bool flushed[TESTER_AGENTS];     /* at the end of a kernel */
    bool failed, traces;
    char message[TESTER_MESSAGE];
};

void tester_start(struct tester *t, const struct tester_setup *setup);
void tester_stop(struct tester *t);
/* A cycle of everything. */
void tester_step(struct tester *t);
/* Nothing is under way. */
bool tester_idle(const struct tester *t);
/* Only the first failure counts. */
__attribute__((format(printf, 2, 3))) void tester_fail(struct tester *t, const char *format, ...);
__attribute__((format(printf, 2, 3))) void tester_trace(const struct tester *t, const char *format, ...);

/* A free place among an agent's, or NULL. It has the thread, and nothing else. */
struct tester_op *tester_new_op(struct tester *t, uint32_t thread);
void tester_free_op(struct tester *t, struct tester_op *op);
/* The meaning of its order and scope (memory/order.def). */
const struct order_meaning *tester_meaning(const struct tester *t, const struct tester_op *op);
/* Puts an op before the L1. */
void tester_issue(struct tester *t, struct tester_op *op);

/* report.c: what everything waits for, to stderr. */
void tester_report(const struct tester *t);

/* threads.c */
void tester_threads_init(struct tester *t);
void tester_threads_begin(struct tester *t, uint32_t episodes);
void tester_thread_step(struct tester *t, uint32_t thread);
/* A thread that waits for its op, sleeps or has ended has nothing to do in this cycle. */
static inline bool tester_thread_acts(const struct tester *t, const struct tester_thread *th)
{
    return th->state != TESTER_WAITS && th->state != TESTER_ENDED &&
           (th->state != TESTER_SLEEPS || t->cycle >= th->until);
}
/* Its op is over. */
void tester_thread_ended(struct tester *t, const struct tester_op *op);

#endif
