/* What the two halves of the threads share: threads.c (episodes, variables, orders), accesses.c (what is between). */
#ifndef LOCKSTEP_TESTS_TESTER_THREADS_H
#define LOCKSTEP_TESTS_TESTER_THREADS_H

#include <string.h>

#include "unit/memory/tester/machine.h"

/* Its op, or a fence, begins; a release, and a fence at a scope wider than the block, when what was before is over. */
void tester_begin_op(struct tester *t, struct tester_thread *th, struct tester_op *op);
void tester_begin_fence(struct tester *t, struct tester_thread *th, uint8_t scope);
/* A scope of which an access to a variable of that home can be. */
uint8_t tester_scope_for(struct tester *t, uint32_t agent, uint32_t home);

/* accesses.c: places, variables and counters on lines. */
void tester_lay_out(struct tester *t);
/* The op has one part, and a segment for it. */
void tester_one_part(struct tester *t, struct tester_op *op, uint64_t address, uint32_t bytes);
/* Begins an access of an episode's body. False: not now. */
bool tester_body_access(struct tester *t, struct tester_thread *th);
/* One of them is over. */
void tester_end_access(struct tester *t, struct tester_thread *th, const struct tester_op *op);

#endif
