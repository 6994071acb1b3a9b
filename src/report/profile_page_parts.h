/* Parts of the page of profiles, which profile_page.c puts together. */
#ifndef LOCKSTEP_REPORT_PROFILE_PAGE_PARTS_H
#define LOCKSTEP_REPORT_PROFILE_PAGE_PARTS_H

#include "report/html_table.h"
#include "report/profile_lines.h"
#include "report/profile_page.h"
#include "report/profile_waits.h"

/* A kernel in one of the results. */
struct profile_page_side {
    const json_t *kernels; /* all of the result */
    struct profile_lines lines;
    uint32_t *first, *next; /* by line, by pc: the instructions of a line; PROFILE_LINES_NONE ends */
    struct profile_waits waits[PROFILE_WAITS_KINDS];
};
struct profile_page_kernel {
    const char *name, *plain;        /* as results have it; as the source does */
    unsigned number;                 /* on the page */
    struct profile_page_side *sides; /* by result */
    const struct profile_page *page;
    struct arena *arena;
};

/* A head for each result, each with `what` below its label where there are several. */
void profile_page_heads(struct html_table *t, const struct profile_page *page, const char *what, const char *doc);
/* A share of a kernel's warp-cycles; nothing where the result has no such kernel. */
void profile_page_share(struct html_table *t, const struct profile_page_side *side, uint64_t cycles);
/* Appends the largest parts of a cost: "its value awaited 92%, load/store unit busy 8%". */
void profile_page_parts(const struct profile_lines *lines, const struct profile_sum *sum, struct strbuf *out);
/* The anchor of a line of a file. */
const char *profile_page_anchor(const struct profile_page_kernel *kernel, const char *file, uint32_t line);
/* A name for a file of the kernel's numbers, "work-lines". */
const char *profile_page_file(const struct profile_page_kernel *kernel, const char *what);

/* profile_page_stalls.c: where warp-cycles went, by kernel and by SM. */
void profile_page_causes(const struct profile_page_kernel *kernel, struct strbuf *out);
void profile_page_sms(const struct profile_page_kernel *kernel, struct strbuf *out);
/* The names of the causes that cost the kernel most, in the order of their colours. Returns how many, at most `most`.
 */
unsigned profile_page_ranked(const struct profile_page_kernel *kernel, const char **names, unsigned most);
/* profile_page_source.c: the lines that cost most; sources with costs beside them. */
void profile_page_lines(const struct profile_page_kernel *kernel, struct strbuf *out);
void profile_page_sources(const struct profile_page_kernel *kernel, struct strbuf *out);
/* profile_page_tables.c: what was waited for; the statistics with what they mean; terms of the page. */
void profile_page_waits(const struct profile_page_kernel *kernel, struct strbuf *out);
void profile_page_statistics(const struct profile_page_kernel *kernel, struct strbuf *out);
void profile_page_terms(struct strbuf *out);
/* profile_page_graph.c: who waited for whom with the locks that cost most. */
void profile_page_graph(const struct profile_page_kernel *kernel, struct strbuf *out);
extern const char profile_page_graph_style[];
/* profile_page_timeline.c: what warps did when; the script that draws it, if there is something of it. */
void profile_page_timelines(const struct profile_page *page, const struct profile_page_kernel *kernels, size_t count,
                            struct strbuf *out);
void profile_page_timeline_script(const struct profile_page *page, struct strbuf *out);
extern const char profile_page_timeline_style[];

#endif
