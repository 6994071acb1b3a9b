/* The figures of kernels that tables show, taken from result objects (gpu/result_json.h): one launch, or several added
 * up. */
#ifndef LOCKSTEP_REPORT_FIGURES_H
#define LOCKSTEP_REPORT_FIGURES_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "base/strbuf.h"

#define FIGURES_STALLS 32

/* A figure that results derive from statistics. */
struct figures_doc {
    const char *name, *unit, *doc;
};
extern const struct figures_doc figures_docs[];
extern const unsigned figures_doc_count;

struct figures {
    uint64_t launches, warp_instructions, thread_instructions;
    uint64_t untimed; /* launches that are not in the figures: functional ones beside others that were timed */
    bool functional;  /* all of them are functional */
    uint64_t cycles;     /* 0: functional launches, which have none */
    int64_t gap_cycles;  /* likewise */
    uint64_t lane_slots; /* warp instructions x warp size: what SIMD efficiency divides by */
    uint64_t l1d_reads, l1d_read_hits, l2_reads, l2_read_hits;
    uint64_t energy_launches;              /* those that have an energy: not functional ones */
    uint64_t dynamic_energy, total_energy; /* pJ */
    double time_ns, host_seconds;
    /* Scheduler-cycles by owner, in table order; the first is `issued`. */
    unsigned stall_count;
    const char *stall_names[FIGURES_STALLS]; /* of the last object added */
    uint64_t stalls[FIGURES_STALLS], stall_total;
};

/* Adds a kernel's result object. Names stay those of the object's members and live as long as it does. */
void figures_add(struct figures *f, const json_t *kernel);
/* Thread instructions a cycle; 0 when nothing ran. */
double figures_ipc(const struct figures *f);
/* Appends "63.2%", or "-" when there is nothing to divide by. */
void figures_percent(uint64_t part, uint64_t whole, struct strbuf *out);
/* Appends an energy given in pJ with three digits and a prefix, "1.06 mJ"; "-" when a launch has none. */
void figures_energy(const struct figures *f, uint64_t pj, struct strbuf *out);
/* The owner of most scheduler-cycles without an issue, by its number; 0 (`issued`) when there is none. */
unsigned figures_largest_stall(const struct figures *f);
/* Appends the owners of most scheduler-cycles without an issue, at most n: "data 61%, atomic 12%"; "-" when none was
 * counted. */
void figures_top_stalls(const struct figures *f, unsigned n, struct strbuf *out);
/* Appends a kernel's name as a reader knows it: the plain name within a mangled C++ one (Itanium ABI), else the text
 * itself. */
void figures_kernel_name(const char *name, struct strbuf *out);

#endif
