#!/usr/bin/env bash
# --check mem: accesses that lie in memory, and not in that which is meant, are named in both modes and on any number of threads, with the
# memory that they lie in and that from which their address is computed; mended forms have none, and nothing else of a run changes.
# --check sync: barriers that a part of a warp passes by.
. "$(dirname "$0")/_lib.sh"
command -v clang >/dev/null || { echo "skipped: clang is not installed"; exit 77; }
[ -z "${LOCKSTEP_PRELOAD:-}" ] || { echo "skipped: programs of this test have no sanitizer"; exit 77; }
cd "$folder" || exit 1

cat >bounds.cu <<'P'
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
__device__ __align__(16) int first[64], second[64];
__constant__ int table[64];
struct pair {
    int n;
    int *p;
};
// by is 0 in mended forms: how far an index is too great.
__global__ void variable(int *p, int *q, int by) { first[32 + threadIdx.x + by] = second[threadIdx.x]; }
__global__ void constant(int *p, int *q, int by) { q[threadIdx.x] = table[32 + threadIdx.x + by]; }
__global__ void before(int *p, int *q, int by) { second[(int)threadIdx.x - by] = threadIdx.x; }
__global__ void wide(int *p, int *q, int by) { ((int2 *)first)[16 + threadIdx.x / 2 + by] = make_int2(7, 7); }
__global__ void shared(int *p, int *q, int by)
{
    __shared__ int s[32], t[32];
    s[threadIdx.x] = 1;
    t[threadIdx.x] = 2;
    __syncthreads();
    p[threadIdx.x] = s[threadIdx.x + by] + t[threadIdx.x];
}
__global__ void dynamic(int *p, int *q, int by)
{
    extern __shared__ int d[];
    __shared__ int t[32];
    d[threadIdx.x] = 1;
    t[threadIdx.x] = 2;
    __syncthreads();
    p[threadIdx.x] = t[threadIdx.x + by] + d[threadIdx.x];
}
__global__ void allocation(int *p, int *q, int by) { p[32 + threadIdx.x + by] = q[threadIdx.x]; }
__global__ void member(pair m, int by) { m.p[m.n + threadIdx.x + by] = 1; }
// The compiler is to keep the pointer in a loop.
__global__ void loop(int *p, int *q, int by)
{
    for (int i = 0; i < 2 + by; i++)
        q[threadIdx.x] += p[32 * i + threadIdx.x];
}
__global__ void heap(int *p, int *q, int by)
{
    int *h = (int *)malloc(64);
    h[threadIdx.x % 16] = 1;
    p[threadIdx.x] = h[threadIdx.x % 16];
    free(h);
    if (by)
        p[threadIdx.x] = h[2];
}
__global__ void parameters(int **at, int *q, int by) { q[threadIdx.x] = at[0][32 + threadIdx.x + by]; }
__global__ void skipped(int *p, int *q, int by)
{
    if (threadIdx.x < 32 - by)
        __syncthreads();
    p[threadIdx.x] = 1;
}
// What looks like it, and is right: pointers behind the end, between two allocations, of several arrays, and returns in front of a barrier.
__global__ void right(int *p, int *p_end, int *q, int *q_end, size_t distance, bool which)
{
    int *one = which ? p : q, *end = which ? p_end : q_end;
    for (int *at = one; at < end; at += 32)
        at[threadIdx.x] = 1;
    p_end[-1 - (int)threadIdx.x] = 2;
    q_end[-1 - (int)threadIdx.x] = 3;
    *(int *)((char *)p + distance) = 4;
    p[(q - p) / 1000 + threadIdx.x] = 5;
    __shared__ int s[32];
    s[threadIdx.x ^ 5] = first[threadIdx.x] + second[63 - threadIdx.x] + table[threadIdx.x];
    if (threadIdx.x >= 30)
        return;
    __syncthreads();
    p[threadIdx.x] = s[threadIdx.x];
}
// Half of each warp is kept in a loop for so long that ITS lets the others go on, which come to a barrier first: to that behind the loop,
// to that in front of it, one time round ahead,
// and to that of a function that is called a second time.
__device__ __noinline__ unsigned delay(unsigned v, int n)
{
    __syncthreads();
    for (int i = 0; threadIdx.x >= 16 && i < n; i++)
        v = v * 7 + i;
    return v + 1;
}
__global__ void late(int *p, int n)
{
    unsigned v = 1;
    for (int round = 0; round < 2; round++)
        p[threadIdx.x] = v = delay(v, n);
    for (int round = 0; round < 2; round++) {
        __syncthreads();
        for (int i = 0; threadIdx.x >= 16 && i < n; i++)
            v = v * 3 + i;
        p[threadIdx.x] = v;
    }
    for (int i = 0; threadIdx.x >= 16 && i < n; i++)
        v = v * 5 + i;
    __syncthreads();
    p[threadIdx.x] = v;
}
int main(int argc, char **argv)
{
    const char *name = argv[1];
    int by = atoi(argv[2]), *p, *q, **at;
    cudaMalloc(&p, 256); // side by side
    cudaMalloc(&q, 256);
    cudaMalloc(&at, 256);
    cudaMemset(p, 0, 256);
    cudaMemset(q, 0, 256);
    cudaMemcpy(at, &q, sizeof q, cudaMemcpyHostToDevice);
#define TRY(kernel)                                                                                                    \
    if (!strcmp(name, #kernel))                                                                                        \
        kernel<<<2, 32, 128>>>(p, q, by);
    TRY(variable) TRY(constant) TRY(before) TRY(wide) TRY(shared) TRY(dynamic) TRY(allocation) TRY(loop) TRY(heap) TRY(skipped)
    if (!strcmp(name, "member"))
        member<<<2, 32, 128>>>({32, p}, by);
    if (!strcmp(name, "parameters")) // the allocation behind q was freed, and the parameters lie there
        cudaFree(at), cudaMalloc(&at, 64), cudaMemcpy(at, &q, sizeof q, cudaMemcpyHostToDevice), parameters<<<2, 32>>>(at, q, by ? 512 : 0);
    if (!strcmp(name, "skipped") && !by)
        late<<<1, 32>>>(p, 4000);
    right<<<2, 32>>>(p, p + 64, q, q + 64, 128, by == 0);
    cudaError_t status = cudaDeviceSynchronize();
    cudaFree(p);
    cudaFree(q);
    cudaFree(at);
    return status != cudaSuccess;
}
P
"$LOCKSTEP" cc bounds.cu -o bounds >cc.out 2>&1 || { cat cc.out; exit 1; }

# finds KERNEL WORDS [OPTIONS...]: so by 1, and nothing by 0.
finds() {
    local kernel=$1 words=$2 line
    shift 2
    "$LOCKSTEP" run --quiet "$@" --check mem,sync ./bounds "$kernel" 0 >out 2>err || { cat err; wrong "$kernel $*, mended: an error"; }
    grep -q error err && { cat err; wrong "$kernel $*, mended: it tells of an error"; }
    "$LOCKSTEP" run --quiet "$@" --check mem,sync ./bounds "$kernel" 1 >out 2>err && wrong "$kernel $*: exit code 0"
    grep -q "error: kernel $kernel: .*$words" err || { cat err; wrong "$kernel $*: not found: $words"; }
    line=$(grep -n "void $kernel(" bounds.cu | cut -d: -f1)
    grep -A3 "error: kernel $kernel" err | grep -oE 'bounds.cu:[0-9]+' | sed 's/.*://' |
        awk -v from="$line" '$1 >= from && $1 < from + 12 { found = 1 } END { exit !found }' || { cat err; wrong "$kernel $*: the line is not named"; }
    [ "$(grep -c 'error: kernel' err)" = 1 ] || { cat err; wrong "$kernel $*: more than one error"; }
}
for how in "" "--mode functional" "--threads 2 --machine h100" "--divergence its --protocol vi"; do
    # shellcheck disable=SC2086
    {
        finds variable 'in second: 0 bytes behind the end of first (256 bytes), from which its address is computed' $how
        finds constant 'behind the end of table (256 bytes), from which' $how
        finds before 'in first+252: 4 bytes before the beginning of second (256 bytes)' $how
        finds wide 'in second.*: 0 bytes behind the end of first (256 bytes)' $how
        finds shared 'in shared::t: 0 bytes behind the end of shared::s (128 bytes)' $how
        finds dynamic 'in dynamic shared memory: 0 bytes behind the end of dynamic::t (128 bytes)' $how
        finds allocation 'in allocation #2 (cudaMalloc, 256 bytes): 0 bytes behind the end of allocation #1 (cudaMalloc, 256 bytes)' $how
        finds member 'in allocation #2 (cudaMalloc, 256 bytes): 0 bytes behind the end of allocation #1 (cudaMalloc, 256 bytes)' $how
        finds loop 'in allocation #2 (cudaMalloc, 256 bytes): 0 bytes behind the end of allocation #1 (cudaMalloc, 256 bytes)' $how
        finds heap 'in the heap of device malloc+.*, where device malloc has given nothing out, or it was freed' $how
        finds skipped 'lanes 0-30 of the warp come to this barrier, and lane 31 passes by' $how
    }
done
finds parameters "in the kernel's parameters.*, which is no memory of the program's" --machine h100

# Results and cycles are those without, but for the number of findings.
for check in "--check mem" ""; do
    # shellcheck disable=SC2086
    "$LOCKSTEP" run --quiet $check --stats "stats$check.json" ./bounds loop 1 >out 2>&1
    stripped "stats$check"
    grep -v '"check"\|"findings"' "stats$check" >"rest$check"
done
cmp "rest--check mem" rest || { diff "rest--check mem" rest; wrong "--check mem changes results"; }

# What was found before a checkpoint is told behind it.
"$LOCKSTEP" run --quiet --check mem --checkpoint-every 1500 --checkpoint at.%c ./bounds loop 1 >out 2>whole
[ -e at.1500 ] || wrong "no checkpoint was taken"
for file in at.*; do
    "$LOCKSTEP" run --quiet --resume "$file" ./bounds loop 1 >out 2>err && wrong "${file##*/} goes on and ends well"
    diff <(grep 'error: kernel loop' whole) <(grep 'error: kernel loop' err) || wrong "$file goes on with something else"
done
finish
