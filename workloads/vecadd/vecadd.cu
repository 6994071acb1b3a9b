// c[i] = a[i] + b[i]: the smallest program with coalesced loads and stores and no reuse. One thread per element.
#include "../workload.h"

__global__ void vecadd(const float *a, const float *b, float *c, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

int main(int argc, char **argv)
{
    option options[] = {
        {"n", "elements", 200000, 1, 1u << 28, 5000, 0},
        {"block", "threads of a block", 256, 1, 1024, 256, 0},
        {"seed", "of the inputs", 1, 0, UINT64_MAX, 1, 0},
    };
    option_read(options, argc, argv);
    unsigned n = (unsigned)options[0].value, block = (unsigned)options[1].value;
    generator random = {options[2].value};
    std::vector<float> a(n), b(n);
    for (unsigned i = 0; i < n; i++) {
        a[i] = (float)random.below(1u << 24) / 1024.0f;
        b[i] = (float)random.below(1u << 24) / -4096.0f;
    }
    float *da = to_device(a), *db = to_device(b), *dc;
    CHECK(cudaMalloc(&dc, n * sizeof(float)));
    CHECK(cudaMemset(dc, 0xff, n * sizeof(float)));
    vecadd<<<(n + block - 1) / block, block>>>(da, db, dc, n);
    CHECK(cudaGetLastError());
    std::vector<float> c = to_host(dc, n);
    uint64_t wrong = 0;
    for (unsigned i = 0; i < n; i++)
        wrong += c[i] != a[i] + b[i];
    printf("vecadd: %u elements\n", n);
    CHECK(cudaFree(da));
    CHECK(cudaFree(db));
    CHECK(cudaFree(dc));
    return verdict("vecadd", wrong);
}
