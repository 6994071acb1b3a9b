// Lanes of a warp that give up asking for a lock, while others of it get theirs, in shapes of code whose two ways meet
// behind a branch: all come to the barrier behind it. Prints how many runs went wrong.
#include <cstdio>
#include <cuda_runtime.h>
#include <lockstep/lock.h>
#define THREADS 96

struct guarded {
    unsigned word, sum, given_up;
};

template <int form> __device__ bool take(unsigned *word, unsigned limit)
{
    return form == 0   ? lockstep_trylock(word)
           : form == 1 ? lockstep_lock_attempts(word, limit)
                       : lockstep_lock_cycles(word, limit * 40);
}

// One function takes the lock, uses it and gives it back, or another thing is done.
template <int form> __device__ __noinline__ void use(guarded *q, unsigned limit, unsigned work)
{
    if (take<form>(&q->word, limit)) {
        for (unsigned i = 0; i < work; i++)
            q->sum += threadIdx.x;
        lockstep_unlock(&q->word);
    } else
        atomicAdd(&q->given_up, threadIdx.x * work);
}

template <int form, bool called>
__global__ void once(guarded *g, unsigned mask, unsigned limit, unsigned work, unsigned *box)
{
    __shared__ unsigned s[THREADS];
    unsigned t = threadIdx.x;
    guarded *q = &g[t & mask];
    if (called)
        use<form>(q, limit, work);
    else if (take<form>(&q->word, limit)) {
        for (unsigned i = 0; i < work; i++)
            q->sum += t;
        lockstep_unlock(&q->word);
    } else
        atomicAdd(&q->given_up, t * work);
    s[t] = t;
    __syncthreads();
    box[t] = s[THREADS - 1 - t];
}

// Three outcomes: both locks, the outer one alone, none. The barrier stands in a loop of the whole block.
template <int form> __global__ void nested(guarded *g, unsigned mask, unsigned limit, unsigned work, unsigned *box)
{
    __shared__ unsigned s[THREADS];
    unsigned t = threadIdx.x;
    guarded *q = &g[t & mask], *inner = &g[4 + (t & 1)];
    for (unsigned i = 0; i < work; i++) {
        if (take<form>(&q->word, limit)) {
            if (take<form>(&inner->word, limit)) {
                inner->sum += t;
                lockstep_unlock(&inner->word);
            } else
                atomicAdd(&inner->given_up, t);
            lockstep_unlock(&q->word);
        } else if (t % 3)
            atomicAdd(&q->given_up, t);
        else {
            atomicAdd(&inner->given_up, t - 1);
            atomicAdd(&inner->given_up, 1);
        }
        s[t] = t + i;
        __syncthreads();
        box[t] = s[THREADS - 1 - t] - i;
        __syncthreads();
    }
}

// Lanes leave a loop one after the other. Those that are left know each other, and are together again behind a lock for which
// each asks until it has it, giving up in between.
template <int form> __global__ void rounds(guarded *g, unsigned mask, unsigned limit, unsigned work, unsigned *box)
{
    __shared__ unsigned s[THREADS];
    unsigned t = threadIdx.x, left = 0xffffffffu;
    guarded *q = &g[t & mask];
    for (unsigned i = 0;; i++) {
        const unsigned next = __ballot_sync(left, i < work + t % 3);
        if (i >= work + t % 3)
            break;
        left = next;
        bool done = false;
        while (!done)
            if (take<form>(&q->word, limit)) {
                q->sum += i < work ? t : 0;
                lockstep_unlock(&q->word);
                done = true;
            }
        s[t] = i;
        __syncwarp(left);
        if (s[t / 32 * 32 + __ffs(left) - 1] != i)
            atomicAdd(&q->given_up, 1000000);
        __syncwarp(left);
    }
    s[t] = t;
    __syncthreads();
    box[t] = s[THREADS - 1 - t];
}

typedef void kernel(guarded *, unsigned, unsigned, unsigned, unsigned *);

int main()
{
    kernel *const kernels[] = {once<0, false>, once<1, false>, once<2, false>, once<0, true>, once<1, true>,
                               once<2, true>,  nested<0>,      nested<1>,      nested<2>,      rounds<0>,
                               rounds<1>,      rounds<2>};
    guarded *g;
    unsigned *box, wrong = 0, partly = 0;
    cudaMallocManaged(&g, 6 * sizeof *g);
    cudaMallocManaged(&box, THREADS * sizeof *box);
    for (int k = 0; k < 12; k++)
        for (unsigned run = 0; run < 6; run++) {
            unsigned sum = 0, given_up = 0, work = 1 + 2 * (run % 3), all = THREADS * (THREADS - 1) / 2 * work;
            for (int i = 0; i < 6; i++)
                g[i] = {LOCKSTEP_LOCK_FREE, 0, 0};
            kernels[k]<<<1, THREADS>>>(g, run < 3 ? 0 : 3, 1 + run * 2 / 3, work, box);
            cudaError_t error = cudaDeviceSynchronize();
            for (int i = 0; i < 6; i++) {
                sum += g[i].sum;
                given_up += g[i].given_up;
            }
            bool right = !error && sum + given_up == all;
            for (unsigned t = 0; t < THREADS; t++)
                right = right && box[t] == THREADS - 1 - t;
            if (!right)
                printf("kernel %d, run %u: %s, %u and %u of %u\n", k, run, cudaGetErrorString(error), sum, given_up,
                       all);
            wrong += !right;
            partly += sum && given_up;
        }
    printf("%u wrong\n", wrong);
    return wrong || !partly;
}
