#!/usr/bin/env bash
# Programs with the usual mistakes, one each: --check names the lines of both accesses and what is missing, and is silent on their mended
# forms.
. "$(dirname "$0")/_lib.sh"
. "$(dirname "$0")/_checks.sh"
program=mistakes
command -v clang >/dev/null || { echo "skipped: clang is not installed"; exit 77; }
[ -z "${LOCKSTEP_PRELOAD:-}" ] || { echo "skipped: programs of this test have no sanitizer"; exit 77; }
cd "$folder" || exit 1

# Its argument names a kernel, or "races" all that end; without one all are run in their mended forms.
cat >mistakes.cu <<'P'
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <lockstep/lock.h>
struct words {
    unsigned flag, ready, lock, count, sum, data[128]; // data begins at byte 20
    unsigned instruction_lock;
    unsigned char bytes[64];
};
__global__ void tree(words *w, bool mended)
{
    __shared__ unsigned s[128];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    for (unsigned half = 64; half > 16; half /= 2) {
        if (threadIdx.x < half)
            s[threadIdx.x] += s[threadIdx.x + half]; // tree adds
        if (mended)
            __syncthreads();
    }
    if (threadIdx.x == 0)
        w->sum = s[0];
}
__global__ void tile(words *w, bool mended)
{
    __shared__ unsigned s[64];
    unsigned sum = 0;
    for (unsigned i = 0; i < 2; i++) {
        s[threadIdx.x] = w->data[64 * i + threadIdx.x]; // tile writes
        __syncthreads();
        sum += s[63 - threadIdx.x]; // tile reads
        if (mended)
            __syncthreads();
    }
    w->data[threadIdx.x] = sum;
}
__global__ void final(words *w, bool mended)
{
    __shared__ unsigned n;
    w->data[blockIdx.x] = blockIdx.x; // final writes
    if (mended)
        __threadfence();
    n = atomicAdd(&w->count, 1); // final counts
    if (n == gridDim.x - 1) {
        __threadfence();
        for (unsigned i = 0; i < gridDim.x; i++)
            w->sum += w->data[i]; // final reads
    }
}
__global__ void narrow(words *w, bool mended)
{
    unsigned value = 0;
    if (blockIdx.x == 0) {
        w->data[0] = 7; // narrow writes
        if (mended)
            asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(__cvta_generic_to_global(&w->flag)) : "memory");
        else
            asm volatile("st.release.cta.global.u32 [%0], 1;" ::"l"(__cvta_generic_to_global(&w->flag)) : "memory"); // narrow tells
    } else {
        while (!value)
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(__cvta_generic_to_global(&w->flag)) : "memory"); // narrow polls
        w->sum = w->data[0]; // narrow reads
    }
}
__global__ void count(words *w, bool mended)
{
    if (mended)
        atomicAdd(&w->count, 1);
    else
        *(volatile unsigned *)&w->count = *(volatile unsigned *)&w->count + 1; // count adds
}
__global__ void once(words *w, bool mended)
{
    __nanosleep(blockIdx.x * 1500);
    unsigned ready = mended ? atomicAdd(&w->ready, 0) : w->ready; // once looks
    __threadfence();
    if (!ready) {
        while (atomicCAS(&w->lock, 0, 1))
            ;
        __threadfence();
        if (mended ? !atomicAdd(&w->ready, 0) : !w->ready) {
            w->data[0] = 7;
            __threadfence();
            if (mended)
                atomicExch(&w->ready, 1);
            else
                w->ready = 1; // once tells
        }
        __threadfence();
        atomicExch(&w->lock, 0);
    }
    w->data[1 + blockIdx.x] = w->data[0];
}
__global__ void lanes(words *w, bool mended)
{
    __shared__ unsigned s[64];
    s[threadIdx.x] = threadIdx.x;
    s[threadIdx.x + 32] = 0;
    for (unsigned half = 16; half; half /= 2) {
        if (mended)
            __syncwarp();
        unsigned other = s[threadIdx.x + half]; // lanes reads
        if (mended)
            __syncwarp();
        s[threadIdx.x] += other; // lanes adds
    }
    if (threadIdx.x == 0)
        w->sum = s[0];
}
__global__ void byte(words *w, bool mended)
{
    w->bytes[mended ? blockIdx.x : 0] = 1 + blockIdx.x; // byte writes
}
__global__ void fresh(words *w, bool mended)
{
    __shared__ unsigned s[64];
    if (mended || threadIdx.x > 0)
        s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    w->data[threadIdx.x] = s[63 - threadIdx.x]; // fresh reads
}
__global__ void halo(words *w, bool mended)
{
    unsigned i = blockIdx.x * 32 + threadIdx.x, left = w->data[i ? i - 1 : 0]; // halo reads
    __syncthreads();
    w->data[mended ? 64 + i : i] = left + 1; // halo writes
}
__global__ void grid(words *w, bool mended)
{
    for (unsigned i = 0; i < 2; i++) {
        w->data[blockIdx.x] = i; // grid writes
        if (mended)
            asm volatile("lockstep.barrier.grid;" ::: "memory");
        w->data[2 + blockIdx.x] = w->data[1 - blockIdx.x]; // grid reads
        if (mended)
            asm volatile("lockstep.barrier.grid;" ::: "memory");
    }
}
__global__ void result(words *w, bool mended)
{
    atomicAdd(&w->sum, threadIdx.x); // result adds
    if (mended)
        __syncthreads();
    w->data[threadIdx.x] = w->sum; // result reads
}
__global__ void reuse(words *w, bool mended)
{
    if (blockIdx.x == 0) {
        w->data[0] = 7;
        __threadfence();
        atomicExch(&w->flag, 1); // reuse tells
        if (mended) {
            while (atomicAdd(&w->flag, 0) == 1)
                ;
            __threadfence();
        }
        w->data[0] = 8; // reuse writes
    } else {
        while (atomicAdd(&w->flag, 0) == 0)
            ;
        __threadfence();
        w->sum = w->data[0]; // reuse reads
        __threadfence();
        atomicExch(&w->flag, 2);
    }
}
__global__ void late(words *w, bool mended)
{
    if (blockIdx.x == 0) {
        w->data[0] = 7; // late writes
        if (mended)
            __threadfence();
        *(volatile unsigned *)&w->flag = 1; // late tells
    } else {
        __nanosleep(20000); // the flag is there at the first look
        while (*(volatile unsigned *)&w->flag == 0)
            ;
        __threadfence();
        w->sum = w->data[0]; // late reads
    }
}
__global__ void guarded(words *w, bool mended)
{
    if (mended)
        lockstep_lock(&w->instruction_lock);
    w->sum += 1; // guarded adds
    if (mended)
        lockstep_unlock(&w->instruction_lock);
}
__global__ void over(words *w, bool mended)
{
    __shared__ unsigned s[64];
    s[threadIdx.x + (mended ? 0 : 1)] = threadIdx.x; // over writes
    __syncthreads();
    w->data[threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void past(unsigned *p, unsigned n, bool mended)
{
    unsigned i = threadIdx.x;
    if (mended ? i < n : i <= n)
        p[i] = i; // past writes
}
__global__ void gone(unsigned *p, unsigned n)
{
    p[threadIdx.x] = n; // gone writes
}
__global__ void wide(words *w, bool mended)
{
    *(unsigned long long *)(w->data + mended) = 1; // wide writes
}
__global__ void diverged(words *w, bool mended)
{
    if (mended || threadIdx.x < 48)
        __syncthreads(); // diverged waits
    w->data[threadIdx.x] = 1;
}
__global__ void names(words *w, bool mended)
{
    unsigned v = threadIdx.x;
    if (threadIdx.x < 16)
        v = __shfl_xor_sync(mended ? 0xffff : 0xffffffff, v, 1); // names shuffles
    w->data[threadIdx.x] = v;
}
__global__ void source(words *w, bool mended)
{
    unsigned v = threadIdx.x;
    if (threadIdx.x < 16)
        v = __shfl_sync(0xffff, v, mended ? 15 : 16); // source shuffles
    w->data[threadIdx.x] = v;
}
__global__ void counted(words *w, bool mended)
{
    unsigned n = mended ? 64 : 96;
    if (threadIdx.x < 64)
        asm volatile("bar.sync 1, %0;" ::"r"(n) : "memory"); // counted waits
    w->data[threadIdx.x] = 1;
}
int main(int arguments, char **argv)
{
    const char *name = arguments > 1 ? argv[1] : "";
    bool mended = arguments == 1, races = !strcmp(name, "races");
    words *w;
    unsigned *p;
    cudaMalloc(&w, sizeof *w);
#define RUN(kernel, blocks, threads, too)                                                                              \
    if (mended || too || !strcmp(name, #kernel)) {                                                                     \
        cudaMemset(w, 0, sizeof *w);                                                                                   \
        cudaMemset(&w->instruction_lock, 0xff, sizeof w->instruction_lock);                                            \
        kernel<<<blocks, threads>>>(w, mended);                                                                        \
    }
#define RACE(kernel, blocks, threads) RUN(kernel, blocks, threads, races)
#define TRY(kernel, blocks, threads) RUN(kernel, blocks, threads, false)
    RACE(tree, 1, 128);
    RACE(tile, 1, 64);
    RACE(final, 3, 1);
    RACE(narrow, 2, 1);
    RACE(count, 2, 1);
    RACE(once, 3, 1);
    RACE(lanes, 1, 32);
    RACE(byte, 2, 1);
    RACE(fresh, 1, 64);
    RACE(halo, 2, 32);
    RACE(grid, 2, 1);
    RACE(result, 1, 64);
    RACE(reuse, 2, 1);
    RACE(late, 2, 1);
    RACE(guarded, 2, 64);
    TRY(over, 1, 64);
    TRY(wide, 1, 1);
    TRY(diverged, 1, 64);
    TRY(names, 1, 32);
    TRY(source, 1, 32);
    TRY(counted, 1, 96);
    cudaMalloc(&p, 32 * sizeof *p);
    if (mended || !strcmp(name, "past"))
        past<<<1, 64>>>(p, 32, mended);
    if (!strcmp(name, "gone"))
        cudaFree(p);
    if (mended || !strcmp(name, "gone"))
        gone<<<1, 32>>>(p, 1);
    cudaError_t status = cudaDeviceSynchronize();
    if (strcmp(name, "gone"))
        cudaFree(p);
    cudaFree(w);
    return status != cudaSuccess;
}
P
"$LOCKSTEP" cc mistakes.cu -o mistakes || exit 1

# named KERNEL LINE...: `err` has errors of it, and each line is named.
named() {
    grep -q "error: kernel $1" err || { cat err; wrong "$1: nothing found"; }
    names "$@"
}
# finds KERNEL TEXT LINE...: it ends with an error that has this text, and each line is named.
finds() {
    local kernel=$1 text=$2
    shift 2
    "$LOCKSTEP" run --quiet --check sync,mem,race,init ./mistakes "$kernel" >out 2>err && wrong "$kernel: exit code 0"
    tr '\n' ' ' <err | grep -Eq "$text" || { cat err; wrong "$kernel: it does not say: $text"; }
    named "$kernel" "$@"
}
finds tree 'written by thread \(32,0,0\) .* read by thread \(0,0,0\) .* hint: a __syncthreads\(\) between the write and the read at' adds
finds tile 'read by .* written by .* hint: a __syncthreads\(\) between' reads writes
finds final 'a __threadfence\(\) between .* by which others are told, is missing' writes counts reads
finds narrow 'a scope is too narrow: .cta holds inside one block' tells polls
finds narrow 'the fence behind .* is too narrow: .* or .gpu, is needed' writes reads
finds count 'no thread waits at the word .* make it one atomic' adds
finds once 'read by .* written by .* hint: the second block has read nothing' looks tells
finds lanes 'a __syncwarp\(\) between' reads adds
finds byte 'written by thread .* of block \(0,0,0\) .* written by thread .* of block \(1,0,0\)' writes
finds fresh '4 bytes that nobody has written   read by thread \(63,0,0\)' reads
finds halo 'has told nobody' reads writes
finds grid 'has told nobody' writes reads
finds result 'changed by an atomic by .* a __syncthreads\(\) between' adds reads
finds reuse 'has told nobody' writes reads
finds late 'a __threadfence\(\) between .* by which others are told, is missing' writes tells reads
finds guarded 'a race' adds
finds over '0 bytes behind the end of over::s' writes
finds past '0 bytes behind the end of allocation #2 \(cudaMalloc, 128 bytes\)' writes
finds gone 'in the place of allocation #2 \(cudaMalloc, 128 bytes\), which was freed' writes
finds wide 'misaligned access to global address' writes
finds diverged 'lanes 0-15 of the warp come to this barrier, and lanes 16-31 pass by' waits
finds names 'lanes 0-15 .* a mask that also names lanes 16-31, which did not come here' shuffles
finds source 'lanes 0-15 read lane 16 of the warp, which does not execute this instruction' shuffles
finds counted 'waits at barrier 1 of 96 threads .* expects more threads than the block has left'

# Other machines, models and schedulers come to the same pairs of lines, with more threads or stepped to the same words, and nothing is told of
# the mended forms.
silent() {
    "$LOCKSTEP" run --quiet --check sync,mem,race,init "$@" ./mistakes >out 2>err || { cat err; wrong "the mended forms: an error with $*"; }
    [ ! -s err ] || { cat err; wrong "the mended forms: something is told with $*"; }
}
silent
silent --set locks.queue=true
"$LOCKSTEP" run --quiet --check race,init ./mistakes races >out 2>before && wrong "races: exit code 0"
for how in "--threads 2" --no-skip; do
    # shellcheck disable=SC2086
    "$LOCKSTEP" run --quiet $how --check race,init ./mistakes races >out 2>err
    cmp -s before err || { diff before err; wrong "with $how other words"; }
done
for how in "--divergence its --sched lrr" "--divergence aware --machine gtx480-sm2" "--machine apu8 --protocol denovo-b" "--machine thesis --protocol hlrc --no-skip"; do
    # shellcheck disable=SC2086
    silent $how
    # shellcheck disable=SC2086
    "$LOCKSTEP" run --quiet $how --check race,init ./mistakes races >out 2>err && wrong "races: exit code 0 with $how"
    named tree adds
    named tile reads writes
    named final writes counts reads
    named narrow tells polls writes reads
    named count adds
    named once looks tells
    named lanes reads adds
    named byte writes
    named fresh reads
    named halo reads writes
    named grid writes reads
    named result adds reads
    named reuse writes reads
    named late writes tells reads
    named guarded adds
done
finish
