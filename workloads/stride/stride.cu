// Sums at a stride: every thread adds up the words of a table that lie a stride apart, from a place of its own on.
// Nobody waits for anybody. With a stride of 257, the way down a diagonal of a matrix of 256 columns, the index of the
// loop is 0x0101, 0x0202, 0x0303 ...: the exclusive or of its bytes is always 0, and so a spin detector that shortens
// values in that way sees a loop that goes round without any change. With a stride of 256 one that keeps the low byte does.
#include "../workload.h"

// The empty asm hides from the compiler how the index grows, which would otherwise compare a counter or a pointer with
// its end instead of the index.
__global__ void add_up(const unsigned *table, unsigned length, unsigned stride, unsigned rounds, unsigned *sums)
{
    const unsigned *own = table + threadIdx.x;
    unsigned sum = 0;
    for (unsigned round = 0; round < rounds; round++)
        for (unsigned i = 0; i < length; i += stride) {
            asm volatile("" : "+r"(i));
            sum = (sum << 1 | sum >> 31) + own[i];
        }
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

static unsigned expected(const std::vector<unsigned> &table, unsigned place, unsigned length, unsigned stride,
                         unsigned rounds)
{
    unsigned sum = 0;
    for (unsigned round = 0; round < rounds; round++)
        for (unsigned i = 0; i < length; i += stride)
            sum = (sum << 1 | sum >> 31) + table[place + i];
    return sum;
}

int main(int argc, char **argv)
{
    option options[] = {
        {"stride", "words from one that is added to the next", 257, 1, 1u << 20, 257, 0},
        {"length", "words in which they lie", 65536, 1, 1u << 24, 16384, 0},
        {"rounds", "times that each thread adds them up", 1, 1, 1000, 1, 0},
        {"threads", "threads in all", 15360, 1, 1u << 24, 1920, 0},
        {"block", "threads of a block", 256, 1, 1024, 128, 0},
        {"seed", "of the table", 257, 0, UINT64_MAX, 257, 0},
    };
    option_read(options, argc, argv);
    unsigned stride = (unsigned)options[0].value, length = (unsigned)options[1].value,
             rounds = (unsigned)options[2].value;
    unsigned threads = (unsigned)options[3].value, block = (unsigned)options[4].value;
    unsigned blocks = (threads + block - 1) / block;
    generator random = {options[5].value};
    std::vector<unsigned> table(length + block);
    for (unsigned &word : table)
        word = (unsigned)random.next();

    unsigned *dtable = to_device(table), *sums = to_device(std::vector<unsigned>(blocks * block, 0));
    printf("stride: %u blocks of %u threads add up every %uth of %u words\n", blocks, block, stride, length);
    add_up<<<blocks, block>>>(dtable, length, stride, rounds, sums);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::vector<unsigned> found = to_host(sums, blocks * block);
    uint64_t wrong = 0;
    for (unsigned t = 0; t < block; t++) {
        unsigned sum = expected(table, t, length, stride, rounds);
        for (unsigned b = 0; b < blocks; b++)
            wrong += found[b * block + t] != sum;
    }
    CHECK(cudaFree(dtable));
    CHECK(cudaFree(sums));
    return verdict("stride", wrong);
}
