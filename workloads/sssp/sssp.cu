// Shortest paths from node 0 by rounds of relaxation (Bellman-Ford). In a round, every node takes the least of its own
// distance and those of the nodes before it plus the length of the way; a second pass copies what has changed, and says
// whether anything has. Both passes go over all nodes as tasks of queues (../tasks.h), dealt anew for each.
#include <queue>

#include "../tasks.h"

constexpr unsigned FAR = 0x7fffffffu;

struct roads {
    const unsigned *first, *target, *weight;
};

template <int OWN, int OTHERS> __global__ void relax(tasks t, roads r, const unsigned *distance, unsigned *next)
{
    do_tasks<OWN, OTHERS>(t, [&](unsigned v) {
        unsigned least = distance[v], end = r.first[v + 1];
        for (unsigned e = r.first[v]; e < end; e++) {
            unsigned by = distance[r.target[e]] + r.weight[e];
            least = by < least ? by : least;
        }
        next[v] = least;
    });
}

template <int OWN, int OTHERS>
__global__ void compare(tasks t, unsigned *distance, const unsigned *next, unsigned *changed)
{
    do_tasks<OWN, OTHERS>(t, [&](unsigned v) {
        if (next[v] < distance[v]) {
            distance[v] = next[v];
            *changed = 1;
        }
    });
}

static std::vector<unsigned> host_distances(const graph &g)
{
    typedef std::pair<unsigned, unsigned> reached;
    std::vector<unsigned> distance(g.nodes, FAR);
    std::vector<std::vector<reached>> ways(g.nodes);
    for (unsigned v = 0; v < g.nodes; v++)
        for (unsigned e = g.first[v]; e < g.first[v + 1]; e++)
            ways[g.target[e]].push_back({v, g.weight[e]});
    std::priority_queue<reached, std::vector<reached>, std::greater<reached>> front;
    distance[0] = 0;
    for (front.push({0, 0}); !front.empty();) {
        reached at = front.top();
        front.pop();
        if (at.first > distance[at.second])
            continue;
        for (reached way : ways[at.second])
            if (at.first + way.second < distance[way.first]) {
                distance[way.first] = at.first + way.second;
                front.push({distance[way.first], way.first});
            }
    }
    return distance;
}

int main(int argc, char **argv)
{
    option options[] = {
        GRAPH_OPTION_ROWS(GRAPH_ROADS, 321270, 400086, 300, 370),
        {"rounds", "rounds at most; 0: until nothing changes", 0, 0, 1000000, 0, 0},
    };
    job j = begin_job(options, argc, argv);
    const graph &g = j.g;
    std::vector<unsigned> far(g.nodes, FAR);
    far[0] = 0;
    unsigned *weight = to_device(g.weight), *changed;
    unsigned *distance = to_device(far), *next = to_device(far), rounds = 0, again = 1;
    CHECK(cudaMalloc(&changed, sizeof *changed));
    for (; again && (!j.rounds || rounds < j.rounds); rounds++) {
        CHECK(cudaMemset(changed, 0, sizeof *changed));
        LAUNCH_TASKS(relax, j, roads{j.first, j.target, weight}, distance, next);
        LAUNCH_TASKS(compare, j, distance, next, changed);
        CHECK(cudaMemcpy(&again, changed, sizeof again, cudaMemcpyDeviceToHost));
    }
    std::vector<unsigned> got = to_host(distance, g.nodes), want = host_distances(g);
    uint64_t wrong = wrong_tasks(j.t, 2 * rounds), reached = 0, farthest = 0;
    for (unsigned v = 0; v < g.nodes; v++) {
        wrong += again ? got[v] < want[v] : got[v] != want[v]; // before the end, distances are still too long
        reached += got[v] < FAR;
        farthest = got[v] < FAR && got[v] > farthest ? got[v] : farthest;
    }
    printf("sssp: %u nodes, %zu edges, %u rounds, %llu reached, the farthest after %llu\n", g.nodes, g.target.size(),
           rounds, (unsigned long long)reached, (unsigned long long)farthest);
    end_job(j);
    for (unsigned *p : {weight, changed, distance, next})
        CHECK(cudaFree(p));
    return verdict("sssp", wrong);
}
