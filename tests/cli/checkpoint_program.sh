#!/usr/bin/env bash
# Programs continued from checkpoints: they repeat their calls, and go on in the launch that was under way. Output, exit code and
# JSON are those of the uninterrupted run but for `host`, from every checkpoint.
. "$(dirname "$0")/_lib.sh"
. "$LOCKSTEP_SRC/tests/_effort.sh"
command -v clang >/dev/null || { echo "skipped: clang is not installed"; exit 77; }
[ -z "${LOCKSTEP_PRELOAD:-}" ] || { echo "skipped: programs of this test have no sanitizer"; exit 77; }
cd "$folder" || exit 1
"$LOCKSTEP" cc "$LOCKSTEP_SRC/tests/cuda/checkpoint.cu" -o many || exit 1

# run TO OPTIONS...: output, exit code and statistics without the members of "host" objects, in one file.
run() {
    local to=$1
    shift
    "$LOCKSTEP" run --quiet --stats "$to.json" "$@" >"$to" 2>"$to.err"
    echo "exit code $?" >>"$to"
    without_host "$to.json" >>"$to"
}

# Among the launches are short ones, which some of the checkpoints lie in.
every=5200 least=5
[ -z "${LOCKSTEP_LONG:-}" ] || { every=1300 least=10; }
for machine in "gtx480" "gtx480-sm2"; do
    rm -f at.*
    run whole --machine $machine ./many 2
    grep -q "exit code 88" whole || wrong "many 2 ended with $(grep 'exit code' whole)"
    run saving --machine $machine --checkpoint-every $every --checkpoint 'at.%c' ./many 2
    cmp whole saving || wrong "checkpoints change a program"
    n=0
    for file in at.*; do
        n=$((n + 1))
        run rest --allow-code --resume "$file"
        cmp whole rest || { wrong "it goes on otherwise from $file"; cat rest.err; }
    done
    [ "$n" -ge $least ] || wrong "only $n checkpoints"
    [ -n "${LOCKSTEP_LONG:-}" ] || least=2
done
last=$(ls -t at.* | head -n 1)

# Lanes that stand in queues of locks; with two threads, and every cycle.
"$LOCKSTEP" cc "$LOCKSTEP_SRC/tests/cuda/lock_queues.cu" -o queues || exit 1
queues=(--set locks.queue=true --set locks.record_limit=20 --set gpu.sms=2)
rm -f queued.*
run whole "${queues[@]}" ./queues
cmp -n "$(stat -c %s "$LOCKSTEP_SRC/tests/cuda/lock_queues.expected")" whole "$LOCKSTEP_SRC/tests/cuda/lock_queues.expected" ||
    wrong "queues printed something else"
every=220000
[ -z "${LOCKSTEP_LONG:-}" ] || every=150000
run saving "${queues[@]}" --checkpoint-every $every --checkpoint 'queued.%c' ./queues
cmp whole saving || wrong "checkpoints change a program with queues"
n=0
for file in queued.*; do
    [ $((n++ % 2)) -eq 0 ] && how="--threads 2" || how=--no-skip
    # shellcheck disable=SC2086
    run rest --allow-code --resume "$file" $how
    cmp whole rest || { wrong "it goes on otherwise from $file $how"; cat rest.err; }
done
[ "$n" -ge 2 ] || wrong "only $n checkpoints with queues"

# A program that does something else the second time, as the file `mood` says; and one that has no end.
cat >moody.cu <<'P'
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <unistd.h>
__global__ void add(int *x, int by) { for (int i = 0; i < 300; i++) atomicAdd(x, by); }
__global__ void endless(volatile int *x) { while (*x == 0) x[1] = x[1] + 1; }
int main(int argc, char **)
{
    int *x, value = 1, mood = 0;
    if (argc > 1) {
        cudaMalloc(&x, 8);
        cudaMemset(x, 0, 8);
        endless<<<1, 32>>>(x);
        return cudaDeviceSynchronize() != cudaSuccess;
    }
    if (FILE *file = fopen("mood", "r")) {
        if (fscanf(file, "%d", &mood) != 1) return 9;
        fclose(file);
    }
    if (mood == 1) return 3;
    if (chdir("elsewhere") != 0) return 9;
    if (mood == 2) value = 2;
    cudaMalloc(&x, mood == 3 ? 400 : 4);
    cudaMemcpy(x, &value, 4, cudaMemcpyHostToDevice);
    if (mood == 4) cudaMemset(x, 0, 4);
    if (mood != 5) add<<<1, 32>>>(x, 1);
    cudaMemcpy(&value, x, 4, cudaMemcpyDeviceToHost);
    add<<<1, 32>>>(x, mood == 6 ? 5 : 2);
    cudaMemcpy(&value, x, 4, cudaMemcpyDeviceToHost);
    printf("%d\n", value);
    return cudaGetLastError() != cudaSuccess;
}
P
"$LOCKSTEP" cc moody.cu -o moody || exit 1

# A program goes on for a moment only when lockstep is killed.
in_turn functional timing
for mode in "${chosen[@]}"; do
    "$LOCKSTEP" run --quiet --mode $mode ./moody endless >/dev/null 2>&1 &
    begun $!
    program=$(pgrep -P $!)
    [ "$program" ] || wrong "no endless program"
    kill -KILL $!
    wait $! 2>/dev/null
    gone=
    for i in $(seq 5000); do
        grep -qs '^State:.[RSD]' "/proc/$program/status" || { gone=yes; break; }
        sleep 0.02
    done
    [ "$gone" ] || { wrong "a program goes on without lockstep ($mode)"; kill -KILL "$program"; }
done

# Killed in its middle, continued with checkpoints, killed again, continued to the end.
run whole ./many 3
resume=()
for round in 1 2; do
    "$LOCKSTEP" run --quiet --checkpoint-every 500 --checkpoint latest "${resume[@]}" ./many 3 >/dev/null 2>&1 &
    mark=$(stat -c %Y%Z%i latest 2>/dev/null)
    for i in $(seq 6000); do
        [ -e latest ] && [ "$(stat -c %Y%Z%i latest)" != "$mark" ] && break
        sleep 0.02
    done
    kill -KILL $! 2>/dev/null
    wait $! 2>/dev/null
    resume=(--allow-code --resume latest)
done
run rest --allow-code --resume latest
cmp whole rest || { wrong "a killed program goes on otherwise"; cat rest.err; }

# What is refused.
expect 2 "other arguments" run --quiet --resume "$last" ./many 3
expect 2 "another machine" run --quiet --allow-code --resume "$last" --machine gtx480
cp many other
printf x >>other
expect 2 "another program" run --quiet --resume "$last" ./other 2
expect 2 "ended without coming to the launch" run --quiet --resume "$last" echo
expect 2 "this is a launch file" run --resume "$last" "$LOCKSTEP_SRC/tests/reference/reduce.yaml"
head -c 1000 "$last" >bad
expect 2 "damaged" run --resume bad

# A program that does something else the second time is refused at the call that differs.
mkdir elsewhere # the names of files mean what they meant where the run was started
first=$("$LOCKSTEP" run --quiet ./moody)
# The latest checkpoint lies in the second launch.
"$LOCKSTEP" run --quiet --checkpoint-every 50000 ./moody >/dev/null
[ "$("$LOCKSTEP" run --quiet --allow-code --resume moody.checkpoint)" = "$first" ] || wrong "moody goes on otherwise"
mood() {
    echo "$1" >mood
    expect 2 "$2" run --quiet --allow-code --resume moody.checkpoint
}
mood 1 "ended without coming to the launch"
mood 2 "cudaMemcpy, has other arguments or other data"
mood 3 "cudaMalloc, has other arguments"
mood 4 "is cudaMemset, it was a launch before"
mood 5 "is cudaMemcpy, it was a launch before"
mood 6 "a launch, has other arguments"
finish
