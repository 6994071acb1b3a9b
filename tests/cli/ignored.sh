#!/usr/bin/env bash
# Programs that exit with 0 although a kernel of theirs did not end whole, or never began: lockstep run exits with 1 and says which.
# And what it says of programs without kernels.
. "$(dirname "$0")/_lib.sh"
command -v clang >/dev/null || { echo "skipped: clang is not installed"; exit 77; }
[ -n "${LOCKSTEP_PRELOAD:-}" ] && finish && exit 0
cat >"$folder/p.cu" <<'P'
#include <cstdio>
#include <cstdlib>
#include <cstring>
__global__ void store(int *p) { p[threadIdx.x] = 1; }
__global__ void stop(int lane) { if (threadIdx.x == lane) asm volatile("trap;"); }
__global__ void wait_for_ever(int *lock) { while (atomicCAS(lock, 1, 1) != 0) ; }
__global__ void outside(int *p) { unsigned r; asm volatile("mov.u32 %0, %%pm0;" : "=r"(r)); *p = r; }
__global__ void shared(int *p) { extern __shared__ int s[]; s[threadIdx.x] = 1; *p = s[0]; }
static int one = 1;
int main(int argc, char **argv)
{
    int *p, code = argc > 2 ? atoi(argv[2]) : 0;
    const char *how = argc > 1 ? argv[1] : "";
    cudaDeviceProp properties;
    int count;
    if (!strcmp(how, "nothing"))
        return code;
    if (!strcmp(how, "query"))
        return cudaGetDeviceCount(&count) ? 9 : code;
    if (!strcmp(how, "properties"))
        return cudaGetDeviceProperties(&properties, 0) ? 9 : code;
    if (!strcmp(how, "huge")) {
        cudaError_t first = cudaMalloc(&p, (size_t)1 << 45), second = cudaMallocManaged(&p, (size_t)1 << 46);
        printf("%s %s\n", cudaGetErrorName(first), cudaGetErrorName(second));
        return code;
    }
    cudaMalloc(&p, 256);
    cudaMemcpy(p, &one, sizeof one, cudaMemcpyHostToDevice);
    if (!strcmp(how, "well"))
        store<<<1, 32>>>(p);
    else if (!strcmp(how, "fault"))
        store<<<1, 32>>>(p + (1 << 20));
    else if (!strcmp(how, "hang"))
        wait_for_ever<<<1, 32>>>(p);
    else if (!strcmp(how, "outside"))
        outside<<<1, 32>>>(p);
    else if (!strcmp(how, "empty"))
        store<<<0, 32>>>(p);
    else if (!strcmp(how, "wide"))
        store<<<1, 2048>>>(p);
    else if (!strcmp(how, "shared"))
        shared<<<1, 32, 1 << 20>>>(p);
    else if (!strcmp(how, "tried")) {
        store<<<1, 2048>>>(p);
        if (cudaGetLastError() == cudaErrorInvalidConfiguration)
            store<<<1, 64>>>(p);
    } else if (!strcmp(how, "after"))
        stop<<<1, 32>>>(3), store<<<1, 32>>>(p), store<<<2, 32>>>(p);
    cudaDeviceSynchronize();
    puts("PASSED");
    return code;
}
P
"$LOCKSTEP" cc "$folder/p.cu" -o "$folder/p" || exit 1

for mode in timing functional; do
    expect 0 "PASSED" run --mode $mode "$folder/p" well
    expect 1 "exited with 0 although kernel store did not end whole (fault)" run --mode $mode "$folder/p" fault
    # The program's own word stands.
    expect 7 "PASSED" run --mode $mode "$folder/p" fault 7
    expect 1 "kernel stop did not end whole (fault), nor did 2 more" run --mode $mode --quiet "$folder/p" after
done
expect 1 "kernel wait_for_ever did not end whole (hang)" run --set gpu.watch_cycles=20000 "$folder/p" hang
expect 1 "kernel outside did not end whole (invalid)" run "$folder/p" outside
expect 1 "kernel store did not begin (cudaErrorInvalidConfiguration)" run "$folder/p" empty
expect 1 "kernel store did not begin (cudaErrorInvalidConfiguration)" run "$folder/p" wide
expect 1 "kernel shared did not begin (cudaErrorInvalidValue)" run --quiet "$folder/p" shared
# Not one that asked for its error, and tried something else.
expect 0 "PASSED" run "$folder/p" tried
"$LOCKSTEP" run --quiet --stats "$folder/r.json" "$folder/p" tried >/dev/null
grep -q '"partial": true' "$folder/r.json" && wrong "a program that tried is called partial"
grep -q '"error": "cudaErrorInvalidConfiguration"' "$folder/r.json" || wrong "the refused launch is not in the JSON"
rm "$folder/r.json"
expect 1 "partial: refused" compare --sched lrr "$folder/p" empty
"$LOCKSTEP" run --quiet --stats "$folder/r.json" "$folder/p" empty >/dev/null 2>&1
for member in '"exit_status": 0' '"partial": true' '"partial_reason": "refused"' '"error": "cudaErrorInvalidConfiguration"'; do
    grep -qF -- "$member" "$folder/r.json" || wrong "no $member in the JSON"
done

# says WORDS PROGRAM...: of a program without kernels, this and nothing else.
says() {
    local words=$1 output
    shift
    output=$("$LOCKSTEP" run "$@" 2>&1 >/dev/null)
    [ "$output" = "lockstep: $1 $words" ] || wrong "$*: not '$words': $output"
}
says "never used the simulated GPU" "$folder/p" nothing
says "launched no kernel" "$folder/p" query
says "launched no kernel" "$folder/p" properties
says "never used the simulated GPU (a program built by nvcc needs -cudart shared)" echo

# Memory beyond the machine: said once, and the program is told.
"$LOCKSTEP" run "$folder/p" huge >"$folder/out" 2>"$folder/err" || wrong "huge ended with $?"
[ "$(cat "$folder/out")" = "cudaErrorMemoryAllocation cudaErrorMemoryAllocation" ] || wrong "huge: $(cat "$folder/out")"
[ "$(grep -c 'gpu.memory_mib' "$folder/err")" = 1 ] || wrong "memory beyond the machine is not named once: $(cat "$folder/err")"
grep -q 'cudaMalloc: 35184372088832 bytes' "$folder/err" || wrong "the size is not named: $(cat "$folder/err")"
grep -q 'never used' "$folder/err" && wrong "the GPU was used: $(cat "$folder/err")"
finish
