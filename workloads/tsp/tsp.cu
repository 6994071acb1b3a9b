// The travelling salesman by hill climbing: every climber starts from a random tour, improves it by 2-opt moves until
// none helps, and then offers it as the best of all, under the one lock of the whole grid.
//
// Lanes of a warp that offer their tours go through the lock one after the other: a loop over the lanes lets one in at
// a time, which can wait in place until its atomicCAS succeeds. Without that loop a lane that waits would keep the lane
// that has the lock, in the same warp, from going on to its release.
#include "../workload.h"
#include <utility>

constexpr unsigned LANES = 32;
constexpr uint64_t SHARED = 49152; // bytes of shared memory that every machine has for a block

struct city {
    int x, y;
};

// The best tour so far. Equal lengths are decided by the climber's number, and the result is the same in any order.
struct best_tour {
    int lock;
    unsigned length, climber;
};

// Rounded Euclidean distance. The sum of squares is an integer below 2^24, so host and device compute the same.
static __host__ __device__ inline int distance_of(city a, city b)
{
    int x = a.x - b.x, y = a.y - b.y;
    return (int)(sqrtf((float)(x * x + y * y)) + 0.5f);
}

static __host__ __device__ inline uint32_t first_state(uint32_t seed, unsigned climber)
{
    uint32_t mixed = seed ^ climber * 0x9e3779b9u;
    mixed = (mixed ^ mixed >> 16) * 0x85ebca6bu;
    return mixed ^ mixed >> 13;
}

static __host__ __device__ inline uint32_t next_below(uint32_t *state, uint32_t bound)
{
    *state = *state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)*state * bound >> 32);
}

// A climber's tour: city k of it lies between those of the block's other threads, so that lanes use neighbouring bytes.
struct own_tour {
    unsigned char *first;
    unsigned stride;
    __device__ unsigned char &operator[](unsigned k) const
    {
        return first[k * stride];
    }
};

static __device__ void start_anywhere(own_tour tour, unsigned cities, uint32_t state)
{
    for (unsigned k = 0; k < cities; k++)
        tour[k] = (unsigned char)k;
    for (unsigned k = cities - 1; k > 0; k--) {
        unsigned other = next_below(&state, k + 1);
        unsigned char swapped = tour[k];
        tour[k] = tour[other];
        tour[other] = swapped;
    }
}

// The best move that takes the road after place i out of the tour: reverses places i+1 to its result. 0: none helps.
static __device__ unsigned best_move(own_tour tour, const city *map, unsigned cities, unsigned i)
{
    city a = map[tour[i]], b = map[tour[i + 1]], c = map[tour[i + 2]];
    int road = distance_of(a, b), most = 0;
    unsigned at = 0;
    for (unsigned j = i + 2; j < cities; j++) {
        city d = map[tour[j + 1 == cities ? 0 : j + 1]];
        int gain = road + distance_of(c, d) - distance_of(a, c) - distance_of(b, d);
        at = gain > most ? j : at;
        most = max(gain, most);
        c = d;
    }
    return at;
}

static __device__ void reverse(own_tour tour, unsigned low, unsigned high)
{
    for (; low < high; low++, high--) {
        unsigned char swapped = tour[low];
        tour[low] = tour[high];
        tour[high] = swapped;
    }
}

static __device__ void climb_to_top(own_tour tour, const city *map, unsigned cities)
{
    bool improved = true;
    while (improved) {
        improved = false;
        for (unsigned i = 0; i + 2 < cities; i++) {
            unsigned at = best_move(tour, map, cities, i);
            if (at) {
                reverse(tour, i + 1, at);
                improved = true;
            }
        }
    }
}

static __device__ unsigned length_of(own_tour tour, const city *map, unsigned cities)
{
    unsigned length = 0;
    for (unsigned k = 0; k < cities; k++)
        length += (unsigned)distance_of(map[tour[k]], map[tour[k + 1 == cities ? 0 : k + 1]]);
    return length;
}

// What the lock guards is volatile and stands between fences, for the reasons given in hashtable.
static __device__ void offer(own_tour tour, unsigned length, unsigned climber, unsigned cities, best_tour *best,
                             volatile unsigned char *best_way)
{
    volatile best_tour *known = best;
    do {
        SPIN_LOOP();
    } while (atomicCAS(&best->lock, 0, 1) != 0);
    __threadfence();
    if (length < known->length || (length == known->length && climber < known->climber)) {
        known->length = length;
        known->climber = climber;
        for (unsigned k = 0; k < cities; k++)
            best_way[k] = tour[k];
    }
    __threadfence();
    atomicExch(&best->lock, 0);
}

// Shared memory holds the map and then the tours of the block's threads.
__global__ void climb(const city *map, unsigned cities, unsigned climbers, uint32_t seed, best_tour *best,
                      unsigned char *best_way)
{
    extern __shared__ city near[];
    for (unsigned k = threadIdx.x; k < cities; k += blockDim.x)
        near[k] = map[k];
    __syncthreads();
    own_tour tour = {(unsigned char *)(near + cities) + threadIdx.x, blockDim.x};
    unsigned threads = gridDim.x * blockDim.x;
    for (unsigned climber = blockIdx.x * blockDim.x + threadIdx.x; climber < climbers; climber += threads) {
        start_anywhere(tour, cities, first_state(seed, climber));
        climb_to_top(tour, near, cities);
        unsigned length = length_of(tour, near, cities);
        for (unsigned turn = 0; turn < LANES; turn++)
            if (threadIdx.x % LANES == turn)
                offer(tour, length, climber, cities, best, best_way);
    }
}

// The same climb on the host, with distances from a table.
struct host_climb {
    unsigned cities;
    std::vector<int> table;
    std::vector<unsigned> tour;

    explicit host_climb(const std::vector<city> &map)
        : cities((unsigned)map.size()), table(map.size() * map.size()), tour(map.size())
    {
        for (unsigned a = 0; a < cities; a++)
            for (unsigned b = 0; b < cities; b++)
                table[a * cities + b] = distance_of(map[a], map[b]);
    }
    int road(unsigned from, unsigned to) const
    {
        return table[tour[from % cities] * cities + tour[to % cities]];
    }
    unsigned length() const
    {
        unsigned sum = 0;
        for (unsigned k = 0; k < cities; k++)
            sum += (unsigned)road(k, k + 1);
        return sum;
    }
    bool improve(unsigned i)
    {
        int most = 0;
        unsigned at = 0;
        for (unsigned j = i + 2; j < cities; j++) {
            int gain = road(i, i + 1) + road(j, j + 1) - road(i, j) - road(i + 1, j + 1);
            if (gain > most) {
                most = gain;
                at = j;
            }
        }
        for (unsigned low = i + 1, high = at; low < high; low++, high--)
            std::swap(tour[low], tour[high]);
        return at != 0;
    }
    unsigned run(uint32_t state)
    {
        for (unsigned k = 0; k < cities; k++)
            tour[k] = k;
        for (unsigned k = cities - 1; k > 0; k--)
            std::swap(tour[k], tour[next_below(&state, k + 1)]);
        for (bool improved = true; improved;) {
            improved = false;
            for (unsigned i = 0; i + 2 < cities; i++)
                improved |= improve(i);
        }
        return length();
    }
};

static uint64_t wrong_if(bool bad, const char *what, uint64_t where)
{
    if (bad)
        fprintf(stderr, "tsp: %s %llu\n", what, (unsigned long long)where);
    return bad;
}

static uint64_t check(const std::vector<city> &map, unsigned climbers, uint32_t seed, best_tour best,
                      const std::vector<unsigned char> &way)
{
    host_climb host(map);
    unsigned shortest = UINT32_MAX, winner = 0;
    for (unsigned climber = 0; climber < climbers; climber++) {
        unsigned length = host.run(first_state(seed, climber));
        if (length < shortest) {
            shortest = length;
            winner = climber;
        }
    }
    uint64_t wrong = wrong_if(best.lock != 0, "still locked:", (uint64_t)best.lock);
    wrong += wrong_if(best.length != shortest, "not the shortest tour of all climbers:", best.length);
    wrong += wrong_if(best.climber != winner, "not the climber who found it:", best.climber);
    std::vector<bool> seen(map.size());
    for (size_t k = 0; k < way.size(); k++) {
        bool bad = way[k] >= map.size() || seen[way[k]];
        wrong += wrong_if(bad, "not a city, or visited twice: place", k);
        if (bad)
            return wrong;
        seen[way[k]] = true;
        host.tour[k] = way[k];
    }
    return wrong + wrong_if(host.length() != best.length, "the tour's length is not the one noted:", host.length());
}

int main(int argc, char **argv)
{
    option options[] = {
        {"cities", "to visit", 36, 4, 255, 20, 76},
        {"climbers", "random tours to start from", 960, 1, 1u << 24, 96, 3000},
        {"threads", "threads in all, 0 for as many as climbers", 0, 0, 1u << 24, 0, 0},
        {"block", "threads of a block, whole warps", 64, 32, 1024, 64, 64},
        {"seed", "of the map and the tours", 76, 0, UINT32_MAX, 76, 76},
    };
    option_read(options, argc, argv);
    unsigned cities = (unsigned)options[0].value, climbers = (unsigned)options[1].value,
             block = (unsigned)options[3].value;
    unsigned threads = options[2].value ? (unsigned)options[2].value : climbers, blocks = (threads + block - 1) / block;
    uint32_t seed = (uint32_t)options[4].value;
    uint64_t shared = cities * (sizeof(city) + block);
    if (block % LANES || shared > SHARED) {
        fprintf(stderr, "tsp: blocks must be whole warps, and their tours fit into %llu bytes\n",
                (unsigned long long)SHARED);
        return 2;
    }
    generator random = {seed};
    std::vector<city> map(cities);
    for (city &c : map)
        c = {(int)random.below(2048), (int)random.below(2048)};

    city *dmap = to_device(map);
    best_tour *best = to_device(std::vector<best_tour>(1, best_tour{0, UINT32_MAX, UINT32_MAX}));
    unsigned char *way = to_device(std::vector<unsigned char>(cities, 255));
    printf("tsp: %u climbers, %u blocks of %u threads, %u cities\n", climbers, blocks, block, cities);
    climb<<<blocks, block, shared>>>(dmap, cities, climbers, seed, best, way);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    best_tour found = to_host(best, 1)[0];
    uint64_t wrong = check(map, climbers, seed, found, to_host(way, cities));
    printf("tsp: length %u found by climber %u\n", found.length, found.climber);
    CHECK(cudaFree(dmap));
    CHECK(cudaFree(best));
    CHECK(cudaFree(way));
    return verdict("tsp", wrong);
}
