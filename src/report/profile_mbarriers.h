/* The mbarriers of a kernel, for the report of a profile. */
#ifndef LOCKSTEP_REPORT_PROFILE_MBARRIERS_H
#define LOCKSTEP_REPORT_PROFILE_MBARRIERS_H

#include <stdint.h>

#include <jansson.h>

#include "base/strbuf.h"
#include "base/vec.h"
#include "profile/mbarriers.h"
#include "report/profile_meetings.h"

/* An object, its counts added up over launches. */
struct profile_mbarrier_total {
    const json_t *object; /* of its first launch */
    uint64_t counts[PROFILE_MBARRIER_COUNTS];
    uint64_t times[PROFILE_LAST_WARPS]; /* by number of a warp in its block: phases that it ended for others */
    const json_t *last_at;              /* an instruction by which that was done; NULL: there is none */
    uint64_t last_cycles;               /* what those warps did before, in `dids`, took so long */
    struct profile_dids dids;
};
struct profile_mbarriers_report {
    VEC(struct profile_mbarrier_total) of; /* the most expensive first */
};

/* The mbarriers of all launches of the kernel of that name among result objects, which must outlive it. */
struct profile_mbarriers_report *profile_mbarriers_read(const json_t *kernels, const char *name);
void profile_mbarriers_done(struct profile_mbarriers_report *mbarriers);
/* Appends where it is waited for, and who ends its phases: "waited for at a.cu:3, arrived at a.cu:7 and a.cu:9, bytes
 * expected at a.cu:7, copied at a.cu:8". */
void profile_mbarriers_add_uses(const json_t *object, struct strbuf *out);

/* Appends what ends its phases: "warp 0 ends 95% of 320 phases, at a.cu:26; it spends 90% of them at a.cu:22 (value from
 * memory)", the shares being of the cycles from one to the next. Nothing where nobody knows. */
void profile_mbarriers_add_last(const struct profile_mbarrier_total *total, struct strbuf *out);
/* The mbarrier for which an instruction, an object of results with its places, waits, the one that is waited for most;
 * NULL: there is none. */
const struct profile_mbarrier_total *profile_mbarriers_find(const struct profile_mbarriers_report *mbarriers,
                                                            const json_t *instr);
/* Appends a table of the mbarriers, of all launches of the kernel of that name among result objects, for which warps
 * were suspended in a hundredth of their cycles and more; if there are such. */
void profile_mbarriers_add_table(const json_t *kernels, const char *name, uint64_t warp_cycles, struct strbuf *out);

#endif
