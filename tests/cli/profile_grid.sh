#!/usr/bin/env bash
# --profile on barriers of several blocks: which block comes last, and on which line its time goes, of the barrier of the grid (cooperative
# groups, which poll a word, by clang and nvcc; and the instruction), of a barrier that the program has built with a flag, and of clusters.
. "$(dirname "$0")/_lib.sh"
. "$(dirname "$0")/_profile.sh"
. "$(dirname "$0")/../_nvidia.sh"

cat >late.cu <<'P'
#include <cooperative_groups.h>
#include <cstdlib>
#ifdef INSTRUCTION
#include <lockstep/lock.h>
#endif
namespace cg = cooperative_groups;
__device__ float out[1 << 16];
__device__ unsigned come, turn;
__device__ void own_barrier()
{
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned before = *(volatile unsigned *)&turn;
        __threadfence();
        if (atomicAdd(&come, 1) == gridDim.x - 1) {
            come = 0;
            __threadfence();
            atomicExch(&turn, before + 1);
        } else {
            while (*(volatile unsigned *)&turn == before)
                ;
        }
        __threadfence();
    }
    __syncthreads();
}
#ifdef CLUSTER
__cluster_dims__(4, 1, 1)
#endif
__global__ void work(const int *chain, const float *data, int slow, int rounds)
{
    unsigned t = threadIdx.x, n = blockIdx.x * blockDim.x + t;
    float sum = 0;
    int at = t;
    for (int r = 0; r < rounds; r++) {
        sum += data[(n + r * 128) % 16384];
#ifdef CLUSTER
        if ((int)(blockIdx.x % 4) == slow % 4 && t / 32 == 2)
#else
        if ((slow == 100 ? (int)blockIdx.x == r * 3 % 8 : (int)blockIdx.x == slow) && t / 32 == 2)
#endif
            for (int i = 0; i < (rounds > 100 ? 2 : 20); i++)
                at = chain[at]; // planted
        out[n] = sum;
#if defined INSTRUCTION
        lockstep_barrier_grid(); // waits
#elif defined OWN
        own_barrier(); // waits
#elif defined CLUSTER
        cg::this_cluster().sync(); // waits
#else
        cg::this_grid().sync(); // waits
#endif
        sum += out[(n + 64) % (gridDim.x * blockDim.x)];
    }
    out[n] = sum + at;
}
int main(int, char **argv)
{
    static int host[1 << 14];
    int *chain, slow = atoi(argv[1]), rounds = atoi(argv[2]);
    float *data;
    for (int i = 0; i < 1 << 14; i++) host[i] = (i * 37 + 4099) % (1 << 14);
    cudaMalloc(&chain, sizeof host), cudaMalloc(&data, sizeof host);
    cudaMemcpy(chain, host, sizeof host, cudaMemcpyHostToDevice);
    void *args[] = {&chain, &data, &slow, &rounds};
#ifdef CLUSTER
    work<<<8, 128>>>(chain, data, slow, rounds);
#else
    cudaLaunchCooperativeKernel((void *)work, dim3(8), dim3(128), args, 0, 0);
#endif
    return cudaDeviceSynchronize() != cudaSuccess;
}
P
planted=$(grep -n '// planted' late.cu | cut -d: -f1)
machine="--machine h100 --set gpu.sms=8"
# tells PROGRAM SLOW WORDS: the sentences have them.
tells() {
    # shellcheck disable=SC2086
    json found --profile $machine "./$1" "$2" 12
    sed -n '/^- /,$p' found.out | tr '\n' ' ' | tr -s ' ' >text
    grep -qE -- "$3" text || { cat found.out; wrong "$1 $2 does not say: $3"; }
    awk 'length > 80' found.out | grep . && wrong "lines are too long"
}
line="it spends ([6-9][0-9]% of )?them at late.cu:$planted \(value from memory\)"
for way in GROUPS OWN INSTRUCTION; do
    "$LOCKSTEP" cc -D$way late.cu -o "late.$way" || exit 1
done
polled="in [3-7][0-9]% of warp-cycles others of its block wait at a barrier for a warp that polls it;"
words="[0-9]+ waits of [0-9]+ cycles; $polled block 5 on SM 5 writes it last in 100% of 12 phases, [0-9]+ cycles since the first began to wait;"
tells late.GROUPS 5 "polls the grid's workspace\+4 at .*: $words $line"
tells late.OWN 5 "polls turn at .*: $words $line"
tells late.INSTRUCTION 5 "barrier; block 5 on SM 5 \(warp 2\) comes last in 100% of 12 phases, [0-9]+ cycles after the first; $line"
tells late.INSTRUCTION 100 "the last block, a different one from phase to phase, comes [0-9]+ cycles after the first in 12 phases; $line"
# Where a slow block is, is what it costs: without it neither the polled word nor the barrier is waited for so long.
cycles() {
    sed -n 's/^profile of .*: \([0-9]*\) cycles.*/\1/p' "$1"
}
for way in GROUPS OWN INSTRUCTION; do
    # shellcheck disable=SC2086
    json slow --profile $machine "./late.$way" 5 12
    # shellcheck disable=SC2086
    json fast --profile $machine "./late.$way" 99 12
    [ "$(cycles slow.out)" -gt $((3 * $(cycles fast.out))) ] || wrong "late.$way: the planted line costs little"
done

# compare --profile says how that moved, and knows the barrier again where its line has another number.
{ echo; cat late.cu; } >moved.cu
"$LOCKSTEP" cc -DINSTRUCTION moved.cu -o moved.INSTRUCTION || exit 1
# shellcheck disable=SC2086
"$LOCKSTEP" run --quiet $machine --profile --stats slow.json ./late.INSTRUCTION 5 12 >/dev/null || wrong "slow"
# shellcheck disable=SC2086
"$LOCKSTEP" run --quiet $machine --profile --stats fast.json ./moved.INSTRUCTION 99 12 >/dev/null || wrong "fast"
"$LOCKSTEP" compare --profile slow.json fast.json >moved.out || wrong "compare"
tr '\n' ' ' <moved.out | tr -s ' ' >text
waits=$(grep -n '// waits' late.cu | head -n 1 | cut -d: -f1)
for told in "barrier late.cu:$waits is waited for [0-9,]+ warp-cycles less; the last to come is [0-9]+ cycles after the first on average, and was [0-9]{4,}\." \
    "late.cu:$waits, now moved.cu:$((waits + 1)) opened 12 -> 12," "before: block 5 on SM 5 \(warp 2\) comes last in 100% of 12 phases, .*; $line now: "; do
    grep -qE "$told" text || { cat moved.out; wrong "compare does not say: $told"; }
done

# The same on two threads, with --no-skip, over a checkpoint; a log that is full leaves openings out and names nobody wrong.
# shellcheck disable=SC2086
for way in GROUPS INSTRUCTION; do
    json one --profile $machine ./late.$way 5 12
    for how in --no-skip "--threads 2" "--checkpoint-every 30000 --checkpoint at"; do
        json other --profile $machine $how ./late.$way 5 12
        cmp -s one other || wrong "the profile of $way depends on $how"
    done
    json other --profile --allow-code --resume at
    cmp -s one other || wrong "the profile of $way goes on otherwise from a checkpoint"
done
# shellcheck disable=SC2086
json one --profile $machine ./late.INSTRUCTION 3 1100
tr '\n' ' ' <one.out | tr -s ' ' | grep -qE "block 3 on SM 3 \(warp 2\) comes last in (9[5-9]|100)% of 102[0-9] phases" || { cat one.out; wrong "1100 barriers"; }

nvcc=$(nvidia_tool nvcc)
[ -z "${LOCKSTEP_NO_NVCC:-}" ] || nvcc=
if [ -n "$nvcc" ]; then
    "$nvcc" -w -lineinfo -cudart shared -gencode arch=compute_75,code=compute_75 late.cu -o late.nvcc || wrong "nvcc"
    tells late.nvcc 5 "polls the grid's workspace\+4 at .*: $words $line"
    "$nvcc" -w -lineinfo -cudart shared -DCLUSTER -gencode arch=compute_90,code=compute_90 late.cu -o late.clusters || wrong "nvcc: clusters"
    tells late.clusters 2 "barrier of the cluster; the block of rank 2 in its cluster \(warp 2\) comes last in 100% of 24 phases, [0-9]+ cycles after the first; $line"
fi
finish
