// Programs that can never go on, each in its own way, or that use locks wrongly.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <lockstep/lock.h>

// Thesis, Example 12: the branch meets between lock and unlock.
__global__ void skip(unsigned *locks)
{
    if (threadIdx.x & 1) {
        lockstep_lock(locks);
        locks[8] += 1;
    } else {
        lockstep_lock(locks);
    }
    locks[9] += 2;
    lockstep_unlock(locks);
}

// The same, with functions.
__device__ __noinline__ void take(unsigned *lock)
{
    lockstep_lock(lock);
}
__device__ __noinline__ void give(unsigned *lock)
{
    lockstep_unlock(lock);
}
__global__ void skip_in_call(unsigned *locks)
{
    if (threadIdx.x & 1) {
        take(locks);
        locks[8] += 1;
    } else {
        lockstep_lock(locks);
    }
    locks[9] += 2;
    give(locks);
}

// Past the branch with one lock, out with another one.
__global__ void skip_with_two(unsigned *locks)
{
    if (threadIdx.x & 1)
        lockstep_lock(locks);
    else
        lockstep_lock(locks + 1);
    lockstep_lock(&locks[2]);
    locks[9] += 2;
    lockstep_unlock(&locks[threadIdx.x & 1 ? 0 : 1]);
    lockstep_unlock(&locks[2]);
}

// Thesis, Example 13: a lock inside a branch, which a lane beside it has.
__global__ void beside(unsigned *locks)
{
    unsigned *own = &locks[threadIdx.x & 1];
    lockstep_lock(own);
    if (!(threadIdx.x & 1)) {
        lockstep_lock(&locks[1]);
        locks[8] += 1;
        lockstep_unlock(&locks[1]);
    }
    lockstep_unlock(own);
}

__global__ void twice(unsigned *locks)
{
    lockstep_lock(locks);
    lockstep_lock(locks);
}

// The loop of thesis, Example 3, with the instruction that only tries.
__global__ void spin(unsigned *locks)
{
    while (!lockstep_trylock(locks))
        ;
    locks[8] += 1;
    lockstep_unlock(locks);
}

__global__ void circle(unsigned *locks)
{
    unsigned warp = threadIdx.x / 32;
    if (threadIdx.x % 32)
        return;
    lockstep_lock(&locks[warp]);
    __nanosleep(20000);
    lockstep_lock(&locks[1 - warp]);
    lockstep_unlock(&locks[1 - warp]);
    lockstep_unlock(&locks[warp]);
}

__global__ void barrier(unsigned *locks)
{
    if (threadIdx.x % 32)
        return;
    lockstep_lock(locks);
    __syncthreads();
    lockstep_unlock(locks);
}

__global__ void ended(unsigned *locks)
{
    if (threadIdx.x % 32 == 0)
        lockstep_lock(locks);
}

__global__ void ended_beside(unsigned *locks)
{
    lockstep_lock(locks);
    if (threadIdx.x == 0)
        return;
    lockstep_unlock(locks);
}

__global__ void others(unsigned *locks)
{
    if (threadIdx.x == 0)
        lockstep_lock(locks);
    else if (threadIdx.x == 32)
        lockstep_unlock(locks);
}

__global__ void nobodys(unsigned *locks)
{
    if (threadIdx.x == 0)
        lockstep_unlock(locks);
}

int main(int, char **arguments)
{
    static const struct {
        const char *name;
        void (*kernel)(unsigned *);
    } all[] = {{"skip", skip},     {"skip_in_call", skip_in_call}, {"skip_with_two", skip_with_two},
               {"beside", beside}, {"twice", twice},               {"spin", spin},
               {"circle", circle}, {"barrier", barrier},           {"ended", ended},
               {"others", others}, {"nobodys", nobodys},           {"ended_beside", ended_beside}};
    unsigned *locks;
    cudaMalloc(&locks, 256);
    cudaMemset(locks, 0xff, 256);
    for (auto &one : all)
        if (!strcmp(arguments[1], one.name))
            one.kernel<<<1, 64>>>(locks);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
