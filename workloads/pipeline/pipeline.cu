// Tiles of an array pass through shared memory, where the threads of a block compute on them, and leave for a second array. Ways to
// bring a tile: plain loads, with a barrier before and behind the work; cp.async by all threads, groups ahead of the work; or warps
// that do nothing else, and wait until a place is empty as those that work wait until it is full. Such warps bring words by loads or
// by cp.async, or one lane of a single warp gives copies in bulk; both sides wait by words that they poll, by named barriers or at
// mbarriers. Where these warps are a warpgroup, they may also give the registers that they do not need to those that work.
#include "../waiting.h"

constexpr unsigned TILE = 1024, STAGES = 4; // words of a tile, and places for tiles at most

constexpr unsigned BRINGERS = 128; // threads that bring tiles by loads or cp.async

enum { PLAIN, GROUPS, BULK, FLAGS, NAMED, ARRIVALS, COPIES, ROLES, WAYS };

constexpr unsigned MOST_ROLES = 384; // threads of a block with roles: each has up to 168 of 65,536 registers at first

// Threads of a block that do nothing but bring tiles.
static unsigned bringers_of(unsigned how)
{
    return how == BULK ? 32 : how > BULK ? BRINGERS : 0;
}

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

// The last threads of the block, as many as N, bring tiles, all by one lane; the others work. With roles, they keep few registers.
template <unsigned N, bool ROLES>
__device__ static void by_bulk(unsigned (*place)[TILE], const unsigned *in, unsigned *out, unsigned tiles, unsigned work,
                               unsigned stages)
{
    __shared__ uint64_t full[STAGES], empty[STAGES];
    unsigned workers = blockDim.x - N, n = 0;
    if (threadIdx.x < stages) {
        mbarrier_init(&full[threadIdx.x], 1);
        mbarrier_init(&empty[threadIdx.x], workers / 32);
    }
    __syncthreads();
    if (ROLES && threadIdx.x >= workers)
        registers_keep_24();
    else if (ROLES)
        registers_take_240();
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

// How those that bring and those that work wait for each other. A place is full and empty by turns, from empty on.
template <unsigned HOW> struct places;

// Each warp counts; a lane of each warp polls the sum. `volatile` words in shared memory, between fences of the block.
template <> struct places<FLAGS> {
    unsigned full[STAGES], empty[STAGES];
    __device__ void begin(unsigned) { full[threadIdx.x % STAGES] = empty[threadIdx.x % STAGES] = 0; }
    __device__ static void wait_for(volatile unsigned *count, unsigned whole)
    {
        if (threadIdx.x % 32 == 0)
            while (*count < whole)
                SPIN_LOOP();
        __syncwarp();
        __threadfence_block();
    }
    __device__ static void tell(unsigned *count)
    {
        __threadfence_block();
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            atomicAdd(count, 1);
    }
    __device__ void wait_empty(unsigned at, unsigned turn, unsigned workers) { wait_for(&empty[at], turn * (workers / 32)); }
    __device__ void tell_full(unsigned at, unsigned) { tell(&full[at]); }
    __device__ void wait_full(unsigned at, unsigned turn, unsigned) { wait_for(&full[at], (turn + 1) * (BRINGERS / 32)); }
    __device__ void tell_empty(unsigned at, unsigned) { tell(&empty[at]); }
};

// Barriers 1 to 4 of the block are for full places, 5 to 8 for empty ones.
template <> struct places<NAMED> {
    __device__ void begin(unsigned) {}
    __device__ void wait_empty(unsigned at, unsigned turn, unsigned workers)
    {
        if (turn)
            barrier_sync(1 + STAGES + at, workers + BRINGERS);
    }
    __device__ void tell_full(unsigned at, unsigned workers) { barrier_arrive(1 + at, workers + BRINGERS); }
    __device__ void wait_full(unsigned at, unsigned, unsigned workers) { barrier_sync(1 + at, workers + BRINGERS); }
    __device__ void tell_empty(unsigned at, unsigned workers) { barrier_arrive(1 + STAGES + at, workers + BRINGERS); }
};

// A lane of each warp arrives; under COPIES each thread that brings does, by its copies.
template <bool BY_COPIES> struct places_at_mbarriers {
    uint64_t full[STAGES], empty[STAGES];
    __device__ void begin(unsigned workers)
    {
        if (threadIdx.x < STAGES) {
            mbarrier_init(&full[threadIdx.x], BY_COPIES ? BRINGERS : BRINGERS / 32);
            mbarrier_init(&empty[threadIdx.x], workers / 32);
        }
    }
    __device__ static void tell(uint64_t *b)
    {
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            mbarrier_arrive(b);
    }
    __device__ void wait_empty(unsigned at, unsigned turn, unsigned) { mbarrier_wait(&empty[at], (turn & 1) ^ 1); }
    __device__ void tell_full(unsigned at, unsigned)
    {
        if (BY_COPIES)
            mbarrier_arrive_with_copies(&full[at]);
        else
            tell(&full[at]);
    }
    __device__ void wait_full(unsigned at, unsigned turn, unsigned) { mbarrier_wait(&full[at], turn & 1); }
    __device__ void tell_empty(unsigned at, unsigned) { tell(&empty[at]); }
};
template <> struct places<ARRIVALS> : places_at_mbarriers<false> {
};
template <> struct places<COPIES> : places_at_mbarriers<true> {
};

// The last BRINGERS threads of the block bring tiles, 16 bytes a thread and step; the others work. In the last turn no place is told
// empty: nobody waits for it, and a named barrier would be left half full.
template <unsigned HOW>
__device__ static void by_bringers(unsigned (*place)[TILE], const unsigned *in, unsigned *out, unsigned tiles, unsigned work,
                                   unsigned stages)
{
    __shared__ places<HOW> p;
    unsigned workers = blockDim.x - BRINGERS, n = 0, own = blockIdx.x < tiles ? (tiles - blockIdx.x - 1) / gridDim.x + 1 : 0;
    p.begin(workers);
    __syncthreads();
    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x, n++) {
        unsigned at = n % stages, turn = n / stages;
        if (threadIdx.x >= workers) {
            p.wait_empty(at, turn, workers);
            for (unsigned i = (threadIdx.x - workers) * 4; i < TILE; i += BRINGERS * 4)
                if (HOW == COPIES)
                    copy_16(&place[at][i], in + tile * TILE + i);
                else
                    *(uint4 *)&place[at][i] = *(const uint4 *)(in + tile * TILE + i);
            p.tell_full(at, workers);
        } else {
            p.wait_full(at, turn, workers);
            compute(place[at], out + tile * TILE, threadIdx.x, workers, work);
            if (n + stages < own)
                p.tell_empty(at, workers);
        }
    }
}

template <unsigned HOW>
__global__ void pipeline(const unsigned *in, unsigned *out, unsigned tiles, unsigned work, unsigned stages)
{
    __shared__ __align__(128) unsigned place[STAGES][TILE];
    if constexpr (HOW == PLAIN)
        by_loads(place, in, out, tiles, work);
    else if constexpr (HOW == GROUPS)
        by_groups(place, in, out, tiles, work, stages);
    else if constexpr (HOW == BULK)
        by_bulk<32, false>(place, in, out, tiles, work, stages);
    else
        by_bringers<HOW>(place, in, out, tiles, work, stages);
}

__global__ __launch_bounds__(MOST_ROLES) void pipeline_with_roles(const unsigned *in, unsigned *out, unsigned tiles, unsigned work,
                                                                  unsigned stages)
{
    __shared__ __align__(128) unsigned place[STAGES][TILE];
    by_bulk<BRINGERS, true>(place, in, out, tiles, work, stages);
}

using pipeline_kernel = void (*)(const unsigned *, unsigned *, unsigned, unsigned, unsigned);
static const pipeline_kernel kernels[WAYS] = {pipeline<PLAIN>, pipeline<GROUPS>,   pipeline<BULK>,  pipeline<FLAGS>,
                                              pipeline<NAMED>, pipeline<ARRIVALS>, pipeline<COPIES>, pipeline_with_roles};

int main(int argc, char **argv)
{
    static const char *const ways[] = {"plain", "groups", "bulk", "flags", "named", "arrivals", "copies", "roles", nullptr};
    option options[] = {
        {"tiles", "tiles of 4 KB", 512, 1, 1u << 18, 48, 0},
        {"blocks", "blocks, which take tiles in turn", 32, 1, 65535, 6, 0},
        {"block", "threads that compute, a multiple of 32; those that bring come besides", 256, 32, 896, 128, 0},
        {"work", "rounds of arithmetic on a word", 4, 0, 1u << 16, 4, 0},
        {"stages", "places for tiles, of all but plain", 4, 2, STAGES, 3, 0},
        {"how", "plain, groups, bulk, flags, named, arrivals, copies or roles", BULK, PLAIN, ROLES, BULK, 0, ways},
        {"seed", "of the input", 1, 0, UINT64_MAX, 1, 0},
    };
    option_read(options, argc, argv);
    unsigned tiles = (unsigned)options[0].value, blocks = (unsigned)options[1].value, block = (unsigned)options[2].value,
             work = (unsigned)options[3].value, stages = (unsigned)options[4].value, how = (unsigned)options[5].value;
    if (block % 32)
        option_refuse(argv[0], options, sizeof options / sizeof options[0], "--block: not a multiple of 32");
    if (how == ROLES && (block % 128 || block + BRINGERS > MOST_ROLES))
        option_refuse(argv[0], options, sizeof options / sizeof options[0], "--block: with --how roles, 128 or 256");
    generator random = {options[6].value};
    std::vector<unsigned> in((size_t)tiles * TILE), none(in.size(), 0);
    for (unsigned &word : in)
        word = (unsigned)random.next();

    unsigned *from = to_device(in), *to = to_device(none);
    printf("pipeline: %u tiles through %u blocks of %u threads\n", tiles, blocks, block);
    launch_in_clusters(0, kernels[how], blocks, block + bringers_of(how), (const unsigned *)from, to, tiles, work, stages);
    std::vector<unsigned> out = to_host(to, in.size());
    uint64_t wrong = 0;
    for (size_t i = 0; i < in.size(); i++)
        wrong += out[i] != word_of(&in[i / TILE * TILE], i % TILE, work);
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
    return verdict("pipeline", wrong);
}
