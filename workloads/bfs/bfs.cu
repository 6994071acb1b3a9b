// Breadth-first search over a graph in compressed sparse rows, one level at a time, in one of two ways. By sweeps,
// without atomics: one thread for each vertex of the graph, which looks whether it is on the frontier, marks its
// unvisited neighbours, and in a second launch joins the next frontier if it was marked. By a queue: one thread for
// each vertex of the frontier, which claims every unvisited neighbour with one atomicCAS on its level, and appends
// those it won to the next frontier; the order within a frontier then depends on the machine, the levels do not.
#include "../workload.h"

constexpr unsigned UNVISITED = 0xffffffffu;

struct graph {
    std::vector<unsigned> first, target; // the edges of v are target[first[v]] .. target[first[v + 1] - 1]
};

// Marks the unvisited neighbours of the frontier. Threads that reach one vertex write the same into the same words.
__global__ void mark(const unsigned *first, const unsigned *target, unsigned *level, unsigned char *frontier,
                     const unsigned char *visited, unsigned char *marked, unsigned vertices, unsigned next_level)
{
    unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices || !frontier[v])
        return;
    frontier[v] = 0;
    unsigned end = first[v + 1];
    for (unsigned e = first[v]; e < end; e++) {
        unsigned w = target[e];
        if (!visited[w]) {
            level[w] = next_level;
            marked[w] = 1;
        }
    }
}

// The marked vertices are the next frontier; *again becomes 1 if there are any.
__global__ void advance(unsigned char *frontier, unsigned char *visited, unsigned char *marked, unsigned vertices,
                        unsigned *again)
{
    unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices || !marked[v])
        return;
    marked[v] = 0;
    frontier[v] = visited[v] = 1;
    *again = 1;
}

// No load here can be stale: the frontier read and the rows were written before the launch; levels are touched by
// atomics only.
__global__ void expand(const unsigned *first, const unsigned *target, unsigned *level, const unsigned *frontier,
                       unsigned frontier_size, unsigned *next, unsigned *next_size, unsigned next_level)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= frontier_size)
        return;
    unsigned v = frontier[i], end = first[v + 1];
    for (unsigned e = first[v]; e < end; e++) {
        unsigned w = target[e];
        if (atomicCAS(&level[w], UNVISITED, next_level) == UNVISITED)
            next[atomicAdd(next_size, 1u)] = w;
    }
}

// A ring of all vertices but the last sixteenth, so that the depth is bounded by the random chords and some vertices
// stay out of reach, plus random chords: from 0 to 2 * degree - 2 of them at each vertex of the ring.
static graph make_graph(generator &random, unsigned vertices, unsigned degree)
{
    graph g;
    unsigned ring = vertices - vertices / 16;
    for (unsigned v = 0; v < vertices; v++) {
        g.first.push_back((unsigned)g.target.size());
        if (v >= ring)
            continue;
        g.target.push_back((v + 1) % ring);
        for (unsigned extra = random.below(2 * degree - 1); extra > 0; extra--)
            g.target.push_back(random.below(ring));
    }
    g.first.push_back((unsigned)g.target.size());
    return g;
}

static std::vector<unsigned> host_levels(const graph &g, unsigned root)
{
    std::vector<unsigned> level(g.first.size() - 1, UNVISITED), queue(1, root);
    level[root] = 0;
    for (size_t i = 0; i < queue.size(); i++)
        for (unsigned v = queue[i], e = g.first[v]; e < g.first[v + 1]; e++)
            if (level[g.target[e]] == UNVISITED) {
                level[g.target[e]] = level[v] + 1;
                queue.push_back(g.target[e]);
            }
    return level;
}

// Returns the levels by sweeps; `depth` becomes their number.
static std::vector<unsigned> swept_levels(const graph &g, unsigned root, unsigned block, unsigned *depth)
{
    unsigned vertices = (unsigned)g.first.size() - 1, blocks = (vertices + block - 1) / block, more = 1;
    std::vector<unsigned> level(vertices, UNVISITED);
    std::vector<unsigned char> only_root(vertices, 0), none(vertices, 0);
    level[root] = 0;
    only_root[root] = 1;
    unsigned *first = to_device(g.first), *target = to_device(g.target), *levels = to_device(level), *again;
    unsigned char *frontier = to_device(only_root), *visited = to_device(only_root), *marked = to_device(none);
    CHECK(cudaMalloc(&again, sizeof *again));
    for (*depth = 0; more; ++*depth) {
        CHECK(cudaMemset(again, 0, sizeof *again));
        mark<<<blocks, block>>>(first, target, levels, frontier, visited, marked, vertices, *depth + 1);
        advance<<<blocks, block>>>(frontier, visited, marked, vertices, again);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(&more, again, sizeof more, cudaMemcpyDeviceToHost));
    }
    level = to_host(levels, vertices);
    for (unsigned *p : {first, target, levels, again})
        CHECK(cudaFree(p));
    for (unsigned char *p : {frontier, visited, marked})
        CHECK(cudaFree(p));
    return level;
}

// Returns the levels by a queue; `depth` becomes the number of launches.
static std::vector<unsigned> queued_levels(const graph &g, unsigned root, unsigned block, unsigned *depth)
{
    size_t vertices = g.first.size() - 1;
    std::vector<unsigned> level(vertices, UNVISITED);
    level[root] = 0;
    unsigned *first = to_device(g.first), *target = to_device(g.target), *levels = to_device(level);
    unsigned *frontier[2], *size, count = 1;
    for (unsigned *&f : frontier)
        CHECK(cudaMalloc(&f, vertices * sizeof *f));
    CHECK(cudaMalloc(&size, sizeof *size));
    CHECK(cudaMemcpy(frontier[0], &root, sizeof root, cudaMemcpyHostToDevice));
    for (*depth = 0; count > 0; ++*depth) {
        CHECK(cudaMemset(size, 0, sizeof *size));
        expand<<<(count + block - 1) / block, block>>>(first, target, levels, frontier[*depth % 2], count,
                                                       frontier[(*depth + 1) % 2], size, *depth + 1);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(&count, size, sizeof count, cudaMemcpyDeviceToHost));
    }
    level = to_host(levels, vertices);
    for (unsigned *p : {first, target, levels, frontier[0], frontier[1], size})
        CHECK(cudaFree(p));
    return level;
}

int main(int argc, char **argv)
{
    option options[] = {
        {"vertices", "vertices of the graph", 20000, 16, 1u << 26, 1000, 1000000},
        {"degree", "mean number of edges at a vertex", 6, 1, 1000, 5, 0},
        {"block", "threads of a block", 256, 1, 1024, 64, 512},
        {"queue", "1: a queue filled with atomics, 0: sweeps without", 0, 0, 1, 0, 0},
        {"seed", "of the graph", 1, 0, UINT64_MAX, 1, 0},
    };
    option_read(options, argc, argv);
    generator random = {options[4].value};
    graph g = make_graph(random, (unsigned)options[0].value, (unsigned)options[1].value);
    auto levels = options[3].value ? queued_levels : swept_levels;
    unsigned depth, reached = 0;
    std::vector<unsigned> got = levels(g, 0, (unsigned)options[2].value, &depth), want = host_levels(g, 0);
    uint64_t wrong = 0;
    for (size_t v = 0; v < got.size(); v++) {
        wrong += got[v] != want[v];
        reached += got[v] != UNVISITED;
    }
    printf("bfs: %zu vertices, %zu edges, %u reached in %u levels\n", got.size(), g.target.size(), reached, depth);
    return verdict("bfs", wrong);
}
