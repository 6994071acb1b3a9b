// Forms that nvcc takes, a kernel or function each, beside those of main.cu: every clang that is installed compiles and runs them.
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// Words of four bytes and two halves.
__global__ void words(unsigned *p)
{
    p[0] = __vadd4(p[1], p[2]) + __vabsdiffu4(p[1], p[2]) + __vcmpgtu4(p[1], p[2]);
}
// Atomics on every narrow type.
__global__ void narrow(__nv_bfloat16 *a, __nv_bfloat162 *b, __half *c, __half2 *d, unsigned short *e)
{
    atomicAdd(a, __float2bfloat16(1));
    atomicAdd(b, __float2bfloat162_rn(1));
    atomicAdd(c, __float2half(1));
    atomicAdd(d, __float2half2_rn(1));
    atomicCAS(e, 0, 7);
}
// A kernel with launch bounds behind its type; a lambda of both sides; constexpr functions of the host in kernels.
constexpr int five()
{
    return 5;
}
template <class F> __global__ void __launch_bounds__(32) apply(F f, int *p)
{
    p[threadIdx.x] = f(threadIdx.x) + five();
}
// Errors have names on the device; registers, restricted pointers, unrolled loops.
__global__ void errors(const char *__restrict__ *text, register int n)
{
#pragma unroll
    for (register int i = 0; i < 4; i++)
        n += i;
    *text = cudaGetErrorString(n == 10 ? cudaErrorInvalidValue : cudaSuccess);
}
// A member that is a kernel's argument by value, with a conversion operator, and overloads for either side.
struct both {
    int n;
    __host__ operator int() const
    {
        return n;
    }
    __device__ operator int() const
    {
        return n + 1;
    }
};
__global__ void convert(both b, int *p)
{
    *p = b;
}
// The name of a template behind a type that depends on a parameter, without `template`; twice on a line.
template <class T> struct traits {
    template <class U> struct with {
        U value;
    };
};
template <class T> __global__ void depends(int *p)
{
    typename traits<T>::with<int> one = {3}; typename traits<T>::with<T> other = {4};
    *p = one.value + other.value;
}

int main()
{
    unsigned *w, word;
    int *n, numbers[32];
    cudaMalloc(&w, 4096);
    cudaMemset(w, 0, 4096);
    words<<<1, 1>>>(w);
    narrow<<<1, 1>>>((__nv_bfloat16 *)w + 8, (__nv_bfloat162 *)w + 8, (__half *)w + 32, (__half2 *)w + 32,
                     (unsigned short *)w + 128);
    cudaMemcpy(&word, w + 64, 4, cudaMemcpyDeviceToHost);
    cudaMalloc(&n, sizeof numbers);
    const int base = 100;
    apply<<<1, 32>>>([=] __host__ __device__(int i) { return i + base; }, n);
    cudaMemcpy(numbers, n, sizeof numbers, cudaMemcpyDeviceToHost);
    errors<<<1, 1>>>((const char **)w, 4);
    convert<<<1, 1>>>(both{3}, n);
    depends<int><<<1, 1>>>(n + 1);
    int last[2];
    cudaMemcpy(last, n, sizeof last, cudaMemcpyDeviceToHost);
    const bool good = word == 7 && numbers[31] == 136 && last[0] == 4 && last[1] == 7 && (int)both{3} == 3;
    printf("%s\n", good ? "good" : "bad");
    return !good || cudaGetLastError() != cudaSuccess;
}
