// The other file of templates.cu.
#include "templates.h"

__global__ void more()
{
    places<int, 2>[1] += 100;
    on_device<int>++;
}
void add_elsewhere()
{
    places<int, 2>[1] += 1000;
    more<<<1, 1>>>();
    cudaDeviceSynchronize();
}
