// A program that a user might write: particles in a box of cells. Several kernels, two of them templates, one of them chosen
// by a function object; shared, dynamic shared and constant memory; device functions; a grid-wide counter; printf; two
// streams ordered by an event; asynchronous copies. Integers throughout, so that every result is exact, and all
// that is printed is the same however the program is built and whatever the machine.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <numeric>
#include <vector>

static void must(cudaError_t error, int line)
{
    if (error != cudaSuccess) {
        printf("line %d: %s\n", line, cudaGetErrorName(error));
        exit(2);
    }
}
#define MUST(call) must((call), __LINE__)

struct box {
    int side;    // cells along an edge
    int spacing; // length of a cell
    int3 pull;   // added to every velocity in a step
};

template <typename T> struct vec3 {
    T x, y, z;
    __host__ __device__ vec3 operator+(const vec3 &o) const { return {x + o.x, y + o.y, z + o.z}; }
    __host__ __device__ T dot(const vec3 &o) const { return x * o.x + y * o.y + z * o.z; }
};

struct particle {
    vec3<int> at, velocity;
    short kind;
    unsigned char bounces;
};

__constant__ box world;
__constant__ int weights[4] = {1, 3, 7, 20};
__device__ unsigned long long total_bounces;

__host__ __device__ inline int reflect(int position, int limit, int *velocity, unsigned char *bounces)
{
    if (position >= 0 && position < limit)
        return position;
    *velocity = -*velocity;
    ++*bounces;
    return position < 0 ? -position - 1 : 2 * limit - position - 1;
}

__host__ __device__ inline void advance(particle *p, const box &b)
{
    int limit = b.side * b.spacing;
    p->velocity = p->velocity + vec3<int>{b.pull.x, b.pull.y, b.pull.z};
    vec3<int> to = p->at + p->velocity;
    p->at.x = reflect(to.x, limit, &p->velocity.x, &p->bounces);
    p->at.y = reflect(to.y, limit, &p->velocity.y, &p->bounces);
    p->at.z = reflect(to.z, limit, &p->velocity.z, &p->bounces);
}

__global__ void move(particle *particles, int n, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    particle p = particles[i];
    for (int s = 0; s < steps; s++)
        advance(&p, world);
    particles[i] = p;
    if (p.bounces)
        atomicAdd(&total_bounces, (unsigned long long)p.bounces);
}

__device__ int cell_of(const particle &p)
{
    return (p.at.z / world.spacing * world.side + p.at.y / world.spacing) * world.side + p.at.x / world.spacing;
}

// Dynamic shared memory: a counter for each cell of the box.
__global__ void occupy(const particle *particles, int n, unsigned *occupancy)
{
    extern __shared__ unsigned counters[];
    int cells = world.side * world.side * world.side;
    for (int c = threadIdx.x; c < cells; c += blockDim.x)
        counters[c] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&counters[cell_of(particles[i])], 1u);
    __syncthreads();
    for (int c = threadIdx.x; c < cells; c += blockDim.x)
        if (counters[c])
            atomicAdd(&occupancy[c], counters[c]);
}

struct energy {
    __host__ __device__ static long long of(const particle &p, int weight) { return (long long)weight * p.velocity.dot(p.velocity); }
};

struct height {
    __host__ __device__ static long long of(const particle &p, int weight) { return (long long)weight * p.at.z; }
};

// Static shared memory whose size is a template parameter; the last warp step by shuffles of 64-bit values.
template <typename QUANTITY, int BLOCK> __global__ void fold(const particle *particles, int n, unsigned long long *sum)
{
    __shared__ long long partial[BLOCK];
    long long mine = 0;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
        mine += QUANTITY::of(particles[i], weights[particles[i].kind & 3]);
    partial[threadIdx.x] = mine;
    __syncthreads();
#pragma unroll
    for (int half = BLOCK / 2; half >= 32; half /= 2) {
        if (threadIdx.x < half)
            partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x < 32) {
        mine = partial[threadIdx.x];
        for (int lane = 16; lane > 0; lane /= 2)
            mine += __shfl_xor_sync(0xffffffffu, mine, lane);
        if (threadIdx.x == 0)
            atomicAdd(sum, (unsigned long long)mine);
    }
}

__global__ void describe(const particle *particles, const unsigned *occupancy, int cell)
{
    const particle &p = particles[cell];
    if (threadIdx.x == 0)
        printf("cell %d holds %u; particle %d is at (%d, %d, %d)%s, kind %c, %5.2f%% of the box wide\n", cell, occupancy[cell], cell,
               p.at.x, p.at.y, p.at.z, p.bounces ? " and has bounced" : "", 'a' + p.kind, 100.0 * p.at.x / (world.side * world.spacing));
}

static std::vector<particle> make_particles(int n, int limit)
{
    std::vector<particle> particles(n);
    unsigned state = 12345;
    auto draw = [&state](int bound) { return (int)((state = state * 1664525u + 1013904223u) >> 8) % bound; };
    for (particle &p : particles) {
        p.at = {draw(limit), draw(limit), draw(limit)};
        p.velocity = {draw(9) - 4, draw(9) - 4, draw(9) - 4};
        p.kind = (short)draw(4);
        p.bounces = 0;
    }
    return particles;
}

template <typename QUANTITY> static long long host_fold(const std::vector<particle> &particles)
{
    const int w[4] = {1, 3, 7, 20};
    return std::accumulate(particles.begin(), particles.end(), 0ll,
                           [&w](long long sum, const particle &p) { return sum + QUANTITY::of(p, w[p.kind & 3]); });
}

static void compare(const char *what, bool equal, long long value)
{
    printf("%s %lld: %s\n", what, value, equal ? "as on the host" : "WRONG");
    if (!equal)
        exit(1);
}

static void check(const std::vector<particle> &start, const std::vector<particle> &end, const std::vector<unsigned> &occupancy,
                  const box &b, int steps)
{
    std::vector<particle> want = start;
    std::vector<unsigned> cells(occupancy.size(), 0);
    unsigned long long bounces = 0, counted;
    long long wrong = 0;
    for (size_t i = 0; i < want.size(); i++) {
        for (int s = 0; s < steps; s++)
            advance(&want[i], b);
        bounces += want[i].bounces;
        wrong += want[i].at.x != end[i].at.x || want[i].at.y != end[i].at.y || want[i].at.z != end[i].at.z;
        cells[(want[i].at.z / b.spacing * b.side + want[i].at.y / b.spacing) * b.side + want[i].at.x / b.spacing]++;
    }
    MUST(cudaMemcpyFromSymbol(&counted, total_bounces, sizeof counted));
    compare("misplaced", wrong == 0, wrong);
    compare("bounces", counted == bounces, (long long)counted);
    compare("fullest cell", cells == occupancy, *std::max_element(occupancy.begin(), occupancy.end()));
}

int main()
{
    const int n = 1500, steps = 25;
    const box b = {5, 40, {0, 0, -1}};
    const int cells = b.side * b.side * b.side;
    std::vector<particle> start = make_particles(n, b.side * b.spacing), end(n);
    std::vector<unsigned> occupancy(cells);
    particle *particles;
    unsigned *counts;
    unsigned long long *sums, results[2];
    cudaStream_t mover, counter;
    cudaEvent_t moved, begun;
    MUST(cudaStreamCreate(&mover));
    MUST(cudaStreamCreateWithFlags(&counter, cudaStreamNonBlocking));
    MUST(cudaEventCreate(&begun));
    MUST(cudaEventCreate(&moved));
    MUST(cudaMalloc(&particles, n * sizeof *particles));
    MUST(cudaMalloc(&counts, cells * sizeof *counts));
    MUST(cudaMalloc(&sums, sizeof results));
    MUST(cudaMemset(counts, 0, cells * sizeof *counts));
    MUST(cudaMemset(sums, 0, sizeof results));
    MUST(cudaMemcpyToSymbol(world, &b, sizeof b));

    MUST(cudaMemcpyAsync(particles, start.data(), n * sizeof *particles, cudaMemcpyHostToDevice, mover));
    MUST(cudaEventRecord(begun, mover));
    move<<<(n + 95) / 96, 96, 0, mover>>>(particles, n, steps);
    MUST(cudaEventRecord(moved, mover));
    MUST(cudaStreamWaitEvent(counter, moved, 0));
    occupy<<<4, 128, cells * sizeof(unsigned), counter>>>(particles, n, counts);
    fold<energy, 128><<<3, 128, 0, counter>>>(particles, n, &sums[0]);
    fold<height, 256><<<dim3(2, 1, 1), 256, 0, counter>>>(particles, n, &sums[1]);
    MUST(cudaMemcpyAsync(results, sums, sizeof results, cudaMemcpyDeviceToHost, counter));
    MUST(cudaMemcpyAsync(occupancy.data(), counts, cells * sizeof *counts, cudaMemcpyDeviceToHost, counter));
    MUST(cudaStreamSynchronize(counter));
    MUST(cudaMemcpy(end.data(), particles, n * sizeof *particles, cudaMemcpyDeviceToHost));

    float ms = -1;
    MUST(cudaEventElapsedTime(&ms, begun, moved));
    printf("%d particles of %zu bytes, %d steps, time %s\n", n, sizeof(particle), steps, ms >= 0 ? "known" : "unknown");
    check(start, end, occupancy, b, steps);
    compare("energy", (long long)results[0] == host_fold<energy>(end), (long long)results[0]);
    compare("height", (long long)results[1] == host_fold<height>(end), (long long)results[1]);
    for (int cell : {0, 62, 124})
        describe<<<1, 32>>>(particles, counts, cell);
    MUST(cudaDeviceSynchronize());
    describe<<<1, 32, 1 << 20>>>(particles, counts, 0);
    printf("a megabyte of shared memory: %s\n", cudaGetErrorName(cudaGetLastError()));
    MUST(cudaEventDestroy(begun));
    MUST(cudaEventDestroy(moved));
    MUST(cudaStreamDestroy(mover));
    MUST(cudaStreamDestroy(counter));
    for (void *p : {(void *)particles, (void *)counts, (void *)sums})
        MUST(cudaFree(p));
    return 0;
}
