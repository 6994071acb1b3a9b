/* Warps whose lanes come apart: at barriers of the block, at instructions with a mask, at locks and flags, at the end.
 * parts NUMBER runs one scene and prints what its threads found; parts alone lists them. A scene that has not ended
 * after some seconds is said to hang: the program ends without waiting for it. */
#include "silicon.h"

#ifndef _WIN32
#include <time.h>
#include <unistd.h>
#endif

#define ASM(text) asm volatile(text ::: "memory")
static __device__ __forceinline__ u32 ballot(u32 mask, bool p)
{
    u32 r, i = p;
    asm volatile("{.reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, %2;}" : "=r"(r) : "r"(i), "r"(mask) : "memory");
    return r;
}
static __device__ __forceinline__ u32 shuffle(u32 mask, u32 value, u32 from)
{
    u32 r;
    asm volatile("shfl.sync.idx.b32 %0, %1, %2, 31, %3;" : "=r"(r) : "r"(value), "r"(from), "r"(mask) : "memory");
    return r;
}
static __device__ __forceinline__ u32 active()
{
    u32 r;
    asm volatile("activemask.b32 %0;" : "=r"(r)::"memory");
    return r;
}
static __device__ __forceinline__ u32 counted(bool p)
{
    u32 r, i = p;
    asm volatile("{.reg .pred p; setp.ne.u32 p, %1, 0; barrier.red.popc.u32 %0, 0, p;}" : "=r"(r) : "r"(i) : "memory");
    return r;
}
/* Makes its threads late, so that others come first. */
static __device__ __forceinline__ void late(u32 turns)
{
    for (volatile u32 i = 0; i < turns; i++)
        ;
}

/* Scenes. w: 64 words of shared memory, zeroed; t: the thread of 64; `out` is what the scene prints for each. flag: a
 * word of global memory. */
#define SCENES                                                                                                          \
    S(half_syncs_in_each_branch, "barrier.sync in both sides of a branch", {                                            \
        w[t] = t + 1;                                                                                                   \
        if (lane < 16) {                                                                                                \
            late(50);                                                                                                   \
            ASM("barrier.sync 0;");                                                                                     \
        } else {                                                                                                        \
            ASM("barrier.sync 0;");                                                                                     \
        }                                                                                                               \
        out = w[(t + 32) % 64];                                                                                         \
    })                                                                                                                  \
    S(half_syncs_aligned, "bar.sync in both sides of a branch", {                                                       \
        w[t] = t + 1;                                                                                                   \
        if (lane < 16) {                                                                                                \
            late(50);                                                                                                   \
            ASM("bar.sync 0;");                                                                                         \
        } else {                                                                                                        \
            ASM("bar.sync 0;");                                                                                         \
        }                                                                                                               \
        out = w[(t + 32) % 64];                                                                                         \
    })                                                                                                                  \
    S(half_ends_first, "half of each warp ends, the rest syncs", {                                                      \
        if (lane >= 16)                                                                                                 \
            return;                                                                                                     \
        w[t] = t + 1;                                                                                                   \
        __syncthreads();                                                                                                \
        out = w[(t + 32) % 64];                                                                                         \
    })                                                                                                                  \
    S(warp_ends_first, "a warp ends, the other one syncs", {                                                            \
        if (t >= 32)                                                                                                    \
            return;                                                                                                     \
        w[t] = t + 1;                                                                                                   \
        __syncthreads();                                                                                                \
        out = w[31 - t];                                                                                                \
    })                                                                                                                  \
    S(ends_while_others_wait, "half of a warp ends while the rest waits", {                                             \
        if (lane >= 16) {                                                                                               \
            late(500);                                                                                                  \
            return;                                                                                                     \
        }                                                                                                               \
        w[t] = t + 1;                                                                                                   \
        ASM("barrier.sync 0;");                                                                                         \
        out = w[(t + 32) % 64];                                                                                         \
    })                                                                                                                  \
    S(counts_in_branches, "barrier.red.popc in both sides of a branch", {                                               \
        if (lane < 10) {                                                                                                \
            late(50);                                                                                                   \
            out = counted(true);                                                                                        \
        } else                                                                                                          \
            out = counted(lane < 12) + 100;                                                                             \
    })                                                                                                                  \
    S(syncs_by_trip, "a barrier in a loop of one or two turns, by lane; who is done ends", {                            \
        for (u32 i = 0; i <= (t & 1); i++) {                                                                            \
            w[t]++;                                                                                                     \
            ASM("barrier.sync 0;");                                                                                     \
        }                                                                                                               \
        out = w[t];                                                                                                     \
    })                                                                                                                  \
    S(waits_for_flag_of_other_warp, "half of a warp at a barrier, half polls what the other warp writes before it", {   \
        if (t >= 32) {                                                                                                  \
            late(500);                                                                                                  \
            *(volatile u32 *)flag = 5;                                                                                  \
        } else if (lane >= 16) {                                                                                        \
            while (*(volatile u32 *)flag != 5)                                                                          \
                ;                                                                                                       \
        }                                                                                                               \
        ASM("barrier.sync 0;");                                                                                         \
        out = *(volatile u32 *)flag;                                                                                    \
    })                                                                                                                  \
    S(syncwarp_of_halves, "__syncwarp of each half by its own mask", {                                                  \
        w[t] = t;                                                                                                       \
        if (lane < 16) {                                                                                                \
            __syncwarp(0xffff);                                                                                         \
            out = w[t ^ 15];                                                                                            \
        } else {                                                                                                        \
            __syncwarp(0xffff0000);                                                                                     \
            out = w[t ^ 15];                                                                                            \
        }                                                                                                               \
    })                                                                                                                  \
    S(syncwarps_meet, "__syncwarp of the whole warp from two places", {                                                 \
        if (lane < 16) {                                                                                                \
            late(100);                                                                                                  \
            w[t] = t;                                                                                                   \
            ASM("bar.warp.sync -1;");                                                                                   \
        } else {                                                                                                        \
            w[t] = t;                                                                                                   \
            ASM("bar.warp.sync -1;");                                                                                   \
        }                                                                                                               \
        out = w[t ^ 16];                                                                                                \
    })                                                                                                                  \
    S(votes_meet, "vote.sync.ballot of the whole warp from two places", {                                               \
        if (lane < 16) {                                                                                                \
            late(100);                                                                                                  \
            out = ballot(0xffffffff, lane & 1);                                                                         \
        } else                                                                                                          \
            out = ballot(0xffffffff, !(lane & 1)) ^ 1;                                                                  \
    })                                                                                                                  \
    S(shuffles_meet, "shfl.sync.idx of the whole warp from two places", {                                               \
        if (lane < 16) {                                                                                                \
            late(100);                                                                                                  \
            out = shuffle(0xffffffff, t * 3, lane + 16);                                                                \
        } else                                                                                                          \
            out = shuffle(0xffffffff, t * 5, lane - 16) + 1000;                                                         \
    })                                                                                                                  \
    S(ended_lanes_in_mask, "vote of the whole warp when half of it has ended", {                                        \
        if (lane >= 16)                                                                                                 \
            return;                                                                                                     \
        out = ballot(0xffffffff, true);                                                                                 \
    })                                                                                                                  \
    S(lock_in_loop, "a spin lock given back inside its loop", {                                                         \
        bool done = false;                                                                                              \
        while (!done)                                                                                                   \
            if (atomicCAS(flag, 0u, 1u) == 0) {                                                                         \
                flag[1] = flag[1] + 1;                                                                                  \
                __threadfence();                                                                                        \
                done = true;                                                                                            \
                atomicExch(flag, 0u);                                                                                   \
            }                                                                                                           \
        __syncthreads();                                                                                                \
        out = *(volatile u32 *)(flag + 1);                                                                              \
    })                                                                                                                  \
    S(lock_behind_loop, "a spin lock given back behind its loop", {                                                     \
        while (atomicCAS(flag, 0u, 1u))                                                                                 \
            ;                                                                                                           \
        *(volatile u32 *)(flag + 1) = *(volatile u32 *)(flag + 1) + 1;                                                  \
        __threadfence();                                                                                                \
        atomicExch(flag, 0u);                                                                                           \
        __syncthreads();                                                                                                \
        out = *(volatile u32 *)(flag + 1);                                                                              \
    })                                                                                                                  \
    S(spins_first, "a lane polls what another lane of its warp writes; the poll stands first", {                        \
        if (lane != 31) {                                                                                               \
            while (*(volatile u32 *)(flag + t / 32) == 0)                                                               \
                ;                                                                                                       \
        } else                                                                                                          \
            *(volatile u32 *)(flag + t / 32) = 9;                                                                       \
        out = *(volatile u32 *)(flag + t / 32);                                                                         \
    })                                                                                                                  \
    S(spins_second, "the same; the write stands first", {                                                               \
        if (lane == 0)                                                                                                  \
            *(volatile u32 *)(flag + t / 32) = 9;                                                                       \
        else                                                                                                            \
            while (*(volatile u32 *)(flag + t / 32) == 0)                                                               \
                ;                                                                                                       \
        out = *(volatile u32 *)(flag + t / 32);                                                                         \
    })                                                                                                                  \
    S(ring_of_lanes, "lanes take turns by a word in memory", {                                                          \
        for (u32 i = 0; i < 3; i++) {                                                                                   \
            while (*(volatile u32 *)(flag + t / 32) != i * 32 + lane)                                                   \
                ;                                                                                                       \
            *(volatile u32 *)(flag + t / 32) = i * 32 + lane + 1;                                                       \
        }                                                                                                               \
        out = i_am_done(flag + t / 32);                                                                                 \
    })                                                                                                                  \
    S(two_named, "halves of both warps at two named barriers of 64 threads", {                                          \
        if (lane < 16) {                                                                                                \
            ASM("barrier.sync 1, 64;");                                                                                 \
            out = 1;                                                                                                    \
        } else {                                                                                                        \
            ASM("barrier.sync 2, 64;");                                                                                 \
            out = 2;                                                                                                    \
        }                                                                                                               \
    })                                                                                                                  \
    S(two_named_of_32, "halves of both warps at two named barriers of 32 threads", {                                    \
        if (lane < 16) {                                                                                                \
            ASM("barrier.sync 1, 32;");                                                                                 \
            out = 1;                                                                                                    \
        } else {                                                                                                        \
            ASM("barrier.sync 2, 32;");                                                                                 \
            out = 2;                                                                                                    \
        }                                                                                                               \
    })                                                                                                                  \
    S(arrives_in_parts, "half of a warp goes on behind barrier.arrive before the rest comes", {                         \
        if (t < 32) {                                                                                                   \
            if (lane < 16) {                                                                                            \
                ASM("barrier.arrive 1, 64;");                                                                           \
                *(volatile u32 *)flag = 5;                                                                              \
            } else {                                                                                                    \
                while (*(volatile u32 *)flag != 5)                                                                      \
                    ;                                                                                                   \
                ASM("barrier.arrive 1, 64;");                                                                           \
            }                                                                                                           \
        } else                                                                                                          \
            ASM("barrier.sync 1, 64;");                                                                                 \
        out = 3;                                                                                                        \
    })                                                                                                                  \
    S(sync_one_then_other, "lanes at barrier 1 and 2 of a warp whose other warp comes to both in turn", {               \
        if (t >= 32) {                                                                                                  \
            ASM("barrier.sync 1, 64;");                                                                                 \
            ASM("barrier.sync 2, 64;");                                                                                 \
        } else if (lane < 16) {                                                                                         \
            ASM("barrier.sync 1, 64;");                                                                                 \
            ASM("barrier.sync 2, 64;");                                                                                 \
        } else {                                                                                                        \
            late(300);                                                                                                  \
            ASM("barrier.sync 1, 64;");                                                                                 \
            ASM("barrier.sync 2, 64;");                                                                                 \
        }                                                                                                               \
        out = 4;                                                                                                        \
    })                                                                                                                  \
    S(syncwarp_against_barrier, "half waits for the warp, half for the block, then the other way round", {              \
        if (lane < 16) {                                                                                                \
            ASM("bar.warp.sync -1;");                                                                                   \
            ASM("barrier.sync 0;");                                                                                     \
        } else {                                                                                                        \
            ASM("barrier.sync 0;");                                                                                     \
            ASM("bar.warp.sync -1;");                                                                                   \
        }                                                                                                               \
        out = 5;                                                                                                        \
    })                                                                                                                  \
    S(masks_differ, "vote.sync of the whole warp by one half, of half the warp by the other", {                         \
        if (lane < 16)                                                                                                  \
            out = ballot(0xffffffff, true);                                                                             \
        else                                                                                                            \
            out = ballot(0xffff0000, true);                                                                             \
    })                                                                                                                  \
    S(kinds_differ, "half of the warp votes, half shuffles, for the whole warp", {                                      \
        if (lane < 16)                                                                                                  \
            out = ballot(0xffffffff, true);                                                                             \
        else                                                                                                            \
            out = shuffle(0xffffffff, t, lane);                                                                         \
    })                                                                                                                  \
    S(kinds_differ_syncwarp, "half of the warp votes, half at bar.warp.sync, for the whole warp", {                     \
        if (lane < 16)                                                                                                  \
            out = ballot(0xffffffff, true);                                                                             \
        else                                                                                                            \
            ASM("bar.warp.sync -1;");                                                                                   \
    })                                                                                                                  \
    S(open_not_in_mask, "~ a vote whose mask does not name the lane", { out = ballot(0xffff, true); })                  \
    S(open_shuffle_from_outside, "~ shfl.sync from lanes that are not there", {                                         \
        if (lane < 16)                                                                                                  \
            out = shuffle(0xffff, t + 7, lane + 16);                                                                    \
    })                                                                                                                  \
    S(open_shuffle_from_ended, "~ shfl.sync from lanes that have ended", {                                              \
        if (lane >= 16)                                                                                                 \
            return;                                                                                                     \
        out = shuffle(0xffffffff, t + 7, lane + 16);                                                                    \
    })                                                                                                                  \
    S(open_active, "~ activemask in a branch and behind it", {                                                          \
        u32 a;                                                                                                          \
        if (lane % 3 == 0)                                                                                              \
            a = active();                                                                                               \
        else                                                                                                            \
            a = active();                                                                                               \
        out = a * 7 + active();                                                                                         \
    })                                                                                                                  \
    S(open_active_loop, "~ activemask behind a loop of as many turns as the lane", {                                    \
        for (volatile u32 i = 0; i < lane; i++)                                                                         \
            ;                                                                                                           \
        out = active();                                                                                                 \
    })

static __device__ __forceinline__ u32 i_am_done(u32 *)
{
    return 6;
}
#define S(name, text, ...)                                                                                              \
    __global__ void scene_##name(u32 *result, u32 *flag)                                                                \
    {                                                                                                                   \
        __shared__ volatile u32 w[64];                                                                                  \
        u32 t = threadIdx.x, lane = t % 32, out = 0xdead;                                                               \
        w[t] = 0;                                                                                                       \
        (void)lane;                                                                                                     \
        (void)flag;                                                                                                     \
        __syncthreads();                                                                                                \
        __VA_ARGS__                                                                                                     \
        result[t] = out;                                                                                                \
    }
SCENES
#undef S
static const struct {
    const char *name, *text;
    void (*kernel)(u32 *, u32 *);
} scenes[] = {
#define S(name, text, ...) {#name, text, scene_##name},
    SCENES
#undef S
};
enum { COUNT = sizeof scenes / sizeof *scenes };

int main(int argc, char **argv)
{
    if (argc < 2) {
        for (int i = 0; i < COUNT; i++)
            printf("%d %s: %s\n", i, scenes[i].name, scenes[i].text);
        return 0;
    }
    int i = atoi(argv[1]);
    if (i < 0 || i >= COUNT)
        return 2;
    u32 *result = words<u32>(64), *flag = words<u32>(64), h[64];
    cudaMemset(result, 0xff, 256);
    cudaDeviceSynchronize();
    cudaEvent_t done;
    cudaEventCreate(&done);
    scenes[i].kernel<<<1, 64>>>(result, flag);
    cudaEventRecord(done);
    cudaError_t e = cudaErrorNotReady;
    for (int k = 0; k < 300 && e == cudaErrorNotReady; k++) {
        timespec nap = {0, 10000000};
        nanosleep(&nap, nullptr);
        e = cudaEventQuery(done);
    }
    printf("%s:", scenes[i].text);
    if (e == cudaErrorNotReady) {
        printf(" hangs\n");
        fflush(stdout);
        _exit(3);
    }
    if (e != cudaSuccess || (e = cudaMemcpy(h, result, sizeof h, cudaMemcpyDeviceToHost)) != cudaSuccess) {
        printf(" %s\n", cudaGetErrorName(e));
        return 0;
    }
    for (int k = 0; k < 64; k++) /* equal ones once */
        if (!k || h[k] != h[k - 1])
            printf(" %d:%x", k, h[k]);
    printf("\n");
    return 0;
}
