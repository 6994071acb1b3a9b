/* What a race-free program may see. The model knows what happens before what: each thread counts its releases, and a
 * clock says up to which of each thread's counts somebody has heard. A release gives its thread's clock along with the
 * value that it writes, which no other write of the variable has; who acquires and sees that value has heard all of it.
 * A thread may read a place if it has heard of the last write to it, and write if it has heard of all reads as well. So
 * each load of a place has one right value, whatever the machine does in between. */
#ifndef LOCKSTEP_TESTS_TESTER_MODEL_H
#define LOCKSTEP_TESTS_TESTER_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#define MODEL_THREADS 32u
#define MODEL_PLACES 256u
#define MODEL_VARIABLES 8u
#define MODEL_COUNTERS 6u
#define MODEL_NONE UINT32_MAX

struct model_clock {
    uint32_t of[MODEL_THREADS];
    uint32_t least[MODEL_COUNTERS]; /* values that counters have reached */
};

/* A place of data. */
struct model_place {
    uint64_t address, value;
    uint32_t bytes;
    uint32_t writer, written;     /* the last write: its thread, and that one's count then */
    uint32_t read[MODEL_THREADS]; /* each thread's count at its last read since the last write; 0: none */
};

/* A value that was written, or is about to be, to a variable. */
struct model_record {
    struct model_clock clock;
    uint32_t agent;
    uint8_t scope;
    bool releases, held;
    bool replaced; /* an atomic has seen it and put another one in its place */
};

/* A variable with which threads synchronise. Its value is the number of a record. home: the agent whose threads use the
 * scope of the block; all others then use the remote scope. MODEL_NONE: no thread uses the scope of the block. */
struct model_variable {
    uint64_t address;
    uint32_t bytes, home;
    bool lock;   /* else each access takes whatever is there */
    bool fenced; /* its accesses are relaxed, and fences order */
    struct model_record *records;
    uint32_t count, room;
    uint32_t holder;     /* the lock's thread, or MODEL_NONE */
    uint32_t known_free; /* a record that was seen and is not held */
};

/* Relaxed atomics add to it. */
struct model_counter {
    uint64_t address;
    uint32_t bytes, home;
    uint64_t sum;
};

struct model {
    uint32_t threads;
    struct model_clock clocks[MODEL_THREADS];
    struct model_place places[MODEL_PLACES];
    struct model_variable variables[MODEL_VARIABLES];
    struct model_counter counters[MODEL_COUNTERS];
    uint32_t place_count, variable_count, counter_count;
    uint64_t handed; /* reads of what another thread has written: how much the program has to do with coherence */
};

void model_init(struct model *m, uint32_t threads);
void model_free(struct model *m);
struct model_place *model_add_place(struct model *m, uint64_t address, uint32_t bytes);
void model_add_variable(struct model *m, uint64_t address, uint32_t bytes, uint32_t home, bool lock, bool fenced);
void model_add_counter(struct model *m, uint64_t address, uint32_t bytes, uint32_t home);

bool model_may_read(const struct model *m, uint32_t thread, const struct model_place *place);
bool model_may_write(const struct model *m, uint32_t thread, const struct model_place *place);
/* Returns the value that the read must have. */
uint64_t model_read(struct model *m, uint32_t thread, struct model_place *place);
void model_write(struct model *m, uint32_t thread, struct model_place *place, uint64_t value);

/* A write of the variable: returns the number of its record. clock: what its release gives along, or NULL. */
uint32_t model_new_record(struct model_variable *v, const struct model_clock *clock, uint32_t agent, uint8_t scope,
                          bool held);
/* The number that a value stands for, or MODEL_NONE; and the other way. */
uint32_t model_number_of(const struct model_variable *v, uint64_t value);
uint64_t model_value_of(const struct model_variable *v, uint32_t number);
/* The thread's clock, for a release; what it does from now on is not part of that. */
struct model_clock model_release(struct model *m, uint32_t thread);
/* The thread, of an agent, has seen a value by an access of a scope, and acquires. */
void model_acquire(struct model *m, uint32_t thread, uint32_t agent, const struct model_record *record, uint8_t scope);
/* Joins what one clock has heard to another. */
void model_join(struct model_clock *to, const struct model_clock *from);
/* Everybody has heard of everything. */
void model_meet(struct model *m);

#endif
