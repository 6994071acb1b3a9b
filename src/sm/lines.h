/* The cache lines that atomic accesses of a launch touch: atomics, and loads and stores with an order (relaxed or
 * stronger), of global memory. Kept by each SM under sm.counts_lines, and counted once over all SMs when the launch is
 * over: several SMs touch the same lines. */
#ifndef LOCKSTEP_SM_LINES_H
#define LOCKSTEP_SM_LINES_H

#include "simt/warp.h"

struct archive;

/* Addresses of lines, ascending. The lowest bit: some of the accesses have acquired or released. */
struct sm_lines {
    uint64_t *items;
    size_t count, capacity;
};
struct sm_lines_count {
    uint64_t all, ordering; /* ordering: those with that bit */
};

/* An atomic access issues. ordering: it acquires or releases. */
void sm_lines_note(struct sm_lines *lines, const struct simt_access *access, uint32_t line_bytes, bool ordering);
/* Adds what `from` has. */
void sm_lines_add(struct sm_lines *lines, const struct sm_lines *from);
struct sm_lines_count sm_lines_count(const struct sm_lines *lines);
void sm_lines_archive(struct sm_lines *lines, uint32_t line_bytes, struct archive *ar);

#endif
