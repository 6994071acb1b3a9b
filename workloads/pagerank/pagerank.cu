// PageRank by power iteration, in the form that pulls: the rank of a node becomes 0.15/N and 0.85 of the sum over its
// neighbours of their rank divided by their degree. One pass divides, a second one sums; both go over all nodes as tasks
// of queues (../tasks.h). Sums are taken in the order of the edges, so that they are the same bits whoever takes them.
#include "../tasks.h"

template <int OWN, int OTHERS>
__global__ void share(tasks t, const unsigned *degree, const float *rank, float *part)
{
    do_tasks<OWN, OTHERS>(t, [&](unsigned v) { part[v] = __fdiv_rn(rank[v], (float)degree[v]); });
}

template <int OWN, int OTHERS>
__global__ void gather(tasks t, const unsigned *first, const unsigned *target, const float *part, float *rank, float rest)
{
    do_tasks<OWN, OTHERS>(t, [&](unsigned v) {
        float sum = 0;
        for (unsigned e = first[v], end = first[v + 1]; e < end; e++)
            sum = __fadd_rn(sum, part[target[e]]);
        rank[v] = __fadd_rn(rest, __fmul_rn(0.85f, sum));
    });
}

// Edges that leave a node; one that has none divides by 1.
static std::vector<unsigned> degrees(const graph &g)
{
    std::vector<unsigned> degree(g.nodes, 0);
    for (unsigned from : g.target)
        degree[from]++;
    for (unsigned &d : degree)
        d = d ? d : 1;
    return degree;
}

static std::vector<float> host_ranks(const graph &g, const std::vector<unsigned> &degree, uint64_t rounds, float rest)
{
    std::vector<float> rank(g.nodes, 1.0f / (float)g.nodes), part(g.nodes);
    for (uint64_t i = 0; i < rounds; i++) {
        for (unsigned v = 0; v < g.nodes; v++)
            part[v] = rank[v] / (float)degree[v];
        for (unsigned v = 0; v < g.nodes; v++) {
            volatile float sum = 0; // no step of it is contracted with another
            for (unsigned e = g.first[v]; e < g.first[v + 1]; e++)
                sum = sum + part[g.target[e]];
            volatile float damped = 0.85f * sum;
            rank[v] = rest + damped;
        }
    }
    return rank;
}

int main(int argc, char **argv)
{
    option options[] = {
        GRAPH_OPTION_ROWS(GRAPH_SKEWED, 64810, 250593, 800, 2000),
        {"rounds", "of the iteration", 20, 1, 1000, 3, 20},
    };
    job j = begin_job(options, argc, argv);
    const graph &g = j.g;
    std::vector<unsigned> degree = degrees(g);
    std::vector<float> even(g.nodes, 1.0f / (float)g.nodes);
    float rest = 0.15f / (float)g.nodes;
    unsigned *degree_of = to_device(degree);
    float *rank = to_device(even), *part = to_device(even);
    for (uint64_t i = 0; i < j.rounds; i++) {
        LAUNCH_TASKS(share, j, degree_of, rank, part);
        LAUNCH_TASKS(gather, j, j.first, j.target, part, rank, rest);
    }
    std::vector<float> got = to_host(rank, g.nodes), want = host_ranks(g, degree, j.rounds, rest);
    uint64_t wrong = wrong_tasks(j.t, (unsigned)(2 * j.rounds));
    unsigned best = 0;
    for (unsigned v = 0; v < g.nodes; v++) {
        wrong += memcmp(&got[v], &want[v], sizeof(float)) != 0;
        best = got[v] > got[best] ? v : best;
    }
    printf("pagerank: %u nodes, %zu edges, %llu rounds, node %u has the greatest rank, %.9g\n", g.nodes, g.target.size(),
           (unsigned long long)j.rounds, best, got[best]);
    end_job(j);
    CHECK(cudaFree(degree_of));
    CHECK(cudaFree(rank));
    CHECK(cudaFree(part));
    return verdict("pagerank", wrong);
}
