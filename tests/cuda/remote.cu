// Accesses of remote scope, by all functions of lockstep/scope.h: blocks pass plain data on in a ring, take numbers,
// and guard a plain counter with a lock.
#include <cstdio>

#include <lockstep/scope.h>

constexpr unsigned BLOCKS = 24, THREADS = 64, WORDS = 96;

template <class T> struct state {
    T turn, taken, last, lock, low, high;
    T order[BLOCKS], data[WORDS], guarded;
};

// Block b waits until it is its turn, adds to what the one before has left, and passes it on: released and acquired.
template <class T> static __device__ void pass_on(state<T> *s)
{
    if (threadIdx.x)
        return;
    while (lockstep_load_acquire_remote(&s->turn) != (T)blockIdx.x) {
    }
    for (unsigned i = 0; i < WORDS; i++)
        s->data[i] = (T)(3 * (unsigned long long)s->data[i] + blockIdx.x + i);
    lockstep_store_release_remote(&s->turn, (T)(blockIdx.x + 1));
}

// Numbers of every block are taken once; the last exchange's value and all that came out of it are all blocks.
template <class T> static __device__ void take_numbers(state<T> *s)
{
    if (threadIdx.x)
        return;
    T number = lockstep_atomic_add_remote(&s->taken, (T)1);
    s->order[number] += (T)(blockIdx.x + 1);
    T before = lockstep_atomic_exch_remote(&s->last, (T)(blockIdx.x + 1));
    lockstep_atomic_add_remote(&s->low, before);
    lockstep_atomic_add_remote(&s->high, (T)0 - (before << (8 * sizeof(T) - 8))); // high bits, and below zero
}

// A lock, taken by a swap and given back by a store; the work is between both in the loop.
template <class T> static __device__ void exclude(state<T> *s)
{
    if (threadIdx.x % 32)
        return;
    for (bool done = false; !done;)
        if (lockstep_atomic_cas_remote(&s->lock, (T)0, (T)-1) == 0) {
            s->guarded += s->guarded % 7 + 1;
            done = true;
            lockstep_store_release_remote(&s->lock, (T)0);
        }
}

template <class T> __global__ void all(state<T> *s)
{
    pass_on(s);
    take_numbers(s);
    exclude(s);
}

template <class T> static int check(const char *name)
{
    state<T> *device, s, want = {};
    cudaMalloc(&device, sizeof s);
    cudaMemset(device, 0, sizeof s);
    all<T><<<BLOCKS, THREADS>>>(device);
    if (cudaMemcpy(&s, device, sizeof s, cudaMemcpyDeviceToHost) != cudaSuccess)
        return printf("%s: %s\n", name, cudaGetErrorString(cudaGetLastError())), 1;
    cudaFree(device);
    unsigned long long sum = BLOCKS * (BLOCKS + 1) / 2, wrong = 0, orders = 0;
    for (unsigned b = 0; b < BLOCKS; b++) {
        orders += (unsigned long long)s.order[b];
        wrong += !s.order[b];
        for (unsigned i = 0; i < WORDS; i++)
            want.data[i] = (T)(3 * (unsigned long long)want.data[i] + b + i);
        for (unsigned warp = 0; warp < THREADS / 32; warp++)
            want.guarded += want.guarded % 7 + 1;
    }
    for (unsigned i = 0; i < WORDS; i++)
        wrong += s.data[i] != want.data[i];
    wrong += s.guarded != want.guarded || s.lock != 0 || s.turn != (T)BLOCKS || s.taken != (T)BLOCKS || orders != sum;
    unsigned long long exchanged = sum - (unsigned long long)s.last; // all but the last one's came out
    wrong += (unsigned long long)s.low != exchanged;
    wrong += s.high != (T)(0 - (exchanged << (8 * sizeof(T) - 8)));
    printf("%s: %llu wrong, %llu guarded\n", name, wrong, (unsigned long long)s.guarded);
    return wrong != 0;
}

int main()
{
    return check<int>("int") | check<unsigned>("unsigned") | check<long long>("long long") |
           check<unsigned long long>("unsigned long long");
}
