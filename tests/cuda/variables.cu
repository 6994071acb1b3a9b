// Device variables of every linkage that C++ gives: the host sets and reads them, the device sees what it set.
#include <cstdio>
__constant__ struct {
    int a;
    float b[3];
} unnamed_type = {9, {0, 0, 0}};
static __constant__ int file_static[2];
namespace
{
struct Inner {
    int x;
};
__device__ int hidden = 8;
__constant__ Inner hidden_type;
__device__ const int fixed[2] = {3, 4};
__device__ int result;
} // namespace
template <typename T> __device__ T by_type;
struct Named {
    int x;
};
__constant__ Named named;
__device__ int both(int i)
{
    __shared__ int block;
    static __device__ int calls;
    block = i;
    return block + atomicAdd(&calls, 1);
}

__global__ void sum(int i)
{
    result = unnamed_type.a + 10 * file_static[1] + 100 * hidden + 1000 * hidden_type.x + 10000 * by_type<int> + 100000 * named.x +
             1000000 * fixed[i] + 10000000 * both(0);
}

int main()
{
    int values[4] = {1, 2, 3, 4}, found;
    for (int i = 0; i < 2; i++) {
        sum<<<1, 1>>>(i);
        cudaError_t error = cudaMemcpyFromSymbol(&found, result, 4);
        printf("%s %d\n", cudaGetErrorName(error), found);
        cudaError_t errors[] = {cudaMemcpyToSymbol(unnamed_type, values, 16), cudaMemcpyToSymbol(file_static, values, 8),
                                cudaMemcpyToSymbol(hidden, values + 2, 4), cudaMemcpyToSymbol(hidden_type, values + 3, 4),
                                cudaMemcpyToSymbol(by_type<int>, values, 4), cudaMemcpyToSymbol(named, values + 1, 4)};
        for (cudaError_t e : errors)
            printf("%s\n", cudaGetErrorName(e));
    }
}
