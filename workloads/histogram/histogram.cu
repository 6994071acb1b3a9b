// Counts bytes. Each block counts its share in shared memory with atomics there and then adds its 256 counters to the global
// ones, so that threads of different blocks contend 256 times a block and not once a byte.
#include "../workload.h"

constexpr unsigned BINS = 256;

// The input is read as words of four bytes, the way that coalesces.
__global__ void histogram(const unsigned *words, unsigned n, unsigned *bins)
{
    __shared__ unsigned counters[BINS];
    for (unsigned b = threadIdx.x; b < BINS; b += blockDim.x)
        counters[b] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned word = words[i];
        for (unsigned byte = 0; byte < 4; byte++, word >>= 8)
            atomicAdd(&counters[word & 255], 1u);
    }
    __syncthreads();
    for (unsigned b = threadIdx.x; b < BINS; b += blockDim.x)
        if (counters[b])
            atomicAdd(&bins[b], counters[b]);
}

int main(int argc, char **argv)
{
    option options[] = {
        {"n", "words of four bytes", 50000, 1, 1u << 28, 2000, 0},
        {"blocks", "blocks", 30, 1, 65535, 4, 0},
        {"block", "threads of a block", 256, 1, 1024, 128, 0},
        {"skew", "out of 256 bytes, how many are forced to one value", 64, 0, 256, 64, 0},
        {"seed", "of the input", 1, 0, UINT64_MAX, 1, 0},
    };
    option_read(options, argc, argv);
    unsigned n = (unsigned)options[0].value, skew = (unsigned)options[3].value;
    generator random = {options[4].value};
    std::vector<unsigned> words(n), want(BINS, 0);
    for (unsigned &word : words) {
        word = 0;
        for (unsigned byte = 0; byte < 4; byte++) {
            unsigned value = random.below(256) < skew ? 42 : random.below(256);
            want[value]++;
            word = word << 8 | value;
        }
    }
    unsigned *device = to_device(words), *bins;
    CHECK(cudaMalloc(&bins, BINS * sizeof *bins));
    CHECK(cudaMemset(bins, 0, BINS * sizeof *bins));
    histogram<<<(unsigned)options[1].value, (unsigned)options[2].value>>>(device, n, bins);
    CHECK(cudaGetLastError());
    std::vector<unsigned> got = to_host(bins, BINS);
    uint64_t wrong = 0;
    for (unsigned b = 0; b < BINS; b++)
        wrong += got[b] != want[b];
    printf("histogram: %u bytes, %u in the fullest bin\n", n * 4, want[42]);
    CHECK(cudaFree(device));
    CHECK(cudaFree(bins));
    return verdict("histogram", wrong);
}
