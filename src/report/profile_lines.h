/* A kernel's profile by line of its sources: what profile_report.c prints. */
#ifndef LOCKSTEP_REPORT_PROFILE_LINES_H
#define LOCKSTEP_REPORT_PROFILE_LINES_H

#include <jansson.h>

#include "base/arena.h"
#include "base/strmap.h"
#include "base/vec.h"
#include "profile/profile.h"

#define PROFILE_LINES_CAUSES 64
#define PROFILE_LINES_PARTS (PROFILE_LINES_CAUSES + 1)
#define PROFILE_LINES_NONE UINT32_MAX

/* Counts of one instruction, or of all of a line. */
struct profile_sum {
    uint64_t counts[PROFILE_COUNTS];
    uint64_t cycles[PROFILE_LINES_CAUSES]; /* by cause: struct profile_lines.causes */
    uint64_t total;                        /* of the cycles */
    uint64_t data;                         /* of them, those that wait for values */
};

/* Its cost in warp-cycles: waits for a value are a cost of the instruction that brings it. */
static inline uint64_t profile_cost(const struct profile_sum *sum)
{
    return sum->total - sum->data + sum->counts[PROFILE_awaited];
}

struct profile_line {
    const char *file; /* as the sources' compiler named it */
    uint32_t number;
    const char *text;       /* without blanks around it; NULL: results do not have it */
    uint32_t depth;         /* calls around it, at least */
    struct profile_sum own; /* of the instructions that are the line's */
    struct profile_sum all; /* and of those that stand in place of a call in the line, or that it calls */
    uint32_t told;          /* the last call whose cost `all` has */
};

struct profile_instr {
    const json_t *object; /* of a launch; NULL: the instruction counted nothing */
    struct profile_sum sum;
    uint32_t line; /* its own */
    uint32_t site; /* PROFILE_LINES_NONE: those of the calls of its function */
};

/* The instructions of a line that stand in the same outermost line: `line` itself where they stand in place of no call.
 * A line of a header that came with a compiler is none: its instructions are those of the line that calls it. So they
 * are where that is a real call. */
struct profile_site {
    uint32_t line, outer;
    const char *by; /* of a function that is called and lies in such a header as a whole: its name; else NULL */
    uint32_t first; /* pc of its first instruction; of the call, where there is a `by` */
    struct profile_sum sum;
};

/* A function and the calls by which threads came into it: the context of src/profile/calls.h. */
struct profile_called {
    const json_t *object;   /* of a launch */
    uint32_t outer;         /* the one it was called from, + 1; 0: the kernel */
    uint32_t pc;            /* of the call */
    uint32_t first, count;  /* instructions of the function */
    struct profile_sum own; /* of them */
    struct profile_sum all; /* and of what they call */
};

struct profile_lines {
    const char *causes[PROFILE_LINES_CAUSES]; /* names, as results have them */
    unsigned cause_count;
    const json_t *kernels;
    const char *name; /* of the kernel */
    uint64_t launches, cycles;
    struct profile_sum sum;           /* of the kernel */
    VEC(struct profile_instr) instrs; /* by pc */
    VEC(struct profile_line) lines;
    VEC(struct profile_site) sites;
    VEC(struct profile_called) calls; /* outer ones first */
    struct strmap
        numbers; /* of lines, by "LINE FILE"; of sites, by "LINE in OUTER"; of calls, "PC to FIRST from OUTER" */
    struct arena arena;
};

/* Adds the launches of a kernel of that name among result objects, which must outlive it. */
void profile_lines_init(struct profile_lines *p, const json_t *kernels, const char *name);
void profile_lines_free(struct profile_lines *p);
/* A part of a cost. */
struct profile_part {
    const char *words;
    uint64_t cycles;
    uint32_t cause; /* PROFILE_LINES_NONE: waits for its value */
};
/* The parts of a cost that are not 0, the largest first: waits for its value, and its cycles by cause, without waits
 * for others' values. They add up to the cost. parts: of PROFILE_LINES_PARTS. Returns how many. */
unsigned profile_parts(const struct profile_lines *p, const struct profile_sum *sum, struct profile_part *parts);
/* Its cost without the cycles of warps that have ended and wait for their block: those are other warps' doing. */
uint64_t profile_work_cost(const struct profile_lines *p, const struct profile_sum *sum);
/* The called function that the instruction stands in, with the most expensive call of it; NULL: it is the kernel's. */
const struct profile_called *profile_lines_called(const struct profile_lines *p, uint32_t pc);
/* True if line a comes before b in a report: the most expensive first; of those that cost the same, the outer one. */
bool profile_line_before(const struct profile_line *a, const struct profile_line *b);
/* The number of the cause of that name, or PROFILE_LINES_NONE. */
uint32_t profile_lines_cause(const struct profile_lines *p, const char *name);

#endif
