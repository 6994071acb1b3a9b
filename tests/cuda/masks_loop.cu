// Lanes leave a loop one after the other, and the ballot at its head names those that are left. Around it goes another loop.
#include <cstdio>
__global__ void k(unsigned *out, unsigned rounds)
{
    unsigned sum = 0, turns = (threadIdx.x << (threadIdx.x & 31)) & 3; // lane 1: 2, the others: 0
    for (unsigned r = 0; r < rounds; r++) {
        unsigned left = 0xffffffffu;
        for (unsigned i = 0;; i++) {
            unsigned now = __ballot_sync(left, i < turns);
            sum = sum * 31 + now;
            if (i >= turns)
                break;
            left = now;
            atomicAdd(&out[32], 1u);
        }
    }
    __syncthreads();
    out[threadIdx.x] = sum;
}
int main()
{
    unsigned *d, h[33] = {0}, wrong = 0;
    cudaMalloc(&d, sizeof h);
    cudaMemset(d, 0, sizeof h);
    k<<<1, 32>>>(d, 3);
    cudaError_t e = cudaDeviceSynchronize();
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (int l = 0; l < 32; l++) {
        unsigned sum = 0;
        for (int r = 0; r < 3; r++) {
            sum = sum * 31 + 2;
            if (l == 1)
                sum = (sum * 31 + 2) * 31;
        }
        wrong += h[l] != sum;
    }
    printf("%s, %u wrong, %u (6)\n", cudaGetErrorName(e), wrong, h[32]);
    return e || wrong;
}
