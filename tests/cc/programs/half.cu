// Half precision, bfloat16, cooperative groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace cg = cooperative_groups;

__global__ void halves(__half *h, half2 *h2, __nv_bfloat16 *b, float *f)
{
    __half x = h[0], y = h[1];
    h[2] = __hadd(x, __hmul(y, __float2half(2.0f)));
    h[3] = __hfma(x, y, x);
    h2[0] = __hfma2(h2[1], h2[2], h2[3]);
    h2[4] = __hadd2(h2[1], __floats2half2_rn(1.0f, 2.0f));
    if (__hgt(y, x))
        h[4] = __hsub(hsqrt(x), hexp(y));
    f[0] = __half2float(h[5]);
    h[6] = __shfl_xor_sync(0xffffffffu, x, 1);
    b[0] = __float2bfloat16(__bfloat162float(b[1]) + f[1]);
    atomicAdd(h2, h2[1]);
}

__global__ void groups(int *i)
{
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    block.sync();
    int v = tile.shfl_down(i[0], 2) + cg::reduce(tile, i[1], cg::plus<int>()) + tile.thread_rank() + tile.any(i[2]);
    if (threadIdx.x & 1) {
        cg::coalesced_group active = cg::coalesced_threads();
        v += active.size() + active.shfl(v, 0);
        if (active.thread_rank() == 0)
            atomicAdd(&i[7], (int)active.size());
    }
    tile.sync();
    i[3] = v;
}

int main()
{
    __half h = __float2half(1.5f);
    printf("%f\n", __half2float(h));
    groups<<<1, 32>>>(nullptr);
    return 0;
}
