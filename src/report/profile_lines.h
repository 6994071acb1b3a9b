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
    uint32_t depth;         /* calls around it that its code stands in place of, at least */
    struct profile_sum own; /* of the instructions that are the line's */
    struct profile_sum all; /* and of those that stand in place of a call in the line */
};

struct profile_instr {
    const json_t *object; /* of a launch; NULL: the instruction counted nothing */
    struct profile_sum sum;
    uint32_t line; /* its own */
};

/* The instructions of a line that stand in the same outermost line: `line` itself where they stand in place of no call.
 */
struct profile_site {
    uint32_t line, outer;
    struct profile_sum sum;
};

struct profile_lines {
    const char *causes[PROFILE_LINES_CAUSES]; /* names, as results have them */
    unsigned cause_count;
    uint64_t launches, cycles;
    struct profile_sum sum;           /* of the kernel */
    VEC(struct profile_instr) instrs; /* by pc */
    VEC(struct profile_line) lines;
    VEC(struct profile_site) sites;
    struct strmap numbers; /* of lines, by "LINE FILE"; of sites, by "LINE in OUTER" */
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
/* True if line a comes before b in a report: the most expensive first; of those that cost the same, the outer one. */
bool profile_line_before(const struct profile_line *a, const struct profile_line *b);
/* The number of the cause of that name, or PROFILE_LINES_NONE. */
uint32_t profile_lines_cause(const struct profile_lines *p, const char *name);

#endif
