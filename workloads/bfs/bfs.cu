// Breadth-first search over a graph in compressed sparse rows, one launch per level. A launch takes the vertices of the
// present frontier, one thread each, claims every unvisited neighbour with one atomicCAS on its level, and appends those it
// won to the next frontier. The order within a frontier depends on the machine; the levels do not.
#include "../workload.h"

constexpr unsigned UNVISITED = 0xffffffffu;

struct graph {
    std::vector<unsigned> first, target; // the edges of v are target[first[v]] .. target[first[v + 1] - 1]
};

// No load here can be stale: the frontier read and the rows were written before the launch; levels are touched by atomics only.
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

// A ring of all vertices but the last sixteenth, so that the depth is bounded by the random chords and some vertices stay out
// of reach, plus random chords: from 0 to 2 * degree - 2 of them at each vertex of the ring.
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

// Returns the levels; `depth` becomes the number of launches.
static std::vector<unsigned> device_levels(const graph &g, unsigned root, unsigned block, unsigned *depth)
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
        {"vertices", "vertices of the graph", 20000, 16, 1u << 26, 1000, 0},
        {"degree", "mean number of edges at a vertex", 6, 1, 1000, 5, 0},
        {"block", "threads of a block", 256, 1, 1024, 64, 0},
        {"seed", "of the graph", 1, 0, UINT64_MAX, 1, 0},
    };
    option_read(options, argc, argv);
    generator random = {options[3].value};
    graph g = make_graph(random, (unsigned)options[0].value, (unsigned)options[1].value);
    unsigned depth, reached = 0;
    std::vector<unsigned> got = device_levels(g, 0, (unsigned)options[2].value, &depth), want = host_levels(g, 0);
    uint64_t wrong = 0;
    for (size_t v = 0; v < got.size(); v++) {
        wrong += got[v] != want[v];
        reached += got[v] != UNVISITED;
    }
    printf("bfs: %zu vertices, %zu edges, %u reached in %u levels\n", got.size(), g.target.size(), reached, depth);
    return verdict("bfs", wrong);
}
