// Votes, shuffles, matches, barriers, fences, clocks, bit functions, cache operators, conversions.
#include <cassert>
#include <cstdio>

__global__ void collectives(int *out, const int *__restrict__ in, unsigned long long *wide)
{
    unsigned full = 0xffffffffu;
    int v = in[threadIdx.x];
    v += __shfl_sync(full, v, 3) + __shfl_up_sync(full, v, 1) + __shfl_down_sync(full, v, 1, 16) +
         __shfl_xor_sync(full, v, 4);
    double d = __shfl_down_sync(full, (double)v, 2);
    v += (int)__ballot_sync(full, v > 3) + __any_sync(full, v) + __all_sync(full, v) + (int)__activemask();
    v += (int)__match_any_sync(full, v) + __syncthreads_count(v > 2) + __syncthreads_and(v) + __syncthreads_or(v);
    __syncwarp();
    __threadfence_block();
    __threadfence();
    __threadfence_system();
    wide[0] = (unsigned long long)(clock64() - (long long)clock()) + (unsigned long long)d;
    out[threadIdx.x] = v;
}

__global__ void scalars(int *i, float *f, float4 *q, unsigned *u)
{
    int a = i[0], b = i[1];
    u[0] = __popc(u[1]) + __clz(a) + __ffs(b) + __brev(u[2]) + __byte_perm(u[1], u[2], 0x5410) + __umulhi(u[1], u[2]);
    u[3] = __funnelshift_l(u[1], u[2], 5) + __funnelshift_rc(u[1], u[2], 40) + __usad(u[1], u[2], 3u) +
           __umul24(u[1], u[2]);
    i[2] = __mulhi(a, b) + __mul24(a, b) + __hadd(a, b) + __rhadd(a, b) + __dp4a(a, b, a) + __dp2a_lo(a, b, a) +
           __clzll(a);
    i[3] = __float2int_rn(f[0]) + __float2int_rz(f[1]) + __double2int_rd((double)f[2]) + (int)__float2uint_ru(f[3]);
    f[4] = __int2float_rz(a) + __fadd_ru(f[0], f[1]) + __fmaf_rd(f[0], f[1], f[2]) + __frcp_rn(f[3]) + __fsqrt_rz(f[3]);
    f[5] = __fdividef(f[0], f[1]) + __saturatef(f[2]) + __int_as_float(a) + __sinf(f[0]) + __expf(f[1]) + __logf(f[2]);
    f[6] = __ldg(f + 1) + __ldcg(f + 2) + __ldca(f + 3) + __ldcs(f + 4) + __ldcv(f + 5);
    q[1] = __ldg(q);
    __stcg(q + 2, q[1]);
    __stwt(i + 5, a);
    __nanosleep(100);
    assert(a != b);
}

int main()
{
    int *i = nullptr;
    unsigned long long *w = nullptr;
    cudaMalloc(&i, 4096);
    cudaMalloc(&w, 64);
    collectives<<<1, 32>>>(i, i + 64, w);
    scalars<<<1, 1>>>(i, (float *)i + 128, (float4 *)i + 64, (unsigned *)i + 512);
    printf("%d\n", (int)cudaDeviceSynchronize());
    return 0;
}
