// Barriers of the block to which a warp comes in parts. Each kernel is named by the argument; every thread says whether it
// found what it should. The lines that end in "NOTED" are those that Lockstep must name for a target below sm_70.
#include <cstdio>
#include <cstring>

#define THREADS 80
__shared__ unsigned came;

// How many threads have come before anybody went on.
__device__ __noinline__ unsigned come(unsigned *counter)
{
    atomicAdd(counter, 1);
    __syncthreads(); // NOTED
    return *(volatile unsigned *)counter;
}

__device__ unsigned *counter()
{
    if (threadIdx.x == 0)
        came = 0;
    __syncthreads();
    return &came;
}

// The branch to OUT, which nobody takes, makes the ways of the first branch meet behind the barrier only.
__global__ void leave(volatile unsigned *right, unsigned zero)
{
    unsigned t = threadIdx.x, *c = counter();
    if (t % 7 < 3) {
        if (zero)
            goto OUT;
        right[t] = 2;
    }
    atomicAdd(c, 1);
    __syncthreads(); // NOTED
    right[t] = *(volatile unsigned *)c == THREADS;
OUT:
    right[t + THREADS] = 1;
}

// Two barriers, each on a side of a branch, with every form that CUDA has.
__global__ void sides(volatile unsigned *right, unsigned zero)
{
    unsigned t = threadIdx.x, *c = counter();
    bool sum, all, any, none;
    if (t & 1) {
        atomicAdd(c, 1);
        __syncthreads(); // NOTED
        sum = *(volatile unsigned *)c == THREADS && __syncthreads_count(t % 5 == 0) == THREADS / 5; // NOTED
        all = !__syncthreads_and(t != 7);                                                         // NOTED
        any = __syncthreads_or(t == 6);                                                           // NOTED
        none = !__syncthreads_or(t == THREADS + zero);                                            // NOTED
    } else {
        atomicAdd(c, 1);
        __syncthreads(); // NOTED
        sum = __syncthreads_count(t % 5 == 0) == THREADS / 5 && *(volatile unsigned *)c == THREADS; // NOTED
        all = !__syncthreads_and(t != 7);                                                         // NOTED
        any = __syncthreads_or(t == 6);                                                           // NOTED
        none = !__syncthreads_or(t == THREADS + zero);                                            // NOTED
    }
    right[t] = sum && all && any && none;
}

// Named barriers, with a number of threads, and the instruction that is not aligned.
__global__ void named(volatile unsigned *right, unsigned zero)
{
    unsigned t = threadIdx.x, *c = counter();
    if (t >= 64)
        return;
    atomicAdd(c, 1);
    if (t % 3)
        asm volatile("barrier.sync 5, 64;" ::: "memory"); // NOTED
    else
        asm volatile("bar.sync 5, 64;" ::: "memory"); // NOTED
    right[t] = *(volatile unsigned *)c == 64 && !zero;
}

// In a function, called from two places; some threads have ended before.
__global__ void called(volatile unsigned *right, unsigned zero)
{
    unsigned t = threadIdx.x, *c = counter(), live = THREADS - THREADS / 4;
    if (t % 4 == 1)
        return;
    if (t % 3)
        right[t] = come(c) == live;
    else
        right[t] = come(c + zero) == live;
}

// Odd threads come to a barrier, and the even ones of each warp wait for them behind it.
__global__ void half(volatile unsigned *right, unsigned zero)
{
    if (threadIdx.x & 1)
        __syncthreads(); // NOTED
    right[threadIdx.x] = 1;
}

int main(int argc, char **argv)
{
    static unsigned got[2 * THREADS];
    unsigned *right, found = 0;
    const char *name = argc > 1 ? argv[1] : "";
    cudaMalloc((void **)&right, sizeof got);
    cudaMemset(right, 0, sizeof got);
    (!strcmp(name, "leave")    ? leave
     : !strcmp(name, "sides")  ? sides
     : !strcmp(name, "named")  ? named
     : !strcmp(name, "called") ? called
                               : half)<<<1, THREADS>>>(right, 0);
    cudaError_t error = cudaMemcpy(got, right, sizeof got, cudaMemcpyDeviceToHost);
    for (unsigned i = 0; i < THREADS; i++)
        found += got[i] == 1;
    printf("%s: %s, %u right\n", name, cudaGetErrorName(error), found);
}
