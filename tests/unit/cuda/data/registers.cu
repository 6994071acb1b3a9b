// The program of registers.fatbin: kernels with few registers, with more than their launch bounds allow, and a call.
__global__ void few(float *v)
{
    v[threadIdx.x] += 1.0f;
}

__global__ void __launch_bounds__(1024, 2) spilled(float *v, int n)
{
    float x[48];
    for (int i = 0; i < 48; i++)
        x[i] = v[i + threadIdx.x];
    for (int k = 0; k < n; k++)
        for (int i = 0; i < 48; i++)
            x[i] = x[i] * x[(i + 1) % 48] + x[(i + 7) % 48];
    for (int i = 0; i < 48; i++)
        v[i + threadIdx.x] = x[i];
}

__device__ __noinline__ int twice(int i)
{
    return i * 2 + (int)clock();
}

__global__ void calls(int *v)
{
    v[threadIdx.x] = twice(v[threadIdx.x]) + twice(v[threadIdx.x + 1]);
}
