// Locks that are taken in one function and given back in another, in any order, hand over hand, inside each other and by
// recursion: what the threads would do one after another, or all at once, is the same. usage: locks_calls [NAME]
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <lockstep/lock.h>

#define THREADS 128 // 4 blocks of 32
#define COMMON 4    // locks that all threads want
#define LIST 12
#define FORM __global__ void
struct words {
    unsigned common[COMMON], own[THREADS], list[LIST]; // locks
    unsigned count[COMMON], passed[LIST];
    unsigned after; // of threads that are through, each counts once
};
__device__ __noinline__ void take(unsigned *lock)
{
    lockstep_lock(lock);
}
__device__ __noinline__ void give(unsigned *lock)
{
    lockstep_unlock(lock);
}
__device__ __forceinline__ void add(unsigned *word)
{
    *(volatile unsigned *)word += 1;
}
__device__ unsigned number()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

// In the kernel taken, in a function given back; and the other way round.
FORM given_in_call(words *w)
{
    lockstep_lock(&w->common[0]);
    add(&w->count[0]);
    give(&w->common[0]);
    atomicAdd(&w->after, 1);
}

FORM taken_in_call(words *w)
{
    unsigned k = number() % COMMON;
    take(&w->common[k]);
    add(&w->count[k]);
    lockstep_unlock(&w->common[k]);
    atomicAdd(&w->after, 1);
}

// All meet at the barrier, whose blocks see what all of their threads counted.
FORM before_barrier(words *w)
{
    take(&w->common[0]);
    add(&w->count[0]);
    give(&w->common[0]);
    __syncthreads();
    atomicAdd(&w->after, *(volatile unsigned *)&w->count[0] >= blockDim.x);
}

FORM in_branches(words *w)
{
    unsigned t = number();
    for (unsigned i = 0; i < 1 + t % 3; i++) {
        take(&w->common[t % 2]);
        add(&w->count[t % 2]);
        if (t % 4 < 2)
            give(&w->common[t % 2]);
        else
            lockstep_unlock(&w->common[t % 2]);
        if (t % 5 == 4)
            break;
    }
    atomicAdd(&w->after, 1);
}

// Two locks, given back in the order in which they were taken.
FORM out_of_order(words *w)
{
    unsigned t = number(), a = t % (COMMON - 1), b = a + 1;
    take(&w->common[a]);
    lockstep_lock(&w->common[b]);
    add(&w->count[a]);
    give(&w->common[a]);
    add(&w->count[b]);
    give(&w->common[b]);
    atomicAdd(&w->after, 1);
}

__device__ __noinline__ bool returns_early(unsigned *lock, unsigned *count, bool keep)
{
    lockstep_lock(lock);
    add(count);
    if (keep)
        return true;
    lockstep_unlock(lock);
    return false;
}

FORM some_keep(words *w)
{
    unsigned t = number(), k = t % COMMON;
    bool has = returns_early(&w->common[k], &w->count[k], t / COMMON % 2);
    if (has)
        give(&w->common[k]);
    atomicAdd(&w->after, 1);
}

// A lock of its own around a common one, in a loop of each thread's own length.
FORM inner_loop(words *w)
{
    unsigned t = number();
    take(&w->own[t]);
    for (unsigned i = 0; i < 1 + t % 3; i++) {
        unsigned k = (7 * t + i) % COMMON;
        lockstep_lock(&w->common[k]);
        add(&w->count[k]);
        give(&w->common[k]);
    }
    lockstep_unlock(&w->own[t]);
    atomicAdd(&w->after, 1);
}

FORM hand_over_hand(words *w)
{
    unsigned stop = 1 + number() % (LIST - 1);
    take(&w->list[0]);
    for (unsigned i = 0; i < stop; i++) {
        take(&w->list[i + 1]);
        add(&w->passed[i]);
        give(&w->list[i]);
    }
    lockstep_unlock(&w->list[stop]);
    atomicAdd(&w->after, 1);
}

__device__ __noinline__ void walk(words *w, unsigned i, unsigned stop)
{
    if (i == stop)
        return;
    lockstep_lock(&w->list[i + 1]);
    add(&w->passed[i]);
    lockstep_unlock(&w->list[i]);
    walk(w, i + 1, stop);
}

FORM by_recursion(words *w)
{
    unsigned stop = 1 + number() % (LIST - 1);
    lockstep_lock(&w->list[0]);
    walk(w, 0, stop);
    give(&w->list[stop]);
    atomicAdd(&w->after, 1);
}

// Inside a lock of global memory one that has no queue, where locks have queues.
FORM inner_shared(words *w)
{
    __shared__ unsigned lock, count;
    unsigned t = number(), k = t % COMMON;
    if (threadIdx.x == 0)
        lock = LOCKSTEP_LOCK_FREE, count = 0;
    __syncthreads();
    lockstep_lock(&w->common[k]);
    add(&w->count[k]);
    take(&lock);
    add(&count);
    give(&lock);
    lockstep_unlock(&w->common[k]);
    __syncthreads();
    atomicAdd(&w->after, threadIdx.x == 0 ? count : 0);
}

FORM inner_attempts(words *w)
{
    unsigned t = number(), k = t % (COMMON - 1);
    lockstep_lock(&w->common[k]);
    add(&w->count[k]);
    while (!lockstep_lock_attempts(&w->common[COMMON - 1], 2)) {}
    add(&w->count[COMMON - 1]);
    lockstep_unlock(&w->common[COMMON - 1]);
    lockstep_unlock(&w->common[k]);
    atomicAdd(&w->after, 1);
}

static unsigned sum(const unsigned *words, unsigned count)
{
    unsigned total = 0;
    while (count-- > 0)
        total += words[count];
    return total;
}

static bool run(const char *name, void (*kernel)(words *))
{
    words w, *device;
    memset(&w, 0, sizeof w);
    memset(&w, 0xff, offsetof(words, count));
    cudaMalloc(&device, sizeof w);
    cudaMemcpy(device, &w, sizeof w, cudaMemcpyHostToDevice);
    kernel<<<THREADS / 32, 32>>>(device);
    cudaError_t error = cudaGetLastError();
    if (!error)
        error = cudaMemcpy(&w, device, sizeof w, cudaMemcpyDeviceToHost);
    unsigned held = 0;
    for (unsigned i = 0; i < offsetof(words, count) / 4; i++)
        held += w.common[i] != LOCKSTEP_LOCK_FREE;
    printf("%s: %s: counted %u, passed %u, after %u, held %u\n", name, cudaGetErrorName(error), sum(w.count, COMMON),
           sum(w.passed, LIST), w.after, held);
    cudaFree(device);
    return error;
}

int main(int, char **arguments)
{
#define ONE(NAME) {#NAME, NAME}
    static const struct {
        const char *name;
        void (*kernel)(words *);
    } all[] = {ONE(given_in_call), ONE(taken_in_call), ONE(before_barrier), ONE(in_branches),  ONE(out_of_order),
               ONE(some_keep),     ONE(inner_loop),    ONE(hand_over_hand), ONE(by_recursion), ONE(inner_shared),
               ONE(inner_attempts)};
    for (auto &one : all)
        if ((!arguments[1] || !strcmp(arguments[1], one.name)) && run(one.name, one.kernel))
            return 1;
}
