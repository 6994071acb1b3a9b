/* Parts of the graphs that files of this room share: see graph.h. */
#ifndef LOCKSTEP_PROFILE_GRAPH_PARTS_H
#define LOCKSTEP_PROFILE_GRAPH_PARTS_H

#include "base/vec.h"
#include "profile/graph.h"
#include "profile/pcs.h"

/* graph_index.c: numbers of words by address. */
struct graph_index {
    const struct profile_word_list *list;
    uint32_t *places; /* by hash of the address, the next free one after that: number of a word + 1; 0: free */
    uint32_t mask;    /* of a place: their number is a power of two */
};
/* Of the first words of a list, up to `most`. To be freed by graph_index_free. */
struct graph_index graph_index_of(const struct profile_word_list *list, uint32_t most);
void graph_index_free(struct graph_index *index);
/* UINT32_MAX: it has no such word. */
uint32_t graph_index_find(const struct graph_index *index, uint64_t address, uint32_t space);

/* graph_index.c: the edges of a word as they come. */
struct graph_edges {
    VEC(struct profile_edge) of;
    bool again;                                   /* one that has come may come again */
    uint64_t others, others_times, others_cycles; /* of edges that came when there were too many */
};
#define GRAPH_MOST_EDGES (1u << 20)
static inline void graph_edges_add(struct graph_edges *edges, struct profile_edge edge)
{
    if (edges->of.count < GRAPH_MOST_EDGES) {
        vec_push(&edges->of, edge);
        return;
    }
    edges->others++;
    edges->others_times += edge.times;
    edges->others_cycles += edge.cycles;
}
/* The list of them, each once. Empties them, for the next word's. */
struct profile_edges graph_edges_list(struct graph_edges *edges);
void graph_edges_free(struct graph_edges *edges);

/* order.c */
void graph_orders_gather(struct profile_graphs *graphs, const struct profile_word_list *list,
                         const struct profile_words *const *states, uint32_t sms);
/* circles.c: edges are all of them; circles of the first ones are found first. */
void graph_circles_find(struct profile_graphs *graphs, const struct profile_order_edge *edges, size_t count,
                        uint32_t words);

#endif
