// A kernel makes the tensor maps that it needs: fields of a map are replaced in shared memory, the map is copied out with a fence,
// and boxes are copied by it; and fields are replaced in place, in global memory.
#include <cuda.h>
#include "asynchronous.cuh"

#define REPLACE(FIELD, SPACE, AT, ORD, VALUE) asm volatile("tensormap.replace.tile." FIELD "." SPACE ".b1024.b32 [%0], " ORD "%1;" ::"l"(AT), "r"(VALUE) : "memory")
#define REPLACE64(FIELD, SPACE, AT, ORD, VALUE) asm volatile("tensormap.replace.tile." FIELD "." SPACE ".b1024.b64 [%0], " ORD "%1;" ::"l"(AT), "l"(VALUE) : "memory")
#define REPLACE_BY(FIELD, SPACE, AT, VALUE) asm volatile("tensormap.replace.tile." FIELD "." SPACE ".b1024.b32 [%0], " VALUE ";" ::"l"(AT) : "memory")

__device__ void acquire(CUtensorMap *map) { asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory"); }

// Two maps of the template's: of int rows (2 dimensions), swizzled, and of halves in 3 dimensions whose outside is NaN.
__global__ void make(const CUtensorMap *like, CUtensorMap *maps, int *ints, unsigned short *halves)
{
    __shared__ __align__(128) CUtensorMap copy;
    unsigned lane = threadIdx.x;
    unsigned long long at = __cvta_generic_to_shared(&copy);
    ((int *)&copy)[lane] = ((const int *)like)[lane];
    __syncwarp();
    if (lane == 0) {
        REPLACE64("global_address", "shared::cta", at, "", ints);
        REPLACE("global_dim", "shared::cta", at, "0, ", 100);
        REPLACE("global_dim", "shared::cta", at, "1, ", 50);
        REPLACE64("global_stride", "shared::cta", at, "0, ", 400ull);
        REPLACE("box_dim", "shared::cta", at, "0, ", 8);
        REPLACE("box_dim", "shared::cta", at, "1, ", 32);
        REPLACE("element_stride", "shared::cta", at, "1, ", 1);
        REPLACE("rank", "shared::cta", at, "", 1);
        REPLACE_BY("elemtype", "shared::cta", at, "3");
        REPLACE_BY("swizzle_mode", "shared::cta", at, "1");
        REPLACE_BY("interleave_layout", "shared::cta", at, "0");
        REPLACE_BY("fill_mode", "shared::cta", at, "0");
    }
    __syncwarp();
    asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;" ::"l"(maps), "r"((unsigned)at) : "memory");
    ((int *)(maps + 1))[lane] = ((const int *)like)[lane];
    __syncwarp();
    if (lane == 0) {
        CUtensorMap *m = maps + 1;
        REPLACE_BY("elemtype", "global", m, "6");
        REPLACE_BY("fill_mode", "global", m, "1");
        REPLACE("rank", "global", m, "", 2);
        REPLACE64("global_address", "global", m, "", halves);
        for (int d = 0; d < 3; d++) {
            unsigned size = d == 0 ? 24 : d == 1 ? 10 : 6, box = d == 0 ? 16 : d == 1 ? 4 : 2;
            if (d == 0) { REPLACE("global_dim", "global", m, "0, ", size); REPLACE("box_dim", "global", m, "0, ", box); }
            if (d == 1) { REPLACE("global_dim", "global", m, "1, ", size); REPLACE("box_dim", "global", m, "1, ", box); }
            if (d == 2) { REPLACE("global_dim", "global", m, "2, ", size); REPLACE("box_dim", "global", m, "2, ", box); REPLACE("element_stride", "global", m, "2, ", 1); }
        }
        REPLACE64("global_stride", "global", m, "0, ", 48ull);
        REPLACE64("global_stride", "global", m, "1, ", 480ull);
        asm volatile("fence.proxy.tensormap::generic.release.gpu;" ::: "memory");
    }
}

__device__ void fetch(CUtensorMap *map, int x, int y, int z, void *box, uint64_t *bar, unsigned bytes, int rank, unsigned parity)
{
    acquire(map);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(bar)), "r"(bytes) : "memory");
    if (rank == 2)
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(box)), "l"(map), "r"(x), "r"(y), "r"(shared_address(bar)) : "memory");
    else
        asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(shared_address(box)), "l"(map), "r"(x), "r"(y), "r"(z), "r"(shared_address(bar)) : "memory");
}
__global__ void take(CUtensorMap *maps, int *got)
{
    __shared__ __align__(1024) int box[256];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&bar)));
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        fetch(maps, 95, 30, 0, box, &bar, 1024, 2, 0);
    }
    __syncthreads();
    barrier_wait(&bar, 0);
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        got[i] = box[i];
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        fetch(maps + 1, 20, 7, 5, box, &bar, 256, 3, 1);
    }
    barrier_wait(&bar, 1);
    for (int i = threadIdx.x; i < 64; i += blockDim.x)
        got[256 + i] = box[i];
}
#ifdef MISTAKE // a map with a box that no copy takes
__global__ void spoil(CUtensorMap *m) { REPLACE("element_stride", "global", m, "1, ", 2); asm volatile("fence.proxy.tensormap::generic.release.gpu;" ::: "memory"); }
#endif
int main()
{
    static int h[5000], g[320], *ints, *got;
    static unsigned short s[24 * 10 * 6], *halves;
    CUtensorMap like, *maps;
    for (int i = 0; i < 5000; i++)
        h[i] = i + 1;
    for (int i = 0; i < 1440; i++)
        s[i] = (unsigned short)(i + 7);
    cudaMalloc(&ints, sizeof h); cudaMalloc(&halves, sizeof s); cudaMalloc(&got, sizeof g); cudaMalloc(&maps, 3 * sizeof like);
    cudaMemcpy(ints, h, sizeof h, cudaMemcpyHostToDevice); cudaMemcpy(halves, s, sizeof s, cudaMemcpyHostToDevice);
    typedef CUresult (*encode)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *, const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
    void *f; cudaDriverEntryPointQueryResult q; cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &f, 12000, cudaEnableDefault, &q);
    cuuint64_t size[] = {64, 64}, stride[] = {64}; cuuint32_t box[] = {16, 1}, step[] = {1, 1};
    CUresult r = ((encode)f)(&like, CU_TENSOR_MAP_DATA_TYPE_UINT8, 2, maps, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (r) { printf("encode %d\n", r); return 1; }
    cudaMemcpy(maps + 2, &like, sizeof like, cudaMemcpyHostToDevice);
    make<<<1, 32>>>(maps + 2, maps, ints, halves);
#ifdef MISTAKE
    spoil<<<1, 1>>>(maps);
#endif
    take<<<1, 64>>>(maps, got);
    cudaMemcpy(g, got, sizeof g, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int j = 0; j < 32; j++)
        for (int i = 0; i < 8; i++) {
            int x = 95 + i, y = 30 + j, byte = (j * 8 + i) * 4, placed = byte ^ ((byte >> 7 & 1) << 4);
            bad += g[placed / 4] != (x < 100 && y < 50 ? h[y * 100 + x] : 0);
        }
    for (int i = 0; i < 128; i++) {
        int x = 20 + i % 16, y = 7 + i / 16 % 4, z = 5 + i / 64;
        bad += ((unsigned short *)(g + 256))[i] != (x < 24 && y < 10 && z < 6 ? s[(z * 10 + y) * 24 + x] : 0x7fff);
    }
    return verdict(bad);
}
