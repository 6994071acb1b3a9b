/* The barriers of a kernel, for the report of a profile. */
#ifndef LOCKSTEP_REPORT_PROFILE_BARRIERS_H
#define LOCKSTEP_REPORT_PROFILE_BARRIERS_H

#include <stdint.h>

#include <jansson.h>

#include "base/strbuf.h"
#include "base/vec.h"
#include "profile/barriers.h"

/* A barrier instruction, its counts added up over launches. */
struct profile_barrier_total {
    const json_t *object; /* of its first launch */
    uint64_t pc;
    uint64_t counts[PROFILE_BARRIER_COUNTS];
};
struct profile_barriers_report {
    VEC(struct profile_barrier_total) of; /* the most expensive first */
};

/* The barriers of all launches of the kernel of that name among result objects, which must outlive it. */
struct profile_barriers_report *profile_barriers_read(const json_t *kernels, const char *name);
void profile_barriers_done(struct profile_barriers_report *barriers);

/* Appends a table of the barriers, of all launches of the kernel of that name among result objects, at which warps
 * waited a hundredth of their cycles and more; if there are such. */
void profile_barriers_add_table(const json_t *kernels, const char *name, uint64_t warp_cycles, struct strbuf *out);

#endif
