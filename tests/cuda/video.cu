// Intrinsics on halves and bytes of words, some of which nvcc makes video instructions of, and these in assembly.
#include <cstdio>
#include <cuda_runtime.h>

#define RESULTS 8

__global__ void video(const unsigned *in, unsigned *out)
{
    unsigned a = in[2 * threadIdx.x], b = in[2 * threadIdx.x + 1], *r = out + RESULTS * threadIdx.x;
    r[0] = __vabsdiffu4(a, b);
    r[1] = __vsadu4(a, b);
    r[2] = __vsads2(a, b);
    asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(r[3]) : "r"(a), "r"(b), "r"(1000));
    asm("vadd2.s32.s32.s32.sat %0, %1, %2, %3;" : "=r"(r[4]) : "r"(a), "r"(b), "r"(0));
    asm("vadd.u32.u32.u32.sat.min %0, %1, %2, %3;" : "=r"(r[5]) : "r"(a), "r"(b), "r"(0xf0000000));
    asm("vset4.u32.u32.lt %0, %1, %2, %3;" : "=r"(r[6]) : "r"(a), "r"(b), "r"(0));
    asm("vmad.s32.s32.s32.sat.shr7 %0, %1, %2, %3;" : "=r"(r[7]) : "r"(a), "r"(b), "r"(5));
}

static int part(unsigned word, int i, int bits, bool is_signed)
{
    int x = word >> i * bits & ((1u << bits) - 1);
    return is_signed && x >> (bits - 1) ? x - (1 << bits) : x;
}

static int distance(int x, int y)
{
    return x < y ? y - x : x - y;
}

static long long limit(long long x, long long low, long long high)
{
    return x < low ? low : x > high ? high : x;
}

static void expect(unsigned a, unsigned b, unsigned want[RESULTS])
{
    for (int i = 0; i < RESULTS; i++)
        want[i] = 0;
    for (int i = 0; i < 4; i++) {
        int x = part(a, i, 8, false), y = part(b, i, 8, false);
        want[0] |= distance(x, y) << 8 * i;
        want[1] += distance(x, y);
        want[6] |= (x < y) << 8 * i;
    }
    for (int i = 0; i < 2; i++) {
        int x = part(a, i, 16, true), y = part(b, i, 16, true);
        want[2] += distance(x, y);
        want[4] |= ((unsigned)limit(x + y, -32768, 32767) & 0xffff) << 16 * i;
    }
    want[3] = want[1] + 1000;
    want[5] = limit((long long)a + b, 0, 0xf0000000);
    want[7] = limit(((long long)(int)a * (int)b + 5) >> 7, -0x80000000LL, 0x7fffffff);
}

int main()
{
    unsigned *in, *out, state = 1;
    int wrong = 0;
    cudaMallocManaged(&in, 2 * 256 * sizeof *in);
    cudaMallocManaged(&out, RESULTS * 256 * sizeof *out);
    for (int i = 0; i < 2 * 256; i++)
        in[i] = state = state * 1664525 + 1013904223;
    video<<<1, 256>>>(in, out);
    const char *error = cudaGetErrorString(cudaDeviceSynchronize());
    for (int t = 0; t < 256; t++) {
        unsigned want[RESULTS];
        expect(in[2 * t], in[2 * t + 1], want);
        for (int i = 0; i < RESULTS; i++)
            wrong += out[RESULTS * t + i] != want[i];
    }
    printf("%s, %d wrong\n", error, wrong);
    return 0;
}
