// C++ in kernels: templates, lambdas, classes with virtual-free inheritance, function pointers, recursion, shared and
// constant memory of both kinds, structures by value, local arrays, switch, device globals, printf, device malloc,
// launch bounds.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

// nvcc takes the type of a result without `typename` before it, attributes behind __device__, and a directive as a macro.
#define UNCHECKED #pragma nv_exec_check_disable
template <class T> struct box {
    using type = T;
    UNCHECKED
    __device__ [[nodiscard]] type get() const;
    __device__ [[nodiscard]] bool is_empty() const
    {
        return !value;
    }
    T value;
};
template <class T> __device__ box<T>::type box<T>::get() const
{
    return value;
}
__global__ void unpack(box<int> b, int *to)
{
    *to = b.is_empty() ? -1 : b.get();
}

// CUDA has no functions of these names: programs write their own.
__device__ unsigned long long globaltimer()
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}
__device__ unsigned long long __globaltimer()
{
    return globaltimer();
}
__global__ void tell_time(unsigned long long *now)
{
    *now = __globaltimer();
}

struct params {
    float scale;
    int shift;
    double bias[2];
};

__constant__ float coefficient[4] = {1, 2, 3, 4};
__device__ int counter = 7;
__device__ float table[16];

template <class T, int N> struct tile {
    T v[N];
    __device__ T sum() const
    {
        T s = 0;
        for (int i = 0; i < N; i++)
            s += v[i];
        return s;
    }
};

__host__ __device__ constexpr int square(int x)
{
    return x * x;
}
__device__ __noinline__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
__device__ int twice(int x)
{
    return 2 * x;
}
__device__ int thrice(int x)
{
    return 3 * x;
}
__device__ int (*const operations[2])(int) = {twice, thrice};

template <class T, int Block>
__global__ void __launch_bounds__(Block) reduce(const T *in, T *out, params p, signed char c)
{
    __shared__ T part[Block];
    extern __shared__ float dynamic[];
    part[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x] * (T)p.scale + (T)c;
    dynamic[threadIdx.x] = coefficient[threadIdx.x & 3];
    __syncthreads();
    for (int n = Block / 2; n > 0; n /= 2) {
        if (threadIdx.x < n)
            part[threadIdx.x] += part[threadIdx.x + n];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = part[0] + (T)dynamic[1] + (T)p.bias[1];
}

__global__ void features(int *out, int n)
{
    tile<int, 4> t = {{1, 2, 3, n}};
    int local[8];
    for (int i = 0; i < 8; i++)
        local[i] = i * n;
    auto add = [=](int x) { return x + local[n & 7]; };
    switch (n) {
    case 0:
        out[0] = 1;
        break;
    case 1:
        out[0] = twice(n);
        break;
    case 5:
        out[0] = fibonacci(n);
        break;
    default:
        out[0] = operations[n & 1](n);
    }
    out[1] = t.sum() + add(square(3)) + std::max(n, 2) + min(n, 4);
    counter += n;
    table[n & 15] = (float)n / 3;
    int *heap = (int *)malloc(sizeof(int) * 4);
    if (heap) {
        memset(heap, 0, 16);
        heap[0] = n;
        out[2] = heap[0];
        free(heap);
    }
    printf("n=%d f=%f s=%s\n", n, table[n & 15], "text");
}

int main()
{
    std::vector<float> host(256);
    std::iota(host.begin(), host.end(), 0.0f);
    float *in = nullptr, *out = nullptr;
    int *ints = nullptr, copy[4] = {0};
    cudaMalloc(&in, host.size() * sizeof(float));
    cudaMalloc((void **)&out, 64);
    cudaMalloc(&ints, 64);
    cudaMemcpy(in, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice);
    reduce<float, 128><<<2, 128, 128 * sizeof(float)>>>(in, out, params{2.0f, 1, {1, 2}}, 'z');
    features<<<dim3(1), dim3(1)>>>(ints, 5);
    cudaMemcpyToSymbol(coefficient, host.data(), sizeof(float) * 4);
    cudaMemcpyFromSymbol(copy, counter, sizeof(int));
    cudaDeviceSynchronize();
    printf("%d %s\n", copy[0], cudaGetErrorName(cudaGetLastError()));
    return 0;
}
