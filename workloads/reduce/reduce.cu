// The sum and the maximum of an array. Each block folds a grid-stride share into one value per thread, halves the number of
// values in shared memory with a barrier per step down to one warp, and ends with shuffles. A second launch of one
// block folds the blocks' results, so that no atomics are needed.
#include "../workload.h"

struct add {
    __device__ unsigned operator()(unsigned a, unsigned b) const { return a + b; }
};

struct larger {
    __device__ unsigned operator()(unsigned a, unsigned b) const { return a > b ? a : b; }
};

// blockDim.x must be a power of two and at least 32; 0 must be neutral for the operation.
template <typename OPERATION> __global__ void reduce(const unsigned *in, unsigned *out, unsigned n)
{
    extern __shared__ unsigned values[];
    OPERATION operation;
    unsigned t = threadIdx.x, value = 0;
    for (unsigned i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
        value = operation(value, in[i]);
    values[t] = value;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half >= 32; half /= 2) {
        if (t < half)
            values[t] = operation(values[t], values[t + half]);
        __syncthreads();
    }
    if (t < 32) {
        value = values[t];
        for (unsigned distance = 16; distance > 0; distance /= 2)
            value = operation(value, __shfl_down_sync(0xffffffffu, value, distance));
        if (t == 0)
            out[blockIdx.x] = value;
    }
}

template <typename OPERATION> static unsigned reduce_all(const unsigned *in, unsigned n, unsigned blocks, unsigned block)
{
    unsigned *partial, *total, result;
    CHECK(cudaMalloc(&partial, blocks * sizeof *partial));
    CHECK(cudaMalloc(&total, sizeof *total));
    reduce<OPERATION><<<blocks, block, block * sizeof(unsigned)>>>(in, partial, n);
    reduce<OPERATION><<<1, block, block * sizeof(unsigned)>>>(partial, total, blocks);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&result, total, sizeof result, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(partial));
    CHECK(cudaFree(total));
    return result;
}

int main(int argc, char **argv)
{
    option options[] = {
        {"n", "elements", 200000, 1, 1u << 28, 5000, 0},
        {"blocks", "blocks of the first launch", 60, 1, 65535, 4, 0},
        {"block", "threads of a block, a power of two from 32", 256, 32, 1024, 128, 0},
        {"seed", "of the input", 1, 0, UINT64_MAX, 1, 0},
    };
    option_read(options, argc, argv);
    unsigned n = (unsigned)options[0].value, blocks = (unsigned)options[1].value, block = (unsigned)options[2].value;
    if (block & (block - 1))
        option_refuse(argv[0], options, sizeof options / sizeof options[0], "--block: not a power of two");
    generator random = {options[3].value};
    std::vector<unsigned> in(n);
    unsigned sum = 0, most = 0;
    for (unsigned &v : in) {
        v = (unsigned)random.next();
        sum += v;
        most = v > most ? v : most;
    }
    unsigned *device = to_device(in);
    unsigned got_sum = reduce_all<add>(device, n, blocks, block), got_most = reduce_all<larger>(device, n, blocks, block);
    CHECK(cudaFree(device));
    printf("reduce: %u elements, sum %u modulo 2^32, maximum %u\n", n, got_sum, got_most);
    return verdict("reduce", (got_sum != sum) + (got_most != most));
}
