/* Who waited for whom: from the times for which threads held words, and those for which others waited for them. An SM
 * knows its own; here they meet, when the kernel has ended. Of threads that took a word, the last one holds it, until
 * it gives it back. */
#ifndef LOCKSTEP_PROFILE_GRAPH_H
#define LOCKSTEP_PROFILE_GRAPH_H

#include "profile/words.h"

#define PROFILE_EDGES 32       /* of a word that are listed: the most expensive ones */
#define PROFILE_WARP_GRAPHS 16 /* words whose edges between warps are found: the first ones */
#define PROFILE_ORDERS 64      /* of a kernel that are listed, likewise */
#define PROFILE_CIRCLES 4      /* of a kernel that are found */
#define PROFILE_CIRCLE 8       /* edges of a circle that are listed */

/* Threads of `from` waited for the word while threads of `to` held it. Times: holdings that a wait met, of all waits.
 * Cycles: of all waits, each while a holding lasted. */
struct profile_edge {
    uint32_t from, to;
    uint64_t times, cycles;
};
struct profile_edges {
    struct profile_edge of[PROFILE_EDGES]; /* those with the most cycles first */
    uint32_t count;
    uint64_t others; /* edges that are not listed, and theirs; but for those that are too many to be told apart */
    uint64_t others_times, others_cycles;
};

/* A word's waits. The cycles of all edges, by warps or by instructions, and `free` and `unlogged` add up to the word's
 * `waited`. */
struct profile_graph {
    struct profile_edges warps; /* from, to: numbers of warps; all are `others` from word PROFILE_WARP_GRAPHS on */
    struct profile_edges sites; /* instructions: where they attempted first, where the holder took it */
    uint64_t free;              /* cycles of waits in which nobody was seen to hold the word */
    uint64_t unlogged;          /* those of waits that no log has */
};

struct profile_graph_warp {
    struct profile_warp_name name;
    uint32_t sm;
};

/* A thread that holds the word `from` takes the word `to`, or waits for it. */
struct profile_order_edge {
    uint32_t from, to;             /* words: numbers in the list */
    uint32_t held_at, attempts_at; /* instructions: that took the one, and attempted the other: of the first time */
    uint64_t times;
    uint64_t cycles;   /* for which it waited for the one while it held the other */
    uint64_t gave_way; /* times that it gave `from` back, or went on, and had not got `to` */
    char *names[2];    /* of `from` and `to`: NULL until somebody who knows names sets them */
};
/* Each edge leads to the word from which the next one comes, the last to the first one's, and on none of them a thread
 * was seen to give way: threads may come to wait for each other for ever. */
struct profile_circle {
    struct profile_order_edge edges[PROFILE_CIRCLE];
    uint32_t count; /* may be more than are here */
};

struct profile_graphs {
    struct profile_graph *of; /* of the first words of the list, in its order */
    uint32_t count;
    struct profile_graph_warp *warps; /* by number */
    uint32_t warp_count;
    struct profile_order_edge *orders; /* those with the most cycles first */
    uint32_t order_count;
    uint64_t orders_unlisted;
    struct profile_circle circles[PROFILE_CIRCLES];
    uint32_t circle_count;
};

/* list: of the words of those states; of its first `most` words there is a graph. To be freed by profile_graphs_free.
 */
struct profile_graphs profile_graphs_gather(const struct profile_word_list *list, uint32_t most,
                                            const struct profile_words *const *states, uint32_t sms);
void profile_graphs_free(struct profile_graphs *graphs);

#endif
