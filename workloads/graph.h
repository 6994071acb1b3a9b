// Graphs of sssp, coloring and pagerank, on the host: in compressed sparse rows, undirected unless a file says otherwise,
// without loops and double edges; made by a generator in the shape of published inputs, or read from a file in the
// formats of Matrix Market and of the 9th DIMACS challenge (.gr).
#ifndef LOCKSTEP_GRAPH_H
#define LOCKSTEP_GRAPH_H

#include <algorithm>
#include <cerrno>

#include "workload.h"

const uint64_t GRAPH_MOST_NODES = 1u << 26, GRAPH_MOST_EDGES = 1u << 28;

struct graph {
    unsigned nodes;
    std::vector<unsigned> first, target, weight; // edges into v come from target[first[v]] .. target[first[v + 1] - 1]
};

struct graph_edge {
    unsigned to, from, weight;
    bool operator<(const graph_edge &e) const
    {
        return to != e.to ? to < e.to : from != e.from ? from < e.from : weight < e.weight;
    }
};

// Of several edges between two nodes the shortest stays.
static inline graph graph_of(unsigned nodes, std::vector<graph_edge> &edges)
{
    graph g = {nodes, std::vector<unsigned>(nodes + 1, 0), {}, {}};
    std::sort(edges.begin(), edges.end());
    for (size_t i = 0; i < edges.size(); i++) {
        const graph_edge &e = edges[i];
        if (e.to == e.from || (i && edges[i - 1].to == e.to && edges[i - 1].from == e.from))
            continue;
        g.target.push_back(e.from);
        g.weight.push_back(e.weight);
        g.first[e.to + 1]++;
    }
    for (unsigned v = 0; v < nodes; v++)
        g.first[v + 1] += g.first[v];
    return g;
}

static inline void graph_link(std::vector<graph_edge> &edges, unsigned a, unsigned b, unsigned weight)
{
    edges.push_back({a, b, weight});
    edges.push_back({b, a, weight});
}

// Shapes of graphs, by number: option --shape.
enum { GRAPH_ROADS, GRAPH_MESH, GRAPH_SKEWED, GRAPH_SHAPES };

// Roads: a grid of twice as many columns as rows, of which one row and all columns are there, so that all nodes can be
// reached, and as many of the other edges as make `edges`.
static inline void graph_roads(std::vector<graph_edge> &list, generator &random, unsigned nodes, uint64_t edges)
{
    unsigned width = 1;
    while ((uint64_t)(width + 1) * (width + 1) <= 2 * (uint64_t)nodes)
        width++;
    uint64_t tree = nodes - 1, spare = nodes > width ? nodes - width : 0;
    uint64_t share = spare && edges > tree ? std::min<uint64_t>((edges - tree) * 65536 / spare, 65536) : 0;
    for (unsigned v = 0; v < nodes; v++) {
        if (v >= width)
            graph_link(list, v, v - width, 1 + random.below(1000));
        if (v % width && (v < width || random.below(65536) < share))
            graph_link(list, v, v - 1, 1 + random.below(1000));
    }
}

// A square with an edge to each of four neighbours: a stencil of five points.
static inline void graph_mesh(std::vector<graph_edge> &list, generator &random, unsigned nodes)
{
    unsigned width = 1;
    while ((uint64_t)(width + 1) * (width + 1) <= nodes)
        width++;
    for (unsigned v = 0; v < nodes; v++) {
        if (v >= width)
            graph_link(list, v, v - width, 1 + random.below(1000));
        if (v % width)
            graph_link(list, v, v - 1, 1 + random.below(1000));
    }
}

// Few nodes with very many edges: each node is linked to some of those before it, which are the likelier the more edges
// they have (preferential attachment).
static inline void graph_skewed(std::vector<graph_edge> &list, generator &random, unsigned nodes, uint64_t edges)
{
    std::vector<unsigned> ends(1, 0);
    uint64_t made = 0;
    for (unsigned v = 1; v < nodes; v++)
        for (; made < edges * v / (nodes - 1); made++) {
            unsigned other = ends[random.below((uint32_t)ends.size())];
            graph_link(list, v, other, 1 + random.below(1000));
            ends.push_back(v);
            ends.push_back(other);
        }
}

static inline graph graph_make(unsigned shape, unsigned nodes, uint64_t edges, uint64_t seed)
{
    generator random = {seed};
    std::vector<graph_edge> list;
    if (shape == GRAPH_ROADS)
        graph_roads(list, random, nodes, edges);
    else if (shape == GRAPH_MESH)
        graph_mesh(list, random, nodes);
    else
        graph_skewed(list, random, nodes, edges);
    return graph_of(nodes, list);
}

// A graph with so many per cent of its nodes, which are drawn, numbered in another order among each other.
static inline graph graph_shuffled(const graph &g, uint64_t seed, unsigned share)
{
    generator random = {seed};
    std::vector<unsigned> number(g.nodes), moved;
    std::vector<graph_edge> list;
    for (unsigned v = 0; v < g.nodes; v++) {
        number[v] = v;
        if (share == 100 || random.below(100) < share)
            moved.push_back(v);
    }
    for (unsigned i = 0; i < moved.size(); i++)
        std::swap(number[moved[i]], number[moved[random.below(i + 1)]]);
    for (unsigned v = 0; v < g.nodes; v++)
        for (unsigned e = g.first[v]; e < g.first[v + 1]; e++)
            list.push_back({number[v], number[g.target[e]], g.weight[e]});
    return graph_of(g.nodes, list);
}

// Files

[[noreturn]] static inline void graph_bad(const char *path, unsigned line, const char *what)
{
    fprintf(stderr, "%s:%u: %s\n", path, line, what);
    exit(2);
}

struct graph_reader {
    const char *path;
    FILE *file;
    char text[1024];
    unsigned line;
    // The next line that is no comment, which begins with one of these; false at the end.
    bool next(char comment)
    {
        while (fgets(text, sizeof text, file)) {
            line++;
            if (!strchr(text, '\n') && !feof(file))
                graph_bad(path, line, "the line is too long");
            if (text[0] != comment && text[strspn(text, " \t\r\n")])
                return true;
        }
        return false;
    }
};

// Reads so many numbers, with blanks between them, and leaves what follows. False where one is missing or is too large.
static inline bool graph_numbers(const char *text, uint64_t *to, int count)
{
    for (int i = 0; i < count; i++) {
        char *end;
        text += strspn(text, " \t");
        if (*text < '0' || *text > '9')
            return false;
        errno = 0;
        to[i] = strtoull(text, &end, 10);
        if (errno)
            return false;
        text = end;
    }
    return true;
}

// The options --nodes and --edges have the same bounds.
static inline void graph_check_size(const graph_reader &r, uint64_t nodes, uint64_t edges)
{
    if (nodes > GRAPH_MOST_NODES || edges > GRAPH_MOST_EDGES)
        graph_bad(r.path, r.line, "graphs of up to 67,108,864 nodes and 268,435,456 edges can be read");
}

// Matrix Market, coordinates only. A matrix says which nodes are linked, not how far they are apart: lengths are random.
static inline graph graph_read_matrix(graph_reader &r, uint64_t seed)
{
    uint64_t size[3], at[2], seen = 0; // rows, columns, entries
    generator random = {seed};
    std::vector<graph_edge> list;
    if (!strstr(r.text, "coordinate"))
        graph_bad(r.path, r.line, "only matrices of format `coordinate` can be read");
    if (!r.next('%') || !graph_numbers(r.text, size, 3) || size[0] != size[1] || !size[0])
        graph_bad(r.path, r.line, "expected ROWS COLUMNS ENTRIES of a square matrix");
    graph_check_size(r, size[0], size[2]);
    for (; r.next('%'); seen++) {
        if (!graph_numbers(r.text, at, 2) || !at[0] || !at[1] || at[0] > size[0] || at[1] > size[0])
            graph_bad(r.path, r.line, "expected ROW COLUMN of an entry of the matrix");
        if (seen == size[2])
            graph_bad(r.path, r.line, "the matrix has not as many entries as its second line says");
        graph_link(list, (unsigned)at[0] - 1, (unsigned)at[1] - 1, 1 + random.below(1000));
    }
    if (seen != size[2])
        graph_bad(r.path, r.line, "the matrix has not as many entries as its second line says");
    return graph_of((unsigned)size[0], list);
}

// Where the numbers of a DIMACS line begin, behind its words; NULL for another line. words: ends in a blank and %n.
static inline const char *graph_behind(const char *text, const char *words)
{
    int length = 0;
    sscanf(text, words, &length);
    return length ? text + length : nullptr;
}

// DIMACS: `p sp NODES ARCS`, then `a FROM TO LENGTH`.
static inline graph graph_read_dimacs(graph_reader &r)
{
    uint64_t size[2], arc[3], seen = 0; // nodes, arcs; from, to, length
    std::vector<graph_edge> list;
    const char *numbers = graph_behind(r.text, "p sp %n");
    if (!numbers || !graph_numbers(numbers, size, 2) || !size[0])
        graph_bad(r.path, r.line, "expected `p sp NODES ARCS`");
    graph_check_size(r, size[0], size[1]);
    for (; r.next('c'); seen++) {
        numbers = graph_behind(r.text, "a %n");
        if (!numbers || !graph_numbers(numbers, arc, 3) || !arc[0] || !arc[1] || arc[0] > size[0] || arc[1] > size[0])
            graph_bad(r.path, r.line, "expected `a FROM TO LENGTH` with nodes of the graph");
        if (arc[2] > 1000000)
            graph_bad(r.path, r.line, "lengths of up to 1,000,000 can be summed");
        if (seen == size[1])
            graph_bad(r.path, r.line, "the graph has not as many arcs as its `p` line says");
        list.push_back({(unsigned)arc[1] - 1, (unsigned)arc[0] - 1, (unsigned)arc[2]});
    }
    if (seen != size[1])
        graph_bad(r.path, r.line, "the graph has not as many arcs as its `p` line says");
    return graph_of((unsigned)size[0], list);
}

static inline graph graph_read_text(graph_reader &r, uint64_t seed)
{
    if (!r.next('c'))
        graph_bad(r.path, 1, "the file is empty");
    bool matrix = !strncmp(r.text, "%%MatrixMarket", 14);
    if (!matrix && r.text[0] != 'p')
        graph_bad(r.path, r.line, "neither a Matrix Market file (%%MatrixMarket) nor a DIMACS one (p sp NODES ARCS)");
    return matrix ? graph_read_matrix(r, seed) : graph_read_dimacs(r);
}

static inline graph graph_read(const char *path, uint64_t seed)
{
    graph_reader r = {path, fopen(path, "r"), {0}, 0};
    if (!r.file) {
        perror(path);
        exit(2);
    }
    graph g = graph_read_text(r, seed);
    fclose(r.file);
    return g;
}

// Takes `--file PATH` out of a command line. Returns the path or NULL.
static inline const char *graph_file(int *argc, char **argv)
{
    const char *path = nullptr;
    int kept = 1;
    for (int i = 1; i < *argc; i++) {
        if (!strcmp(argv[i], "--help"))
            printf("       --file PATH  a graph in Matrix Market or DIMACS format, instead of a generated one\n");
        if (strcmp(argv[i], "--file") || i + 1 == *argc)
            argv[kept++] = argv[i];
        else
            path = argv[++i];
    }
    *argc = kept;
    return path;
}

// The options that all three programs have, in this order, before their own.
enum {
    GRAPH_SHAPE,
    GRAPH_NODES,
    GRAPH_EDGES,
    GRAPH_SEED,
    GRAPH_SHUFFLE,
    GRAPH_QUEUES,
    GRAPH_TASK,
    GRAPH_STEAL,
    GRAPH_SCOPE,
    GRAPH_FENCES,
    GRAPH_LOOKS,
    GRAPH_ORDER,
    GRAPH_MARK,
    GRAPH_THIRD,
    GRAPH_EXTRA,
    GRAPH_OPTIONS
};

#define GRAPH_OPTION_ROWS(shape, nodes, edges, small_nodes, small_edges)                                     \
    {"shape", "0: roads, 1: a mesh of four neighbours, 2: skewed", shape, 0, GRAPH_SHAPES - 1, shape, shape}, \
        {"nodes", "nodes of the graph", nodes / 16, 2, GRAPH_MOST_NODES, small_nodes, nodes},                        \
        {"edges", "edges between them (a mesh has its own number)", edges / 16, 1, GRAPH_MOST_EDGES, small_edges, edges}, \
        {"seed", "of the graph and its lengths", 7, 0, UINT64_MAX, 7, 0},                                    \
        {"shuffle", "per cent of the nodes that are numbered in a random order", 0, 0, 100, 0, 0},           \
        {"queues", "queues of tasks, a block each", 128, 1, 1024, 6, 128},                                  \
        {"task", "nodes of a task", 64, 1, 64, 64, 0},                                                      \
        {"steal", "1: who has no more tasks takes those of others", 1, 0, 1, 1, 0},                          \
        {"scope", "0: device, 1: block (only without stealing), 2: block on the own queue, remote on others', "  \
         "3: block on the own queue, device on others'", 0, 0, 3, 0, 0},                                     \
        {"fences", "1: with the fences that PTX asks for", 0, 0, 1, 0, 0},                                   \
        {"looks", "others' queues that a block looks at before it ends; 0: all", 0, 0, 1024, 0, 0},          \
        {"order", "of looks: 0: from the next queue on, 1: at random, 2: where a steal succeeded last, then at random", 0, 0, 2, 0, 0}, \
        {"mark", "1: tasks are marked, and the marks checked", 1, 0, 1, 1, 1},                               \
        {"third", "1: a block loads a third line of its queue as it begins", 0, 0, 1, 0, 0},                  \
    {                                                                                                        \
        "extra", "loads of a third line of the own queue with each look at it", 0, 0, 64, 0, 0               \
    }

static inline graph graph_from_options(const option *options, const char *path)
{
    uint64_t seed = options[GRAPH_SEED].value;
    graph g = path ? graph_read(path, seed)
                   : graph_make((unsigned)options[GRAPH_SHAPE].value, (unsigned)options[GRAPH_NODES].value,
                                options[GRAPH_EDGES].value, seed);
    unsigned share = (unsigned)options[GRAPH_SHUFFLE].value;
    return share ? graph_shuffled(g, seed, share) : g;
}

#endif
