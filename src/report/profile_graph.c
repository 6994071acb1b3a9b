/* Who waited for whom: see profile_graph.h. */
#include "report/profile_graph.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/profile_uses.h"

#define MOST_ROWS 3      /* of a kind */
#define LEAST_SHARE 0.01 /* of the cycles waited, for a row */
#define MOST_EDGES 4     /* of a circle that are told */
#define WIDTH_FROM 24    /* columns */

static char *end_text(const json_t *end)
{
    struct strbuf text = {0};
    const json_t *block = json_object_get(end, "block");
    if (!block) {
        profile_uses_add_caller(end, &text);
        return text.text;
    }
    profile_uses_add_block(block, &text);
    strbuf_addf(&text, " warp %" PRIu64, profile_uses_number(end, "warp"));
    return text.text;
}

static void add_edge(struct profile_waits_graph *rows, const json_t *edge)
{
    char *from = end_text(json_object_get(edge, "from")), *to = end_text(json_object_get(edge, "to"));
    struct profile_waits_edge *row = NULL;
    for (size_t i = 0; i < rows->edges.count && !row; i++)
        if (!strcmp(rows->edges.items[i].from, from) && !strcmp(rows->edges.items[i].to, to))
            row = &rows->edges.items[i];
    if (row) {
        free(from);
        free(to);
    } else {
        vec_push(&rows->edges, (struct profile_waits_edge){.from = from, .to = to});
        row = &rows->edges.items[rows->edges.count - 1];
    }
    row->times += profile_uses_number(edge, "times");
    row->cycles += profile_uses_number(edge, "cycles");
}

static int by_cost(const void *a, const void *b)
{
    const struct profile_waits_edge *x = a, *y = b;
    if (x->cycles != y->cycles)
        return x->cycles < y->cycles ? 1 : -1;
    int differ = strcmp(x->from, y->from);
    return differ ? differ : strcmp(x->to, y->to);
}

struct profile_waits_graph profile_waits_graph_read(const json_t *kernels, const char *kernel, const char *word,
                                                    const char *member)
{
    struct profile_waits_graph rows = {0};
    size_t i, n;
    const json_t *object, *edge;
    json_t *all = profile_uses_all(kernels, kernel, "words");
    json_array_foreach(all, i, object) if (!strcmp(profile_uses_name(object), word))
        json_array_foreach(json_object_get(object, member), n, edge) add_edge(&rows, edge);
    json_decref(all);
    if (rows.edges.count)
        qsort(rows.edges.items, rows.edges.count, sizeof *rows.edges.items, by_cost);
    return rows;
}

void profile_waits_graph_free(struct profile_waits_graph *rows)
{
    for (size_t i = 0; i < rows->edges.count; i++) {
        free(rows->edges.items[i].from);
        free(rows->edges.items[i].to);
    }
    vec_free(&rows->edges);
}

static void add_rows(struct profile_waits_graph *rows, uint64_t waited, struct strbuf *out)
{
    for (size_t i = 0; i < rows->edges.count && i < MOST_ROWS; i++) {
        const struct profile_waits_edge *row = &rows->edges.items[i];
        if (profile_uses_ratio(row->cycles, waited) < LEAST_SHARE)
            break;
        strbuf_addf(out, "%5.1f%%  %8" PRIu64 "  %8.0f   %-*s  %s\n", 100 * profile_uses_ratio(row->cycles, waited),
                    row->times, profile_uses_ratio(row->cycles, row->times), WIDTH_FROM, row->from, row->to);
    }
    profile_waits_graph_free(rows);
}

void profile_graph_add_tables(const json_t *kernels, const char *name, const struct profile_words_report *words,
                              uint64_t warp_cycles, struct strbuf *out)
{
    if (!profile_words_shown(words, warp_cycles))
        return;
    const struct profile_lock_sum *word = &words->words.items[0];
    const char *word_name = profile_uses_name(word->object);
    struct profile_waits_graph sites = profile_waits_graph_read(kernels, name, word_name, "graph_sites");
    struct profile_waits_graph warps = profile_waits_graph_read(kernels, name, word_name, "graph");
    uint64_t waited = word->counts[PROFILE_WORD_waited];
    if (warps.edges.count)
        strbuf_addf(out, "share      times    cycles   %-*s  while it was held by\n", WIDTH_FROM,
                    "waited for that word");
    add_rows(&sites, waited, out);
    add_rows(&warps, waited, out);
}

/* Circles */

static void add_step(const json_t *edge, bool first, struct strbuf *out)
{
    const char *from = json_string_value(json_object_get(edge, "from"));
    const char *to = json_string_value(json_object_get(edge, "to"));
    strbuf_addf(out, "%s %s at ", first ? "threads take" : ", others", to ? to : "");
    profile_uses_add_place(json_object_get(edge, "attempts_at"), true, out);
    strbuf_addf(out, " while they hold %s", from ? from : "");
}

bool profile_graph_add_circle(const json_t *kernels, const char *name, unsigned n, struct strbuf *out)
{
    json_t *all = profile_uses_all(kernels, name, "lock_circles");
    const json_t *circle = json_array_get(all, n), *edges = json_object_get(circle, "edges");
    uint64_t count = profile_uses_number(circle, "count");
    if (circle) {
        strbuf_add(out, "Possible deadlock: ");
        for (size_t i = 0; i < json_array_size(edges) && i < MOST_EDGES; i++)
            add_step(json_array_get(edges, i), !i, out);
        if (count > MOST_EDGES)
            strbuf_addf(out, ", and so on: %" PRIu64 " locks in a circle", count);
        strbuf_add(out, ".");
    }
    json_decref(all);
    return circle;
}
