/* Who waited for whom with a kernel's locks: a drawing of the lock that cost most, from those that waited to those that
 * held it, and the numbers of the first few locks. The drawing is made here, of plain shapes, and needs no script. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/html.h"
#include "report/profile_graph.h"
#include "report/profile_page_parts.h"
#include "report/profile_uses.h"

#define MOST_LOCKS 5  /* of a kernel and result */
#define MOST_EDGES 12 /* of a lock and kind, in the table */
#define MOST_DRAWN 16

/* The drawing, in units of its own that are about a pixel. */
#define BETWEEN 180    /* nodes of the two sides */
#define LEAST_NAME 130 /* width of names; */
#define MOST_LETTERS 42
#define LETTER 7.2     /* of them */
#define BAR 8          /* width of a node */
#define LEAST_NODE 18  /* height, for its name */
#define ALL_CYCLES 220 /* height of all cycles that are drawn */

const char profile_page_graph_style[] =
    ".waits { display: block; font-size: 13px; max-width: 100%; min-width: 22rem; height: auto; } .waits text { fill: "
    "var(--ink); }\n"
    ".waits rect { fill: var(--soft); } .waits path { fill: none; stroke: var(--dot); opacity: 0.45; } .waits "
    "g:hover path, .waits g:focus path { opacity: 1; }\n"
    ".waits .head { fill: var(--soft); }\n";

static const struct kind {
    const char *member, *others, *ends;
} kinds[] = {
    {"graph_sites", "graph_sites_others", "lines"},
    {"graph", "graph_others", "warps"},
};
#define KINDS (sizeof kinds / sizeof *kinds)

/* A name at one of the sides, with the cycles of its edges. */
struct node {
    const char *name;
    uint64_t cycles;
    double top, height, used; /* where it is drawn; of its height, by edges so far */
};
struct side {
    struct node nodes[MOST_DRAWN];
    unsigned count;
    int x; /* where they begin */
};

static struct node *node_of(struct side *side, const char *name)
{
    for (unsigned i = 0; i < side->count; i++)
        if (!strcmp(side->nodes[i].name, name))
            return &side->nodes[i];
    side->nodes[side->count] = (struct node){.name = name};
    return &side->nodes[side->count++];
}

/* Nodes one below the other, as high as their cycles and names ask for. Returns where the last one ends. */
static double place(struct side *side, uint64_t sum)
{
    double top = 24;
    for (unsigned i = 0; i < side->count; i++) {
        struct node *node = &side->nodes[i];
        node->top = top;
        node->height = ALL_CYCLES * profile_uses_ratio(node->cycles, sum);
        top += (node->height > LEAST_NODE ? node->height : LEAST_NODE) + 4;
    }
    return top;
}

/* Names have their ends where there are too long: these tell them apart. */
static void add_name(const char *name, struct strbuf *out)
{
    size_t length = strlen(name);
    if (length > MOST_LETTERS) {
        name += length - MOST_LETTERS;
        while (((unsigned char)*name & 0xc0) == 0x80) /* within a letter */
            name++;
        strbuf_add(out, "...");
    }
    html_escape(out, name);
}

/* The width of the longest name. */
static int name_width(const struct side *side)
{
    size_t most = 0;
    for (unsigned i = 0; i < side->count; i++)
        if (strlen(side->nodes[i].name) > most)
            most = strlen(side->nodes[i].name);
    int width = (int)(LETTER * (double)(most < MOST_LETTERS ? most : MOST_LETTERS + 3)) + 12;
    return width > LEAST_NAME ? width : LEAST_NAME;
}

static void add_nodes(const struct side *side, bool left, struct strbuf *out)
{
    for (unsigned i = 0; i < side->count; i++) {
        const struct node *node = &side->nodes[i];
        double height = node->height < 1 ? 1 : node->height;
        strbuf_addf(out, "<rect x=%d y=%.1f width=%d height=%.1f /><text x=%d y=%.1f%s>", side->x, node->top, BAR,
                    height, left ? side->x - 6 : side->x + BAR + 6,
                    node->top + (height > LEAST_NODE ? height / 2 : LEAST_NODE / 2.0) + 4,
                    left ? " text-anchor=end" : "");
        add_name(node->name, out);
        strbuf_add(out, "</text>\n");
    }
}

static void add_edge(const struct profile_waits_edge *edge, struct side *from, struct side *to, uint64_t sum,
                     uint64_t waited, struct strbuf *out)
{
    struct node *a = node_of(from, edge->from), *b = node_of(to, edge->to);
    double width = ALL_CYCLES * profile_uses_ratio(edge->cycles, sum);
    double y0 = a->top + a->used + width / 2, y1 = b->top + b->used + width / 2;
    int begin = from->x + BAR, middle = (begin + to->x) / 2;
    a->used += width;
    b->used += width;
    strbuf_add(out, "<g tabindex=0><title>");
    html_escape(out, edge->from);
    strbuf_add(out, " waited while it was held by ");
    html_escape(out, edge->to);
    strbuf_addf(out, ": %" PRIu64 " cycles, %.1f%% of the waits, %" PRIu64 " times</title>", edge->cycles,
                100 * profile_uses_ratio(edge->cycles, waited), edge->times);
    strbuf_addf(out, "<path d=\"M%d %.1fC%d %.1f %d %.1f %d %.1f\" stroke-width=%.2f /></g>\n", begin, y0, middle, y0,
                middle, y1, to->x, y1, width < 0.75 ? 0.75 : width);
}

static void draw(const struct profile_waits_graph *graph, const struct kind *kind, const char *lock, uint64_t waited,
                 struct strbuf *out)
{
    struct side from = {0}, to = {0};
    uint64_t sum = 0;
    size_t count = graph->edges.count < MOST_DRAWN ? graph->edges.count : MOST_DRAWN;
    for (size_t i = 0; i < count; i++) {
        const struct profile_waits_edge *edge = &graph->edges.items[i];
        node_of(&from, edge->from)->cycles += edge->cycles;
        node_of(&to, edge->to)->cycles += edge->cycles;
        sum += edge->cycles;
    }
    double left = place(&from, sum), right = place(&to, sum);
    from.x = name_width(&from);
    to.x = from.x + BAR + BETWEEN;
    strbuf_addf(out,
                "<div class=scroll tabindex=0><svg class=waits role=group width=%d viewBox=\"0 0 %d %.0f\" "
                "aria-label=\"",
                to.x + BAR + name_width(&to), to.x + BAR + name_width(&to), left > right ? left : right);
    html_escape(out, lock);
    strbuf_addf(out, ": which %s waited for which, numbers follow\">\n", kind->ends);
    strbuf_addf(out,
                "<text class=head x=%d y=14 text-anchor=end>%s that waited</text><text class=head x=%d y=14>%s that "
                "held it</text>\n",
                from.x + BAR, kind->ends, to.x, kind->ends);
    for (size_t i = 0; i < count; i++)
        add_edge(&graph->edges.items[i], &from, &to, sum, waited, out);
    add_nodes(&from, true, out);
    add_nodes(&to, false, out);
    strbuf_add(out, "</svg></div>\n");
}

/* The table */

static void add_row(struct html_table *t, const char *lock, const struct kind *kind, const char *from, const char *to,
                    uint64_t waited, uint64_t cycles, const uint64_t *times)
{
    html_table_row(t, "");
    html_table_name(t, lock);
    double share = profile_uses_ratio(cycles, waited);
    html_table_number(t, share, "%.1f%%", 100 * share);
    html_table_number(t, (double)cycles, "%" PRIu64, cycles);
    if (times)
        html_table_number(t, (double)*times, "%" PRIu64, *times);
    else
        html_table_none(t);
    html_table_text(t, kind->ends);
    html_table_text(t, from);
    html_table_text(t, to);
}

/* A count of the words of that name, of all launches; inner: a member of its member. */
static uint64_t count_of(const struct profile_page_side *side, const char *kernel, const char *word, const char *member,
                         const char *inner)
{
    uint64_t sum = 0;
    size_t i;
    const json_t *object;
    json_t *all = profile_uses_all(side->kernels, kernel, "words");
    json_array_foreach(all, i, object) if (!strcmp(profile_uses_name(object), word)) sum +=
        inner ? profile_uses_number(json_object_get(object, member), inner) : profile_uses_number(object, member);
    json_decref(all);
    return sum;
}

/* Edges of a lock, and what remains of the cycles that were waited for it. */
static void add_edges(const struct profile_page_kernel *kernel, const struct profile_page_side *side,
                      const struct profile_waits_graph *graph, const struct kind *kind, const char *lock,
                      uint64_t waited, struct html_table *t)
{
    uint64_t cycles = count_of(side, kernel->name, lock, kind->others, "cycles");
    uint64_t times = count_of(side, kernel->name, lock, kind->others, "times");
    uint64_t nobody = count_of(side, kernel->name, lock, "graph_free", NULL);
    uint64_t unlogged = count_of(side, kernel->name, lock, "graph_unlogged", NULL);
    for (size_t i = 0; i < graph->edges.count; i++) {
        const struct profile_waits_edge *edge = &graph->edges.items[i];
        if (i < MOST_EDGES) {
            add_row(t, lock, kind, edge->from, edge->to, waited, edge->cycles, &edge->times);
            continue;
        }
        cycles += edge->cycles;
        times += edge->times;
    }
    if (cycles)
        add_row(t, lock, kind, "others", "others", waited, cycles, &times);
    if (nobody)
        add_row(t, lock, kind, "all", "nobody: it was free", waited, nobody, NULL);
    if (unlogged)
        add_row(t, lock, kind, "all", "not logged, for want of room", waited, unlogged, NULL);
}

static void begin_table(struct html_table *t, const struct profile_page_kernel *kernel, unsigned which,
                        struct strbuf *out)
{
    strbuf_add(out, "<div class=low>\n");
    html_table_begin(t, profile_page_file(kernel, arena_printf(kernel->arena, "graph-%u", which + 1)),
                     "Who waited for which lock while who held it", out);
    html_table_head(t, "lock", false, NULL);
    html_table_head(t, "share", true, "of the cycles that lanes waited for this lock");
    html_table_head(t, "cycles", true, "of the lanes' waits, in which it was held so");
    html_table_head(t, "times", true, "holdings that waits met");
    html_table_head(t, "between", false,
                    "lines: of their threads; of a lock that functions take, the lines that call them");
    html_table_head(t, "waited", false, NULL);
    html_table_head(t, "held it", false, NULL);
}

static void add_circles(const struct profile_page_kernel *kernel, const struct profile_page_side *side,
                        struct strbuf *out)
{
    struct strbuf text = {0};
    for (unsigned i = 0; profile_graph_add_circle(side->kernels, kernel->name, i, &text); i++) {
        strbuf_add(out, "<p>");
        html_escape(out, strbuf_text(&text));
        strbuf_add(out, "</p>\n");
        text.length = 0;
    }
    strbuf_free(&text);
}

static void add_side(const struct profile_page_kernel *kernel, unsigned which, const struct profile_words_report *words,
                     struct strbuf *out)
{
    const struct profile_page_side *side = &kernel->sides[which];
    struct html_table t;
    strbuf_add(out, "<figure><h3>Who waited for whom");
    strbuf_add(out, kernel->page->count > 1 ? ": " : "");
    html_escape(out, kernel->page->count > 1 ? kernel->page->results[which].label : "");
    strbuf_add(out, "</h3>\n<p class=note>Lock ");
    const char *first = profile_uses_name(words->words.items[0].object);
    html_escape(out, first);
    strbuf_add(out, "; edges are as wide as the cycles that were waited.</p>\n");
    for (unsigned k = 0; k < KINDS; k++) {
        struct profile_waits_graph graph =
            profile_waits_graph_read(side->kernels, kernel->name, first, kinds[k].member);
        if (graph.edges.count)
            draw(&graph, &kinds[k], first, words->words.items[0].counts[PROFILE_WORD_waited], out);
        profile_waits_graph_free(&graph);
    }
    add_circles(kernel, side, out);
    begin_table(&t, kernel, which, out);
    for (size_t i = 0; i < words->words.count && i < MOST_LOCKS; i++)
        for (unsigned k = 0; k < KINDS; k++) {
            const char *lock = profile_uses_name(words->words.items[i].object);
            struct profile_waits_graph graph =
                profile_waits_graph_read(side->kernels, kernel->name, lock, kinds[k].member);
            if (graph.edges.count)
                add_edges(kernel, side, &graph, &kinds[k], lock, words->words.items[i].counts[PROFILE_WORD_waited], &t);
            profile_waits_graph_free(&graph);
        }
    html_table_end(&t);
    strbuf_add(out, "</div></figure>\n");
}

void profile_page_graph(const struct profile_page_kernel *kernel, struct strbuf *out)
{
    for (unsigned i = 0; i < kernel->page->count; i++) {
        const struct profile_page_side *side = &kernel->sides[i];
        struct profile_words_report *words = profile_words_read(side->kernels, kernel->name);
        struct profile_waits_graph graph = {0};
        if (words->words.count)
            graph = profile_waits_graph_read(side->kernels, kernel->name,
                                             profile_uses_name(words->words.items[0].object), "graph");
        if (graph.edges.count)
            add_side(kernel, i, words, out);
        profile_waits_graph_free(&graph);
        profile_words_done(words);
    }
}
