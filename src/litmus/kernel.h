/* The kernel that runs a litmus test many times. Private to the room.
 *
 * A launch makes *runs* of the test in rounds: in each round, every warp looks up its *seats*, entries of the plan that
 * say which thread of which run one of its lanes is, if any, and where the run's places are. The threads of a run meet,
 * wait as long as the plan says, and do what the test says. Other warps are a *crowd*: when the threads of a run have
 * met, they make atomics on a line of the run, so that what goes to its slice has to wait. */
#ifndef LOCKSTEP_LITMUS_KERNEL_H
#define LOCKSTEP_LITMUS_KERNEL_H

#include "litmus/litmus.h"

#define LITMUS_NOBODY UINT32_MAX
#define LITMUS_CROWD (UINT32_MAX - 1)

/* An entry of the plan, as the kernel reads it: entries lie by round, then block, warp and seat. */
struct litmus_entry {
    uint32_t thread; /* of the test, LITMUS_NOBODY or LITMUS_CROWD */
    uint32_t lane;   /* the one that does it, or LITMUS_NOBODY */
    uint32_t delay;  /* turns of an empty loop, after the run's threads have met; of a crowd, atomics */
    uint32_t warm;   /* 1: the thread reads all places before they meet, so that its L1 may have them */
    uint64_t meet;   /* address of a counter of the run */
    uint64_t result; /* address of the thread's registers, when it has ended: LITMUS_REGISTERS words of 64 bits */
    uint64_t places[LITMUS_PLACES]; /* of a crowd, the first: its word */
};

/* The kernel's parameters. */
struct litmus_params {
    uint64_t plan;
    uint32_t rounds;
};

#define LITMUS_KERNEL "litmus"
/* Appends the kernel as PTX. */
void litmus_write_kernel(const struct litmus_test *test, uint32_t warp_size, struct strbuf *out);

/* True: some thread of the test comes to a barrier of its block. */
bool litmus_has_barriers(const struct litmus_test *test);

/* A barrier that no thread of the test comes to, with which a round can end; LITMUS_BARRIERS: there is none, or nobody
 * knows. */
unsigned litmus_free_barrier(const struct litmus_test *test);

/* How many threads of a test a warp may do at once. More than one only where no thread waits for another: in one warp
 * they could hold each other up for ever, as lanes of a warp can on hardware that runs them by a stack. */
unsigned litmus_seats(const struct litmus_test *test);

/* How many of the test's threads a barrier takes that does not say so: those of its block whose code comes to it. 0:
 * that depends on values that memory gives. */
unsigned litmus_barrier_threads(const struct litmus_test *test, unsigned thread, const struct litmus_instr *barrier);

/* Threads of a test that share a block with this one, itself included. */
unsigned litmus_block_threads(const struct litmus_test *test, unsigned thread);

#endif
