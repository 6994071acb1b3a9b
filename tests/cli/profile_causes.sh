#!/usr/bin/env bash
# --profile on small programs with one cause each: the sentences name it and its line, by clang and, where it is installed, nvcc. One warp that
# does more before a barrier, in a loop that is unrolled; a chain of loads; an array in local memory; a barrier of a cluster that is called in
# two lines; and a pipeline whose producer is late.
. "$(dirname "$0")/_lib.sh"
. "$(dirname "$0")/_profile.sh"
. "$(dirname "$0")/../_nvidia.sh"

main() {
    cat <<P
int main()
{
    int n = 1 << 14, *chain;
    float *data;
    static int host[1 << 14];
    for (int i = 0; i < n; i++) host[i] = (i * 37 + 4099) % n;
    cudaMalloc(&chain, n * 4), cudaMalloc(&data, n * 4);
    cudaMemcpy(chain, host, n * 4, cudaMemcpyHostToDevice), cudaMemset(data, 0, n * 4);
    $1;
    return cudaDeviceSynchronize() != cudaSuccess;
}
P
}
{
    cat <<'P'
__global__ void work(float *data)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = data[t];
    __syncthreads();
    for (int r = 0; r < 20; r++) {
        float v = s[t] * 0.5f + s[(t + 1) & 255] * 0.25f;
        if (t / 32 == 6)
            for (int i = 0; i < 40; i++)
                v = __sinf(v) + 1.0f; // more
        __syncthreads(); // first
        s[t] = v;
        __syncthreads();
    }
    data[blockIdx.x * 256 + t] = s[t];
}
P
    main 'work<<<4, 256>>>(data)'
} >more.cu
{
    cat <<'P'
__global__ void work(const int *chain, int *out)
{
    int at = threadIdx.x & 31, sum = 0;
    for (int i = 0; i < 100; i++) {
        sum += i ^ at;
        at = chain[at]; // chases
    }
    out[blockIdx.x * 32 + threadIdx.x] = sum;
}
P
    main 'work<<<4, 32>>>(chain, (int *)data)'
} >chases.cu
{
    cat <<'P'
__global__ void work(const int *in, int *out)
{
    int own[16], x = threadIdx.x & 15;
    for (int i = 0; i < 16; i++)
        own[i] = in[i] + i;
    for (int i = 0; i < 300; i++)
        x = own[x & 15]; // looks
    out[threadIdx.x] = x;
}
P
    main 'work<<<4, 64>>>(chain, (int *)data)'
} >own.cu
{
    cat <<'P'
#include <cooperative_groups.h>
__global__ void __cluster_dims__(2, 1, 1) work(const int *chain, int *out)
{
    __shared__ int box[64];
    auto cluster = cooperative_groups::this_cluster();
    unsigned rank = cluster.block_rank(), t = threadIdx.x;
    int v = t;
    for (int r = 0; r < 20; r++) {
        if (rank == 1 && t < 32)
            for (int i = 0; i < 6; i++)
                v = chain[v & 16383]; // late
        box[t] = v;
        cluster.sync(); // meets
        v += *cluster.map_shared_rank(&box[t], rank ^ 1);
        cluster.sync(); // parts
    }
    out[blockIdx.x * 64 + t] = v;
}
P
    main 'work<<<8, 64>>>(chain, (int *)data)'
} >meets.cu
{
    cat <<'P'
#include <cuda/barrier>
using barrier = cuda::barrier<cuda::thread_scope_block>;
__global__ void work(float *data)
{
    __shared__ float stage[2][128];
    __shared__ barrier full[2], empty[2];
    int t = threadIdx.x;
    if (t == 0)
        for (int i = 0; i < 2; i++)
            init(&full[i], 64), init(&empty[i], 64);
    __syncthreads();
    float sum = 0;
    for (int r = 0; r < 30; r++)
        if (t < 32) {
            if (r >= 2)
                empty[r & 1].arrive_and_wait();
            for (int k = 0; k < 200; k++)
                sum = __expf(-sum) * 0.5f + 0.25f; // produces
            stage[r & 1][t] = sum;
            (void)full[r & 1].arrive(); // gives
        } else {
            full[r & 1].arrive_and_wait(); // waits
            sum += stage[r & 1][t - 32];
            if (r + 2 < 30)
                (void)empty[r & 1].arrive();
        }
    data[blockIdx.x * 64 + t] = sum;
}
P
    main 'work<<<4, 64>>>(data)'
} >late.cu
# at PROGRAM TEXT: the line that ends so, as profiles name it.
at() {
    echo "$1.cu:$(grep -n "// $2\$" "$1.cu" | cut -d: -f1)"
}
# says PROGRAM.SUFFIX WORDS: the sentences have them.
says() {
    json found --profile --machine h100 --set gpu.sms=4 --set gpu.gpc_sms=4 "./$1"
    sed -n '/^- /,$p' found.out | tr '\n' ' ' | tr -s ' ' | grep -qE -- "$2" || { cat found.out; wrong "$1 does not say: $2"; }
}
all() {
    says "more.$1" "go to $(at more first): barrier; warp 6 comes last in (100|[89][0-9])% of 80 phases, [0-9]+ cycles after the first; it spends ([89][0-9]% of )?them at $(at more more) \("
    says "chases.$1" "wait for the value that the load of $(at chases chases) brings: .*; its address comes from (its value of the round before|what the load of $(at chases chases) brings)"
    says "own.$1" "wait for the value that the load from local memory of $(at own looks) brings"
}
for program in more chases own; do
    "$LOCKSTEP" cc "$program.cu" -o "$program.clang" || exit 1
done
all clang
nvcc=$(nvidia_tool nvcc)
[ -z "${LOCKSTEP_NO_NVCC:-}" ] || nvcc=
if [ -n "$nvcc" ]; then
    for program in more chases own; do
        "$nvcc" -w -lineinfo -cudart shared -gencode arch=compute_75,code=compute_75 "$program.cu" -o "$program.nvcc" || wrong "nvcc"
    done
    all nvcc
    for program in meets late; do
        "$nvcc" -w -lineinfo -cudart shared -gencode arch=compute_90,code=compute_90 "$program.cu" -o "$program.nvcc" || wrong "nvcc"
    done
    says meets.nvcc "go to $(at meets meets) .*: barrier of the cluster; the block of rank 1 in its cluster \(warp 0\) comes last in 100% of 80 phases, .*; it spends ([5-9][0-9]% of )?them at $(at meets late) \("
    says late.nvcc "go to $(at late waits) .*: mbarrier work::full(\+8)?; warp 0 ends 100% of its [0-9]+ phases, at $(at late gives), .*; it spends ([6-9][0-9]% of )?them at $(at late produces) \("
fi
finish
