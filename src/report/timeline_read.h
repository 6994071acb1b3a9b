/* Timelines, read from the files of `lockstep run --timeline` (docs/timeline.md). */
#ifndef LOCKSTEP_REPORT_TIMELINE_READ_H
#define LOCKSTEP_REPORT_TIMELINE_READ_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "base/vec.h"

#define TIMELINE_LABEL "lockstep timeline\n" /* of the compressed file: base/squeeze.h */
#define TIMELINE_FORMAT 1 /* grows when a member changes its name or meaning; new members do not count */

/* Cycles are those of the launch. cause, pc and lock are numbers in the launch's tables, and in their range. */
struct timeline_read_phase {
    uint32_t cycles, cause, pc, own;
};
struct timeline_read_life {
    uint32_t sm, slot, block[3], warp;
    uint64_t from, until, at;
    bool cut;
    size_t first, count; /* phases */
};
struct timeline_read_wait {
    uint32_t sm, slot;
    uint64_t came, opened;
    uint32_t pc;
    uint32_t mbarrier; /* its number + 1; 0: it was at a barrier */
};
struct timeline_read_section {
    uint32_t sm, lock, block, slot, lane;
    uint64_t since, taken, given;
    uint32_t taken_at, given_at;
};
struct timeline_read_unfinished {
    uint32_t sm, lock, slot, lane;
    bool held; /* else it waited */
    uint64_t from, until;
};
struct timeline_read_issues {
    uint32_t sm;
    uint64_t bin;
    const json_t *counts;
};

struct timeline_read_launch {
    json_t *object; /* the first line */
    VEC(struct timeline_read_life) lives;
    VEC(struct timeline_read_phase) phases;
    VEC(struct timeline_read_wait) waits;
    VEC(struct timeline_read_section) sections;
    VEC(struct timeline_read_unfinished) unfinished;
    VEC(struct timeline_read_issues) issues;
    VEC(json_t *) kept;               /* lines that others of these point into */
    VEC(const json_t *) instructions; /* by pc; NULL: the file does not name it */
    uint64_t start, cycles;
    uint32_t causes, locks, mbarriers;
};

struct timeline_read {
    VEC(struct timeline_read_launch) launches;
};

/* Reads the lines, which come from `path`. -1 with a diagnostic: they are no timeline, or damaged; free it then too. */
int timeline_read(struct timeline_read *t, const char *path, const struct strbuf *lines, struct diag_sink *sink);
void timeline_read_free(struct timeline_read *t);
const char *timeline_read_cause(const struct timeline_read_launch *launch, uint32_t cause);
/* True: a lock of shared memory, of which each block has its own. */
bool timeline_read_is_shared(const struct timeline_read_launch *launch, uint32_t lock);
const char *timeline_read_lock(const struct timeline_read_launch *launch, uint32_t lock);
const char *timeline_read_mbarrier(const struct timeline_read_launch *launch, uint32_t mbarrier);
/* Appends the place of an instruction, as reports name it: "file.cu:12 (called from file.cu:30)". */
void timeline_read_add_place(const struct timeline_read_launch *launch, uint32_t pc, struct strbuf *out);
const char *timeline_read_text(const struct timeline_read_launch *launch, uint32_t pc);

#endif
