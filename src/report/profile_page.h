/* The page of profiles: one result, or several side by side, with the sources, what was waited for, and all statistics
 * with their meaning. */
#ifndef LOCKSTEP_REPORT_PROFILE_PAGE_H
#define LOCKSTEP_REPORT_PROFILE_PAGE_H

#include <stdbool.h>

#include <jansson.h>

#include "base/strbuf.h"
#include "report/timeline_read.h"
#include "timeline/timeline.h"

struct profile_page_result {
    const char *label;      /* short, of its column */
    const char *path;       /* its file; NULL: it is written into no file */
    const json_t *document; /* of a run (--stats), with its kernels */
};

/* The time-line of a run: each warp's phases. */
struct profile_page_timeline {
    const char *label, *path; /* as of a result */
    const struct timeline_read *timeline;
};

struct profile_page {
    const struct profile_page_result *results;
    unsigned count;
    const struct profile_page_timeline *timelines;
    unsigned timeline_count;
    const struct timeline_options *part; /* of the timelines: cycles and SMs; NULL: all */
    const char *maker;                   /* name and version of the program that writes the page */
    const char *library;                 /* by which figures are drawn; NULL: it is not installed */
};

/* True if a kernel of the document has a profile. */
bool profile_page_suits(const json_t *document);
/* Appends the page. Texts of sources are read from their files, where these hold what the results know of them. */
void profile_page_html(const struct profile_page *page, struct strbuf *out);

#endif
