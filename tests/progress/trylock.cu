// A semaphore as libraries build it: a block enters while fewer than `most` are inside. The count is guarded by a mutex that thread 0
// tries to take; a block that finds no room lets it go and tries again, and one that leaves needs it too. pause, last: turns of an
// empty loop between two tries of a block that wants to enter, to leave. Compiled by: lockstep cc --ptx trylock.cu
struct semaphore {
    int mutex;
    volatile int inside;
};

__device__ bool enter_or_leave(semaphore *s, int change, int most)
{
    bool done = false;
    if (atomicCAS(&s->mutex, 0, 1) == 0) {
        int now = s->inside + change;
        if (now <= most) {
            s->inside = now;
            done = true;
        }
        __threadfence();
        atomicExch(&s->mutex, 0);
    }
    return done;
}

extern "C" __global__ void trylock(semaphore *s, unsigned *sum, int most, unsigned pause, unsigned last)
{
    __shared__ volatile int in;
    if (threadIdx.x == 0)
        in = 0;
    __syncthreads();
    while (!in) {
        __syncthreads();
        if (threadIdx.x == 0) {
            for (unsigned i = 0; i < pause; i++)
                asm volatile("");
            in = enter_or_leave(s, 1, most);
        }
        __syncthreads();
    }
    atomicAdd(&sum[threadIdx.x], 1);
    __syncthreads();
    if (threadIdx.x == 0)
        while (!enter_or_leave(s, -1, most))
            for (unsigned i = 0; i < last; i++)
                asm volatile("");
}
