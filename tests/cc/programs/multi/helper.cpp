#include "multi.h"

#include <cuda_runtime.h>
#include <vector>

int helper(int n)
{
    std::vector<int> v(n, 1);
    return cudaGetLastError() == cudaSuccess ? (int)v.size() : 0;
}
