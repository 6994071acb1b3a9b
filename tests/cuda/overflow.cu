// Products that overflow: a kernel writes them, and the host compares them with its own.
#include <cstdio>

__global__ void square(int *a, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n)
        a[i] *= a[i];
}

static int first_difference(const int *a, int n)
{
    for (int i = 0; i < n; i++)
        if (a[i] != i * i)
            return i;
    return -1;
}

int main()
{
    const int n = 70000;
    int *a;
    cudaMallocManaged(&a, n * sizeof *a);
    for (int i = 0; i < n; i++)
        a[i] = i;
    square<<<(n + 255) / 256, 256>>>(a, n);
    cudaDeviceSynchronize();
    int differs = first_difference(a, n);
    printf("%s at %d\n", differs < 0 ? "the same" : "different", differs);
    return differs >= 0;
}
