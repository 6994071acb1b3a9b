// What nvcc takes and clang refuses, a form each: see cc_source.c and cc_declarations.c. Every check prints its line.
#include "launches.h"
#include <cstdio>
#include <iostream>
#include <vector>
using namespace std;

__device__ __managed__ int count = 5;
static __managed__ float table[2][3], scale = 2.0f;
#define ON_BOTH_SIDES __managed__
#define ON_THE_DEVICE __device__
#define DEVICE_TOO __device__ __managed__
ON_BOTH_SIDES __device__ int by_macro = 3, by_macro_too[2] = {1, 2};
static DEVICE_TOO bool by_words;
namespace inner {
__managed__ long long total;
}
struct point {
    int x, y;
    __host__ __device__ point() : x(1), y(2)
    {
    }
};
struct segment {
    point from, to;
};
template <class T, class U> struct two {
    T first;
    U second;
    __host__ __device__ two() : first(1), second()
    {
    }
};
namespace scoped {
enum number { nine = 9 };
template <number> struct holder {
    int value;
    __host__ __device__ holder() : value(2)
    {
    }
};
} // namespace scoped
int *array, failures;

__global__ void shared_objects(int *out)
{
    __shared__ segment s, more[2];
    __shared__ two<int, two<int, float>> pair[32];
    __shared__ ::scoped::holder<::scoped::nine> scoped;
    __shared__ alignas(16) int numbers[4];
    __device__ __shared__ int beside[2];
    ON_THE_DEVICE static __shared__ int as_macro;
    const int lane = threadIdx.x;
    pair[lane].first = lane;
    pair[lane].second.second = 0.5f;
    if (lane == 0) {
        s.from.x = 1;
        scoped.value = 9;
        more[1].to.y = 2;
        numbers[3] = beside[1] = as_macro = 4;
    }
    __syncthreads();
    out[lane] = pair[31 - lane].first + s.from.x + more[1].to.y + (numbers[3] + beside[1] + as_macro) / 3 + (int)((size_t)numbers % 16) + scoped.value - ::scoped::nine +
                (int)(2 * pair[lane].second.second);
}
__global__ void change(int *pointer)
{
    register int old = atomicAdd(&count, 1);
    if (old == 7) {
        by_macro_too[1] += by_macro;
        by_words = true;
    }
    if (old == 7 && pointer == &count)
        inner::total = (long long)sizeof(table) << 32;
    for (int i = 0; i < 6; i++)
        table[i / 3][i % 3] = i * scale;
}
__global__ void registers(unsigned *out)
{
    unsigned block, sum;
    asm("mov.u32 %0, %ctaid.x;" : "=r"(block));
    asm("{ .reg .u32 t; mov.u32 t, %" "tid.x; add.u32 %0, %1, t; }" : "=r"(sum) : "r"(block * 100));
    out[blockIdx.x * 32 + threadIdx.x] = sum + lane_by_register();
}
__host__ __device__ const char *say(cudaError_t error)
{
    return cudaGetErrorString(error);
}
__global__ void errors(int *out)
{
    const char *a = say(cudaErrorInvalidValue), *b = "invalid argument";
    for (*out = 1; *b; a++, b++)
        *out &= *a == *b;
    *out += cudaGetLastError() == cudaSuccess && cudaGetErrorName(cudaErrorInvalidValue)[4] == 'E';
}
void check(const char *what, long long is, long long should)
{
    failures += is != should;
    if (is != should)
        printf("%s: %lld, not %lld\n", what, is, should);
}
void check_sized(int n)
{
    struct pair_of {
        int first, second;
    } start = {3, 4};
    int first[n] = {1, 2}, middle, table[2][n + 1] = {0}, none[n][2] = {};
    double last[n * 2] { 0.5, n / 2.0 };
    pair_of pairs[n] = {start};
    middle = first[0] + 10 * first[1] + 100 * first[n - 1];
    check("an array of any size", middle, 21);
    for (int i = 0; i < 2 * (n + 1); i++)
        middle += table[i / (n + 1)][i % (n + 1)] + (i < 2 * n ? none[i / 2][i % 2] : 0);
    check("one of two dimensions", middle, 21);
    check("one without a sign", (int)(last[0] * 2 + last[1] * 4 + last[2 * n - 1]), 1 + 2 * n);
    check("one of objects", pairs[0].second * 10 + pairs[n - 1].first + first[1], 42);
}
void check_managed()
{
    int other = 40;
    check("its value", count, 5);
    count = 7;
    LAUNCH(change, 1, &count);
    cudaDeviceSynchronize();
    check("atomics", count, 39);
    check("words from macros", by_macro_too[1] + by_words, 6);
    check("a namespace", inner::total, 24LL << 32);
    check("an array", (int)table[1][2], 10);
    cudaMemcpyToSymbol(count, &other, sizeof other);
    check("symbols", count, 40);
    other = -1;
    cudaMemcpyFromSymbol(&other, count, sizeof count);
    check("symbols back", other, 40);
}
int main()
{
    vector<vector<vector<int>>> nested(8 >> 2);
    part<float, 1> p;
    cudaMallocManaged(&array, 64 * sizeof *array);
    check_managed();
    check_sized(7);
    shared_objects << <1, dim3(32 >> 0) >> > (array);
    cudaDeviceSynchronize();
    check("shared objects", array[3], 28 + 1 + 2 + 4 + 0 + 1);
    LAUNCH(registers, nested.size(), (unsigned *)array);
    cudaDeviceSynchronize();
    check("registers", array[37], 110);
    errors << <
        1, 1 // a comment between the signs
        >> /* and another */ > (array);
    cudaDeviceSynchronize();
    check("errors", array[0], 2);
    check("default arguments", p.twice(4, 3), 12);
    printf("%d failures\n", failures);
    return failures != 0;
}
