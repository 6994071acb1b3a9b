/* What one thread of a litmus test may do by itself. Private to the room. */
#ifndef LOCKSTEP_LITMUS_TRACE_H
#define LOCKSTEP_LITMUS_TRACE_H

#include "base/vec.h"
#include "litmus/execution.h"

#define LITMUS_TRACE_EVENTS 24
#define LITMUS_VALUES 16 /* of a place */

/* A *trace* is a run of a thread in which every read takes some value that its place may have. Dependences count events
 * of the trace. */
struct litmus_trace {
    struct litmus_event events[LITMUS_TRACE_EVENTS];
    unsigned count;
    uint32_t registers[LITMUS_REGISTERS];
};
typedef VEC(struct litmus_trace) litmus_traces;

/* The values that a place may have. */
struct litmus_values {
    uint32_t items[LITMUS_VALUES];
    unsigned count, known; /* known: when the round of walks began, in which only those are read */
};

struct litmus_tracing {
    const struct litmus_test *test;
    struct litmus_values values[LITMUS_PLACES];
    litmus_traces traces[LITMUS_THREADS];
    unsigned turns; /* how often a thread branches back, at most */
    bool unrolled;  /* some trace was given up for that */
    bool complete;  /* false: there are more values, events or traces than have a place */
};

/* Finds the traces of all threads, with the values that they make for each other. */
void litmus_trace(struct litmus_tracing *t);
void litmus_tracing_free(struct litmus_tracing *t);

/* sequential.c: adds the outcomes that interleavings of the threads have. */
void litmus_interleave(const struct litmus_test *test, unsigned turns, struct litmus_verdict *verdict);

/* The value of an operand, and of a comparison. */
static inline uint32_t litmus_value(const uint32_t *registers, struct litmus_operand o)
{
    return o.is_register ? registers[o.value] : o.value;
}
static inline bool litmus_branches(const struct litmus_instr *i, const uint32_t *registers)
{
    bool equal = litmus_value(registers, i->a) == litmus_value(registers, i->b);
    return i->compare == LITMUS_ALWAYS || equal == (i->compare == LITMUS_EQUAL);
}

#endif
