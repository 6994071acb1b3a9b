#!/usr/bin/env bash
# Programs under lockstep run: their output, arguments, exit code and signals are their own; the result table comes after.
. "$(dirname "$0")/_lib.sh"
expect 7 "never used the simulated GPU" run sh -c 'exit 7'
expect 0 "one two" run --quiet echo one two
expect 143 "" run --quiet sh -c 'kill -TERM $$'
expect 0 "--sched" run --quiet echo --sched
output=$(LOCKSTEP_SCHED=nonsense "$LOCKSTEP" run --quiet sh -c 'echo "$LOCKSTEP_SCHED $LOCKSTEP_MACHINE"')
[ "$output" = "gto gtx480" ] || { echo "environment: $output"; failures=1; }
# A machine's file is found from other folders too.
output=$(cd "$folder" && echo "base: gtx480" >mine.yaml && "$LOCKSTEP" run --quiet --machine mine.yaml sh -c 'cd / && ls "$LOCKSTEP_MACHINE"')
[ "$output" = "$folder/mine.yaml" ] || { echo "a machine's file: $output"; failures=1; }

# A signal sent to lockstep reaches the program.
"$LOCKSTEP" run --quiet sh -c 'trap "echo caught; exit 3" TERM; echo ready; while :; do sleep 0.05; done' >"$folder/out" &
for i in $(seq 100); do grep -q ready "$folder/out" && break; sleep 0.05; done
kill -TERM $!
wait $!
[ $? -eq 3 ] && grep -q caught "$folder/out" || { echo "the signal did not reach the program"; failures=1; }

command -v clang >/dev/null || { echo "skipped: clang is not installed"; exit 77; }
[ -n "${LOCKSTEP_PRELOAD:-}" ] && finish && exit 0
cat >"$folder/p.cu" <<'P'
#include <cstdio>
template <typename T> __global__ void twice(T *x) { x[threadIdx.x + blockIdx.x * blockDim.x] *= 2; }
int main(int argc, char **argv)
{
    int *x, y[64];
    for (int i = 0; i < 64; i++) y[i] = i;
    cudaMalloc(&x, sizeof y);
    cudaMemcpy(x, y, sizeof y, cudaMemcpyHostToDevice);
    twice<<<2, 32>>>(x);
    cudaMemcpy(y, x, sizeof y, cudaMemcpyDeviceToHost);
    printf("%s %d\n", argc > 1 ? argv[1] : "none", y[63]);
    return y[63] == 126 ? 5 : 1;
}
P
"$LOCKSTEP" cc "$folder/p.cu" -o "$folder/p" || exit 1
expect 5 "hello 126" run "$folder/p" hello
expect 5 "twice      2     32" run "$folder/p"
expect 5 "none 126" run --mode functional --machine gtx480-sm2 "$folder/p"
"$LOCKSTEP" run --quiet --stats "$folder/r.json" "$folder/p" >/dev/null
grep -q '"exit_status": 5' "$folder/r.json" || { echo "no exit status in the JSON"; failures=1; }
expect 2 "cannot write" run --stats "$folder/none/r.json" "$folder/p"
expect 2 "Is a directory" run --stats "$folder" "$folder/p"
[ -z "$("$LOCKSTEP" run --stats "$folder/none/r.json" "$folder/p" 2>/dev/null)" ] ||
    { echo "the program ran although its results cannot be written"; failures=1; }
expect 1 "exit 5" compare "$folder/p"
finish
