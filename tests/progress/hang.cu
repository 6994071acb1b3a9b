// Programs that never end, for alarms.sh: stopped within a few windows of gpu.watch_cycles, with who waits for whom.
#define PROGRAM extern "C" __global__ void
#define LOCK (out + 1024)
#define FLAG (*(volatile unsigned *)(out + 1056))

__device__ void take(unsigned *lock)
{
    while (atomicCAS(lock, 0, 1))
        ;
}

// Loops that do nothing

// A plain load that finds the same line in the L1 for ever.
PROGRAM stale_flag(unsigned *out)
{
    unsigned turns = 0, flag;
    do {
        turns++;
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(flag) : "l"(LOCK));
    } while (flag == 0);
    out[0] = turns;
}

PROGRAM count(unsigned *out)
{
    for (unsigned n = 0;;)
        asm volatile("add.u32 %0, %0, 1;" : "+r"(n));
}

PROGRAM store(unsigned *out)
{
    for (;;)
        *(volatile unsigned *)&out[threadIdx.x] = 5;
}

PROGRAM toggle(unsigned *out)
{
    for (volatile unsigned *p = &out[threadIdx.x];;)
        *p ^= 1;
}

PROGRAM toggle_shared(unsigned *out)
{
    __shared__ volatile unsigned bits[256];
    for (bits[threadIdx.x] = 0;;)
        bits[threadIdx.x] ^= 1;
}

PROGRAM toggle_atomic(unsigned *out)
{
    for (;;)
        atomicXor(out, 1);
}

PROGRAM up_and_down(unsigned *out)
{
    for (;;) {
        atomicAdd(out, 1);
        atomicSub(out, 1);
    }
}

// Locks

PROGRAM two_locks(unsigned *out)
{
    if (threadIdx.x)
        return;
    take(LOCK + 32 * blockIdx.x);
    for (int i = 0; i < 100; i++)
        asm volatile("");
    take(LOCK + 32 * !blockIdx.x);
}

// The same, by blocks that give the first one back and try again in step.
PROGRAM two_locks_in_step(unsigned *out)
{
    if (threadIdx.x)
        return;
    for (unsigned got = 0; !got;) {
        take(LOCK + 32 * blockIdx.x);
        got = atomicCAS(LOCK + 32 * !blockIdx.x, 0, 1) == 0;
        atomicExch(LOCK + 32 * blockIdx.x, 0);
    }
}

PROGRAM kept(unsigned *out)
{
    if (threadIdx.x == 7)
        take(LOCK);
}

PROGRAM kept_shared(unsigned *out)
{
    __shared__ unsigned lock;
    lock = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        take(&lock);
}

PROGRAM kept_by_exchange(unsigned *out)
{
    if (threadIdx.x == 0)
        while (atomicExch(LOCK, 1))
            ;
}

PROGRAM held_by_exchange(unsigned *out)
{
    if (threadIdx.x)
        return;
    while (atomicExch(LOCK, 1))
        ;
    while (!FLAG)
        ;
}

PROGRAM lanes_of_a_warp(unsigned *out)
{
    take(LOCK);
    atomicExch(LOCK, 0);
}

PROGRAM random_backoff(unsigned *out)
{
    for (unsigned x = 1 + blockIdx.x; threadIdx.x == 0 && atomicCAS(LOCK, 0, 1);) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        for (unsigned i = 0; i < x % 64; i++)
            asm volatile("");
    }
}

// A semaphore that nobody signals: blocks look at it under a lock.
PROGRAM semaphore(unsigned *out)
{
    for (unsigned in = 0; threadIdx.x == 0 && !in;) {
        if (atomicCAS(LOCK, 0, 1) == 0) {
            in = FLAG;
            __threadfence();
            atomicExch(LOCK, 0);
        }
    }
}

// Barriers

PROGRAM barrier_for_a_flag(unsigned *out)
{
    while (threadIdx.x < 32 && !FLAG)
        ;
    __syncthreads();
}

PROGRAM barriers_in_a_circle(unsigned *out)
{
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1, 64; bar.sync 2, 64;");
    else
        asm volatile("bar.sync 2, 64; bar.sync 1, 64;");
}

PROGRAM grid_barrier(unsigned *out)
{
    if (threadIdx.x == 0) {
        atomicAdd(LOCK, 1);
        while (*(volatile unsigned *)LOCK < gridDim.x)
            ;
    }
    __syncthreads();
}
