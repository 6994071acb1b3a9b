// A persistent kernel: as many blocks as can be resident take items of unequal length until none is left. Which item a block
// gets next, a ticket says that one thread draws by an atomic and the block shares through shared memory; or each block has its own
// in turn, without a ticket, and the longest share decides.
#include "../waiting.h"

enum { TICKET, TURNS };

__host__ __device__ static unsigned mixed(unsigned x, unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++)
        x = (x ^ x >> 15) * 0x2c1b3c6du + i;
    return x;
}

// What an item is for thread t of a block.
__host__ __device__ static unsigned part_of(unsigned item, unsigned length, unsigned t)
{
    return mixed(item * 1024 + t, length);
}

// A block's next item: the number that its first thread draws.
__device__ static unsigned drawn(unsigned *next)
{
    __shared__ unsigned item;
    __syncthreads(); // all have read the last one
    if (threadIdx.x == 0)
        item = atomicAdd(next, 1);
    __syncthreads();
    return item;
}

// `taken` counts how often an item was done; `out` gets the exclusive or of its threads' parts.
__global__ void take_items(const unsigned *lengths, unsigned items, unsigned how, unsigned *next, unsigned *taken, unsigned *out)
{
    unsigned item = how == TICKET ? drawn(next) : blockIdx.x;
    while (item < items) {
        unsigned part = part_of(item, lengths[item], threadIdx.x);
        for (unsigned distance = 16; distance > 0; distance /= 2)
            part ^= __shfl_xor_sync(0xffffffffu, part, distance);
        if (threadIdx.x % 32 == 0)
            atomicXor(&out[item], part);
        if (threadIdx.x == 0)
            atomicAdd(&taken[item], 1);
        item = how == TICKET ? drawn(next) : item + gridDim.x;
    }
}

int main(int argc, char **argv)
{
    static const char *const ways[] = {"ticket", "turns", nullptr};
    option options[] = {
        {"items", "items", 1500, 1, 1u << 22, 300, 0},
        {"blocks", "blocks at most: no more than can be resident", 264, 1, 65535, 16, 0},
        {"block", "threads of a block, a multiple of 32", 128, 32, 1024, 64, 0},
        {"length", "rounds of the longest item", 256, 1, 1u << 20, 64, 0},
        {"how", "ticket or turns", TICKET, TICKET, TURNS, TICKET, 0, ways},
        {"seed", "of the items' lengths", 1, 0, UINT64_MAX, 1, 0},
    };
    option_read(options, argc, argv);
    unsigned items = (unsigned)options[0].value, block = (unsigned)options[2].value, length = (unsigned)options[3].value;
    if (block % 32)
        option_refuse(argv[0], options, sizeof options / sizeof options[0], "--block: not a multiple of 32");
    unsigned blocks = resident_blocks(take_items, block, (unsigned)options[1].value);
    // Every sixteenth item is long, the others are up to an eighth of that.
    generator random = {options[5].value};
    std::vector<unsigned> lengths(items);
    for (unsigned &l : lengths)
        l = random.below(16) ? random.below(length / 8 + 1) : length;

    unsigned *from = to_device(lengths), *next = to_device(std::vector<unsigned>(1, 0)),
             *taken = to_device(std::vector<unsigned>(items, 0)), *to = to_device(std::vector<unsigned>(items, 0));
    printf("workqueue: %u items for blocks of %u threads\n", items, block);
    take_items<<<blocks, block>>>(from, items, (unsigned)options[4].value, next, taken, to);
    CHECK(cudaGetLastError());
    std::vector<unsigned> times = to_host(taken, items), out = to_host(to, items);
    uint64_t wrong = 0;
    for (unsigned item = 0; item < items; item++) {
        unsigned expected = 0;
        for (unsigned t = 0; t < block; t++)
            expected ^= part_of(item, lengths[item], t);
        wrong += out[item] != expected || times[item] != 1;
    }
    CHECK(cudaFree(from));
    CHECK(cudaFree(next));
    CHECK(cudaFree(taken));
    CHECK(cudaFree(to));
    return verdict("workqueue", wrong);
}
