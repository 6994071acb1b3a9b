/* Circles in the order in which threads take words: each of some words is held by threads that want the next one. Then
 * threads can come to wait for each other for ever, though they did not in this run. Edges on which threads gave way
 * lead to no such wait. */
#include <stdlib.h>
#include <string.h>

#include "profile/graph_parts.h"

#define MOST_SEARCHES 64 /* for circles, of a kernel */
#define MOST_ROUNDS 64

struct search {
    const struct profile_order_edge *edges;
    size_t count;
    uint32_t words;
    size_t *first; /* by word: of its edges in `order`; one more ends the last word's */
    size_t *order; /* edges by the word that they come from */
    size_t *by;    /* by word: the edge by which the search came there */
    uint32_t *queue;
    bool *found; /* by word: it is in a circle that is known */
};

#define NOT_SEEN SIZE_MAX
#define AT_START (SIZE_MAX - 1)

static bool leads_on(const struct profile_order_edge *edge)
{
    return !edge->gave_way;
}

/* Sorts edges by where they come from. */
static void index_edges(struct search *s)
{
    for (size_t i = 0; i < s->count; i++)
        s->first[s->edges[i].from + 1]++;
    for (uint32_t w = 0; w < s->words; w++)
        s->first[w + 1] += s->first[w];
    size_t *at = base_malloc((s->words + 1) * sizeof *at);
    memcpy(at, s->first, (s->words + 1) * sizeof *at);
    for (size_t i = 0; i < s->count; i++)
        s->order[at[s->edges[i].from]++] = i;
    free(at);
}

/* The shortest way from one word to another. */
static bool find_way(struct search *s, uint32_t from, uint32_t to)
{
    uint32_t count = 0;
    for (uint32_t w = 0; w < s->words; w++)
        s->by[w] = NOT_SEEN;
    s->queue[count++] = from;
    s->by[from] = AT_START;
    for (uint32_t next = 0; next < count && s->by[to] == NOT_SEEN; next++)
        for (size_t i = s->first[s->queue[next]]; i < s->first[s->queue[next] + 1]; i++) {
            const struct profile_order_edge *edge = &s->edges[s->order[i]];
            if (!leads_on(edge) || s->by[edge->to] != NOT_SEEN)
                continue;
            s->by[edge->to] = s->order[i];
            s->queue[count++] = edge->to;
        }
    return s->by[to] != NOT_SEEN;
}

/* The edge, and the way that was found from where it leads back to where it comes from. */
static void note_circle(struct search *s, struct profile_circle *circle, size_t first)
{
    uint32_t from = s->edges[first].to, to = s->edges[first].from, at = 1;
    for (uint32_t w = to; w != from; w = s->edges[s->by[w]].from)
        at++;
    circle->count = at;
    circle->edges[0] = s->edges[first];
    s->found[from] = true;
    for (uint32_t w = to; w != from; w = s->edges[s->by[w]].from) {
        s->found[w] = true;
        if (--at < PROFILE_CIRCLE)
            circle->edges[at] = s->edges[s->by[w]];
    }
}

static void search_circles(struct search *s, struct profile_graphs *graphs)
{
    unsigned searches = 0;
    for (size_t i = 0; i < s->count && graphs->circle_count < PROFILE_CIRCLES; i++) {
        const struct profile_order_edge *edge = &s->edges[i];
        if (!leads_on(edge) || (s->found[edge->from] && s->found[edge->to]) || searches++ >= MOST_SEARCHES)
            continue;
        if (find_way(s, edge->to, edge->from))
            note_circle(s, &graphs->circles[graphs->circle_count++], i);
    }
}

/* Takes the edges away that are in no circle, since nothing leads to where they come from, or on from where they lead:
 * again and again, until none is left that is so, or after some rounds. Returns how many stay. */
static size_t trim(struct profile_order_edge *edges, size_t count, uint32_t words)
{
    uint32_t *in = base_malloc((words + 1) * sizeof *in), *out = base_malloc((words + 1) * sizeof *out);
    size_t before = count + 1;
    for (unsigned round = 0; round < MOST_ROUNDS && before != count; round++) {
        before = count;
        memset(in, 0, (words + 1) * sizeof *in);
        memset(out, 0, (words + 1) * sizeof *out);
        for (size_t i = 0; i < count; i++) {
            in[edges[i].to]++;
            out[edges[i].from]++;
        }
        size_t kept = 0;
        for (size_t i = 0; i < count; i++)
            if (leads_on(&edges[i]) && in[edges[i].from] && out[edges[i].to])
                edges[kept++] = edges[i];
        count = kept;
    }
    free(in);
    free(out);
    return count;
}

void graph_circles_find(struct profile_graphs *graphs, const struct profile_order_edge *edges, size_t count,
                        uint32_t words)
{
    struct profile_order_edge *left = base_malloc((count + 1) * sizeof *left);
    if (count)
        memcpy(left, edges, count * sizeof *left);
    struct search s = {.edges = left, .words = words};
    s.count = trim(left, count, words);
    if (s.count) {
        s.first = base_calloc(words + 1, sizeof *s.first);
        s.order = base_calloc(s.count, sizeof *s.order);
        s.by = base_calloc(words, sizeof *s.by);
        s.queue = base_calloc(words, sizeof *s.queue);
        s.found = base_calloc(words, sizeof *s.found);
        index_edges(&s);
        search_circles(&s, graphs);
        free(s.first);
        free(s.order);
        free(s.by);
        free(s.queue);
        free(s.found);
    }
    free(left);
}
