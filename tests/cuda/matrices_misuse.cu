// A product of matrices of which half of a warp knows nothing; rows of a matrix in global memory; a descriptor that leads nowhere.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void half_a_warp(float *out)
{
    float d[4] = {};
    if (threadIdx.x < 16)
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4}, {%4}, {%0, %1, %2, %3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(0));
    out[threadIdx.x] = d[0];
}

__global__ void elsewhere(float *out)
{
    unsigned r;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.b16 {%0}, [%1];" : "=r"(r) : "l"(out + 4 * threadIdx.x));
    out[threadIdx.x] = r;
}

__global__ void nowhere(float *out)
{
    float d[4] = {};
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %4, 0, 1, 1, 0, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(0x4000000000003F00ull));
    out[threadIdx.x] = d[0];
}

int main(int argc, char **argv)
{
    float *out;
    cudaMalloc(&out, 4096);
    switch (argc > 1 ? std::atoi(argv[1]) : 0) {
    case 0: half_a_warp<<<1, 32>>>(out); break;
    case 1: elsewhere<<<1, 32>>>(out); break;
    case 2: nowhere<<<1, 128>>>(out); break;
    case 3: half_a_warp<<<1, 16>>>(out); break; // a warp that has no more
    }
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
