/* Runs of the tester. */
#ifndef LOCKSTEP_TESTS_TESTER_RUN_H
#define LOCKSTEP_TESTS_TESTER_RUN_H

#include "memory/coherence/protocol.h"
#include "unit/memory/tester/setup.h"

/* What some runs came to. */
struct tester_run {
    uint64_t episodes, accesses, cycles;
    uint64_t handed; /* loads of what another thread has written */
    struct coherence_counts counts[COHERENCE_SIDES];
};

/* Runs a setup, and adds to what others came to. False: something is wrong, which is said on stderr. */
bool tester_run(struct tester_run *run, const struct tester_setup *setup);

#endif
