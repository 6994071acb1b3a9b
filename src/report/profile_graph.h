/* Who waited for whom: text for reports of profiles. */
#ifndef LOCKSTEP_REPORT_PROFILE_GRAPH_H
#define LOCKSTEP_REPORT_PROFILE_GRAPH_H

#include <stdbool.h>

#include "report/profile_words.h"

/* Edges from who waited for a word to who held it then, over all launches, those with most cycles first. Ends are
 * warps, or lines: of a lock that functions take, those that call them. */
struct profile_waits_edge {
    char *from, *to;
    uint64_t times, cycles;
};
struct profile_waits_graph {
    VEC(struct profile_waits_edge) edges;
};
/* The edges of results' member "graph" or "graph_sites", of the words of that name. */
struct profile_waits_graph profile_waits_graph_read(const json_t *kernels, const char *kernel, const char *word,
                                                    const char *member);
void profile_waits_graph_free(struct profile_waits_graph *graph);

/* Of the word for which most was waited in the kernel of that name, among result objects: from which lines threads
 * waited while which others' threads held it, and which warps for which; nothing where its row is not in the table of
 * words. */
void profile_graph_add_tables(const json_t *kernels, const char *name, const struct profile_words_report *words,
                              uint64_t warp_cycles, struct strbuf *out);
/* A sentence on circle number n of locks that threads take while they hold others. False: there is none. */
bool profile_graph_add_circle(const json_t *kernels, const char *name, unsigned n, struct strbuf *out);

#endif
