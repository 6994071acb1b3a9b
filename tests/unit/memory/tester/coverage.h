/* Which transitions of the protocols' tables runs have reached. A table that several protocols share counts once. */
#ifndef LOCKSTEP_TESTS_TESTER_COVERAGE_H
#define LOCKSTEP_TESTS_TESTER_COVERAGE_H

#include "memory/coherence/protocol.h"

/* Adds what runs of a protocol have reached of a side's table, and prints how much that is. */
void coverage_add(const struct coherence_protocol *protocol, unsigned side, const struct coherence_counts *counts);
/* Prints what nobody has reached. Returns how much of it there is that could be. */
unsigned coverage_missing(void);

#endif
