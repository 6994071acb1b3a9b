// A sum on the device, with a function of another file.
extern __device__ int weight(int i);
bool has_weights();

__global__ void add(int n, const int *x, int *sum)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(sum, x[i] * weight(i));
}

int sum_of(int n, const int *x)
{
    int *memory, sum = 0;
    if (!has_weights())
        return 0;
    cudaMalloc(&memory, (n + 1) * sizeof(int));
    cudaMemcpy(memory, &sum, sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(memory + 1, x, n * sizeof(int), cudaMemcpyHostToDevice);
    add<<<(n + 63) / 64, 64>>>(n, memory + 1, memory);
    cudaMemcpy(&sum, memory, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(memory);
    return sum;
}
