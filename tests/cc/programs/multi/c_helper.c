#include <cuda_runtime_api.h>

#include "multi.h"

int c_helper(int n)
{
    struct cudaDeviceProp prop;
    return cudaGetDeviceProperties(&prop, 0) == cudaSuccess ? n : -n;
}
