// The thesis' small programs, by all lanes of one warp.
//
// spin, lock: a critical section as one would write it for a thread, with a loop that spins before it, or with lock
// instructions. On a stack of lanes the loop never ends: who has the lock waits behind it for those that spin.
// recursion: Example 2. Lanes above 4 call the function once more, so that they add 1 four times, the others twice.
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

static __device__ __noinline__ unsigned twice_each_call(unsigned x)
{
    x = x + 1;
    if (x == 1 && threadIdx.x > 4)
        x = twice_each_call(x);
    return x + 1;
}

__global__ void recursion(unsigned *, volatile unsigned *sum)
{
    unsigned x = twice_each_call(0);
    atomicAdd((unsigned *)sum, x == (threadIdx.x > 4 ? 4 : 2));
}

struct form {
    const char *name;
    void (*kernel)(unsigned *, volatile unsigned *);
};

static const form forms[] = {{"spin", spin}, {"lock", instructions}, {"recursion", recursion}};

static int usage(const char *program)
{
    fprintf(stderr, "usage: %s spin|lock|recursion\n", program);
    return 2;
}

int main(int argc, char **argv)
{
    const form *chosen = nullptr;
    for (const form &f : forms)
        if (argc == 2 && !strcmp(argv[1], f.name))
            chosen = &f;
    if (!chosen)
        return usage(argv[0]);
    unsigned words[2] = {LOCKSTEP_LOCK_FREE, 0}, *device; // the lock, and the sum
    if (cudaMalloc((void **)&device, sizeof words) || cudaMemcpy(device, words, sizeof words, cudaMemcpyHostToDevice))
        return 2;
    chosen->kernel<<<1, THREADS>>>(device, device + 1);
    if (cudaDeviceSynchronize() || cudaMemcpy(words, device, sizeof words, cudaMemcpyDeviceToHost))
        return 2;
    bool right = words[0] == LOCKSTEP_LOCK_FREE && words[1] == THREADS;
    printf("plain: %s\n", right ? "correct" : "FAILED");
    return !right;
}
