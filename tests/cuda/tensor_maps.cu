// Boxes of tensors by cp.async.bulk.tensor, in and out, inside of the tensor, across its edges and outside of it, straight and
// swizzled in all ways.
#include <cuda.h>
#include "asynchronous.cuh"
__global__ void k(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out, int x, int y, int *got) {
    __shared__ __align__(1024) int box[16][32];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) { asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(shared_address(&bar))); asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(shared_address(&bar)), "r"(2048) : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" :: "r"(shared_address(box)), "l"(&in), "r"(x), "r"(y), "r"(shared_address(&bar)) : "memory");
    }
    barrier_wait(&bar, 0);
    for (int i = threadIdx.x; i < 512; i += blockDim.x) got[i] = (&box[0][0])[i];
    __syncthreads();
    for (int i = threadIdx.x; i < 512; i += blockDim.x) (&box[0][0])[i] += 1000000;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" :: "l"(&out), "r"(x), "r"(y), "r"(shared_address(box)) : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}
static int swz(int byte, int bits) { return byte ^ ((byte >> 7 & ((1 << bits) - 1)) << 4); }
int main() {
    enum { W = 100, H = 50 };
    static int h[H * W], o[H * W], g[512]; int *in, *out, *got;
    for (int i = 0; i < H * W; i++) h[i] = i + 1;
    cudaMalloc(&in, sizeof h); cudaMalloc(&out, sizeof h); cudaMalloc(&got, sizeof g);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    typedef CUresult (*encode)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *, const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
    void *f; cudaDriverEntryPointQueryResult q; cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &f, 12000, cudaEnableDefault, &q);
    int bad = 0;
    for (int s = 0; s < 4; s++)
        for (int t = 0; t < 3; t++) {
            int bw = s == 0 ? 32 : 8 << (s - 1), bh = 512 / bw;
            cuuint64_t size[] = {W, H}, stride[] = {W * 4}; cuuint32_t box[] = {(cuuint32_t)bw, (cuuint32_t)bh}, step[] = {1, 1};
            CUtensorMap m, n;
            CUresult r = ((encode)f)(&m, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, in, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, (CUtensorMapSwizzle)s, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
            r = r ? r : ((encode)f)(&n, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, out, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, (CUtensorMapSwizzle)s, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
            if (r) { printf("encode %d\n", r); return 1; }
            int x = t == 0 ? 5 : t == 1 ? -3 : 90, y = t == 0 ? 7 : t == 1 ? -2 : 45;
            cudaMemset(out, 0, sizeof h);
            k<<<1, 64>>>(m, n, x, y, got);
            cudaError_t e = cudaDeviceSynchronize(); if (e) { printf("%s\n", cudaGetErrorString(e)); return 1; }
            cudaMemcpy(g, got, sizeof g, cudaMemcpyDeviceToHost); cudaMemcpy(o, out, sizeof o, cudaMemcpyDeviceToHost);
            for (int j = 0; j < bh; j++) for (int i = 0; i < bw; i++) {
                int a = x + i, b = y + j, inside = a >= 0 && a < W && b >= 0 && b < H, want = inside ? h[b * W + a] : 0;
                bad += g[swz((j * bw + i) * 4, s) / 4] != want;
            }
            for (int b = 0; b < H; b++) for (int a = 0; a < W; a++) {
                int inside = a >= x && a < x + bw && b >= y && b < y + bh;
                bad += o[b * W + a] != (inside ? h[b * W + a] + 1000000 : 0);
            }
        }
    return verdict(bad);
}
