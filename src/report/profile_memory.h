/* How a line's accesses of memory fared, in words. */
#ifndef LOCKSTEP_REPORT_PROFILE_MEMORY_H
#define LOCKSTEP_REPORT_PROFILE_MEMORY_H

#include "report/profile_lines.h"

/* Appends words for the accesses of global and local memory, "1.8 transactions each, hits L1 41% L2 88%, DRAM 33 B"
 * (of transactions, of accesses of the L2, bytes of an access), and of shared memory where lanes meet in banks, "2.5
 * passes each". Returns false, and appends nothing, where there is nothing to say. */
bool profile_memory_add(const struct profile_sum *sum, struct strbuf *out);

#endif
