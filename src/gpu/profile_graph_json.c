/* Who waited for whom as JSON: see profile_graph_json.h. */
#include "gpu/profile_graph_json.h"

#include <stdlib.h>

/* Ends of edges are the same few instructions and warps over and over: each is made once. */
struct ends {
    const struct profile *profile;
    json_t **warps, **uses; /* by number, and by pc; NULL: not made yet */
};

static json_t *number(uint64_t value)
{
    return json_integer((json_int_t)value);
}

json_t *gpu_block_json(uint64_t block)
{
    return json_pack("[I,I,I]", (json_int_t)(block & UINT32_MAX), (json_int_t)(block >> 32 & UINT16_MAX),
                     (json_int_t)(block >> 48));
}

static json_t *warp_json(const struct profile *profile, uint32_t warp)
{
    const struct profile_graph_warp *of = &profile->graphs.warps[warp];
    json_t *object = json_object();
    json_object_set_new(object, "block", gpu_block_json(of->name.block));
    json_object_set_new(object, "warp", number(of->name.warp));
    json_object_set_new(object, "sm", number(of->sm));
    return object;
}

/* A new reference to the end of that number: an instruction, or a warp. */
static json_t *end_json(const struct ends *ends, bool site, uint32_t end)
{
    json_t **made = site ? &ends->uses[end] : &ends->warps[end];
    if (!*made)
        *made = site ? gpu_use_json(ends->profile->module, end) : warp_json(ends->profile, end);
    return json_incref(*made);
}

static json_t *edge_json(json_t *from, json_t *to, uint64_t times, uint64_t cycles)
{
    json_t *object = json_object();
    json_object_set_new(object, "from", from);
    json_object_set_new(object, "to", to);
    json_object_set_new(object, "times", number(times));
    json_object_set_new(object, "cycles", number(cycles));
    return object;
}

static json_t *edges_json(const struct ends *ends, const struct profile_edges *edges, bool sites)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < edges->count; i++) {
        const struct profile_edge *edge = &edges->of[i];
        json_t *from = end_json(ends, sites, edge->from), *to = end_json(ends, sites, edge->to);
        json_array_append_new(array, edge_json(from, to, edge->times, edge->cycles));
    }
    return array;
}

static json_t *others_json(const struct profile_edges *edges)
{
    json_t *object = json_object();
    json_object_set_new(object, "edges", number(edges->others));
    json_object_set_new(object, "times", number(edges->others_times));
    json_object_set_new(object, "cycles", number(edges->others_cycles));
    return object;
}

static void set_graph(const struct ends *ends, const struct profile_graph *graph, json_t *object)
{
    json_object_set_new(object, "graph", edges_json(ends, &graph->warps, false));
    json_object_set_new(object, "graph_others", others_json(&graph->warps));
    json_object_set_new(object, "graph_sites", edges_json(ends, &graph->sites, true));
    json_object_set_new(object, "graph_sites_others", others_json(&graph->sites));
    json_object_set_new(object, "graph_free", number(graph->free));
    json_object_set_new(object, "graph_unlogged", number(graph->unlogged));
}

void gpu_graphs_json(const struct profile *profile, json_t *words)
{
    size_t warps = profile->graphs.warp_count, instructions = profile->instructions;
    struct ends ends = {.profile = profile,
                        .warps = base_calloc(warps + 1, sizeof *ends.warps),
                        .uses = base_calloc(instructions + 1, sizeof *ends.uses)};
    for (size_t i = 0; i < json_array_size(words); i++)
        set_graph(&ends, &profile->graphs.of[i], json_array_get(words, i));
    for (size_t i = 0; i < warps; i++)
        json_decref(ends.warps[i]);
    for (size_t i = 0; i < instructions; i++)
        json_decref(ends.uses[i]);
    free(ends.warps);
    free(ends.uses);
}

static json_t *order_json(const struct profile *profile, const struct profile_order_edge *edge)
{
    json_t *object = edge_json(json_string(edge->names[0]), json_string(edge->names[1]), edge->times, edge->cycles);
    json_object_set_new(object, "gave_way", number(edge->gave_way));
    json_object_set_new(object, "held_at", gpu_use_json(profile->module, edge->held_at));
    json_object_set_new(object, "attempts_at", gpu_use_json(profile->module, edge->attempts_at));
    return object;
}

static json_t *circle_json(const struct profile *profile, const struct profile_circle *circle)
{
    json_t *object = json_object(), *edges = json_array();
    for (uint32_t i = 0; i < circle->count && i < PROFILE_CIRCLE; i++)
        json_array_append_new(edges, order_json(profile, &circle->edges[i]));
    json_object_set_new(object, "count", number(circle->count));
    json_object_set_new(object, "edges", edges);
    return object;
}

void gpu_orders_json(const struct profile *profile, json_t *object)
{
    const struct profile_graphs *graphs = &profile->graphs;
    json_t *orders = json_array(), *circles = json_array();
    for (uint32_t i = 0; i < graphs->order_count; i++)
        json_array_append_new(orders, order_json(profile, &graphs->orders[i]));
    for (uint32_t i = 0; i < graphs->circle_count; i++)
        json_array_append_new(circles, circle_json(profile, &graphs->circles[i]));
    json_object_set_new(object, "lock_order", orders);
    json_object_set_new(object, "lock_order_unlisted", number(graphs->orders_unlisted));
    json_object_set_new(object, "lock_circles", circles);
}
