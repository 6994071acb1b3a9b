#!/usr/bin/env bash
# --profile on what no line of a kernel shows: one block or one warp that takes longer than others, too few blocks and warps, and code that
# does not fit into the instruction cache.
. "$(dirname "$0")/_lib.sh"
. "$(dirname "$0")/_profile.sh"
. "$(dirname "$0")/../_nvidia.sh"

cat >load.cu <<'P'
__global__ void one_block(float *d)
{
    float x = threadIdx.x;
    for (int i = 0; i < (blockIdx.x == 7 ? 2000 : 40); i++)
        x = x * 0.5f + i;
    d[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
__global__ void one_warp(float *d)
{
    float x = threadIdx.x;
    for (int i = 0; i < (threadIdx.x / 32 == 2 ? 1000 : 20); i++)
        x = x * 0.5f + i; // slow
    d[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
__global__ void one_warp_each(float *d)
{
    float x = threadIdx.x;
    for (int i = 0; i < 200; i++)
        x = x * 0.5f + 1.0f / (x + i);
    d[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
__global__ void tiny(float *d)
{
    d[threadIdx.x] += 1;
}
int main()
{
    float *d;
    cudaMalloc(&d, 1 << 16);
    one_block<<<30, 128>>>(d);
    one_warp<<<30, 128>>>(d);
    one_warp_each<<<15, 32>>>(d);
    for (int i = 0; i < 10; i++) tiny<<<1, 64>>>(d);
    return cudaDeviceSynchronize() != cudaSuccess;
}
P
slow=$(grep -n '// slow' load.cu | cut -d: -f1)
# part FILE KERNEL: what a report says of a kernel.
part() {
    awk -v name="profile of $2:" 'index($0, name) == 1 { mine = 1; next } /^profile of/ { mine = 0 } mine' "$1"
}
# says FILE KERNEL TEXT: the first sentence on a kernel matches. tells: some sentence does.
says() {
    part "$1" "$2" >said
    is_said said "$3"
}
tells() {
    part "$1" "$2" | tr '\n' ' ' | tr -s ' ' | grep -qE "$3" || { part "$1" "$2"; wrong "no sentence says: $3"; }
}
all() {
    json "$1.stats" --profile "./$1"
    says "$1.stats.out" one_block '^SMs have none of its warps in [89][0-9]% of their cycles: block 7 takes [0-9]+ cycles, [0-9.]+ times as many as a block does on average\.$'
    says "$1.stats.out" one_warp "^[67][0-9]% of warp-cycles are of warps that have ended and wait for their block: warp 2 ends last in 100% of 30 blocks, [0-9]+ cycles after the first; it spends .*them at load.cu:($slow|$((slow - 1))) \(.*\)\.\$"
    tells "$1.stats.out" one_warp_each 'An SM has 1.0 warps on average while it has any, too few to hide waits for values: the grid has 15 blocks for 15 SMs\.'
    says "$1.stats.out" tiny '^SMs have none of its warps in 93% of their cycles: 10 launches of [0-9]+ cycles, a launch has 1 block for 15 SMs\.$'
    awk 'length > 80' "$1.stats.out" | grep . && wrong "lines are too long"
}
profiled load
all load
awk '/"ends": \{/ { inside = 1 } /"mbarriers"/ { inside = 0 } inside && $1 == "\"opened\":" { sum += $2 } END { exit sum != 30 + 30 + 15 + 10 }' load.stats || wrong "ends of blocks"
all_ways load 20000

{
    printf '%s\n' '__global__ void work(float *d)' '{' 'float x = threadIdx.x, y = 1;' 'for (int i = 0; i < 3; i++) {'
    for i in $(seq 1 1500); do echo "x = x * $((i % 7 + 1)).25f + y; y = y * 0.$((i % 9 + 1))f - x;"; done
    printf '%s\n' '}' 'd[threadIdx.x] = x + y;' '}' 'int main() { float *d; cudaMalloc(&d, 4096); work<<<15, 128>>>(d); return cudaDeviceSynchronize() != cudaSuccess; }'
} >long.cu
profiled long
is_said long.stats.out '^[5-9][0-9]% of warp-cycles go to: instruction fetch, at many of 1[0-9]+ lines.*; its code is [0-9]+ instructions long\.$'

nvcc=$(nvidia_tool nvcc)
[ -z "${LOCKSTEP_NO_NVCC:-}" ] || nvcc=
if [ -n "$nvcc" ]; then
    "$nvcc" -w -lineinfo -cudart shared -gencode arch=compute_75,code=compute_75 load.cu -o load.nvcc || wrong "nvcc"
    all load.nvcc
fi
finish
