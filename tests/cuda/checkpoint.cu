#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
__device__ int total;
__constant__ int scale;
__global__ void relax(float *to, const float *from, int n, int *changed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= 0 || i >= n - 1)
        return;
    float v = 0.5f * from[i] + 0.25f * (from[i - 1] + from[i + 1]);
    if (v - from[i] > 0.01f || from[i] - v > 0.01f)
        atomicAdd(changed, 1);
    to[i] = v * scale;
    atomicAdd(&total, 1);
}
__global__ void say(int round, int *list, int **kept)
{
    if (threadIdx.x == 0)
        printf("round %d says %d\n", round, *list);
    int *p = (int *)malloc(16);
    p[0] = round + threadIdx.x;
    if (threadIdx.x == 3) *kept = p;
    list[1 + threadIdx.x] += p[0];
}
int main(int argc, char **argv)
{
    const int n = 4096;
    float *a, *b, *h = (float *)malloc(n * 4);
    int *changed, *pinned, *managed, one = 1, **kept;
    cudaEvent_t e0, e1;
    float ms = 0;
    cudaMalloc(&a, n * 4); cudaMalloc(&b, n * 4); cudaMalloc(&changed, 4); cudaMalloc(&kept, 8);
    cudaMallocHost(&pinned, 256 * 4); cudaMallocManaged(&managed, 8192 * 4);
    for (int i = 0; i < n; i++) h[i] = i % 37;
    for (int i = 0; i < 8192; i++) managed[i] = 0;
    for (int i = 0; i < 256; i++) pinned[i] = i;
    cudaMemcpy(a, h, n * 4, cudaMemcpyHostToDevice);
    cudaMemset(b, 0, n * 4);
    cudaMemcpyToSymbol(scale, &one, 4);
    cudaEventCreate(&e0); cudaEventCreate(&e1); cudaEventRecord(e0);
    int *own = (int *)malloc(400); for (int i = 0; i < 100; i++) own[i] = i;
    int *owndev; cudaHostRegister(own, 400, cudaHostRegisterMapped); cudaHostGetDevicePointer(&owndev, own, 0);
    int rounds = argc > 1 ? atoi(argv[1]) : 4;
    for (int r = 0; r < rounds; r++) {
        int c = 0;
        cudaMemcpy(changed, &c, 4, cudaMemcpyHostToDevice);
        relax<<<n / 128, 128>>>(b, a, n, changed);
        cudaMemcpy(&c, changed, 4, cudaMemcpyDeviceToHost);
        managed[0] += c; pinned[0] = r;
        say<<<1, 32>>>(r, managed, kept);
        say<<<1, 16>>>(r + 100, pinned, kept);
        say<<<1, 8>>>(r + 200, owndev, kept);
        cudaMemcpyAsync(managed + 4096, b, 4096, cudaMemcpyDefault);
        cudaDeviceSynchronize();
        printf("%d: changed %d managed %d %d pinned %d own %d copied %08x\n", r, c, managed[0], managed[5], pinned[7], own[4], managed[4096 + 17]);
        float *t = a; a = b; b = t;
        void *more; cudaMalloc(&more, 1000 * (r + 1)); cudaFree(r % 2 ? more : 0);
    }
    cudaEventRecord(e1); cudaEventElapsedTime(&ms, e0, e1);
    cudaMemcpy(h, a, n * 4, cudaMemcpyDeviceToHost);
    int t; cudaMemcpyFromSymbol(&t, total, 4);
    double sum = 0; for (int i = 0; i < n; i++) sum += h[i];
    printf("%d launches time %.6f ms total %d sum %.4f %s\n", rounds, ms, t, sum, cudaGetErrorName(cudaGetLastError()));
    return t % 100;
}
