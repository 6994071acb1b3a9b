// Copies in bulk of one block: from global to shared memory of several sizes, back, and reductions in memory.
#include "asynchronous.cuh"
__global__ void k(const int *in, int *out, int *sums, long long *t) {
    __shared__ __align__(128) int buf[4096];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) barrier_init(&bar, 1);
    __syncthreads();
    for (int r = 0; r < 4; r++) {
        long long t0 = clock64();
        if (threadIdx.x == 0) {
            unsigned n = r == 0 ? 256 : r == 1 ? 1024 : r == 2 ? 4096 : 16384;
            barrier_expect(&bar, n);
            copy_to_shared(buf, in + r * 4096, n, &bar);
        }
        barrier_wait(&bar, r & 1);
        if (threadIdx.x == 0) t[r] = clock64() - t0;
        __syncthreads();
    }
    for (int i = threadIdx.x; i < 4096; i += blockDim.x) buf[i] += 1;
    asm volatile("fence.proxy.async;" ::: "memory"); // copies see what is stored so far
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" :: "l"(__cvta_generic_to_global(out)), "r"(shared_address(buf)), "r"(16384) : "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" :: "l"(__cvta_generic_to_global(sums)), "r"(shared_address(buf)), "r"(4096) : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        t[4] = clock64();
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
        t[5] = clock64();
    }
}
int main() {
    static int h[16384], o[4096], s[1024]; int *in, *out, *sums; long long *t;
    for (int i = 0; i < 16384; i++) h[i] = i * 7;
    cudaMalloc(&in, sizeof h); cudaMalloc(&out, sizeof o); cudaMalloc(&sums, sizeof s); cudaMalloc(&t, 48);
    for (int i = 0; i < 1024; i++) s[i] = 5;
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice); cudaMemcpy(sums, s, sizeof s, cudaMemcpyHostToDevice);
    k<<<1, 64>>>(in, out, sums, t);
    cudaMemcpy(o, out, sizeof o, cudaMemcpyDeviceToHost); cudaMemcpy(s, sums, sizeof s, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < 4096; i++) bad += o[i] != h[12288 + i] + 1;
    for (int i = 0; i < 1024; i++) bad += s[i] != 5 + h[12288 + i] + 1;
    return verdict(bad);
}
