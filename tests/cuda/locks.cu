// Locks and semaphores as instructions, through lockstep/lock.h: critical sections written as for one thread.
#include <cstdio>
#include <cuda_runtime.h>
#include <lockstep/lock.h>

struct shared_state {
    unsigned locks[16], counts[16], semaphore, inside, most, times;
};

// One lock for all threads.
__global__ void one(shared_state *s)
{
    for (int i = 0; i < 3; i++) {
        lockstep_lock(&s->locks[0]);
        *(volatile unsigned *)&s->counts[0] += 1;
        lockstep_unlock(&s->locks[0]);
    }
}

// Two locks, the lower one first: thesis, Example 20.
__global__ void two(shared_state *s)
{
    unsigned a = threadIdx.x % 16, b = (a + 5) % 16, low = a < b ? a : b, high = a < b ? b : a;
    lockstep_lock(&s->locks[low]);
    lockstep_lock(&s->locks[high]);
    ((volatile unsigned *)s->counts)[low] += 1;
    ((volatile unsigned *)s->counts)[high] += 1;
    lockstep_unlock(&s->locks[high]);
    lockstep_unlock(&s->locks[low]);
}

// An unlock on either side of a branch, one of them before a break: thesis, Example 10.
__global__ void leave(shared_state *s)
{
    volatile unsigned *counts = s->counts;
    for (unsigned i = 0; i < 8; i++) {
        lockstep_lock(&s->locks[i]);
        counts[i] += 1;
        if (threadIdx.x % 8 == i) {
            counts[8 + i] += 1;
            lockstep_unlock(&s->locks[i]);
            break;
        }
        lockstep_unlock(&s->locks[i]);
    }
}

// Locks in shared memory, one attempt, some attempts, some cycles.
__global__ void attempts(shared_state *s)
{
    __shared__ unsigned lock, count;
    if (threadIdx.x == 0)
        lock = LOCKSTEP_LOCK_FREE, count = 0;
    __syncthreads();
    lockstep_lock(&lock);
    count++;
    lockstep_unlock(&lock);
    bool done = false;
    while (!done) {
        if (lockstep_trylock(&lock)) {
            count++;
            lockstep_unlock(&lock);
            done = true;
        }
    }
    while (!lockstep_lock_attempts(&lock, 2))
        ;
    count++;
    lockstep_unlock(&lock);
    while (!lockstep_lock_cycles(&lock, 500))
        ;
    count++;
    lockstep_unlock(&lock);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(&s->counts[0], count);
}

// Somebody else has this one, and does not give it back: everybody gives up.
__global__ void give_up(shared_state *s)
{
    unsigned *lock = &s->locks[blockIdx.x];
    if (threadIdx.x == 0)
        *lock = 1000000;
    __syncthreads();
    if (!lockstep_lock_attempts(lock, 3))
        atomicAdd(&s->counts[0], 1);
    if (!lockstep_lock_cycles(lock, 1000))
        atomicAdd(&s->counts[1], 1);
    __syncthreads();
    if (threadIdx.x == 0)
        *lock = LOCKSTEP_LOCK_FREE;
}

// At most three threads at a time.
__global__ void few(shared_state *s)
{
    lockstep_sem_wait(&s->semaphore);
    atomicMax(&s->most, atomicAdd(&s->inside, 1) + 1);
    atomicAdd(&s->times, 1);
    atomicSub(&s->inside, 1);
    lockstep_sem_signal(&s->semaphore);
}

// A thread waits for what a thread of another warp puts there.
__global__ void hand_over(shared_state *s)
{
    if (blockIdx.x)
        return;
    if (threadIdx.x == 0)
        for (unsigned i = 1; i <= 10; i++) {
            s->counts[0] += i;
            lockstep_sem_signal(&s->semaphore);
            while (*(volatile unsigned *)&s->times != i)
                ;
        }
    if (threadIdx.x == 64)
        for (unsigned i = 1; i <= 10; i++) {
            lockstep_sem_wait(&s->semaphore);
            s->counts[1] += *(volatile unsigned *)&s->counts[0];
            __threadfence();
            *(volatile unsigned *)&s->times = i;
        }
}

static __device__ __noinline__ void critical(shared_state *s, unsigned depth)
{
    lockstep_lock(&s->locks[depth]);
    if (depth + 1 < 4)
        critical(s, depth + 1);
    ((volatile unsigned *)s->counts)[depth] += 1;
    lockstep_unlock(&s->locks[depth]);
}

// Locks inside each other, by recursion.
__global__ void deep(shared_state *s)
{
    critical(s, 0);
}

static void report(const char *name, void (*kernel)(shared_state *), unsigned semaphore)
{
    shared_state *device, host = {};
    for (unsigned i = 0; i < 16; i++)
        host.locks[i] = LOCKSTEP_LOCK_FREE;
    host.semaphore = semaphore;
    cudaMalloc(&device, sizeof host);
    cudaMemcpy(device, &host, sizeof host, cudaMemcpyHostToDevice);
    kernel<<<2, 96>>>(device);
    cudaError_t error = cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost);
    printf("%s: %s, counts", name, cudaGetErrorName(error));
    for (unsigned count : host.counts)
        printf(" %u", count);
    unsigned held = 0;
    for (unsigned lock : host.locks)
        held += lock != LOCKSTEP_LOCK_FREE;
    printf(", held %u, semaphore %u, at most %u, %u times\n", held, host.semaphore, host.most <= 3 ? 3 : host.most,
           host.times);
    cudaFree(device);
}

int main()
{
    report("one", one, 0);
    report("two", two, 0);
    report("leave", leave, 0);
    report("attempts", attempts, 0);
    report("give up", give_up, 0);
    report("few", few, 3);
    report("hand over", hand_over, 0);
    report("deep", deep, 0);
}
