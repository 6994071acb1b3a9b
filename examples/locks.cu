// A histogram whose bins are guarded by locks, written as for one thread: lanes of a warp that want the same bin wait for each other.
//     lockstep cc examples/locks.cu -o locks && lockstep run ./locks
#include <cstdio>
#include <cuda_runtime.h>
#include <lockstep/lock.h>

struct bin {
    unsigned lock, count;
};

__global__ void count(bin *bins, unsigned many)
{
    bin *b = &bins[(blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u >> 16 & (many - 1)];
    lockstep_lock(&b->lock);
    *(volatile unsigned *)&b->count += 1;
    lockstep_unlock(&b->lock);
}

int main()
{
    const unsigned many = 64;
    bin host[many], *bins;
    for (bin &b : host)
        b = {LOCKSTEP_LOCK_FREE, 0};
    cudaMalloc(&bins, sizeof host);
    cudaMemcpy(bins, host, sizeof host, cudaMemcpyHostToDevice);
    count<<<16, 128>>>(bins, many);
    cudaMemcpy(host, bins, sizeof host, cudaMemcpyDeviceToHost);
    unsigned sum = 0;
    for (const bin &b : host)
        sum += b.count;
    printf("%u of 2048 counted\n", sum);
    return sum != 2048;
}
