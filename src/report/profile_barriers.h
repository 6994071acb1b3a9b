/* The barriers of a kernel, for the report of a profile. */
#ifndef LOCKSTEP_REPORT_PROFILE_BARRIERS_H
#define LOCKSTEP_REPORT_PROFILE_BARRIERS_H

#include <stdint.h>

#include <jansson.h>

#include "base/strbuf.h"
#include "base/vec.h"
#include "profile/barriers.h"
#include "report/profile_meetings.h"

/* The barrier instructions of a line, in the place of one call, their counts added up over launches. */
struct profile_barrier_total {
    const json_t *object; /* of the first launch of the first one */
    uint64_t pc;          /* of the first one */
    uint64_t counts[PROFILE_BARRIER_COUNTS];
    uint64_t times[PROFILE_LAST_WARPS];  /* by number of a warp in its block: that it came behind all others */
    uint64_t cycles[PROFILE_LAST_WARPS]; /* and how far behind the first, of all these times */
    uint64_t again;                      /* times that the warp was the one that had come last in its block before */
    const json_t *block;                 /* that with most of these cycles in a launch; NULL: there is none */
    struct profile_dids dids;
    struct profile_meeting_total meeting; /* of a barrier of several blocks: these are zeros for others */
};
struct profile_barriers_report {
    VEC(struct profile_barrier_total) of; /* the most expensive first */
};

/* The barriers of all launches of the kernel of that name among result objects, which must outlive it. */
struct profile_barriers_report *profile_barriers_read(const json_t *kernels, const char *name);
/* The barrier that has an instruction, an object of results with its places; NULL: it is none. */
const struct profile_barrier_total *profile_barriers_find(const struct profile_barriers_report *barriers,
                                                          const json_t *instr);
void profile_barriers_done(struct profile_barriers_report *barriers);

/* Appends who comes last to the barrier, how far behind the first, and where that time goes: "warp 3 comes last in 90% of
 * 240 phases, 410 cycles after the first; it spends them at main.cu:31 (value from memory)". Nothing where all warps come
 * at once. */
void profile_barriers_add_last(const struct profile_barrier_total *barrier, struct strbuf *out);
/* The ends of blocks, at which warps wait for the last one, as a barrier of all launches of a kernel. */
struct profile_ends {
    struct profile_barrier_total as;
    uint64_t cycles;       /* from the launch of a block to the end of its last warp, of all blocks */
    const json_t *longest; /* the block for which that was most in a launch; NULL: no block has ended */
};
struct profile_ends *profile_ends_read(const json_t *kernels, const char *name);
void profile_ends_done(struct profile_ends *ends);
/* As profile_barriers_add_last: "warp 3 ends last in 90% of 60 blocks, 410 cycles after the first; ...". */
void profile_ends_add_last(const struct profile_ends *ends, struct strbuf *out);
/* Appends a table of the barriers, of all launches of the kernel of that name among result objects, at which warps
 * waited a hundredth of their cycles and more; if there are such. */
void profile_barriers_add_table(const json_t *kernels, const char *name, uint64_t warp_cycles, struct strbuf *out);

#endif
