// Graph colouring by independent sets (Jones and Plassmann, 1993): every node has a random number, and in round k those
// that have the greatest one among their neighbours without a colour take colour k. One pass finds them, a second one
// gives the colours and says whether a node is left: all blocks in the same word, or each in a line of its own. Both go
// over all nodes as tasks of queues (../tasks.h).
#include "../tasks.h"

constexpr unsigned NONE = 0xffffffffu;

struct links {
    const unsigned *first, *target, *value;
};

// Of equal numbers the greater node's is the greater.
__host__ __device__ inline bool is_above(const unsigned *value, unsigned a, unsigned b)
{
    return value[a] != value[b] ? value[a] > value[b] : a > b;
}

template <int OWN, int OTHERS> __global__ void find(tasks t, links l, const unsigned *color, unsigned char *chosen)
{
    do_tasks<OWN, OTHERS>(t, [&](unsigned v) {
        bool greatest = color[v] == NONE;
        for (unsigned e = l.first[v], end = l.first[v + 1]; greatest && e < end; e++) {
            unsigned u = l.target[e];
            greatest = color[u] != NONE || is_above(l.value, v, u);
        }
        chosen[v] = greatest;
    });
}

template <int OWN, int OTHERS>
__global__ void give(tasks t, unsigned *color, const unsigned char *chosen, unsigned round, unsigned *left,
                     unsigned apart)
{
    left += blockIdx.x * apart;
    do_tasks<OWN, OTHERS>(t, [&](unsigned v) {
        if (chosen[v])
            color[v] = round;
        else if (color[v] == NONE)
            *left = 1;
    });
}

// The colours depend on the numbers alone: a node takes one more than the greatest round of the neighbours above it.
static std::vector<unsigned> host_colors(const graph &g, const std::vector<unsigned> &value)
{
    std::vector<unsigned> color(g.nodes, NONE), order(g.nodes);
    for (unsigned v = 0; v < g.nodes; v++)
        order[v] = v;
    std::sort(order.begin(), order.end(), [&](unsigned a, unsigned b) { return is_above(value.data(), a, b); });
    for (unsigned v : order) {
        color[v] = 0;
        for (unsigned e = g.first[v]; e < g.first[v + 1]; e++)
            if (is_above(value.data(), g.target[e], v) && color[g.target[e]] >= color[v])
                color[v] = color[g.target[e]] + 1;
    }
    return color;
}

int main(int argc, char **argv)
{
    option options[] = {
        GRAPH_OPTION_ROWS(GRAPH_SKEWED, 299067, 977676, 600, 1500),
        {"rounds", "rounds at most; 0: until all nodes have a colour", 0, 0, 1000000, 0, 0},
        {"apart", "1: each block says in a line of its own that a node is left", 0, 0, 1, 0, 0},
    };
    job j = begin_job(options, argc, argv);
    const graph &g = j.g;
    generator random = {options[GRAPH_SEED].value};
    std::vector<unsigned> value(g.nodes), none(g.nodes, NONE);
    for (unsigned &v : value)
        v = (unsigned)(random.next() >> 33);
    unsigned apart = options[GRAPH_OPTIONS + 1].value ? TASK_LINE / sizeof(unsigned) : 0,
             words = j.t.queues * apart + 1;
    unsigned *values = to_device(value), *left;
    CHECK(cudaMalloc(&left, words * sizeof *left));
    unsigned *color = to_device(none), rounds = 0;
    bool again = true;
    unsigned char *chosen = to_device(std::vector<unsigned char>(g.nodes, 0));
    for (; again && (!j.rounds || rounds < j.rounds); rounds++) {
        CHECK(cudaMemset(left, 0, words * sizeof *left));
        LAUNCH_TASKS(find, j, links{j.first, j.target, values}, color, chosen);
        LAUNCH_TASKS(give, j, color, chosen, rounds, left, apart);
        std::vector<unsigned> marks = to_host(left, words);
        again = std::find(marks.begin(), marks.end(), 1u) != marks.end();
    }
    std::vector<unsigned> got = to_host(color, g.nodes), want = host_colors(g, value);
    uint64_t wrong = wrong_tasks(j.t, 2 * rounds);
    for (unsigned v = 0; v < g.nodes; v++) {
        wrong += got[v] != (want[v] < rounds ? want[v] : NONE);
        for (unsigned e = g.first[v]; e < g.first[v + 1]; e++)
            wrong += got[v] != NONE && got[v] == got[g.target[e]];
    }
    printf("coloring: %u nodes, %zu edges, %u colours%s\n", g.nodes, g.target.size(), rounds,
           again ? ", some nodes without" : "");
    end_job(j);
    for (unsigned *p : {values, left, color})
        CHECK(cudaFree(p));
    CHECK(cudaFree(chosen));
    return verdict("coloring", wrong);
}
