// Copies to shared memory and barriers there, by CUDA's primitives and by its classes: blocks sum the stages of a ring
// that they fill ahead, and producers hand stages to consumers, some of whom leave early.
#include <cstdio>
#include <cuda_awbarrier.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#define STAGES 4
#define ROUNDS 9

__global__ void ring(const float4 *in, float *out)
{
    __shared__ float4 room[STAGES][64];
    float sum = 0;
    for (int i = 0; i < STAGES - 1; i++) {
        __pipeline_memcpy_async(&room[i][threadIdx.x], &in[i * 64 + threadIdx.x], sizeof(float4));
        __pipeline_commit();
    }
    for (int i = 0; i < ROUNDS; i++) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        float4 v = room[i % STAGES][63 - threadIdx.x];
        sum += v.x + v.y * 2 + v.z * 3 + v.w * 4;
        if (i + STAGES - 1 < ROUNDS)
            __pipeline_memcpy_async(&room[(i + STAGES - 1) % STAGES][threadIdx.x], &in[(i + STAGES - 1) * 64 + threadIdx.x], 16, i == 2 ? 8 : 0);
        __pipeline_commit();
    }
    out[threadIdx.x] = sum;
}

// Warp 0 writes, warps 1 to 3 read; warp 3 reads two rounds.
__global__ void hand_over(int *out)
{
    __shared__ nvcuda::experimental::awbarrier full;
    __shared__ __mbarrier_t empty;
    __shared__ int room[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, sum = 0;
    if (threadIdx.x == 0) {
        init(&full, 128);
        __mbarrier_init(&empty, 128);
    }
    __syncthreads();
    for (int round = 0; round < (warp == 3 ? 2 : 5); round++) {
        if (warp == 0)
            room[lane] = round * 100 + lane;
        auto token = warp == 3 && round == 1 ? full.arrive_and_drop() : full.arrive();
        full.wait(token);
        if (warp)
            sum += room[31 - lane];
        __mbarrier_token_t other = warp == 3 && round == 1 ? __mbarrier_arrive_and_drop(&empty) : __mbarrier_arrive(&empty);
        while (!__mbarrier_test_wait(&empty, other))
            ;
    }
    out[threadIdx.x] = sum;
}

// Copies that arrive when they are there, beside the arrivals of the threads that asked for them.
__global__ void arrivals(const float4 *in, float *out)
{
    __shared__ float4 room[2][64];
    __shared__ __mbarrier_t filled;
    if (threadIdx.x == 0)
        __mbarrier_init(&filled, 64);
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 2; i++) {
        __pipeline_memcpy_async(&room[i][threadIdx.x], &in[i * 64 + threadIdx.x], sizeof(float4));
        __pipeline_arrive_on(&filled);
        __mbarrier_token_t token = __mbarrier_arrive(&filled);
        while (!__mbarrier_test_wait(&filled, token))
            ;
        sum += room[i][63 - threadIdx.x].x;
    }
    out[threadIdx.x] = sum;
}

int main()
{
    float4 *in;
    float *sums, *arrived;
    int *out, wrong = 0;
    cudaMallocManaged(&in, ROUNDS * 64 * sizeof *in);
    cudaMallocManaged(&sums, 64 * sizeof *sums);
    cudaMallocManaged(&arrived, 64 * sizeof *arrived);
    cudaMallocManaged(&out, 128 * sizeof *out);
    for (int i = 0; i < ROUNDS * 64; i++)
        in[i] = make_float4(i, i % 7, i % 5, i % 3);
    ring<<<1, 64>>>(in, sums);
    hand_over<<<1, 128>>>(out);
    arrivals<<<1, 64>>>(in, arrived);
    const char *error = cudaGetErrorString(cudaDeviceSynchronize());
    for (int t = 0; t < 64; t++) {
        float want = 0;
        for (int i = 0; i < ROUNDS; i++) {
            float4 v = in[i * 64 + 63 - t];
            want += v.x + v.y * 2 + (i == 2 + STAGES - 1 ? 0 : v.z * 3 + v.w * 4);
        }
        wrong += (sums[t] != want) + (arrived[t] != in[63 - t].x + in[127 - t].x);
    }
    for (int t = 0; t < 128; t++) {
        int rounds = t / 32 == 3 ? 2 : 5, want = t < 32 ? 0 : rounds * (rounds - 1) / 2 * 100 + rounds * (31 - t % 32);
        wrong += out[t] != want;
    }
    printf("%s, %d wrong\n", error, wrong);
    return wrong != 0;
}
