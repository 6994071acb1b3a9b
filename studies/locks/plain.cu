// A critical section as one would write it for a thread, by all lanes of a warp: with a loop that spins before it, or
// with lock instructions. On a stack of lanes the loop never ends: who has the lock waits behind it for those that
// spin.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <lockstep/lock.h>

constexpr unsigned THREADS = 32;

__global__ void spin(unsigned *lock, volatile unsigned *sum)
{
    while (atomicCAS(lock, LOCKSTEP_LOCK_FREE, threadIdx.x) != LOCKSTEP_LOCK_FREE) {
    }
    *sum = *sum + 1;
    __threadfence();
    atomicExch(lock, LOCKSTEP_LOCK_FREE);
}

__global__ void instructions(unsigned *lock, volatile unsigned *sum)
{
    lockstep_lock(lock);
    *sum = *sum + 1;
    lockstep_unlock(lock);
}

int main(int argc, char **argv)
{
    bool spins = argc == 2 && !strcmp(argv[1], "spin");
    if (!spins && (argc != 2 || strcmp(argv[1], "lock"))) {
        fprintf(stderr, "usage: %s spin|lock\n", argv[0]);
        return 2;
    }
    unsigned words[2] = {LOCKSTEP_LOCK_FREE, 0}, *device;
    if (cudaMalloc((void **)&device, sizeof words) || cudaMemcpy(device, words, sizeof words, cudaMemcpyHostToDevice))
        return 2;
    (spins ? spin : instructions)<<<1, THREADS>>>(device, device + 1);
    if (cudaDeviceSynchronize() || cudaMemcpy(words, device, sizeof words, cudaMemcpyDeviceToHost))
        return 2;
    bool right = words[0] == LOCKSTEP_LOCK_FREE && words[1] == THREADS;
    printf("plain: %s\n", right ? "correct" : "FAILED");
    return !right;
}
