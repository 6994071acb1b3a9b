/* Timelines in few bytes, for a page: its script (timeline.js) reads them. What is shown of a page's launches is
 * bounded, so that any browser can open the page. */
#ifndef LOCKSTEP_REPORT_TIMELINE_CODE_H
#define LOCKSTEP_REPORT_TIMELINE_CODE_H

#include "report/timeline_read.h"
#include "timeline/timeline.h"

/* The part of a launch that is wanted, and what became of it. */
struct timeline_code {
    const struct timeline_read_launch *launch;
    const struct timeline_options *part; /* cycles and SMs that are wanted */
    const char *const *order;            /* names of causes in the order of colours; others come behind them */
    unsigned order_count;
    struct strbuf bytes;      /* its code; binary */
    unsigned sms, sms_wanted; /* in the code; that are wanted and have something to show */
    uint32_t last_sm;         /* of those in the code */
    size_t phases;            /* in the code */
};

/* Writes the launch's part into code->bytes: SM by SM, as many of them as there is room for, in bytes. */
void timeline_code_launch(struct timeline_code *code, size_t room);
void timeline_code_free(struct timeline_code *code);
/* Appends bytes as text, in base 64. */
void timeline_code_text(struct strbuf *out, const struct strbuf *bytes);

#endif
