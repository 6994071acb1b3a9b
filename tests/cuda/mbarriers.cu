// mbarriers of a block, as sm_80 has them: a pipeline of two stages between two halves of a block, arrivals that count for
// several, drops, states of a phase that is over, and arrivals behind copies by cp.async, with and without .noinc.
#include "asynchronous.cuh"

#define ROUNDS 24
#define HALF 96

static __device__ void wait_for(uint64_t *b, uint64_t state)
{
    while (!barrier_test(b, state))
        ;
}

// Producers fill a stage when consumers have emptied it. A thread's own arrival gives the state that it waits for.
__global__ void pipeline(int *out)
{
    __shared__ uint64_t full[2], empty[2];
    __shared__ int stage[2][HALF];
    int t = threadIdx.x % HALF, sum = 0;
    bool produces = threadIdx.x < HALF;
    if (threadIdx.x == 0)
        for (int i = 0; i < 2; i++) {
            barrier_init(&full[i], 2 * HALF);
            barrier_init(&empty[i], 2 * HALF);
        }
    __syncthreads();
    for (int r = 0; r < ROUNDS; r++) {
        if (produces)
            stage[r & 1][t] = r * 1000 + t;
        wait_for(&full[r & 1], barrier_arrive(&full[r & 1]));
        if (!produces)
            sum += stage[r & 1][HALF - 1 - t];
        wait_for(&empty[r & 1], barrier_arrive(&empty[r & 1]));
    }
    if (!produces)
        out[t] = sum;
}

// One thread arrives for many; a warp drops out, and phases end without it from then on; a count can be asked for.
__global__ void counts(int *out)
{
    __shared__ uint64_t b;
    uint64_t state;
    if (threadIdx.x == 0)
        barrier_init(&b, 64 + 5);
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], 5;" : "=l"(state) : "r"(shared_address(&b)));
        unsigned pending;
        asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(state));
        out[0] = pending;
    }
    __syncthreads();
    if (threadIdx.x >= 32)
        asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(state) : "r"(shared_address(&b)));
    else
        wait_for(&b, barrier_arrive(&b));
    __syncthreads();
    if (threadIdx.x == 0)
        asm volatile("mbarrier.arrive_drop.noComplete.shared.b64 %0, [%1], 5;" : "=l"(state) : "r"(shared_address(&b)));
    for (int r = 0; r < 3 && threadIdx.x < 32; r++) {
        __syncwarp();
        wait_for(&b, barrier_arrive(&b)); // 32 arrive, and in the first round 5 had dropped
    }
    __syncwarp(); // all of them have seen the phase end
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(shared_address(&b)) : "memory");
        barrier_init(&b, 1); // the memory may hold another one now
        state = barrier_arrive(&b);
        out[1] = barrier_test(&b, state);
    }
}

__global__ void copies(const int4 *in, int4 *out)
{
    __shared__ int4 room[2][64];
    __shared__ uint64_t counted, added;
    int t = threadIdx.x;
    if (t == 0) {
        barrier_init(&counted, 64); // each thread's arrival is one of these
        barrier_init(&added, 1);    // arrivals come and go by themselves: thread 0's own one ends the phase
    }
    __syncthreads();
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(&room[0][t])),
                 "l"(__cvta_generic_to_global(in + t))
                 : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(&counted)) : "memory");
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(shared_address(&room[1][t])),
                 "l"(__cvta_generic_to_global(in + 64 + t))
                 : "memory");
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(shared_address(&added)) : "memory");
    for (int parity = 0, over = 0; !over;)
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }"
                     : "=r"(over)
                     : "r"(shared_address(&counted)), "r"(parity)
                     : "memory");
    out[t] = room[0][63 - t];
    __syncthreads();
    if (t == 0)
        barrier_arrive(&added);
    for (int over = 0; !over;)
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.s32 %0, 1, 0, p; }"
                     : "=r"(over)
                     : "r"(shared_address(&added))
                     : "memory");
    out[64 + t] = room[1][63 - t];
}

int main()
{
    static int sums[HALF], got[2], in[512], copied[512];
    int *device, wrong = 0;
    cudaMalloc(&device, 8192);
    pipeline<<<1, 2 * HALF>>>(device);
    cudaMemcpy(sums, device, sizeof sums, cudaMemcpyDeviceToHost);
    for (int t = 0; t < HALF; t++)
        wrong += sums[t] != ROUNDS * (ROUNDS - 1) / 2 * 1000 + ROUNDS * (HALF - 1 - t);
    counts<<<1, 64>>>(device);
    cudaMemcpy(got, device, sizeof got, cudaMemcpyDeviceToHost);
    wrong += got[0] != 69;
    wrong += got[1] != 1;
    for (int i = 0; i < 512; i++)
        in[i] = 7 * i;
    cudaMemcpy(device, in, sizeof in, cudaMemcpyHostToDevice);
    copies<<<1, 64>>>((int4 *)device, (int4 *)device + 128);
    cudaMemcpy(copied, device + 512, sizeof copied, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 512; i++)
        wrong += copied[i] != in[i / 256 * 256 + (63 - i % 256 / 4) * 4 + i % 4];
    return verdict(wrong);
}
