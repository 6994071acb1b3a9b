// The runtime interface in host code that the system's compiler makes.
#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

int main()
{
    half values[100], got[100];
    float sum = 0;
    void *memory;
    for (int i = 0; i < 100; i++)
        values[i] = __float2half((float)i);
    if (cudaMalloc(&memory, sizeof values) || cudaMemcpy(memory, values, sizeof values, cudaMemcpyHostToDevice) ||
        cudaMemcpy(got, memory, sizeof got, cudaMemcpyDeviceToHost))
        return 1;
    for (int i = 0; i < 100; i++)
        sum += __half2float(got[i]);
    std::printf("sum %g\n", sum);
    return 0;
}
