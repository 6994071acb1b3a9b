// Every atomic function of CUDA, in its three scopes, on global and shared memory.
#include <cstdio>

template <class T> __device__ T integer_atomics(T *p, T v)
{
    T r = atomicAdd(p, v) + atomicExch(p, v) + atomicCAS(p, v, (T)3) + atomicMin(p, v) + atomicMax(p, v);
    return r + atomicAnd(p, v) + atomicOr(p, v) + atomicXor(p, v);
}

__global__ void all(int *i, unsigned *u, unsigned long long *l, long long *s, float *f, double *d)
{
    __shared__ int shared[32];
    __shared__ unsigned long long wide;
    shared[threadIdx.x] = integer_atomics(i, 1) + (int)integer_atomics(u, 2u) + (int)integer_atomics(l, 3ull);
    if (threadIdx.x == 0)
        wide = 0;
    __syncthreads();
    atomicAdd(&shared[0], atomicSub(i, 2));
    atomicAdd(&wide, 1ull);
    atomicInc(u, 10u);
    atomicDec(u + 1, 10u);
    atomicSub(u, 1u);
    atomicMin(s, -1ll);
    atomicMax(s, 1ll);
    atomicAdd(f, 1.5f);
    atomicAdd(d, 1.5);
    atomicExch(f + 1, 2.0f);
    atomicAdd_block(i, 1);
    atomicAdd_system(l, 1ull);
    atomicCAS_block(i, 1, 2);
    atomicCAS_system(u, 1u, 2u);
    atomicMax_block(u, 7u);
    atomicAnd_system(l, 7ull);
    atomicAdd_block(f, 1.0f);
    atomicAdd_system(d, 1.0);
    __syncthreads();
    i[1] = shared[0] + (int)wide;
}

int main()
{
    int *i = nullptr;
    cudaMalloc(&i, 1024);
    all<<<1, 32>>>(i, (unsigned *)i + 8, (unsigned long long *)i + 8, (long long *)i + 16, (float *)i + 64,
                   (double *)i + 64);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(i);
    return 0;
}
