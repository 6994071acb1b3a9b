/* A timeline as a summary for people, and as a trace for Perfetto. */
#ifndef LOCKSTEP_REPORT_TIMELINE_REPORT_H
#define LOCKSTEP_REPORT_TIMELINE_REPORT_H

#include "report/table.h"
#include "report/timeline_read.h"

/* Appends, launch by launch: where its cycles went, as a profile says it, and what each SM was busy with. */
void report_timeline(const struct timeline_read *t, struct table_page *page);
/* Appends a trace in Perfetto's own format. A cycle is a nanosecond there. */
void report_trace(const struct timeline_read *t, struct strbuf *out);

#endif
