// Copies from global to shared memory by cp.async, as programs write it in assembly and, under nvcc from sm_80 on, as
// CUDA's primitives do: of every size, whole and in part, under a guard, beyond whose source nothing may be read.
#include <cstdio>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#define COPY(kind, to, from, sizes)                                                                                    \
    asm volatile("cp.async." kind ".shared.global [%0], [%1], " sizes ";" ::"r"((unsigned)__cvta_generic_to_shared(to)), \
                 "l"(__cvta_generic_to_global(from))                                                                   \
                 : "memory")

#define SIZED(guard, kind, to, from, bytes, read)                                                                      \
    asm volatile("{ .reg .pred p; setp.lt.s32 p, %3, %4; " guard "cp.async." kind                                      \
                 ".shared.global [%0], [%1], " bytes ", %2; }" ::"r"((unsigned)__cvta_generic_to_shared(to)),          \
                 "l"(__cvta_generic_to_global(from)), "r"(read), "r"(t), "r"(limit)                                    \
                 : "memory")

#define THREADS 64
#define FORMS 13

__global__ void copies(const unsigned char *in, unsigned char *out, int limit)
{
    __shared__ __align__(16) unsigned char room[FORMS][THREADS][16];
    int t = threadIdx.x;
    for (int f = 0; f < FORMS; f++)
        for (int i = 0; i < 16; i++)
            room[f][t][i] = 0xee;
    COPY("ca", room[0][t], in + 16 * t, "4");
    COPY("ca", room[1][t], in + 16 * t, "8");
    COPY("ca", room[2][t], in + 16 * t, "16");
    asm volatile("cp.async.commit_group;" ::: "memory");
    COPY("cg", room[3][t], in + 16 * t, "16, 16");
    COPY("ca", room[4][t], in + 16 * t, "16, 7");
    COPY("ca", room[5][t], t % 2 ? in + 16 * t : (unsigned char *)nullptr, "8, 0");
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("{ .reg .pred p; setp.lt.s32 p, %2, %3; @p cp.async.cg.shared.global [%0], [%1], 16; }" ::"r"(
                     (unsigned)__cvta_generic_to_shared(room[6][t])),
                 "l"(__cvta_generic_to_global(t < limit ? in + 16 * t : (unsigned char *)nullptr)), "r"(t), "r"(limit)
                 : "memory");
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    __pipeline_memcpy_async(room[7][t], in + 16 * t, 16, 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    /* How much is read, decided late: in a register, from none to more than all; by a predicate. */
    const unsigned char *from = t % 17 ? in + 16 * t : nullptr;
    SIZED("", "ca", room[8][t], t % 5 ? in + 16 * t : nullptr, "4", t % 5);
    SIZED("", "ca", room[9][t], t % 9 ? in + 16 * t : nullptr, "8", t % 9);
    SIZED("", "cg", room[10][t], from, "16", t % 17);
    SIZED("@!p ", "cg", room[11][t], from, "16", t % 17);
    asm volatile("{ .reg .pred p; setp.lt.s32 p, %2, %3; cp.async.cg.shared.global [%0], [%1], 16, !p; }" ::"r"(
                     (unsigned)__cvta_generic_to_shared(room[12][t])),
                 "l"(__cvta_generic_to_global(t < limit ? in + 16 * t : (unsigned char *)nullptr)), "r"(t), "r"(limit)
                 : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    for (int f = 0; f < FORMS; f++)
        for (int i = 0; i < 16; i++)
            out[(f * THREADS + t) * 16 + i] = room[f][THREADS - 1 - t][i];
}

int main()
{
    static const int written[FORMS] = {4, 8, 16, 16, 16, 8, 16, 16, 4, 8, 16, 16, 16};
    static const int read[8] = {4, 8, 16, 16, 7, 0, 16, 12}, turns[4] = {5, 9, 17, 17};
    unsigned char *in, *out;
    int wrong = 0, limit = 40;
    cudaMallocManaged(&in, 16 * THREADS);
    cudaMallocManaged(&out, 16 * THREADS * FORMS);
    for (int i = 0; i < 16 * THREADS; i++)
        in[i] = i * 7 + i / 256 + 1;
    copies<<<1, THREADS>>>(in, out, limit);
    const char *error = cudaGetErrorString(cudaDeviceSynchronize());
    for (int i = 0; i < 16 * THREADS * FORMS; i++) {
        int f = i / (16 * THREADS), t = THREADS - 1 - i / 16 % THREADS, at = i % 16;
        int bytes = f < 8 ? read[f] : f < 12 ? t % turns[f - 8] : t < limit ? 16 : 0;
        bool is_copied = at < written[f] && (f != 6 || t < limit) && (f != 11 || t >= limit);
        wrong += out[i] != (!is_copied ? 0xee : at < bytes ? in[16 * t + at] : 0);
    }
    printf("%s, %d wrong\n", error, wrong);
    return 0;
}
