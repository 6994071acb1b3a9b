/* Who waited for whom: text for reports of profiles. */
#ifndef LOCKSTEP_REPORT_PROFILE_GRAPH_H
#define LOCKSTEP_REPORT_PROFILE_GRAPH_H

#include <stdbool.h>

#include "report/profile_words.h"

/* Of the word for which most was waited in the kernel of that name, among result objects: from which lines threads
 * waited while which others' threads held it, and which warps for which; nothing where its row is not in the table of
 * words. */
void profile_graph_add_tables(const json_t *kernels, const char *name, const struct profile_words_report *words,
                              uint64_t warp_cycles, struct strbuf *out);
/* A sentence on circle number n of locks that threads take while they hold others. False: there is none. */
bool profile_graph_add_circle(const json_t *kernels, const char *name, unsigned n, struct strbuf *out);

#endif
