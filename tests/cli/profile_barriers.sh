#!/usr/bin/env bash
# --profile on barriers: who comes last, and what that warp did before, of kernels in which one warp is slow, each in turn, or another one in
# each block; by clang and, where it is installed, nvcc. Without the slow line the wait is gone.
. "$(dirname "$0")/_lib.sh"
. "$(dirname "$0")/_profile.sh"
. "$(dirname "$0")/../_nvidia.sh"

cat >late.cu <<'P'
#include <cstdlib>
__device__ float out[4096];
__global__ void work(const int *chain, const float *data, int how)
{
    __shared__ float s[256];
    unsigned t = threadIdx.x, warp = t / 32, n = blockIdx.x * 256 + t;
    float sum = 0;
    int at = t;
    for (unsigned r = 0; r < 16; r++) {
        sum += data[(n + r * 128) % 16384];
        unsigned slow = how == 1 ? 3 : how == 2 ? (r * 5 + blockIdx.x) % 8 : how == 3 ? (blockIdx.x * 5 + 2) % 8 : how == 4 && blockIdx.x == 5 ? 6 : 99;
        if (warp == slow)
            for (int i = 0; i < (how == 4 ? 12 : 4); i++)
                at = chain[at]; // planted
        s[t] = sum;
        __syncthreads(); // waits
        sum += s[(t + 32) % 256];
        __syncthreads();
    }
    out[n] = sum + at;
}
int main(int, char **argv)
{
    static int host[1 << 14];
    int *chain;
    float *data;
    for (int i = 0; i < 1 << 14; i++) host[i] = (i * 37 + 4099) % (1 << 14);
    cudaMalloc(&chain, sizeof host), cudaMalloc(&data, sizeof host);
    cudaMemcpy(chain, host, sizeof host, cudaMemcpyHostToDevice);
    work<<<8, 256>>>(chain, data, atoi(argv[1]));
    return cudaDeviceSynchronize() != cudaSuccess;
}
P
planted=$(grep -n '// planted' late.cu | cut -d: -f1)
barrier=$(grep -n '// waits' late.cu | cut -d: -f1)
# tells PROGRAM HOW WHO: how the profile names the last warp, and that it names the planted line.
tells() {
    json found --profile "./$1" "$2"
    tr '\n' ' ' <found.out | tr -s ' ' >text
    grep -qE -- "- [0-9]+% of warp-cycles go to late.cu:$barrier: barrier; $3" text || { cat found.out; wrong "$1 $2 does not say: $3"; }
    grep -qE "it spends ([6-9][0-9]% of )?them at late.cu:$planted \(value from memory\)" text || { cat found.out; wrong "$1 $2 does not name the planted line"; }
    grep -qE "late.cu:$barrier warp [0-9] comes last in [0-9]+%, [0-9]+% of the spread goes to late.cu:$planted \(value from memory\)" text ||
        { cat found.out; wrong "the table of $1 $2 does not name the planted line"; }
    awk 'length > 80' found.out | grep . && wrong "lines are too long"
}
cycles() {
    sed -n 's/^profile of .*: \([0-9]*\) cycles.*/\1/p' "$1"
}
all() {
    json "$1.fast" --profile "./$1" 0
    for how in "1:warp 3 comes last in 100% of 128 phases, [0-9]+ cycles after the first;" \
        "2:the last warp, a different one from phase to phase, comes [0-9]+ cycles after the first in 128 phases;" \
        "3:the last warp, a different one in each block, comes [0-9]+ cycles after the first in 128 phases;" \
        "4:warp 6 comes last in (1[2-9]|2[0-9])% of 128 phases, [0-9]+ cycles after the first; .*; [6-9][0-9]% of that time is of block 5\."; do
        tells "$1" "${how%%:*}" "${how#*:}"
        [ "$(cycles found.out)" -gt $((2 * $(cycles "$1.fast.out"))) ] || wrong "$1: the planted line costs little"
    done
}
"$LOCKSTEP" cc late.cu -o late || exit 1
all late

# In results: all openings at which some warp was last, and the same on two threads, with --no-skip, and over a checkpoint.
json one --profile ./late 3
for how in --no-skip "--threads 2" "--checkpoint-every 3000 --checkpoint at"; do
    # shellcheck disable=SC2086
    json other --profile $how ./late 3
    cmp -s one other || wrong "the profile depends on $how"
done
json other --profile --allow-code --resume at
cmp -s one other || wrong "the profile goes on otherwise from a checkpoint"
awk '/"last_warps": \[/ { inside = 1 } /"last_again"/ { inside = 0 } /"barriers": \[/ { all = 1 } /"ends": \{/ { all = 0 }
    all { gsub(/[",:]/, "") } inside && $1 == "times" { times[n] += $2 } inside && $1 == "cycles" { cycles[n] += $2 }
    all && $1 == "pc" && !inside && !did { } all && $1 == "opened" { n++; opened[n] = $2 } all && $1 == "spread" { spread[n] = $2 }
    END { for (i = 1; i <= n; i++) if (cycles[i] != spread[i] || times[i] > opened[i] || !times[i]) print i, cycles[i], spread[i], times[i], opened[i]; if (n != 2) print n }' one >odd
[ ! -s odd ] || { cat odd; wrong "last warps do not add up to the spread"; }
for how in "--machine gtx1080ti" "--set sm.divergence=its" "--set sm.divergence=dwf" "--machine h100 --set gpu.sms=4" "--protocol msi"; do
    # shellcheck disable=SC2086
    json other --profile $how ./late 3
    tr '\n' ' ' <other.out | tr -s ' ' | grep -qE "them at late.cu:$planted \(value from memory\)" || { cat other.out; wrong "the line is not named with $how"; }
done

nvcc=$(nvidia_tool nvcc)
[ -z "${LOCKSTEP_NO_NVCC:-}" ] || nvcc=
if [ -n "$nvcc" ]; then
    "$nvcc" -w -lineinfo -cudart shared -gencode arch=compute_75,code=compute_75 late.cu -o late.nvcc || wrong "nvcc"
    all late.nvcc
fi
finish
