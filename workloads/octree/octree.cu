// Partitions sets of particles into the leaves of an octree each, with tasks that blocks take from a queue and add to
// it. A task is a cell of space and the particles in it, a range of a list. A block counts how many of them each of its
// threads has in each octant, finds by prefix sums where they go, moves them to a second list, and adds a task for each
// octant that is not empty; a cell with few enough particles is a leaf. The blocks go on until all particles are in
// leaves.
#include "../workload.h"
#include <algorithm>
#include <numeric>

// RESIDENT blocks are to fit on an SM: the sums and the kept octants take more than a fifth of 48 KB.
constexpr unsigned THREADS = 256, RESIDENT = 4, OCTANTS = 8, KEPT = 2048;
constexpr unsigned LEVELS = 10, NO_TASK = UINT32_MAX; // places have LEVELS bits for each of x, y and z, x the lowest

struct task {
    unsigned first, count;  // the range of the list
    unsigned corner, level; // the cell: its lowest place, and how often space was halved
};

// Of the list, the even levels' tasks have their ranges in numbers[0], the others' in numbers[1].
struct partition {
    const unsigned *places;
    unsigned *numbers[2], *ordered; // particles by number; `ordered` has those of leaves
    task *tasks, *leaves;
    unsigned *ready;                       // tasks that are written
    unsigned *taken, *added, *done, *ends; // tasks taken and added, particles in leaves, leaves
    unsigned particles, most;              // `most`: of a leaf, unless its level is the last
};

// Bit 0 says whether x lies in the upper half of the cell, bits 1 and 2 the same of y and z.
__host__ __device__ static unsigned octant_of(unsigned place, unsigned level)
{
    unsigned bits = place >> (LEVELS - 1 - level);
    return (bits & 1) | (bits >> (LEVELS - 1) & 2) | (bits >> (2 * LEVELS - 2) & 4);
}

__host__ __device__ static unsigned corner_of(unsigned octant, unsigned corner, unsigned level)
{
    unsigned bits = (octant & 1) | (octant & 2) << (LEVELS - 1) | (octant & 4) << (2 * LEVELS - 2);
    return corner | bits << (LEVELS - 1 - level);
}

// One thread's: draws the number of a task and waits until that is there. Returns NO_TASK when it will never be.
__device__ static unsigned take(const partition &p)
{
    unsigned number = atomicAdd(p.taken, 1u);
    while (!*(volatile unsigned *)&p.ready[number]) {
        SPIN_LOOP();
        if (*(volatile unsigned *)p.done == p.particles)
            return NO_TASK;
    }
    __threadfence();
    return number;
}

__device__ static void add(const partition &p, task added)
{
    unsigned number = atomicAdd(p.added, 1u);
    p.tasks[number] = added;
    __threadfence();
    *(volatile unsigned *)&p.ready[number] = 1;
}

__device__ static void end_leaf(const partition &p, task leaf)
{
    const unsigned *from = p.numbers[leaf.level % 2] + leaf.first;
    for (unsigned i = threadIdx.x; i < leaf.count; i += THREADS)
        p.ordered[leaf.first + i] = from[i];
    if (threadIdx.x == 0) {
        p.leaves[atomicAdd(p.ends, 1u)] = leaf;
        atomicAdd(p.done, leaf.count);
    }
}

// Row o has, of octant o, in place t + 1 the particles of thread t; after the prefix sums, in place t those of the
// threads before t and in the last place all. Octants of the first particles are kept for when they are moved.
struct division {
    unsigned sums[OCTANTS][THREADS + 1];
    unsigned char octants[KEPT];
    unsigned firsts[OCTANTS]; // of the octants' ranges
};

__device__ static void count_octants(division *d, const partition &p, const unsigned *numbers, task cell)
{
    unsigned t = threadIdx.x;
    for (unsigned o = 0; o < OCTANTS; o++) {
        d->sums[o][t + 1] = 0;
        d->sums[o][0] = 0;
    }
    __syncthreads();
    for (unsigned i = t; i < cell.count; i += THREADS) {
        unsigned o = octant_of(p.places[numbers[i]], cell.level);
        d->sums[o][t + 1]++;
        if (i < KEPT)
            d->octants[i] = (unsigned char)o;
    }
    __syncthreads();
}

__device__ static void sum_rows(division *d)
{
    unsigned t = threadIdx.x, before[OCTANTS];
    for (unsigned distance = 1; distance < THREADS; distance *= 2) {
#pragma unroll
        for (unsigned o = 0; o < OCTANTS; o++)
            before[o] = t >= distance ? d->sums[o][t + 1 - distance] : 0;
        __syncthreads();
#pragma unroll
        for (unsigned o = 0; o < OCTANTS; o++)
            d->sums[o][t + 1] += before[o];
        __syncthreads();
    }
}

// Moves the particles to the other list, in the same range, octant after octant.
__device__ static void move(division *d, const partition &p, const unsigned *numbers, task cell)
{
    unsigned t = threadIdx.x, *to = p.numbers[(cell.level + 1) % 2];
    if (t < OCTANTS) {
        d->firsts[t] = cell.first;
        for (unsigned o = 0; o < t; o++)
            d->firsts[t] += d->sums[o][THREADS];
    }
    __syncthreads();
    for (unsigned i = t; i < cell.count; i += THREADS) {
        unsigned number = numbers[i], o = i < KEPT ? d->octants[i] : octant_of(p.places[number], cell.level);
        to[d->firsts[o] + d->sums[o][t]++] = number;
    }
    __threadfence();
    __syncthreads();
}

__device__ static void divide(division *d, const partition &p, task cell)
{
    const unsigned *numbers = p.numbers[cell.level % 2] + cell.first;
    unsigned o = threadIdx.x;
    count_octants(d, p, numbers, cell);
    sum_rows(d);
    move(d, p, numbers, cell);
    if (o < OCTANTS && d->sums[o][THREADS])
        add(p, {d->firsts[o], d->sums[o][THREADS], corner_of(o, cell.corner, cell.level), cell.level + 1});
}

__global__ void __launch_bounds__(THREADS, RESIDENT) octree(partition p)
{
    __shared__ division d;
    __shared__ unsigned number;
    for (;;) {
        if (threadIdx.x == 0)
            number = take(p);
        __syncthreads();
        if (number == NO_TASK)
            return;
        task cell = p.tasks[number];
        if (cell.count <= p.most || cell.level == LEVELS)
            end_leaf(p, cell);
        else
            divide(&d, p, cell);
        __syncthreads();
    }
}

// Half of the particles lie anywhere, the others around a few centres, closer to them than to the middle between.
static std::vector<unsigned> make_places(generator &random, unsigned particles)
{
    constexpr unsigned CENTRES = 6, SIDE = 1u << LEVELS;
    unsigned centres[CENTRES][3];
    for (auto &centre : centres)
        for (unsigned &coordinate : centre)
            coordinate = random.below(SIDE);
    std::vector<unsigned> places(particles, 0);
    for (unsigned i = 0; i < particles; i++) {
        const unsigned *centre = centres[random.below(CENTRES)];
        for (unsigned axis = 0; axis < 3; axis++) {
            unsigned off = random.below(1 + random.below(SIDE / 4));
            unsigned near = std::min(SIDE - 1, centre[axis] + off - std::min(centre[axis], SIDE / 16));
            places[i] |= (i % 2 ? near : random.below(SIDE)) << (axis * LEVELS);
        }
    }
    return places;
}

// No task is empty, and only those with more than `most` particles are divided: so many may be added.
static size_t tasks_at_most(unsigned particles, unsigned most, unsigned trees)
{
    return trees + LEVELS * std::min<size_t>(particles, OCTANTS * (size_t)(particles / (most + 1)));
}

static std::vector<unsigned> numbered(unsigned count)
{
    std::vector<unsigned> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0u);
    return numbers;
}

struct outcome {
    std::vector<task> leaves; // by their first particle
    std::vector<unsigned> ordered;
};

static outcome device_partition(const std::vector<unsigned> &places, const std::vector<task> &roots, unsigned most,
                                unsigned blocks)
{
    unsigned particles = (unsigned)places.size(), trees = (unsigned)roots.size();
    std::vector<unsigned> numbers = numbered(particles), counters = {0, trees, 0, 0};
    std::vector<task> tasks = roots;
    tasks.resize(tasks_at_most(particles, most, trees));
    std::vector<unsigned> ready(tasks.size() + blocks, 0); // each block draws one number too many
    std::fill_n(ready.begin(), trees, 1u);
    unsigned *c = to_device(counters), *d_places = to_device(places);
    partition p = {d_places,
                   {to_device(numbers), to_device(numbers)},
                   to_device(numbers),
                   to_device(tasks),
                   to_device(tasks),
                   to_device(ready),
                   c,
                   c + 1,
                   c + 2,
                   c + 3,
                   particles,
                   most};
    octree<<<blocks, THREADS>>>(p);
    CHECK(cudaGetLastError());
    outcome result = {to_host(p.leaves, to_host(p.ends, 1)[0]), to_host(p.ordered, particles)};
    std::sort(result.leaves.begin(), result.leaves.end(),
              [](const task &a, const task &b) { return a.first < b.first; });
    for (void *used : {(void *)d_places, (void *)p.numbers[0], (void *)p.numbers[1], (void *)p.ordered, (void *)p.tasks,
                       (void *)p.leaves, (void *)p.ready, (void *)c})
        CHECK(cudaFree(used));
    return result;
}

// Adds the leaves of the cell, whose particles are those from `first` to before `last`.
static void host_partition(const std::vector<unsigned> &places, unsigned most, std::vector<unsigned> &numbers,
                           task cell, std::vector<task> &leaves)
{
    if (cell.count <= most || cell.level == LEVELS) {
        leaves.push_back(cell);
        return;
    }
    std::vector<unsigned> octants[OCTANTS];
    for (unsigned i = cell.first; i < cell.first + cell.count; i++)
        octants[octant_of(places[numbers[i]], cell.level)].push_back(numbers[i]);
    unsigned first = cell.first;
    for (unsigned o = 0; o < OCTANTS; o++) {
        unsigned count = (unsigned)octants[o].size();
        std::copy(octants[o].begin(), octants[o].end(), numbers.begin() + first);
        if (count)
            host_partition(places, most, numbers, {first, count, corner_of(o, cell.corner, cell.level), cell.level + 1},
                           leaves);
        first += count;
    }
}

// The particle's coordinates are, in the bits in which space was halved, those of the leaf's corner.
static bool inside(unsigned place, task leaf)
{
    bool all = true;
    for (unsigned axis = 0; axis < 3; axis++)
        all = all && ((place ^ leaf.corner) >> (axis * LEVELS) & ((1u << LEVELS) - 1)) >> (LEVELS - leaf.level) == 0;
    return all;
}

// Leaves must be those of the host, with the same particles in any order.
static uint64_t count_wrong(outcome got, const std::vector<unsigned> &places, const std::vector<task> &leaves,
                            const std::vector<unsigned> &numbers)
{
    uint64_t wrong = got.leaves.size() != leaves.size();
    for (size_t i = 0; i < leaves.size() && i < got.leaves.size(); i++) {
        const task &leaf = leaves[i];
        if (memcmp(&leaf, &got.leaves[i], sizeof leaf) != 0) {
            wrong++;
            continue;
        }
        auto first = got.ordered.begin() + leaf.first, last = first + leaf.count;
        std::vector<unsigned> want(numbers.begin() + leaf.first, numbers.begin() + leaf.first + leaf.count);
        std::sort(want.begin(), want.end());
        std::sort(first, last);
        wrong += !std::equal(first, last, want.begin());
        for (unsigned number : want)
            wrong += !inside(places[number], leaf);
    }
    return wrong;
}

int main(int argc, char **argv)
{
    option options[] = {
        {"trees", "sets of particles, a tree each", 12, 1, 256, 6, 30},
        {"particles", "particles of a set", 2000, 1, 1u << 20, 400, 3000},
        {"most", "most particles of a leaf", 40, 1, 1u << 20, 40, 0},
        {"blocks", "blocks", 60, 1, 65535, 20, 0},
        {"seed", "of the places", 1, 0, UINT64_MAX, 1, 0},
    };
    option_read(options, argc, argv);
    unsigned trees = (unsigned)options[0].value, particles = (unsigned)options[1].value;
    unsigned most = (unsigned)options[2].value;
    generator random = {options[4].value};
    std::vector<unsigned> places = make_places(random, trees * particles), numbers = numbered(trees * particles);
    std::vector<task> roots, leaves;
    for (unsigned i = 0; i < trees; i++)
        roots.push_back({i * particles, particles, 0, 0});
    outcome got = device_partition(places, roots, most, (unsigned)options[3].value);
    for (const task &root : roots)
        host_partition(places, most, numbers, root, leaves);
    printf("octree: %u sets of %u particles in %zu leaves of at most %u\n", trees, particles, leaves.size(), most);
    return verdict("octree", count_wrong(got, places, leaves, numbers));
}
