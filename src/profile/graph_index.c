/* Numbers of words by address, and lists of edges: see graph_parts.h. */
#include <stdlib.h>

#include "profile/graph_parts.h"

/* Words */

/* The place of the word at that address; 0 is there: the index does not have it. */
static uint32_t *place_of(const struct graph_index *index, uint64_t address, uint32_t space)
{
    uint32_t at = profile_place(address, space) & index->mask;
    for (;; at = (at + 1) & index->mask) {
        uint32_t word = index->places[at];
        const struct profile_word *of = word ? &index->list->of[word - 1].word : NULL;
        if (!of || (of->address == address && of->space == space))
            return &index->places[at];
    }
}

struct graph_index graph_index_of(const struct profile_word_list *list, uint32_t most)
{
    uint32_t count = list->count < most ? list->count : most, places = 2;
    while (places < 2 * count)
        places *= 2;
    struct graph_index index = {list, base_calloc(places, sizeof *index.places), places - 1};
    for (uint32_t i = 0; i < count; i++)
        *place_of(&index, list->of[i].word.address, list->of[i].word.space) = i + 1;
    return index;
}

void graph_index_free(struct graph_index *index)
{
    free(index->places);
    *index = (struct graph_index){0};
}

uint32_t graph_index_find(const struct graph_index *index, uint64_t address, uint32_t space)
{
    uint32_t word = *place_of(index, address, space);
    return word ? word - 1 : UINT32_MAX;
}

/* Edges */

static int by_ends(const void *a, const void *b)
{
    const struct profile_edge *x = a, *y = b;
    int differ = profile_order(x->from, y->from);
    return differ ? differ : profile_order(x->to, y->to);
}

/* True: x is to be listed before y. */
static bool costs_more(const struct profile_edge *x, const struct profile_edge *y)
{
    int differ = profile_order(y->cycles, x->cycles);
    differ = differ ? differ : profile_order(y->times, x->times);
    return (differ ? differ : by_ends(x, y)) < 0;
}

/* Each edge once. */
static void merge(struct graph_edges *edges)
{
    size_t count = 0;
    qsort(edges->of.items, edges->of.count, sizeof *edges->of.items, by_ends);
    for (size_t i = 0; i < edges->of.count; i++) {
        struct profile_edge *from = &edges->of.items[i], *to = &edges->of.items[count ? count - 1 : 0];
        if (count && !by_ends(to, from)) {
            to->times += from->times;
            to->cycles += from->cycles;
        } else {
            edges->of.items[count++] = *from;
        }
    }
    edges->of.count = count;
}

/* The list has the most expensive edges of those that have been put in. */
static void put_in(struct profile_edges *list, const struct profile_edge *edge)
{
    uint32_t at = list->count;
    if (at == PROFILE_EDGES && !costs_more(edge, &list->of[at - 1]))
        return;
    if (at == PROFILE_EDGES)
        at = --list->count;
    for (; at && costs_more(edge, &list->of[at - 1]); at--)
        list->of[at] = list->of[at - 1];
    list->of[at] = *edge;
    list->count++;
}

struct profile_edges graph_edges_list(struct graph_edges *edges)
{
    struct profile_edges list = {
        .others = edges->others, .others_times = edges->others_times, .others_cycles = edges->others_cycles};
    if (edges->again && edges->of.count)
        merge(edges);
    list.others += edges->of.count;
    for (size_t i = 0; i < edges->of.count; i++) {
        const struct profile_edge *edge = &edges->of.items[i];
        list.others_times += edge->times;
        list.others_cycles += edge->cycles;
        if (list.count < PROFILE_EDGES || edge->cycles >= list.of[PROFILE_EDGES - 1].cycles)
            put_in(&list, edge);
    }
    list.others -= list.count;
    for (uint32_t i = 0; i < list.count; i++) {
        list.others_times -= list.of[i].times;
        list.others_cycles -= list.of[i].cycles;
    }
    edges->of.count = 0;
    edges->again = false;
    edges->others = edges->others_times = edges->others_cycles = 0;
    return list;
}

void graph_edges_free(struct graph_edges *edges)
{
    vec_free(&edges->of);
    *edges = (struct graph_edges){0};
}
