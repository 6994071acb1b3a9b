#!/usr/bin/env bash
# --check mem,race,init: planted races are found, with both lines and what would order them, and their mended forms have none; results and
# cycles are those without the check.
. "$(dirname "$0")/_lib.sh"
. "$(dirname "$0")/_checks.sh"
program=planted mends=m machine=() unwritten=4
command -v clang >/dev/null || { echo "skipped: clang is not installed"; exit 77; }
[ -z "${LOCKSTEP_PRELOAD:-}" ] || { echo "skipped: programs of this test have no sanitizer"; exit 77; }
cd "$folder" || exit 1

# One program with a way to go wrong each; its argument chooses one, and m before it the mended form.
cat >planted.cu <<'P'
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
struct words {
    unsigned flag, lock, data[64], sum;
};
__global__ void barrier(words *w, bool mended)
{
    __shared__ unsigned s[64];
    s[threadIdx.x] = threadIdx.x; // barrier writes
    if (mended)
        __syncthreads();
    w->data[threadIdx.x] = s[63 - threadIdx.x]; // barrier reads
}
__global__ void flag(words *w, bool mended)
{
    if (blockIdx.x == 0) {
        w->data[0] = 7; // flag writes
        if (mended)
            __threadfence();
        atomicExch(&w->flag, 1); // flag tells
    } else {
        while (atomicAdd(&w->flag, 0) == 0)
            ;
        __threadfence();
        w->sum = w->data[0]; // flag reads
    }
}
__global__ void reader(words *w, bool mended)
{
    if (blockIdx.x == 0) {
        w->data[0] = 7;
        __threadfence();
        *(volatile unsigned *)&w->flag = 1;
    } else {
        while (*(volatile unsigned *)&w->flag == 0) // reader polls
            ;
        if (mended)
            __threadfence();
        w->sum = w->data[0]; // reader reads
    }
}
__global__ void scope(words *w, bool mended)
{
    if (mended)
        atomicAdd(&w->sum, 1);
    else
        atomicAdd_block(&w->sum, 1); // scope adds
}
__global__ void fence(words *w, bool mended)
{
    if (blockIdx.x == 0) {
        w->data[0] = 7; // fence writes
        if (mended)
            __threadfence();
        else
            __threadfence_block();
        atomicExch(&w->flag, 1);
    } else {
        while (atomicAdd(&w->flag, 0) == 0)
            ;
        __threadfence();
        w->sum = w->data[0];
    }
}
__global__ void entry(words *w, bool mended)
{
    while (atomicCAS(&w->lock, 0, 1)) // entry takes
        ;
    if (mended || blockIdx.x == 1)
        __threadfence();
    w->sum += 1; // entry adds
    __threadfence();
    atomicExch(&w->lock, 0);
}
__global__ void unlock(words *w, bool mended)
{
    while (atomicCAS(&w->lock, 0, 1))
        ;
    __threadfence();
    w->sum += 1; // unlock adds
    if (mended)
        __threadfence();
    atomicExch(&w->lock, 0); // unlock gives
}
__global__ void last(words *w, bool mended)
{
    if (blockIdx.x == 1)
        __nanosleep(20000);
    while (atomicCAS(&w->lock, 0, 1))
        ;
    __threadfence();
    w->sum += 1; // last adds
    if (mended || blockIdx.x == 0)
        __threadfence();
    atomicExch(&w->lock, 0); // last gives
}
__global__ void warp(words *w, bool mended)
{
    w->data[threadIdx.x] = threadIdx.x; // warp writes
    if (mended)
        __syncwarp();
    w->data[32 + threadIdx.x] = w->data[31 - threadIdx.x]; // warp reads
}
__global__ void same(words *w, bool mended)
{
    if (!mended || threadIdx.x + blockIdx.x == 0)
        w->flag = 1; // same writes
}
__global__ void unwritten(words *w, bool mended)
{
    w->sum = w[mended ? 0 : 1].data[0]; // unwritten reads
}
// A function that reads a structure by its address, in which the call has put it.
struct parts {
    char a;
    int b[6];
};
__device__ __noinline__ int part_of(parts p, int i)
{
    return p.b[i % 6] + p.a;
}
// Reads all of a local array of which the loop writes the first ones; mended, all. Copies of such arrays are no mistake.
__global__ void local(words *w, bool mended)
{
    unsigned own[16], copy[16];
    for (unsigned i = 0; i < (mended ? 16 : 12); i++)
        own[i * 5 & 15] = i + w->lock;
    for (unsigned i = 0; i < 16; i++)
        copy[i] = own[i];
    w->data[threadIdx.x] = own[threadIdx.x & 15]; // local reads
    parts p = {1, {2, 3, 4, 5, 6, 7}};
    w->data[threadIdx.x] += part_of(p, threadIdx.x);
    w->sum = copy[w->flag];
}
int main(int, char **argv)
{
    const char *name = argv[1] + (*argv[1] == 'm');
    bool mended = *argv[1] == 'm';
    words *w;
    cudaMalloc(&w, 2 * sizeof *w);
    cudaMemset(w, 0, sizeof *w);
#define TRY(kernel, blocks, threads) if (!strcmp(name, #kernel)) kernel<<<blocks, threads>>>(w, mended)
    TRY(barrier, 1, 64);
    TRY(flag, 2, 1);
    TRY(reader, 2, 1);
    TRY(scope, 2, 1);
    TRY(fence, 2, 1);
    TRY(entry, 2, 1);
    TRY(unlock, 2, 1);
    TRY(last, 2, 1);
    TRY(warp, 1, 32);
    TRY(same, 2, 32);
    TRY(unwritten, 1, 1);
    TRY(local, 1, 32);
    words back;
    cudaMemcpy(&back, w, sizeof back, cudaMemcpyDeviceToHost);
    printf("%u %u\n", back.sum, back.data[0]);
}
P
"$LOCKSTEP" cc planted.cu -o planted || exit 1

# finds KERNEL HINT LINE...: it has an error whose hint matches, each line is named, and its mended form has none.
finds() {
    has_error "$@"
    mended race,init "$1"
}
finds barrier '__syncthreads() between' writes reads
finds flag '__threadfence() between .* by which others are told, is missing' writes tells reads
finds reader '__threadfence() between .*, which saw what was released' polls reads
finds scope 'a scope is too narrow' adds
finds fence 'too narrow: __threadfence_block()' writes
finds entry '__threadfence() is missing between .*, which takes the lock' takes adds
finds unlock '__threadfence() between .* is missing' adds gives
finds last '__threadfence() is missing between .*, which gives the lock back' adds gives
finds warp '__syncwarp() between' writes reads
finds unwritten 'write it before' reads
finds local 'local memory holds nothing when a thread begins: it has to store there before planted.cu:' reads

# The same value: a note, and the run is well.
"$LOCKSTEP" run --quiet --check race ./planted same >out 2>err || { cat err; wrong "the same value by all is no error"; }
grep -q "note: kernel same: .*a race, in which both write the same value" err || { cat err; wrong "no note on the same value"; }

# Other ways to run find the same; nothing of a run changes.
for how in "--sched lrr" "--divergence its" "--machine gtx1080ti" --no-skip "--threads 2" "--protocol hlrc --machine apu8"; do
    # shellcheck disable=SC2086
    "$LOCKSTEP" run --quiet $how --check race ./planted flag >out 2>err
    grep -q "is missing" err || { cat err; wrong "with $how nothing is found"; }
done
json with --check race,init ./planted mflag
json without ./planted mflag
grep -v '"check"' with | cmp -s - without || { diff with without; wrong "--check race,init changes results"; }

# What it does not go with is refused.
"$LOCKSTEP" run --mode functional --check race ./planted mflag 2>err && wrong "functional mode is not refused"
grep -q "need timing mode" err || { cat err; wrong "functional mode is refused for another reason"; }
"$LOCKSTEP" run --divergence dwf --check race ./planted mflag >out 2>err && wrong "dwf is not refused"
grep -q "threads go" err || { cat err; wrong "dwf is refused for another reason"; }
"$LOCKSTEP" run --check race,none ./planted mflag 2>err && wrong "an unknown check is not refused"
grep -q '"none" is none of sync, mem, race, init' err || { cat err; wrong "an unknown check is refused for another reason"; }

# Behind the last allocation lie the kernel's parameters: stores there are errors in every run, loads are found by init. Parameters that are
# read by way of a generic address are none.
cat >behind.cu <<'P'
#include <cstdio>
#include <cuda_runtime.h>
struct list { int of[16]; };
extern "C" __global__ void behind(int *p, int *out, list l, int n)
{
    int generic;
    asm volatile("{ .reg .b64 %a; mov.b64 %a, behind_param_2; cvta.param.u64 %a, %a; ld.u32 %0, [%a+8]; }" : "=r"(generic));
    if (n > 0)
        out[threadIdx.x] = p[64 + threadIdx.x]; // behind reads
    else if (n < 0)
        p[64 + threadIdx.x] = generic; // behind writes
    else
        out[threadIdx.x] = generic;
}
int main(int argc, char **argv)
{
    int *p, *out, got[32];
    list l = {{1, 2, 3}};
    cudaMalloc(&out, 128);
    cudaMalloc(&p, 256);
    cudaMemset(p, 0, 256);
    behind<<<1, 32>>>(p, out, l, *argv[1] == 'r' ? 1 : *argv[1] == 'w' ? -1 : 0);
    cudaMemcpy(got, out, 128, cudaMemcpyDefault);
    return got[31] != 3;
}
P
"$LOCKSTEP" cc behind.cu -o behind 2>err || { cat err; exit 1; }
"$LOCKSTEP" run --quiet --check race,init ./behind none 2>err || { cat err; wrong "a kernel that reads its parameters"; }
[ ! -s err ] || { cat err; wrong "something is told of a kernel that reads its parameters"; }
"$LOCKSTEP" run --quiet --check init ./behind reads 2>err && wrong "a read behind the last allocation ends well"
grep -q "the kernel's parameters, where nothing was allocated: 0 bytes behind the end of allocation #2 (cudaMalloc, 256 bytes)" err || { cat err; wrong "a read behind the last allocation"; }
"$LOCKSTEP" run --quiet ./behind writes 2>err && wrong "a store behind the last allocation ends well"
grep -q "in the kernel's parameters, 0 bytes behind the end of allocation #2 (cudaMalloc, 256 bytes)" err || { cat err; wrong "a store behind the last allocation"; }

# Leaks: a note at the end.
"$LOCKSTEP" run --quiet --check mem ./planted mflag >out 2>err || wrong "a leak is no error"
grep -q "note: 1 allocation was never freed" err || { cat err; wrong "no note on a leak"; }
finish
