/* The barriers of a block, as the model runs them. Private to the room.
 *
 * A barrier takes as many of the test's threads as its instruction says, and opens for those that wait when the last of
 * them has come; its next phase begins then. One that says no number takes all threads of the block that may still come
 * to it: public tests have barriers of some of their threads without saying so. */
#ifndef LOCKSTEP_LITMUS_BARRIERS_H
#define LOCKSTEP_LITMUS_BARRIERS_H

#include "litmus/litmus.h"

struct litmus_barrier {
    uint8_t came, waits; /* threads, by bit: in this phase */
    uint8_t phase;
};
/* By the first thread of the block, and the barrier's number. */
struct litmus_barriers {
    struct litmus_barrier at[LITMUS_THREADS][LITMUS_BARRIERS];
};

/* The threads of a thread's block, by bit; and the lowest of them, which stands for the block. */
uint32_t litmus_block_of(const struct litmus_test *test, unsigned thread);
unsigned litmus_block_number(const struct litmus_test *test, unsigned thread);

/* Thread comes to a barrier. number: of threads that it takes; coming: the threads that may still come to it, for a
 * barrier without a number. Returns the threads that go on from the barrier, by bit. */
uint32_t litmus_come(struct litmus_barrier *b, unsigned thread, bool arrives, uint64_t number, uint32_t coming);
/* Opens a barrier if all that it takes have come. Returns the threads that go on. */
uint32_t litmus_open(struct litmus_barrier *b, uint64_t number, uint32_t coming);
/* Lets a thread past that can wait no longer for others: none of them goes on, and the barrier has opened before, for
 * as many as it takes. On a machine such a thread hangs; the model of the public suite lets it end, behind those who
 * met in the phase before. False: it is no such thread. */
bool litmus_pass_late(struct litmus_barrier *b, unsigned thread, uint64_t number);

#endif
