// What code for sm_80 and sm_90 tells caches and the register file, in PTX: values stay what they are without it.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void hints(const int *in, int *out, int *sum, int *taken)
{
    unsigned long long keep, drop, some;
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(keep));
    asm volatile("createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 %0, 0.5;" : "=l"(drop));
    asm volatile("createpolicy.range.global.L2::evict_last.b64 %0, [%1], %2, 4096;" : "=l"(some) : "l"(in), "r"(1024));
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    int a, b, c, d, old, before;
    unsigned i = threadIdx.x;
    asm volatile("ld.global.nc.L1::no_allocate.L2::cache_hint.v4.s32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "l"(in + 4 * i), "l"(keep));
    asm volatile("atom.global.add.L2::cache_hint.s32 %0, [%1], %2, %3;" : "=r"(old) : "l"(sum), "r"(a), "l"(some) : "memory");
    asm volatile("red.global.add.L2::cache_hint.s32 [%0], %1, %2;" ::"l"(sum), "r"(b), "l"(drop) : "memory");
    asm volatile("atom.global.cas.L2::cache_hint.b32 %0, [%1], %2, %3, %4;"
                 : "=r"(before)
                 : "l"(taken + i), "r"(0), "r"(c), "l"(keep)
                 : "memory");
    asm volatile("applypriority.global.L2::evict_normal [%0], 128;" ::"l"(in) : "memory");
    asm volatile("discard.global.L2 [%0], 128;" ::"l"(sum + 32) : "memory");
    asm volatile("prefetch.tensormap [%0];" ::"l"(in) : "memory");
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    asm volatile("st.global.L1::evict_first.L2::cache_hint.s32 [%0], %1, %2;" ::"l"(out + i), "r"(a + b + c + d + before), "l"(drop) : "memory");
}

int main()
{
    int *in, *out, wrong = 0;
    cudaMallocManaged(&in, 4 * 128 * sizeof *in);
    cudaMallocManaged(&out, 1024 * sizeof *out);
    for (int i = 0; i < 4 * 128; i++)
        in[i] = i + 1;
    int *taken = out + 128, *sum = out + 256, want = 0;
    hints<<<1, 128>>>(in, out, sum, taken);
    const char *error = cudaGetErrorString(cudaDeviceSynchronize());
    for (int i = 0; i < 128; i++) {
        wrong += (out[i] != 16 * i + 10) + (taken[i] != 4 * i + 3);
        want += 8 * i + 3;
    }
    wrong += *sum != want;
    printf("%s, %d wrong\n", error, wrong);
    return wrong != 0;
}
