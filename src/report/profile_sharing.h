/* Lines that locks and polled words share with others: text for reports of profiles. */
#ifndef LOCKSTEP_REPORT_PROFILE_SHARING_H
#define LOCKSTEP_REPORT_PROFILE_SHARING_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "base/strbuf.h"
#include "base/vec.h"

/* A line, over all launches. Its first word is the lock or polled word for which most was waited. */
struct profile_sharing_line {
    const json_t *object; /* of its first launch */
    const char *name;     /* of the first word */
    uint64_t waited;      /* warp-cycles, for the first word */
    uint64_t all_waited;  /* the same for all locks and polled words of the line, added up */
    uint64_t own, others; /* attempts at the first word, or polls of it; accesses to others, of whatever kind */
    uint64_t sms;         /* at the most */
};
struct profile_sharing_report {
    VEC(struct profile_sharing_line) lines; /* the most expensive first */
    bool travel;                            /* L1s took words from each other to do atomics at them */
};

/* Lines of all launches of the kernel of that name among result objects, which must outlive it: those whose other words
 * have a hundredth of the first one's accesses and more. */
struct profile_sharing_report *profile_sharing_read(const json_t *kernels, const char *name);
void profile_sharing_done(struct profile_sharing_report *report);
/* Appends what lies beside the first word: "stats+4, stats+8 and 3 others". */
void profile_sharing_add_others(const struct profile_sharing_line *line, struct strbuf *out);
/* Appends a table of those in which warps waited a hundredth of their cycles and more, if there are such. */
void profile_sharing_add_table(const struct profile_sharing_report *report, uint64_t warp_cycles, struct strbuf *out);
/* True if the sentence is to come before those on lines: in the line whose lock or polled word costs most lies data,
 * too, or L1s take such lines from each other. */
bool profile_sharing_is_early(const struct profile_sharing_report *report);
/* Appends a sentence on the first one; nothing where warps waited for its words less than a twentieth of their cycles,
 * or others have less than a tenth of the word's accesses. */
void profile_sharing_add_sentence(const struct profile_sharing_report *report, uint64_t warp_cycles,
                                  struct strbuf *out);

#endif
