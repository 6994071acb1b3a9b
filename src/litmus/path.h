/* The ways that one thread of a litmus test may take. Private to the room. */
#ifndef LOCKSTEP_LITMUS_PATH_H
#define LOCKSTEP_LITMUS_PATH_H

#include "base/vec.h"
#include "litmus/execution.h"

#define LITMUS_PATH_EVENTS 24
#define LITMUS_PATH_CHOICES 48

/* A *path* is a way through a thread's code: a choice for each branch that it comes to (is it taken?) and each
 * compare-and-swap (does it write?), in order. Choices that the numbers in the code decide are made that way; the
 * others hold if the reads take values that agree. */
struct litmus_path {
    bool choices[LITMUS_PATH_CHOICES];
    unsigned choice_count, event_count;
};

struct litmus_paths {
    VEC(struct litmus_path) of_thread[LITMUS_THREADS];
    bool unrolled; /* some path was given up: it branches back more often than was asked for */
    bool complete; /* false: there are more events or choices than have a place */
};

/* Finds all paths of a test in which no thread branches back more than `turns` times. */
void litmus_find_paths(const struct litmus_test *test, unsigned turns, struct litmus_paths *paths);
void litmus_paths_free(struct litmus_paths *paths);

/* Goes along a path. events: its place for path->event_count events, the first of which is event `first` of the
 * execution. The reads among them keep the values that are known; all else is filled in, known as far as it follows
 * from those. registers: the values at the path's end. Returns false when a choice contradicts what is known. */
bool litmus_follow(const struct litmus_test *test, unsigned thread, const struct litmus_path *path,
                   struct litmus_event *events, unsigned first, uint64_t *registers);

/* sequential.c: adds the outcomes that interleavings of the threads have. */
void litmus_interleave(const struct litmus_test *test, unsigned turns, struct litmus_verdict *verdict);

/* The value of an operand, and of a comparison. */
static inline uint64_t litmus_value(const uint64_t *registers, struct litmus_operand o)
{
    return o.is_register ? registers[o.value] : o.value;
}
static inline bool litmus_branches(const struct litmus_instr *i, const uint64_t *registers)
{
    bool equal = litmus_value(registers, i->a) == litmus_value(registers, i->b);
    return i->compare == LITMUS_ALWAYS || equal == (i->compare == LITMUS_EQUAL);
}

#endif
