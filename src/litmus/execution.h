/* One candidate execution of a litmus test: its events and how they are related. Private to the room. */
#ifndef LOCKSTEP_LITMUS_EXECUTION_H
#define LOCKSTEP_LITMUS_EXECUTION_H

#include "base/bits.h"
#include "litmus/litmus.h"

#define LITMUS_EVENTS 64

enum litmus_event_kind {
    LITMUS_READS,
    LITMUS_WRITES,
    LITMUS_FENCES,
    LITMUS_PROXY_FENCES,
    LITMUS_WAITS,
    LITMUS_ARRIVES, /* at an mbarrier: a thread, or the bytes of a copy */
    LITMUS_PASSES   /* a thread has waited there */
};
#define LITMUS_NO_THREAD LITMUS_THREADS /* that of the writes of initial values */

struct litmus_event {
    enum litmus_event_kind kind;
    unsigned thread;
    enum litmus_order order;
    enum litmus_scope scope;
    unsigned place;          /* or the barrier's or object's number */
    unsigned address;        /* by which the place is named */
    enum litmus_proxy proxy; /* of a proxy fence: the one that it ties to the generic one */
    uint64_t value;          /* of a barrier: how many threads it takes */
    bool known;              /* value, and a barrier's number: those of a register follow from what reads take */
    bool updates;            /* read and write of one atomic, which follow each other */
    bool arrives;            /* of a barrier: does not wait */
    bool late;               /* likewise: came when the phase was over (litmus_pass_late) */
    bool tensormap;          /* of a fence: fence.proxy.tensormap::generic */
    bool copies;             /* of a bulk copy: behind what the thread does behind it, until the thread waits for it */
    bool awaits;             /* of a proxy fence: the thread waits here for the writes of its copies */
    bool awaits_reads;       /* likewise, or for their reads alone */
    unsigned phase;      /* of a barrier: events of one phase meet; of an object: that of an arrival, or 1 more than the
                            one that is over */
    unsigned copy;       /* events of one bulk copy have the same */
    bool signals;        /* of a bulk copy: its bytes count at an object, and no wait_group is for it */
    uint64_t depends_on; /* events: reads whose values decide this one's, or whether it is there */
};

/* A set of pairs of events: bit b of row a. */
struct litmus_relation {
    uint64_t row[LITMUS_EVENTS];
};

struct litmus_execution {
    const struct litmus_test *test;
    struct litmus_event events[LITMUS_EVENTS];
    unsigned count;
    /* Chosen by the enumeration: */
    struct litmus_relation rf;       /* a read's value is that of this write */
    struct litmus_relation fence_sc; /* the order of fence.sc events */
    struct litmus_relation co;       /* coherence order: of writes to one place, as far as they are ordered */
    /* Derived from the program, rf and fence_sc by litmus_derive: */
    struct litmus_relation po, po_place, morally_strong, rmw, observation, cause;
};

static inline bool litmus_related(const struct litmus_relation *r, unsigned a, unsigned b)
{
    return r->row[a] >> b & 1;
}
static inline void litmus_relate(struct litmus_relation *r, unsigned a, unsigned b)
{
    r->row[a] |= BIT64(b);
}
/* Adds what follows by transitivity. */
void litmus_close(struct litmus_relation *r, unsigned count);
/* Returns true if the relation, closed or not, has no cycle. */
bool litmus_acyclic(const struct litmus_relation *r, unsigned count);

static inline bool litmus_in_block(const struct litmus_test *test, unsigned t, unsigned u)
{
    return test->threads[t].cta == test->threads[u].cta && test->threads[t].gpu == test->threads[u].gpu;
}
/* a to c, where a r b and b s c. */
struct litmus_relation litmus_follow_relation(const struct litmus_relation *r, const struct litmus_relation *s);
struct litmus_relation litmus_join(const struct litmus_relation *r, const struct litmus_relation *s);

/* "Proxy-preserved base causality order" (proxies.c): what of base causality order, closed, holds of operations on
 * memory that may be of several proxies and addresses. */
struct litmus_relation litmus_proxy_preserved(const struct litmus_execution *x, const struct litmus_relation *base);

/* mbarriers (objects.c). The ways in which the events of objects can come: visits the execution once for each, with the
 * phases of these events filled in. And: arrivals of a phase are before who saw that it is over. */
void litmus_each_phases(struct litmus_execution *x, void (*visit)(void *context), void *context);
struct litmus_relation litmus_object_order(const struct litmus_execution *x);

/* The model (axioms.c). The first is of the program alone, the second of rf and fence_sc, too. */
void litmus_relate_program(struct litmus_execution *x);
void litmus_derive(struct litmus_execution *x);
/* The axioms that coherence order has no part in, and the others. */
bool litmus_allows_reads(const struct litmus_execution *x);
bool litmus_allows(const struct litmus_execution *x);

#endif
