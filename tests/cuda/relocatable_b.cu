#include "relocatable.h"
#include <stdio.h>

static __device__ int own = 200;
namespace {
__device__ int hidden = 9;
__global__ void add_own(int *p) { *p += own * 10 + hidden; }
}
__managed__ int shaped = 2;
__device__ int helper(int x) { return x + counter; }
__device__ int Shape::area() const { return n * n; }
static __global__ void same_name(int *p) { *p = 2 + largest(*p, 3); }

__global__ void use(int *p)
{
    Shape shape(3);
    *p = twice(10) + (int)(scale * 2) + largest(1, 2) + shape.area() + shaped;
    counter++;
}

void other_file(int *p)
{
    int value = 60, n;
    cudaMemcpyToSymbol(counter, &value, 4);
    cudaMemcpyFromSymbol(&n, own, 4);
    printf("own: %d\n", n);
    add_own<<<1, 1>>>(p);
    same_name<<<1, 1>>>(p);
}

void reshape(int n)
{
    shaped = n;
}
