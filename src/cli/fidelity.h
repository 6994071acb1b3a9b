/* Agreement with another simulator: what it measured for a launch file (a record), which counter first shows a
 * difference, and how far a set of cycle counts lies from another. Nothing here runs or prints.
 *
 * Only counters that mean the same on both sides are compared. Cache accesses and misses are not: GPGPU-Sim counts a
 * store that passes the L1 by as an access and a miss; hits, the difference of both, agree. */
#ifndef LOCKSTEP_CLI_FIDELITY_H
#define LOCKSTEP_CLI_FIDELITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/diag.h"
#include "base/vec.h"

/* The counters of a record, in the order of the columns of its file. */
enum fidelity_counter {
    FIDELITY_CYCLES,
    FIDELITY_WARP_INSTRUCTIONS,
    FIDELITY_THREAD_INSTRUCTIONS,
    FIDELITY_L1D_ACCESSES,
    FIDELITY_L1D_MISSES,
    FIDELITY_L2_ACCESSES,
    FIDELITY_L2_MISSES,
    FIDELITY_DRAM_READS,
    FIDELITY_DRAM_WRITES,
    FIDELITY_BLOCKS_PER_SM,
    FIDELITY_STALL_IDLE, /* scheduler-cycles, over all SMs */
    FIDELITY_STALL_SCOREBOARD,
    FIDELITY_STALL_PIPELINE,
    FIDELITY_COUNTERS
};

struct fidelity_counts {
    uint64_t value[FIDELITY_COUNTERS];
};

struct fidelity_record {
    const char *name; /* of the launch file, without .yaml */
    const char *id;   /* CRC-32 of the launch file followed by its PTX, in hexadecimal */
    const char *machine, *sched;
    struct fidelity_counts there;
};

struct fidelity_records {
    struct arena arena;
    VEC(struct fidelity_record) list;
};

/* Reads records from the text of a CSV file. Returns 0, or -1 with a diagnostic; fidelity_free in either case. */
int fidelity_parse(struct fidelity_records *records, const char *file, const char *text, struct diag_sink *sink);
void fidelity_free(struct fidelity_records *records);
/* Takes a record's counters from the result object of a kernel run here. */
struct fidelity_counts fidelity_from_kernel(const json_t *kernel);
/* Appends the first counter that differs by more than its allowance, as "NAME HERE/THERE"; nothing
 * when all agree. */
void fidelity_explain(const struct fidelity_counts *here, const struct fidelity_counts *there, struct strbuf *out);

/* A figure of one case on both sides, such as its cycles; both are above 0. */
struct fidelity_pair {
    double here, there;
};

struct fidelity_summary {
    double mean_error;     /* mean of |here/there - 1|, in per cent */
    double geometric_mean; /* of here/there */
    double correlation;    /* Pearson's, of the logarithms; NaN when either side does not vary */
};

/* count > 0. */
struct fidelity_summary fidelity_summarize(const struct fidelity_pair *pairs, size_t count);
/* |here/there - 1| in per cent. */
double fidelity_error(struct fidelity_pair pair);

#endif
