/* Waits meet holdings, word by word: see graph.h. A word's holdings, which do not overlap, stand in the order of time;
 * a wait meets a stretch of them. So the waits of one warp are brought together with all that they meet in one pass
 * over the holdings, however many waits there are. */
#include "profile/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "profile/graph_parts.h"
#include "profile/words_sm.h"

#define MOST_STEPS                                                                                                     \
    (1u << 26) /* holdings that are passed over, for all words of a kernel: that is a part of a second                 \
                */

/* A holding, or a wait, of a thread. */
struct span {
    uint64_t place; /* words of shared memory are apart by block */
    uint64_t from, until;
    uint32_t word; /* number in the list */
    uint32_t warp; /* number of the thread's warp */
    uint32_t site;
    uint32_t key; /* of these two, the one that edges are between */
};
struct spans {
    VEC(struct span) of;
};

/* A warp as logs name it, before it has its number. Most that come from one slot are the same as the last one. */
struct named {
    struct profile_graph_warp is;
    uint32_t number;
};
struct gather {
    struct profile_graphs *graphs;
    VEC(struct named) named;
    uint32_t last[PROFILE_WORDS_WARPS]; /* by slot of the SM that is added: number in `named` + 1; 0: none yet */
    struct graph_index index;
    struct spans holds, waits;
    uint32_t sites;   /* instructions are below that */
    size_t keys;      /* and these, warps or instructions */
    uint64_t steps;   /* that are left */
    uint64_t *cycles; /* by key of holdings: what one warp's waits meet */
    uint64_t *times;
    uint32_t *met;    /* keys with times, as they came */
    int32_t *cover;   /* by holding: waits that begin to meet it, less those that met the last one before */
    uint64_t *beyond; /* by holding: its cycles before waits that meet it, and behind them */
};

/* Spans from the logs of SMs */

/* The number in `named` of the warp that is in a slot of the SM. */
static uint32_t named(struct gather *g, uint32_t sm, uint8_t slot, const struct profile_warp_name *name)
{
    uint32_t last = g->last[slot];
    const struct profile_warp_name *before = last ? &g->named.items[last - 1].is.name : NULL;
    if (before && before->block == name->block && before->warp == name->warp)
        return last - 1;
    vec_push(&g->named, (struct named){.is = {*name, sm}});
    g->last[slot] = (uint32_t)g->named.count;
    return (uint32_t)g->named.count - 1;
}

/* span: without its place and its word, which is that one. */
static void add_span(struct gather *g, struct spans *to, struct span span, uint32_t word, uint32_t space)
{
    if (span.from == span.until && to == &g->waits)
        return;
    span.word = word;
    span.place = space == LOCKSTEP_SHARED ? g->named.items[span.warp].is.name.block : 0;
    g->sites = span.site >= g->sites ? span.site + 1 : g->sites;
    vec_push(&to->of, span);
}

static void add_sm(struct gather *g, const struct profile_words *s, uint32_t sm)
{
    memset(g->last, 0, sizeof g->last);
    for (uint32_t i = 0; i < s->section_count; i++) {
        const struct profile_section *is = &s->sections[i];
        uint32_t word = graph_index_find(&g->index, is->address, is->space);
        if (word == UINT32_MAX)
            continue;
        uint32_t by = named(g, sm, is->warp, &is->by);
        struct span hold = {.warp = by, .from = is->taken, .until = is->given, .site = is->taken_at};
        struct span wait = {.warp = by, .from = is->since, .until = is->taken, .site = is->waited_at};
        add_span(g, &g->holds, hold, word, is->space);
        add_span(g, &g->waits, wait, word, is->space);
    }
    for (uint32_t i = 0; i < s->unfinished_count; i++) {
        const struct profile_unfinished *is = &s->unfinished[i];
        uint32_t word = is->held ? graph_index_find(&g->index, is->address, is->space) : UINT32_MAX;
        if (word == UINT32_MAX)
            continue;
        struct span hold = {
            .warp = named(g, sm, is->warp, &is->by), .from = is->from, .until = is->until, .site = is->at};
        add_span(g, &g->holds, hold, word, is->space);
    }
    for (uint32_t i = 0; i < s->lone_count; i++) {
        const struct profile_lone_wait *is = &s->lone[i];
        uint32_t word = graph_index_find(&g->index, is->address, is->space);
        if (word == UINT32_MAX)
            continue;
        struct span wait = {
            .warp = named(g, sm, is->warp, &is->by), .from = is->from, .until = is->until, .site = is->at};
        add_span(g, &g->waits, wait, word, is->space);
    }
}

/* Numbers of warps */

static int by_name(const void *a, const void *b)
{
    const struct profile_graph_warp *x = a, *y = b;
    int differ = profile_order(x->name.block, y->name.block);
    differ = differ ? differ : profile_order(x->name.warp, y->name.warp);
    return differ ? differ : profile_order(x->sm, y->sm);
}

static void number_spans(const struct gather *g, struct spans *spans)
{
    for (size_t i = 0; i < spans->of.count; i++)
        spans->of.items[i].warp = g->named.items[spans->of.items[i].warp].number;
}

/* Warps of spans by block, warp and SM, each once. */
static void number_warps(struct gather *g)
{
    struct profile_graphs *graphs = g->graphs;
    size_t all = g->named.count, count = 0;
    struct profile_graph_warp *warps = base_calloc(all + 1, sizeof *warps);
    for (size_t i = 0; i < all; i++)
        warps[i] = g->named.items[i].is;
    qsort(warps, all, sizeof *warps, by_name);
    for (size_t i = 0; i < all; i++)
        if (!count || by_name(&warps[count - 1], &warps[i]))
            warps[count++] = warps[i];
    for (size_t i = 0; i < all; i++) {
        const struct profile_graph_warp *found = bsearch(&g->named.items[i].is, warps, count, sizeof *warps, by_name);
        g->named.items[i].number = (uint32_t)(found - warps);
    }
    graphs->warps = warps;
    graphs->warp_count = (uint32_t)count;
    number_spans(g, &g->holds);
    number_spans(g, &g->waits);
}

/* Holdings in the order of time */

static int by_place(const struct span *a, const struct span *b)
{
    int differ = profile_order(a->word, b->word);
    return differ ? differ : profile_order(a->place, b->place);
}

static int by_time(const struct span *a, const struct span *b)
{
    int differ = profile_order(a->from, b->from);
    differ = differ ? differ : profile_order(a->until, b->until);
    differ = differ ? differ : profile_order(a->warp, b->warp);
    return differ ? differ : profile_order(a->site, b->site);
}

static int order_of_holds(const void *a, const void *b)
{
    int differ = by_place(a, b);
    return differ ? differ : by_time(a, b);
}

static int order_of_waits(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    int differ = by_place(x, y);
    return differ ? differ : profile_order(x->key, y->key);
}

static uint64_t key_of_hold(const void *hold)
{
    return profile_time_key(((const struct span *)hold)->word, ((const struct span *)hold)->from);
}

static uint64_t word_of_hold(const void *hold)
{
    return ((const struct span *)hold)->word;
}

static bool has_places(const struct spans *spans)
{
    for (size_t i = 0; i < spans->of.count; i++)
        if (spans->of.items[i].place)
            return true;
    return false;
}

/* A holding ends where the next one begins, if it has not ended by then, be that one as short as it may. */
static void cut(struct spans *holds)
{
    size_t count = 0;
    order_sort(holds->of.items, holds->of.count, sizeof *holds->of.items,
               has_places(holds) ? word_of_hold : key_of_hold, order_of_holds);
    for (size_t i = 0; i < holds->of.count; i++) {
        struct span span = holds->of.items[i];
        const struct span *next = &holds->of.items[i + 1];
        if (i + 1 < holds->of.count && !by_place(&span, next) && span.until > next->from)
            span.until = next->from;
        if (span.from < span.until)
            holds->of.items[count++] = span;
    }
    holds->of.count = count;
}

/* Waits meet holdings */

/* The number of the first holding that ends behind a cycle; or (begins) that begins in it or behind it. */
static size_t first_behind(const struct span *holds, size_t count, uint64_t cycle, bool begins)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool behind = begins ? holds[middle].from >= cycle : holds[middle].until > cycle;
        if (behind)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Adds what the waits of one key meet, from holding `first` to `last`. */
static void add_met(struct gather *g, struct graph_edges *edges, uint32_t from, const struct span *holds, size_t first,
                    size_t last)
{
    uint64_t waits = 0;
    size_t met = 0;
    for (size_t i = first; i < last; i++) {
        waits += (uint64_t)(int64_t)g->cover[i];
        g->cover[i] = 0;
        if (!waits)
            continue; /* nor is anything beyond */
        uint32_t key = holds[i].key;
        if (!g->times[key])
            g->met[met++] = key;
        g->times[key] += waits;
        g->cycles[key] += waits * (holds[i].until - holds[i].from) - g->beyond[i];
        g->beyond[i] = 0;
    }
    g->cover[last] = 0;
    for (size_t i = 0; i < met; i++) {
        uint32_t to = g->met[i];
        graph_edges_add(edges, (struct profile_edge){from, to, g->times[to], g->cycles[to]});
        g->times[to] = g->cycles[to] = 0;
    }
}

/* Waits of one key for a word, and the holdings of that; nothing is done where that takes too many steps. */
static void meet(struct gather *g, struct graph_edges *edges, const struct span *waits, size_t count,
                 const struct span *holds, size_t hold_count)
{
    size_t first = hold_count, last = 0;
    for (size_t i = 0; i < count; i++) {
        size_t from = first_behind(holds, hold_count, waits[i].from, false);
        size_t until = first_behind(holds, hold_count, waits[i].until, true);
        if (from >= until)
            continue;
        g->cover[from]++;
        g->cover[until]--;
        g->beyond[from] += waits[i].from > holds[from].from ? waits[i].from - holds[from].from : 0;
        g->beyond[until - 1] += holds[until - 1].until > waits[i].until ? holds[until - 1].until - waits[i].until : 0;
        first = from < first ? from : first;
        last = until > last ? until : last;
    }
    if (first >= last)
        return;
    if (last - first > g->steps) {
        memset(g->cover + first, 0, (last - first + 1) * sizeof *g->cover);
        memset(g->beyond + first, 0, (last - first) * sizeof *g->beyond);
        return;
    }
    g->steps -= last - first;
    add_met(g, edges, waits[0].key, holds, first, last);
}

/* From a span of those, the number of those that are of the same place, or of its key too. */
static size_t alike(const struct span *spans, size_t count, bool key)
{
    size_t n = 0;
    while (n < count && !by_place(spans, &spans[n]) && (!key || spans[n].key == spans->key))
        n++;
    return n;
}

/* The holdings of the place of a wait; behind those, from *at on, are those of later places. */
static size_t holds_of(const struct spans *holds, const struct span *wait, size_t *at)
{
    while (*at < holds->of.count && by_place(&holds->of.items[*at], wait) < 0)
        ++*at;
    bool some = *at < holds->of.count && !by_place(&holds->of.items[*at], wait);
    return some ? alike(&holds->of.items[*at], holds->of.count - *at, false) : 0;
}

/* Sorts spans by a number of each that is below `numbers`; those with equal ones stay as they were. */
static void sort_by(struct spans *spans, uint32_t (*number)(const struct span *), size_t numbers)
{
    size_t count = spans->of.count, *places = base_calloc(numbers + 1, sizeof *places);
    struct span *sorted = base_malloc((count + 1) * sizeof *sorted), *of = spans->of.items;
    for (size_t i = 0; i < count; i++)
        places[number(&of[i]) + 1]++;
    for (size_t n = 0; n < numbers; n++)
        places[n + 1] += places[n];
    for (size_t i = 0; i < count; i++)
        sorted[places[number(&of[i])]++] = of[i];
    if (count)
        memcpy(of, sorted, count * sizeof *of);
    free(sorted);
    free(places);
}

static uint32_t key_of(const struct span *span)
{
    return span->key;
}

static uint32_t word_of(const struct span *span)
{
    return span->word;
}

/* Brings the waits of one key at one place together, places in order: in which order such waits are, does not matter.
 * Where no word has several places, that needs no comparisons. */
static void group_waits(struct gather *g)
{
    struct spans *waits = &g->waits;
    if (has_places(waits)) {
        qsort(waits->of.items, waits->of.count, sizeof *waits->of.items, order_of_waits);
        return;
    }
    sort_by(waits, key_of, g->keys);
    sort_by(waits, word_of, g->graphs->count);
}

/* All waits for the first `words` words meet their holdings, edges being between keys. The waits of one key at one
 * place make each edge once. */
static void meet_all(struct gather *g, uint32_t words, struct profile_edges *(*list_of)(struct profile_graph *))
{
    const struct span *waits = g->waits.of.items;
    size_t at = 0, hold_count = 0, count = g->waits.of.count;
    struct graph_edges edges = {0};
    group_waits(g);
    for (size_t i = 0, n; i < count && waits[i].word < words; i += n) {
        if (!i || by_place(&waits[i - 1], &waits[i]))
            hold_count = holds_of(&g->holds, &waits[i], &at);
        n = alike(&waits[i], count - i, true);
        meet(g, &edges, &waits[i], n, g->holds.of.items + at, hold_count);
        bool last = i + n == count || waits[i + n].word != waits[i].word;
        if (last)
            *list_of(&g->graphs->of[waits[i].word]) = graph_edges_list(&edges);
        else
            edges.again |= waits[i + n].place != waits[i].place;
    }
    graph_edges_free(&edges);
}

static struct profile_edges *warps_of(struct profile_graph *graph)
{
    return &graph->warps;
}

static struct profile_edges *sites_of(struct profile_graph *graph)
{
    return &graph->sites;
}

static void set_keys(struct spans *spans, bool sites)
{
    for (size_t i = 0; i < spans->of.count; i++)
        spans->of.items[i].key = sites ? spans->of.items[i].site : spans->of.items[i].warp;
}

static void meet_by(struct gather *g, bool sites, uint64_t steps)
{
    g->steps = steps;
    set_keys(&g->holds, sites);
    set_keys(&g->waits, sites);
    meet_all(g, sites ? UINT32_MAX : PROFILE_WARP_GRAPHS, sites ? sites_of : warps_of);
}

/* All edges, listed or not, as one. */
static struct profile_edge sum_of(const struct profile_edges *edges)
{
    struct profile_edge sum = {.times = edges->others_times, .cycles = edges->others_cycles};
    for (uint32_t i = 0; i < edges->count; i++) {
        sum.times += edges->of[i].times;
        sum.cycles += edges->of[i].cycles;
    }
    return sum;
}

/* logged: cycles of waits that logs have. What was not found by warps is there by instructions. */
static void close_graph(struct profile_graph *graph, uint64_t logged, uint64_t waited)
{
    struct profile_edge warps = sum_of(&graph->warps), sites = sum_of(&graph->sites);
    graph->warps.others_times += sites.times - warps.times;
    graph->warps.others_cycles += sites.cycles - warps.cycles;
    graph->free = logged - sites.cycles;
    graph->unlogged = waited - logged;
}

static void make_graphs(struct gather *g, const struct profile_word_list *list)
{
    size_t holds = g->holds.of.count + 1;
    g->keys = g->graphs->warp_count > g->sites ? g->graphs->warp_count : g->sites;
    uint64_t *logged = base_calloc(g->graphs->count + 1, sizeof *logged);
    g->cycles = base_calloc(g->keys + 1, sizeof *g->cycles);
    g->times = base_calloc(g->keys + 1, sizeof *g->times);
    g->met = base_calloc(g->keys + 1, sizeof *g->met);
    g->cover = base_calloc(holds, sizeof *g->cover);
    g->beyond = base_calloc(holds, sizeof *g->beyond);
    meet_by(g, false, MOST_STEPS);
    meet_by(g, true, UINT64_MAX);
    for (size_t i = 0; i < g->waits.of.count; i++)
        logged[g->waits.of.items[i].word] += g->waits.of.items[i].until - g->waits.of.items[i].from;
    for (uint32_t i = 0; i < g->graphs->count; i++)
        close_graph(&g->graphs->of[i], logged[i], list->of[i].word.counts[PROFILE_WORD_waited]);
    free(logged);
    free(g->cycles);
    free(g->times);
    free(g->cover);
    free(g->beyond);
    free(g->met);
}

struct profile_graphs profile_graphs_gather(const struct profile_word_list *list, uint32_t most,
                                            const struct profile_words *const *states, uint32_t sms)
{
    struct profile_graphs graphs = {.count = list->count < most ? list->count : most};
    struct gather g = {.graphs = &graphs, .index = graph_index_of(list, most)};
    graphs.of = base_calloc(graphs.count + 1, sizeof *graphs.of);
    for (uint32_t sm = 0; sm < sms; sm++)
        add_sm(&g, states[sm], sm);
    number_warps(&g);
    cut(&g.holds);
    make_graphs(&g, list);
    graph_index_free(&g.index);
    vec_free(&g.holds.of);
    vec_free(&g.waits.of);
    vec_free(&g.named);
    graph_orders_gather(&graphs, list, states, sms);
    return graphs;
}

static void free_names(struct profile_order_edge *edge)
{
    free(edge->names[0]);
    free(edge->names[1]);
}

void profile_graphs_free(struct profile_graphs *graphs)
{
    for (uint32_t i = 0; i < graphs->order_count; i++)
        free_names(&graphs->orders[i]);
    for (uint32_t i = 0; i < graphs->circle_count; i++)
        for (unsigned n = 0; n < PROFILE_CIRCLE; n++)
            free_names(&graphs->circles[i].edges[n]);
    free(graphs->of);
    free(graphs->warps);
    free(graphs->orders);
    *graphs = (struct profile_graphs){0};
}
