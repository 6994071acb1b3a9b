// A tour of what ordinary CUDA programs do. Every line it prints is fixed, so that one text holds for every way of building.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

#define CHECK(call)                                                                                              \
    do {                                                                                                         \
        cudaError_t error_ = (call);                                                                             \
        if (error_ != cudaSuccess) {                                                                             \
            printf("%d: %s: %s\n", __LINE__, #call, cudaGetErrorName(error_));                                   \
            exit(1);                                                                                             \
        }                                                                                                        \
    } while (0)

__constant__ float coefficients[4];
__device__ unsigned tickets = 100;
__device__ int table[8] = {1, 1, 2, 3, 5, 8, 13, 21};

struct affine {
    float scale, offset;
    int exponents[3];
    char tag;
};

template <typename T, int N> __global__ void reduce(const T *in, T *out, affine a, short extra, char last)
{
    extern __shared__ unsigned char dynamic[];
    __shared__ T partial[N];
    T *copy = (T *)dynamic;
    unsigned i = blockIdx.x * N + threadIdx.x;
    copy[threadIdx.x] = in[i];
    partial[threadIdx.x] = (T)(a.scale * copy[threadIdx.x] + a.offset + a.exponents[1]);
    __syncthreads();
    for (int step = N / 2; step > 0; step /= 2) {
        if ((int)threadIdx.x < step)
            partial[threadIdx.x] += partial[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = partial[0] + (T)extra + (T)(last - 'a');
}

__global__ void polynomial(double *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double x = v[i];
        v[i] = ((coefficients[3] * x + coefficients[2]) * x + coefficients[1]) * x + coefficients[0];
    }
}

__global__ void greet(int n)
{
    if (threadIdx.x < n)
        printf("block %d thread %d says %s %.2f %lld\n", blockIdx.x, threadIdx.x, "hello", 1.5 * threadIdx.x, 1ll << 40);
}

__global__ void draw(unsigned *drawn)
{
    unsigned ticket = atomicAdd(&tickets, 1u);
    drawn[ticket - 100] = ticket;
}

__global__ void pick(const int *where, int *what)
{
    what[threadIdx.x] = table[where[threadIdx.x] & 7];
}

__device__ __noinline__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__global__ void recurse(int *out)
{
    out[threadIdx.x] = fibonacci(threadIdx.x);
}

static void reductions()
{
    const int blocks = 8, threads = 128;
    std::vector<float> host(blocks * threads);
    for (size_t i = 0; i < host.size(); i++)
        host[i] = (float)(i % 7);
    float *in, *out, sums[blocks];
    CHECK(cudaMalloc(&in, host.size() * sizeof(float)));
    CHECK(cudaMalloc(&out, sizeof sums));
    CHECK(cudaMemcpy(in, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice));
    affine a = {2.0f, 1.0f, {9, 3, 9}, 't'};
    reduce<float, threads><<<blocks, threads, threads * sizeof(float)>>>(in, out, a, (short)-2, 'c');
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(sums, out, sizeof sums, cudaMemcpyDeviceToHost));
    for (int b = 0; b < blocks; b++) {
        float want = 0;
        for (int t = 0; t < threads; t++)
            want += 2 * host[b * threads + t] + 4;
        printf("sum %d %s\n", b, sums[b] == want ? "right" : "wrong");
    }
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}

static void symbols_and_streams()
{
    const float c[4] = {1, 2, 3, 4};
    double v[64], *device;
    cudaStream_t stream;
    cudaEvent_t start, stop;
    float ms = -1;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaMemcpyToSymbol(coefficients, c, sizeof c));
    CHECK(cudaMalloc(&device, sizeof v));
    for (int i = 0; i < 64; i++)
        v[i] = i;
    CHECK(cudaMemcpyAsync(device, v, sizeof v, cudaMemcpyHostToDevice, stream));
    CHECK(cudaEventRecord(start, stream));
    polynomial<<<2, 32, 0, stream>>>(device, 64);
    CHECK(cudaEventRecord(stop, stream));
    CHECK(cudaMemcpyAsync(v, device, sizeof v, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    int wrong = 0;
    for (int i = 0; i < 64; i++) {
        double x = i;
        wrong += v[i] != ((4 * x + 3) * x + 2) * x + 1;
    }
    printf("polynomial: %d wrong, time %s\n", wrong, ms >= 0 ? "known" : "unknown");
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(device));
}

static void tickets_and_tables()
{
    unsigned *drawn, host[96], next;
    CHECK(cudaMalloc(&drawn, sizeof host));
    CHECK(cudaMemset(drawn, 0, sizeof host));
    draw<<<3, 32>>>(drawn);
    CHECK(cudaMemcpy(host, drawn, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpyFromSymbol(&next, tickets, sizeof next));
    int wrong = 0;
    for (unsigned i = 0; i < 96; i++)
        wrong += host[i] != 100 + i;
    printf("tickets: %d wrong, next %u\n", wrong, next);
    int where[8] = {7, 6, 5, 4, 3, 2, 1, 0}, what[8], *dw, *dv;
    void *address;
    CHECK(cudaMalloc(&dw, sizeof where));
    CHECK(cudaMalloc(&dv, sizeof what));
    CHECK(cudaMemcpy(dw, where, sizeof where, cudaMemcpyDefault));
    pick<<<1, 8>>>(dw, dv);
    CHECK(cudaMemcpy(what, dv, sizeof what, cudaMemcpyDefault));
    for (int i = 0; i < 8; i++)
        printf("%d ", what[i]);
    CHECK(cudaGetSymbolAddress(&address, table));
    CHECK(cudaMemset(address, 0, 4));
    pick<<<1, 8>>>(dw, dv);
    CHECK(cudaMemcpy(what, dv, sizeof what, cudaMemcpyDefault));
    printf("then %d %d\n", what[6], what[7]);
    CHECK(cudaFree(drawn));
    CHECK(cudaFree(dw));
    CHECK(cudaFree(dv));
}

static void launch_by_name()
{
    int *out, host[10];
    CHECK(cudaMalloc(&out, sizeof host));
    void *args[] = {&out};
    CHECK(cudaLaunchKernel((const void *)recurse, dim3(1), dim3(10), args, 0, 0));
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 10; i++)
        printf("%d%c", host[i], i < 9 ? ' ' : '\n');
    cudaFuncAttributes attributes;
    int blocks = 0, size = 0, grid = 0;
    CHECK(cudaFuncGetAttributes(&attributes, polynomial));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, polynomial, 64, 0));
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &size, polynomial, 0, 0));
    printf("polynomial: threads %d, fits %s, block %s\n", attributes.maxThreadsPerBlock, blocks > 0 ? "yes" : "no",
           size > 0 && size % 32 == 0 && grid > 0 ? "yes" : "no");
    CHECK(cudaFree(out));
}

static void errors()
{
    greet<<<1, 2048>>>(1);
    printf("too many threads: %s\n", cudaGetErrorName(cudaGetLastError()));
    printf("forgotten: %s\n", cudaGetErrorName(cudaGetLastError()));
    void *p = (void *)0x10;
    printf("free of nothing: %s\n", cudaGetErrorName(cudaFree(p)));
    printf("too much memory: %s\n", cudaGetErrorName(cudaMalloc(&p, (size_t)1 << 45)));
    (void)cudaGetLastError();
}

int main()
{
    int count = 0;
    CHECK(cudaGetDeviceCount(&count));
    printf("devices: %d\n", count);
    reductions();
    symbols_and_streams();
    tickets_and_tables();
    greet<<<1, 64>>>(2);
    CHECK(cudaDeviceSynchronize());
    printf("between\n");
    greet<<<1, 1>>>(1);
    CHECK(cudaDeviceSynchronize());
    launch_by_name();
    errors();
    CHECK(cudaDeviceReset());
    printf("done\n");
    return 0;
}
