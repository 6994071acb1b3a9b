/* A timeline as a summary for people, and as a trace for Perfetto. */
#ifndef LOCKSTEP_REPORT_TIMELINE_REPORT_H
#define LOCKSTEP_REPORT_TIMELINE_REPORT_H

#include "report/table.h"
#include "report/timeline_read.h"

/* Appends, launch by launch: where its cycles went, as a profile says it, and what each SM was busy with. */
void report_timeline(const struct timeline_read *t, struct table_page *page);
/* Appends a trace in Perfetto's own format. A cycle is a nanosecond there. */
void report_trace(const struct timeline_read *t, struct strbuf *out);

#define TIMELINE_SUM_CAUSES 64

/* Of one SM, or of all. */
struct timeline_sum {
    uint64_t lives, phases, cycles, by[TIMELINE_SUM_CAUSES];
    uint64_t waited; /* cycles for which lanes waited for locks */
};
void report_timeline_sum(const struct timeline_read_launch *launch, uint32_t sm, struct timeline_sum *sum);
/* Appends the causes with most cycles: "atomic 56%, value from memory 8%". */
void report_timeline_busiest(const struct timeline_read_launch *launch, const struct timeline_sum *sum,
                             struct strbuf *out);
/* Appends how much the file was not kept of, by its member `lost`; nothing when all was. */
void report_timeline_lost(const json_t *lost, struct strbuf *out);

#endif
