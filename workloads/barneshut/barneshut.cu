// The octree of the Barnes-Hut method for many bodies, made and used by threads that lock and wait: four kernels find
// the bodies' box, build the tree, summarize it (how many bodies a cell holds, their mass and its centre), and write
// down the bodies in the order of the tree. Building locks single slots of the tree; the last two wait for values of
// other threads.
//
// Which loads could be stale? Slots, counts and starts change while others read them: they are volatile, so that every
// look goes to a memory that all SMs share. A cell's centre is read when its count says that it is there, behind a
// fence and past the L1, as fences may leave the L1 alone. All else is constant during a launch and may be cached.
#include "../locks.h"
#include <algorithm>
#include <climits>
#include <cmath>
#include <set>
#include <tuple>

constexpr int TB_THREADS = 512, TB_BLOCKS = 3; // of a block, and blocks on an SM at once, when a tree is built
constexpr int EMPTY = -1, LOCKED = -2;         // a slot without a child; a slot that a thread is about to change

struct cube {
    float x, y, z, half; // its middle, and half its side
};

// The bodies are the nodes 0 .. bodies - 1. Cells are taken from `nodes - 1`, the root, downwards, so every cell lies
// above its children. Cell k has its entries at k - bodies, eight for each cell in `child`.
struct tree {
    int bodies, nodes;
    const float4 *body; // position, mass
    int *box;           // least x, y, z, then greatest x, y, z
    volatile int *child;
    int *bottom;         // the lowest cell in use
    volatile int *count; // bodies below a cell, -1 until it and `centre` are known
    float4 *centre;
    volatile int *start; // where a cell's bodies begin in `sorted`, -1 until known
    int *sorted;
};

static __host__ __device__ int octant(float4 p, cube c)
{
    return (p.x > c.x) | (p.y > c.y) << 1 | (p.z > c.z) << 2;
}

// The part of a cube that is octant `which`. By arithmetic alone: no branches that would part the lanes of a warp.
static __host__ __device__ cube part(cube c, int which)
{
    float half = c.half * 0.5f, twice = c.half;
    return {c.x - half + twice * (float)(which & 1), c.y - half + twice * (float)(which >> 1 & 1),
            c.z - half + twice * (float)(which >> 2 & 1), half};
}

// Coordinates are whole numbers, the root's middle is one too, and half its side is a power of two greater than the
// distance of any body. So the middles of all cells are exact, and two bodies are parted at the latest where half a
// side is 1.
static __host__ __device__ cube root_cube(const int *box)
{
    int x = (box[0] + box[3]) >> 1, y = (box[1] + box[4]) >> 1, z = (box[2] + box[5]) >> 1;
    int bits = (box[3] - x) | (x - box[0]) | (box[4] - y) | (y - box[1]) | (box[5] - z) | (z - box[2]);
    for (int shift = 1; shift < 32; shift *= 2)
        bits |= bits >> shift;
    return {(float)x, (float)y, (float)z, (float)(bits + 1)};
}

static __host__ __device__ float4 add_mass(float4 sum, float4 p)
{
    return {fmaf(p.w, p.x, sum.x), fmaf(p.w, p.y, sum.y), fmaf(p.w, p.z, sum.z), sum.w + p.w};
}

static __host__ __device__ float4 middle(float4 sum)
{
    return {sum.x / sum.w, sum.y / sum.w, sum.z / sum.w, sum.w};
}

__global__ void __launch_bounds__(TB_THREADS, TB_BLOCKS) box(tree t)
{
    __shared__ int shared[6];
    int least[3] = {INT_MAX, INT_MAX, INT_MAX}, most[3] = {INT_MIN, INT_MIN, INT_MIN};
    if (threadIdx.x < 6)
        shared[threadIdx.x] = threadIdx.x < 3 ? INT_MAX : INT_MIN;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < t.bodies; i += gridDim.x * blockDim.x) {
        float4 p = t.body[i];
        int at[3] = {(int)p.x, (int)p.y, (int)p.z};
        for (int d = 0; d < 3; d++) {
            least[d] = min(least[d], at[d]);
            most[d] = max(most[d], at[d]);
        }
    }
    for (int d = 0; d < 3; d++) {
        atomicMin(&shared[d], least[d]);
        atomicMax(&shared[3 + d], most[d]);
    }
    __syncthreads();
    if (threadIdx.x < 3)
        atomicMin(&t.box[threadIdx.x], shared[threadIdx.x]);
    else if (threadIdx.x < 6)
        atomicMax(&t.box[threadIdx.x], shared[threadIdx.x]);
}

static __device__ volatile int *slot_of(tree t, int cell, int which)
{
    return &t.child[8 * (cell - t.bodies) + which];
}

// A slot is its own lock: whoever changes a body in it to LOCKED has it. Nothing that others write is read under the
// lock, so no fence follows the acquisition; the release makes the new cells' slots visible before the first of them
// can be found.
static __device__ bool try_lock(volatile int *slot, int seen)
{
    return atomicCAS((int *)slot, seen, LOCKED) == seen;
}

static __device__ void unlock(volatile int *slot, int cell)
{
    __threadfence();
    *slot = cell;
}

// There are twice as many cells as the tree needs, whatever the order of the insertions.
static __device__ int new_cell(tree t)
{
    return atomicSub(t.bottom, 1) - 1;
}

// Makes the cells that part bodies i, at p, and `other`, which are both in `at`. Returns the first and largest of them.
// Inlined, so that `build` is the same code however many other kernels call this.
static __device__ __forceinline__ int split(tree t, int i, float4 p, int other, cube at)
{
    float4 q = t.body[other];
    int first = new_cell(t), cell = first, mine = octant(p, at), theirs = octant(q, at);
    while (mine == theirs) {
        int next = new_cell(t);
        *slot_of(t, cell, mine) = next;
        cell = next;
        at = part(at, mine);
        mine = octant(p, at);
        theirs = octant(q, at);
    }
    *slot_of(t, cell, mine) = i;
    *slot_of(t, cell, theirs) = other;
    return first;
}

// Where a thread has come to on its way down: a slot, and the octant of a cube that it stands for.
struct place {
    cube at;
    int which;
    volatile int *slot;
};

static __device__ place place_in(tree t, int cell, cube at, float4 p)
{
    int which = octant(p, at);
    return {at, which, slot_of(t, cell, which)};
}

// One attempt to insert body i, at p: down from the place reached before, as far as there are cells, then, if the slot
// is not locked, one compare-and-swap. What was seen may be old by then, and the attempt fails; the place is kept.
static __device__ bool insert(tree t, int i, float4 p, place *here)
{
    int seen = *here->slot;
    while (seen >= t.bodies) {
        *here = place_in(t, seen, part(here->at, here->which), p);
        seen = *here->slot;
    }
    bool done = false;
    if (seen == EMPTY) {
        done = atomicCAS((int *)here->slot, EMPTY, i) == EMPTY;
    } else if (seen != LOCKED && try_lock(here->slot, seen)) {
        unlock(here->slot, split(t, i, p, seen, part(here->at, here->which)));
        done = true;
    }
    return done;
}

// A thread goes on to its next body in the same loop in which others of its warp try again. The barrier holds back
// those who failed until all of the block have made their attempt. Threads without a body left end: barriers do not
// wait for them.
__global__ void __launch_bounds__(TB_THREADS, TB_BLOCKS) build(tree t)
{
    cube root = root_cube(t.box);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 p = {0, 0, 0, 0};
    place here = {root, 0, t.child};
    bool fresh = true;
    while (i < t.bodies) {
        SPIN_LOOP();
        if (fresh) {
            p = t.body[i];
            here = place_in(t, t.nodes - 1, root, p);
        }
        fresh = insert(t, i, p, &here);
        if (fresh)
            i += gridDim.x * blockDim.x;
        __syncthreads();
    }
}

// Cells upwards from the lowest, so that a cell's children belong to threads before its own, or to an earlier turn of
// its own. A child's place in the sum is that in the cell, so that the sum is the same however long the wait for each.
__global__ void summarize(tree t)
{
    int k = *t.bottom + blockIdx.x * blockDim.x + threadIdx.x, next = 0, count = 0;
    float4 sum = {0, 0, 0, 0};
    while (k < t.nodes) {
        SPIN_LOOP();
        int child = t.child[8 * (k - t.bodies) + next];
        int below = child < 0 ? 0 : child < t.bodies ? 1 : t.count[child - t.bodies];
        if (below >= 0) {
            if (child >= t.bodies) {
                __threadfence();
                sum = add_mass(sum, __ldcg(&t.centre[child - t.bodies]));
            } else if (child >= 0) {
                sum = add_mass(sum, t.body[child]);
            }
            count += below;
            if (++next == 8) {
                t.centre[k - t.bodies] = middle(sum);
                __threadfence();
                t.count[k - t.bodies] = count;
                k += gridDim.x * blockDim.x;
                next = count = 0;
                sum = {0, 0, 0, 0};
            }
        }
    }
}

// Cells downwards from the root. A cell whose start is known tells its children theirs. The start is all that is told,
// so no fence is needed. A thread that has to wait goes round the loop that the lanes it may wait for go round too.
__global__ void sort(tree t)
{
    int bottom = *t.bottom, k = t.nodes - 1 - (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int *children = (const int *)t.child, *counts = (const int *)t.count; // constant here: they may be cached
    while (k >= bottom) {
        SPIN_LOOP();
        int start = t.start[k - t.bodies];
        if (start >= 0) {
            for (int which = 0; which < 8; which++) {
                int child = children[8 * (k - t.bodies) + which];
                if (child >= t.bodies) {
                    t.start[child - t.bodies] = start;
                    start += counts[child - t.bodies];
                } else if (child >= 0) {
                    t.sorted[start++] = child;
                }
            }
            k -= gridDim.x * blockDim.x;
        }
    }
}

// How the tree is built: by options of the same names.
struct building {
    uint64_t sync, empty, poll;
    unsigned stagger;
    unsigned blocks, threads;
};

#include "locked.h"

// As much on the host, level by level. Cell h has its children at 8 * h: bodies, EMPTY, or bodies + a cell's number.
struct host_tree {
    int bodies;
    std::vector<int> box, child, count, start, sorted;
    std::vector<float4> centre;
    int levels;
    int cells() const
    {
        return (int)count.size();
    }
};

static void host_build(host_tree &h, const std::vector<float4> &body)
{
    struct region {
        cube at;
        int level;
        std::vector<int> members;
    };
    std::vector<region> regions(1, region{root_cube(h.box.data()), 1, {}});
    for (int i = 0; i < h.bodies; i++)
        regions[0].members.push_back(i);
    for (size_t cell = 0; cell < regions.size(); cell++) {
        region now = std::move(regions[cell]);
        std::vector<int> parts[8];
        for (int i : now.members)
            parts[octant(body[i], now.at)].push_back(i);
        for (int which = 0; which < 8; which++) {
            size_t size = parts[which].size();
            h.child.push_back(size == 0 ? EMPTY : size == 1 ? parts[which][0] : h.bodies + (int)regions.size());
            if (size > 1)
                regions.push_back(region{part(now.at, which), now.level + 1, std::move(parts[which])});
        }
        h.levels = now.level;
    }
    h.count.assign(regions.size(), 0);
}

static void host_summarize(host_tree &h, const std::vector<float4> &body)
{
    h.centre.assign(h.cells(), float4{0, 0, 0, 0});
    for (int cell = h.cells() - 1; cell >= 0; cell--) {
        for (int which = 0; which < 8; which++) {
            int child = h.child[8 * cell + which];
            if (child < 0)
                continue;
            h.count[cell] += child < h.bodies ? 1 : h.count[child - h.bodies];
            h.centre[cell] = add_mass(h.centre[cell], child < h.bodies ? body[child] : h.centre[child - h.bodies]);
        }
        h.centre[cell] = middle(h.centre[cell]);
    }
}

static void host_sort(host_tree &h)
{
    h.start.assign(h.cells(), 0);
    h.sorted.assign(h.bodies, 0);
    for (int cell = 0; cell < h.cells(); cell++) {
        int start = h.start[cell];
        for (int which = 0; which < 8; which++) {
            int child = h.child[8 * cell + which];
            if (child >= h.bodies) {
                h.start[child - h.bodies] = start;
                start += h.count[child - h.bodies];
            } else if (child >= 0) {
                h.sorted[start++] = child;
            }
        }
    }
}

static host_tree host_all(const std::vector<float4> &body)
{
    host_tree h = {};
    h.bodies = (int)body.size();
    h.box = {INT_MAX, INT_MAX, INT_MAX, INT_MIN, INT_MIN, INT_MIN};
    for (const float4 &p : body) {
        const int at[3] = {(int)p.x, (int)p.y, (int)p.z};
        for (int d = 0; d < 3; d++) {
            h.box[d] = std::min(h.box[d], at[d]);
            h.box[3 + d] = std::max(h.box[3 + d], at[d]);
        }
    }
    host_build(h, body);
    host_summarize(h, body);
    host_sort(h);
    return h;
}

// A sphere of Plummer's density, in steps of 2^-14 of its radius, cut off at 32 radii. The mass within r is a fraction
// r^3 / (1 + r^2)^(3/2) of all, uniformly distributed; its cube root, t, is the greatest of three uniform numbers, and
// r is t / sqrt(1 - t^2). Square roots, quotients and products of whole numbers alone are used: they are the same on
// every host.
static float4 plummer(generator &random)
{
    for (;;) {
        uint64_t t = std::max(random.next() >> 32, random.next() >> 32);
        t = std::max(t, random.next() >> 32);
        int64_t x = (int64_t)(random.next() >> 43) - (1 << 20);
        int64_t y = (int64_t)(random.next() >> 43) - (1 << 20);
        int64_t z = (int64_t)(random.next() >> 43) - (1 << 20);
        int64_t square = x * x + y * y + z * z;
        float mass = (float)(1 + random.below(8));
        double r = (double)t / sqrt((double)(UINT64_MAX - t * t));
        double scale = r * 16384 / sqrt((double)square);
        if (square > 0 && square <= INT64_C(1) << 40 && r < 32)
            return {(float)rint(scale * x), (float)rint(scale * y), (float)rint(scale * z), mass};
    }
}

// Anywhere in a cube of 64 of these radii, with equal likelihood.
static float4 in_cube(generator &random)
{
    float x = (float)(random.next() >> 44), y = (float)(random.next() >> 44), z = (float)(random.next() >> 44);
    return {x, y, z, (float)(1 + random.below(8))};
}

enum body_shape { SHAPE_SPHERE, SHAPE_CUBE };
static const char *const shape_words[] = {"sphere", "cube"};

// No two bodies are in one place, or no tree could part them.
static std::vector<float4> make_bodies(generator &random, int bodies, uint64_t shape)
{
    std::set<std::tuple<float, float, float>> taken;
    std::vector<float4> body;
    while ((int)body.size() < bodies) {
        float4 p = shape == SHAPE_CUBE ? in_cube(random) : plummer(random);
        if (taken.insert({p.x, p.y, p.z}).second)
            body.push_back(p);
    }
    return body;
}

enum body_order { ORDER_DRAWN, ORDER_TREE };
static const char *const order_words[] = {"drawn", "tree"};

// In the order of the tree, lanes of a warp carry bodies that are neighbours, and meet in the same cells.
static std::vector<float4> in_order_of_tree(const std::vector<float4> &body)
{
    std::vector<float4> sorted;
    for (int i : host_all(body).sorted)
        sorted.push_back(body[i]);
    return sorted;
}

static uint64_t wrong_if(bool bad, const char *what, int64_t where)
{
    if (bad)
        fprintf(stderr, "barneshut: %s %lld\n", what, (long long)where);
    return bad;
}

// The tree of given points is unique but for the numbers of its cells. `place` becomes where each cell of the host's
// tree lies in the device's, -1 where there is none. A node that is met twice ends the comparison below it.
static uint64_t check_tree(const host_tree &h, const tree &t, std::vector<int> &place)
{
    std::vector<int> child = to_host((const int *)t.child, 8 * (size_t)(t.nodes - t.bodies));
    int bottom = to_host(t.bottom, 1)[0];
    uint64_t wrong = wrong_if(t.nodes - bottom != h.cells(), "too many or too few cells:", t.nodes - bottom);
    std::vector<bool> seen(t.nodes);
    place.assign(h.cells(), -1);
    place[0] = t.nodes - 1;
    for (int i = 0; i < 8 * h.cells(); i++) {
        if (place[i / 8] < 0)
            continue;
        int want = h.child[i], have = child[8 * (place[i / 8] - t.bodies) + i % 8];
        bool cell = want >= h.bodies, bad = cell ? have < bottom || have >= t.nodes - 1 : have != want;
        bad = bad || (have >= 0 && seen[have]);
        const char *what = have == LOCKED ? "still locked: a slot of node" : "not as on the host: a slot of node";
        wrong += wrong_if(bad, what, place[i / 8]);
        if (!bad && have >= 0)
            seen[have] = true;
        if (!bad && cell)
            place[want - h.bodies] = have;
    }
    return wrong + wrong_if(std::count(seen.begin(), seen.begin() + h.bodies, true) != h.bodies, "bodies missing, of",
                            h.bodies);
}

static uint64_t check_summary(const host_tree &h, const tree &t, const std::vector<int> &place)
{
    std::vector<int> count = to_host((const int *)t.count, t.nodes - t.bodies);
    std::vector<float4> centre = to_host(t.centre, t.nodes - t.bodies);
    uint64_t wrong = 0;
    for (int cell = 0; cell < h.cells(); cell++) {
        int k = place[cell] - t.bodies;
        wrong += wrong_if(k >= 0 && count[k] != h.count[cell], "count of bodies in node", k + t.bodies);
        wrong +=
            wrong_if(k >= 0 && memcmp(&centre[k], &h.centre[cell], sizeof(float4)), "centre of node", k + t.bodies);
    }
    return wrong;
}

static uint64_t check_order(const host_tree &h, const tree &t, const std::vector<int> &place)
{
    std::vector<int> start = to_host((const int *)t.start, t.nodes - t.bodies), sorted = to_host(t.sorted, t.bodies);
    uint64_t wrong = 0;
    for (int cell = 0; cell < h.cells(); cell++) {
        int k = place[cell] - t.bodies;
        wrong += wrong_if(k >= 0 && start[k] != h.start[cell], "start of node", k + t.bodies);
    }
    for (int i = 0; i < h.bodies; i++)
        wrong += wrong_if(sorted[i] != h.sorted[i], "wrong body at place", i);
    return wrong;
}

enum kernel { BOX = 1, BUILD, SUMMARIZE, SORT };

// Device memory, with what the kernels before `first` would have made: the host's tree, its cell h as nodes - 1 - h.
static tree make_tree(const host_tree &h, const std::vector<float4> &body, int first)
{
    int cells = 2 * h.cells(), nodes = h.bodies + cells;
    std::vector<int> child(8 * (size_t)cells, EMPTY), count(cells, -1), start(cells, -1);
    std::vector<float4> centre(cells, float4{0, 0, 0, 0});
    for (int i = 0; i < 8 * h.cells() && first > BUILD; i++) {
        int node = h.child[i];
        child[8 * (cells - 1 - i / 8) + i % 8] = node < h.bodies ? node : nodes - 1 - (node - h.bodies);
    }
    for (int cell = 0; cell < h.cells() && first > SUMMARIZE; cell++) {
        count[cells - 1 - cell] = h.count[cell];
        centre[cells - 1 - cell] = h.centre[cell];
    }
    start[cells - 1] = 0;
    std::vector<int> box = first > BOX ? h.box : std::vector<int>{INT_MAX, INT_MAX, INT_MAX, INT_MIN, INT_MIN, INT_MIN};
    int bottom = first > BUILD ? nodes - h.cells() : nodes - 1;
    return {h.bodies,         nodes,
            to_device(body),  to_device(box),
            to_device(child), to_device(std::vector<int>(1, bottom)),
            to_device(count), to_device(centre),
            to_device(start), to_device(std::vector<int>(h.bodies, EMPTY))};
}

static void free_tree(const tree &t)
{
    for (volatile int *memory : {t.child, t.count, t.start})
        CHECK(cudaFree((void *)memory));
    for (const void *memory : {(const void *)t.body, (const void *)t.box, (const void *)t.bottom,
                               (const void *)t.centre, (const void *)t.sorted})
        CHECK(cudaFree((void *)memory));
}

// A block that waits for another needs it on the machine: all of a launch must fit at once.
static void launch(void (*kernel)(tree), const tree &t, unsigned blocks, unsigned block, bool waits)
{
    int device, sms, resident;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, (const void *)kernel, (int)block, 0));
    if (waits && blocks > (unsigned)(sms * resident)) {
        fprintf(stderr, "barneshut: %u blocks of %u threads wait for each other, but %d fit at once\n", blocks, block,
                sms * resident);
        exit(2);
    }
    kernel<<<blocks, block>>>(t);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}

int main(int argc, char **argv)
{
    option options[] = {
        {"bodies", "bodies", 3000, 1, 1u << 22, 300, 30000},
        {"tb-blocks", "blocks of kernels 1 and 2", 45, 1, 1u << 16, 2, 45},
        {"tb-threads", "threads of each", TB_THREADS, 32, TB_THREADS, 128, TB_THREADS},
        {"st-blocks", "blocks of kernels 3 and 4", 90, 1, 1u << 16, 2, 90},
        {"st-threads", "threads of each", 64, 32, 1024, 128, 64},
        {"first", "first kernel: 1 box, 2 build, 3 summarize, 4 sort", BOX, BOX, SORT, BOX, 0},
        {"last", "last kernel", SORT, BOX, SORT, SORT, 0},
        {"seed", "of the bodies", 7, 0, UINT64_MAX, 7, 7},
        {"sync", "atomics, lock or trylock: how kernel 2 locks slots", SYNC_ATOMICS, SYNC_ATOMICS, SYNC_TRYLOCK,
         SYNC_ATOMICS, 0, sync_words},
        {"empty", "usual, cas or lock: how kernel 2 takes an empty slot", EMPTY_USUAL, EMPTY_USUAL, EMPTY_LOCK,
         EMPTY_USUAL, 0, empty_words},
        {"poll", "look, ask or barrier: what --sync lock does before it asks", POLL_LOOK, POLL_LOOK, POLL_BARRIER,
         POLL_LOOK, 0, poll_words},
        {"stagger", "cycles between the starts of kernel 2's warps", 0, 0, 1u << 20, 0, 0},
        {"shape", "sphere or cube: where bodies are", SHAPE_SPHERE, SHAPE_SPHERE, SHAPE_CUBE, SHAPE_SPHERE, 0,
         shape_words},
        {"order", "drawn or tree: in which bodies are numbered", ORDER_DRAWN, ORDER_DRAWN, ORDER_TREE, ORDER_DRAWN, 0,
         order_words},
    };
    option_read(options, argc, argv);
    int bodies = (int)options[0].value, first = (int)options[5].value, last = (int)options[6].value;
    if (first > last)
        option_refuse(argv[0], options, sizeof options / sizeof options[0], "--last");
    unsigned tb = (unsigned)options[1].value, tb_threads = (unsigned)options[2].value;
    unsigned st = (unsigned)options[3].value, st_threads = (unsigned)options[4].value;
    building how = {options[8].value, options[9].value, options[10].value, (unsigned)options[11].value, tb, tb_threads};
    if (how.poll != POLL_LOOK && how.sync != SYNC_LOCK)
        option_refuse(argv[0], options, sizeof options / sizeof options[0], "--poll");
    generator random = {options[7].value};
    std::vector<float4> body = make_bodies(random, bodies, options[12].value);
    if (options[13].value == ORDER_TREE)
        body = in_order_of_tree(body);
    host_tree h = host_all(body);
    printf("barneshut: %d bodies, kernels %d to %d, %u blocks of %u threads to build, %u of %u to sort\n", bodies,
           first, last, tb, tb_threads, st, st_threads);
    printf("barneshut: %d cells on %d levels\n", h.cells(), h.levels);

    tree t = make_tree(h, body, first);
    void (*const kernels[])(tree) = {box, build, summarize, sort};
    uint64_t wrong = 0;
    for (int k = first; k <= last; k++)
        if (k == BUILD && !as_published(how))
            wrong += build_otherwise(t, how);
        else
            launch(kernels[k - 1], t, k < SUMMARIZE ? tb : st, k < SUMMARIZE ? tb_threads : st_threads, k >= SUMMARIZE);
    std::vector<int> place;
    wrong += wrong_if(to_host(t.box, 6) != h.box, "box of bodies", bodies);
    if (last >= BUILD)
        wrong += check_tree(h, t, place);
    if (last >= SUMMARIZE)
        wrong += check_summary(h, t, place);
    if (last >= SORT)
        wrong += check_order(h, t, place);
    free_tree(t);
    return verdict("barneshut", wrong);
}
