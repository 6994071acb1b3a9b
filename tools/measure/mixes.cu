/* Mixes of arithmetic and memory instructions. Every thread takes rounds of 32 steps, of which `arithmetic` are four
 * multiply-adds over a ring of four registers, and the others are memory steps: a store, a load, a store ... All go on at
 * once in an SM, so that a mix shows which of the two bounds it. A row is the rate of what bounds it on cards: of
 * arithmetic for 16 steps and more, else of memory. */
#include "measure.h"

enum { THREADS = 256, OF_THREAD = 16, STEPS = 32 };

/* A block's elements begin at 256*16 times its number; a thread's own 16 lie 256 apart, and stores go to the second half
 * of the buffer. The index starts again when a round's loads have used it up. */
template <class T, int MEMORY> __global__ void mix(mark *m, volatile T *a, long half, int rounds, T v)
{
    T r[4] = {v, v + 1, v + 2, v + 3};
    long first = blockIdx.x * (long)(THREADS * OF_THREAD) + threadIdx.x, at = first;
    __syncthreads();
    u64 begin = clock64();
#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
#pragma unroll
        for (int k = 0; k < MEMORY; k++) {
            if (k % 2) {
                r[k / 2 % 4] = a[at];
                at += THREADS;
            } else {
                a[half + at] = r[k / 2 % 4];
            }
        }
#pragma unroll
        for (int k = 0; k < STEPS - MEMORY; k++) {
            r[0] = r[0] * r[0] + r[1];
            r[1] = r[1] * r[1] + r[2];
            r[2] = r[2] * r[2] + r[3];
            r[3] = r[3] * r[3] + r[0];
        }
        if (at >= first + THREADS * OF_THREAD - MEMORY / 2 * THREADS)
            at = first;
    }
    __syncthreads();
    u64 end = clock64();
    if (r[0] + r[1] + r[2] + r[3] == (T)77)
        a[first] = r[0];
    note(m, begin, end);
}
template <class T, int MEMORY> static void measured(const char *type, mark *m, void *buffer, long half)
{
    cudaEvent_t e0, e1;
    cudaEventCreate(&e0);
    cudaEventCreate(&e1);
    unsigned blocks = (unsigned)(half / (THREADS * OF_THREAD));
    /* Of few rounds, the slope to fewer of them, which has nothing of the launch: many make it small. */
    int rounds = measure.small ? 1 : measure.few ? 4 : 256, less = measure.few && !measure.small ? 2 : 0;
    std::vector<double> v;
    char parameter[16];
    for (int k = -1; k < measure.repetitions; k++) { /* the first launch brings the elements into the L2 */
        float ms[2] = {0, 0};
        for (int all = less && k >= 0 ? 0 : 1; all < 2; all++) {
            cudaEventRecord(e0);
            mix<T, MEMORY><<<blocks, THREADS>>>(m, (volatile T *)buffer, half, all ? rounds : less, (T)1);
            cudaEventRecord(e1);
            finish(type);
            cudaEventElapsedTime(&ms[all], e0, e1);
        }
        double steps = (double)blocks * THREADS * (rounds - less), time = ms[1] - ms[0];
        if (k >= 0)
            v.push_back((MEMORY <= 16 ? steps * (STEPS - MEMORY) * 8 : steps * MEMORY * sizeof(T)) / time / 1e6);
    }
    snprintf(parameter, sizeof parameter, "%d/%d", STEPS - MEMORY, MEMORY);
    row("mix of arithmetic and memory steps", type, parameter, v, MEMORY <= 16 ? "G operations/s" : "GB/s", true);
}
template <class T> static void mixes(const char *type, mark *m, void *buffer, long half)
{
    if (!wanted(type))
        return;
#define M(memory) measured<T, memory>(type, m, buffer, half);
    M(32) M(28) M(24) M(20) M(16) M(12) M(8) M(6) M(4) M(0)
#undef M
}

int main(int argc, char **argv)
{
    begin_program(argc, argv);
    /* Full waves of six blocks an SM: the rates do not depend on how many. */
    unsigned blocks = measure.few || measure.small ? 6 * (unsigned)measure.sms : 4096;
    long half = (long)blocks * THREADS * OF_THREAD;
    mark *m = device_array<mark>(8192);
    double *buffer = device_array<double>(2 * (size_t)half);
    mixes<float>("f32", m, buffer, half);
    mixes<double>("f64", m, buffer, half);
    mixes<int>("s32", m, buffer, half);
    return 0;
}
