/* Who comes last of several warps or blocks, and on which lines its time goes: for reports of profiles. */
#ifndef LOCKSTEP_REPORT_PROFILE_MEETINGS_H
#define LOCKSTEP_REPORT_PROFILE_MEETINGS_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "base/strbuf.h"
#include "base/vec.h"

/* A line and a cause to which time went before somebody came. */
struct profile_did {
    const json_t *object; /* an instruction of the line */
    const char *cause;    /* as results name it */
    int64_t excess;       /* cycles of those that came last, beyond those of the ones that came first */
};
struct profile_dids {
    VEC(struct profile_did) of; /* each line and cause once */
};
/* Adds those of results (`last_did`). */
void profile_dids_add(struct profile_dids *dids, const json_t *array);
/* The line to which most of some cycles went, by its largest cause; NULL: there is none that stands out. *share: of the
 * line. */
const struct profile_did *profile_dids_line(const struct profile_dids *dids, uint64_t cycles, double *share);
/* Appends the line, with its cause: "main.cu:31 (value from memory)". */
void profile_dids_add_line(const struct profile_did *did, struct strbuf *out);
/* Appends "; it spends 90% of them at main.cu:31 (value from memory)" where a line stands out. */
void profile_dids_add_spent(const struct profile_dids *dids, uint64_t cycles, struct strbuf *out);

/* A warp of a block that came last. */
struct profile_meeting_warp {
    const json_t *block; /* its index */
    uint64_t sm, warp, rank, times, cycles;
};
/* A barrier of several blocks, or a word that they polled, over launches. */
struct profile_meeting_total {
    uint64_t phases, late; /* cycles from the first to the last one, of all phases */
    VEC(struct profile_meeting_warp) lasts;
    struct profile_dids dids;
};
/* Adds what results say of a barrier or word; nothing if they say nothing. */
void profile_meeting_add(struct profile_meeting_total *total, const json_t *object);
/* Appends who comes last: "block 5 on SM 5 (warp 2) comes last in 90% of 12 phases, 4100 cycles after the first; it
 * spends 90% of them at main.cu:31 (value from memory)". word: it is one that blocks poll, and who writes it is told,
 * if that is mostly one block. Nothing where nobody knows. */
void profile_meeting_add_last(const struct profile_meeting_total *total, bool word, struct strbuf *out);
void profile_meeting_done(struct profile_meeting_total *total);

#endif
