// Tiles of an array pass through shared memory, where the threads of a block compute on them, and leave for a second array. Three
// ways to bring a tile: plain loads, with a barrier before and behind the work; cp.async by all threads, groups ahead of the work; and
// one warp that does nothing but give copies in bulk, which count at an mbarrier when they come, while the others tell it by a second
// mbarrier that they are done with the place.
#include "../waiting.h"

constexpr unsigned TILE = 1024, STAGES = 4; // words of a tile, and places for tiles at most

enum { PLAIN, GROUPS, BULK };

// Some arithmetic on a word and one of its tile that another thread brought.
__host__ __device__ static unsigned word_of(const unsigned *tile, unsigned i, unsigned work)
{
    unsigned own = tile[i], other = tile[(i + TILE / 2 + 33) % TILE];
    for (unsigned k = 0; k < work; k++)
        own = own * 1664525u + other, other ^= own >> 7;
    return own;
}

__device__ static void compute(const unsigned *tile, unsigned *to, unsigned thread, unsigned threads, unsigned work)
{
    for (unsigned i = thread; i < TILE; i += threads)
        to[i] = word_of(tile, i, work);
}

__device__ static void by_loads(unsigned (*place)[TILE], const unsigned *in, unsigned *out, unsigned tiles, unsigned work)
{
    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        for (unsigned i = threadIdx.x; i < TILE; i += blockDim.x)
            place[0][i] = in[tile * TILE + i];
        __syncthreads();
        compute(place[0], out + tile * TILE, threadIdx.x, blockDim.x, work);
        __syncthreads();
    }
}

// The block's n-th tile, if there is one, and a group in any case: so that the groups' number tells the tile.
__device__ static void begin_group(unsigned (*place)[TILE], const unsigned *in, unsigned tiles, unsigned n, unsigned stages)
{
    unsigned tile = blockIdx.x + n * gridDim.x;
    for (unsigned i = threadIdx.x * 4; tile < tiles && i < TILE; i += blockDim.x * 4)
        copy_16(&place[n % stages][i], in + tile * TILE + i);
    copies_commit();
}

__device__ static void by_groups(unsigned (*place)[TILE], const unsigned *in, unsigned *out, unsigned tiles, unsigned work,
                                 unsigned stages)
{
    for (unsigned n = 0; n + 1 < stages; n++)
        begin_group(place, in, tiles, n, stages);
    unsigned n = 0;
    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x, n++) {
        copies_wait(stages - 2);
        __syncthreads(); // all have their part of tile n, and are done with tile n - 1, whose place is next
        begin_group(place, in, tiles, n + stages - 1, stages);
        compute(place[n % stages], out + tile * TILE, threadIdx.x, blockDim.x, work);
    }
    copies_wait(0);
}

// The last warp of the block brings tiles, by one lane; the others work.
__device__ static void by_bulk(unsigned (*place)[TILE], const unsigned *in, unsigned *out, unsigned tiles, unsigned work,
                               unsigned stages)
{
    __shared__ uint64_t full[STAGES], empty[STAGES];
    unsigned workers = blockDim.x - 32, n = 0;
    if (threadIdx.x < stages) {
        mbarrier_init(&full[threadIdx.x], 1);
        mbarrier_init(&empty[threadIdx.x], workers / 32);
    }
    __syncthreads();
    if (threadIdx.x > workers)
        return;
    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x, n++) {
        unsigned at = n % stages, turn = n / stages & 1;
        if (threadIdx.x == workers) {
            mbarrier_wait(&empty[at], turn ^ 1); // what has no phase yet has ended one of parity 1
            mbarrier_expect(&full[at], sizeof place[0]);
            copy_bulk(place[at], in + tile * TILE, sizeof place[0], &full[at]);
        } else {
            mbarrier_wait(&full[at], turn);
            compute(place[at], out + tile * TILE, threadIdx.x, workers, work);
            __syncwarp();
            if (threadIdx.x % 32 == 0)
                mbarrier_arrive(&empty[at]);
        }
    }
}

__global__ void pipeline(const unsigned *in, unsigned *out, unsigned tiles, unsigned work, unsigned stages, unsigned how)
{
    __shared__ __align__(128) unsigned place[STAGES][TILE];
    if (how == PLAIN)
        by_loads(place, in, out, tiles, work);
    else if (how == GROUPS)
        by_groups(place, in, out, tiles, work, stages);
    else
        by_bulk(place, in, out, tiles, work, stages);
}

int main(int argc, char **argv)
{
    static const char *const ways[] = {"plain", "groups", "bulk", nullptr};
    option options[] = {
        {"tiles", "tiles of 4 KB", 512, 1, 1u << 18, 48, 0},
        {"blocks", "blocks, which take tiles in turn", 32, 1, 65535, 6, 0},
        {"block", "threads that compute, a multiple of 32; bulk has 32 more", 256, 32, 992, 128, 0},
        {"work", "rounds of arithmetic on a word", 4, 0, 1u << 16, 4, 0},
        {"stages", "places for tiles, of groups and bulk", 4, 2, STAGES, 3, 0},
        {"how", "plain, groups or bulk", BULK, PLAIN, BULK, BULK, 0, ways},
        {"seed", "of the input", 1, 0, UINT64_MAX, 1, 0},
    };
    option_read(options, argc, argv);
    unsigned tiles = (unsigned)options[0].value, blocks = (unsigned)options[1].value, block = (unsigned)options[2].value,
             work = (unsigned)options[3].value, stages = (unsigned)options[4].value, how = (unsigned)options[5].value;
    if (block % 32)
        option_refuse(argv[0], options, sizeof options / sizeof options[0], "--block: not a multiple of 32");
    generator random = {options[6].value};
    std::vector<unsigned> in((size_t)tiles * TILE), none(in.size(), 0);
    for (unsigned &word : in)
        word = (unsigned)random.next();

    unsigned *from = to_device(in), *to = to_device(none);
    printf("pipeline: %u tiles through %u blocks of %u threads\n", tiles, blocks, block);
    pipeline<<<blocks, block + (how == BULK ? 32 : 0)>>>(from, to, tiles, work, stages, how);
    CHECK(cudaGetLastError());
    std::vector<unsigned> out = to_host(to, in.size());
    uint64_t wrong = 0;
    for (size_t i = 0; i < in.size(); i++)
        wrong += out[i] != word_of(&in[i / TILE * TILE], i % TILE, work);
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
    return verdict("pipeline", wrong);
}
