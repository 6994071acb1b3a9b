/* The words that a kernel's threads poll, for the report of a profile. */
#ifndef LOCKSTEP_REPORT_PROFILE_POLLS_H
#define LOCKSTEP_REPORT_PROFILE_POLLS_H

#include <stdint.h>

#include <jansson.h>

#include "base/strbuf.h"
#include "base/vec.h"
#include "profile/polls.h"
#include "report/profile_lines.h"
#include "report/profile_meetings.h"
#include "report/profile_uses.h"
#include "report/profile_variable.h"

/* A word, its counts added up over launches. */
struct profile_poll_total {
    const json_t *object; /* of its first launch */
    uint64_t counts[PROFILE_POLL_COUNTS], handed, handovers, most_waited; /* as in struct profile_poll_sum */
    struct profile_meeting_total ended; /* who wrote it last, of words for which several blocks may wait */
};
struct profile_polls_report {
    VEC(struct profile_poll_total) polls; /* the most expensive first */
    struct profile_variable_rests rests;  /* of words that results do not list: others are waits and waited */
};

/* The polled words of all launches of the kernel of that name among result objects, which must outlive it. */
struct profile_polls_report *profile_polls_read(const json_t *kernels, const char *name);
void profile_polls_done(struct profile_polls_report *polls);
/* Appends a table of those that warps polled for a hundredth of their cycles and more, if there are such. */
void profile_polls_add_table(const struct profile_polls_report *polls, uint64_t warp_cycles, struct strbuf *out);
/* Appends a sentence on the word that cost most, or on the words of the variable that did (profile_variable.h); nothing
 * where that is less than a twentieth of the warps' cycles. The instructions that poll these words are told of. */
void profile_polls_add_sentence(const struct profile_polls_report *polls, const struct profile_lines *lines,
                                struct profile_told *told, struct strbuf *out);

#endif
