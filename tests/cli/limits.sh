#!/usr/bin/env bash
# What ends a run early: --max-cycles, --max-seconds, signals. Each has its exit code, and leaves a whole statistics file with the
# figures so far, marked as partial.
. "$(dirname "$0")/_lib.sh"
. "$LOCKSTEP_SRC/tests/_effort.sh"

# A kernel that would run for an hour, without waiting for anything.
cat >"$folder/long.ptx" <<'P'
.version 6.0
.target sm_30
.address_size 64
.visible .entry long(.param .u64 m)
{
 .reg .b32 %r<3>; .reg .b64 %rd<2>; .reg .pred %p;
 ld.param.u64 %rd1, [m];
 mov.u32 %r1, 0;
L: mad.lo.u32 %r2, %r2, 3, %r1;
 add.u32 %r1, %r1, 1;
 setp.ne.u32 %p, %r1, 0;
 @%p bra L;
 st.global.u32 [%rd1], %r2;
 ret;
}
P
cat >"$folder/long.yaml" <<'Y'
ptx: long.ptx
kernel: long
grid: [1]
block: [32]
buffers:
  m: {type: u32, count: 1, init: zero}
args: [m]
Y

# partial FILE REASON: a JSON document that is partial for this reason, with figures; FILE is put by, for `parsed` to read.
documents=0
partial() {
    grep -qF '"partial": true' "$1" && grep -qF "\"partial_reason\": \"$2\"" "$1" || { echo "not partial by $2"; failures=1; }
    mv "$1" "$folder/document$((++documents)).$2"
    ls -A "$folder" | grep -qF '.json.' && { echo "$2: a temporary file was left"; failures=1; }
}

# parsed: all documents so far are valid JSON; one process reads them, for it takes longer to begin than to read.
parsed() {
    command -v python3 >/dev/null || return 0
    python3 -I -S -c '
import json, sys
for name in sys.argv[1:]:
    try:
        json.load(open(name))
    except ValueError as error:
        sys.exit(name + ": no valid JSON: " + str(error))' "$folder"/document* || failures=1
}

for mode in timing functional; do
    expect 4 "by --max-cycles: its results are partial" run --mode $mode --max-cycles 100000 --stats "$folder/a.json" "$folder/long.yaml"
    partial "$folder/a.json" max-cycles
    expect 5 "by --max-seconds: its results are partial" run --mode $mode --max-seconds 0.2 --stats "$folder/a.json" "$folder/long.yaml"
    partial "$folder/a.json" max-seconds
done
expect 5 "long (stopped, partial)" run --max-seconds 0.2 --stats "$folder/a.csv" "$folder/long.yaml"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "partial_reason") at = i }
    NR == 2 { good = at && $at == "max-seconds" } END { exit !good }' "$folder/a.csv" || { echo "CSV is not partial"; failures=1; }
"$LOCKSTEP" run --quiet --stats "$folder/a.json" "$LOCKSTEP_SRC/tests/reference/vecadd.yaml" || failures=1
grep -q '"partial": true' "$folder/a.json" && { echo "a whole run is called partial"; failures=1; }
[ "$(grep -c '"partial": false' "$folder/a.json")" -eq 2 ] || { echo "a whole run does not say so"; failures=1; }
rm "$folder/a.json"
expect 2 "--max-seconds needs a value" run --max-seconds "" "$folder/long.yaml"
for bad in 0 -1 x 1s 1e3; do
    expect 2 "expected a number of seconds above 0" run --max-seconds "$bad" "$folder/long.yaml"
done
expect 1 "partial: max-cycles" compare --sched lrr,gto --max-cycles 5000 "$folder/long.yaml"
expect 1 "partial: max-seconds" compare --sched lrr --max-seconds 0.2 "$folder/long.yaml"

# interrupt NAME NUMBER ARGUMENTS...: sends the signal to a run that has begun; it must end with it.
interrupt() {
    local name=$1 number=$2
    shift 2
    env --default-signal="$name" "$LOCKSTEP" run --stats "$folder/s.json" "$@" >"$folder/out" 2>&1 &
    begun $!
    kill -"$name" $!
    wait $!
    got=$?
    [ $got -eq $((128 + number)) ] || { echo "SIG$name $*: exit code $got"; failures=1; }
    grep -qF "SIG$name: its results are partial" "$folder/out" || { echo "SIG$name $*: $(cat "$folder/out")"; failures=1; }
    partial "$folder/s.json" "SIG$name"
}
interrupt INT 2 "$folder/long.yaml"
interrupt TERM 15 --mode functional "$folder/long.yaml"
# A signal to the process and one to its group, as timeout sends them, are one request; with LOCKSTEP_LONG tried five times.
twice() {
    local times=1 i
    [ -z "${LOCKSTEP_LONG:-}" ] || times=5
    for i in $(seq $times); do
        rm -f "$folder/s.json"
        setsid env --default-signal="$1" "$LOCKSTEP" run --quiet --stats "$folder/s.json" "${@:2}" >/dev/null 2>&1 &
        begun $!
        kill -"$1" $!
        kill -"$1" -- -$!
        wait $!
        got=$?
        [ $got -eq $((128 + $(kill -l "$1"))) ] || { echo "$*: exit code $got"; failures=1; }
        [ "$(grep -c '"partial": true' "$folder/s.json")" -eq 2 ] || { echo "$*: the kernel is not there"; failures=1; }
        partial "$folder/s.json" "SIG$1"
    done
}
in_turn TERM INT
for name in "${chosen[@]}"; do
    twice "$name" "$folder/long.yaml"
done

# A program that launches nothing ends too, and one that does not hear is killed by the second signal.
expect 5 "by --max-seconds: its results are partial" run --max-seconds 0.1 --stats "$folder/a.json" sleep 60
partial "$folder/a.json" max-seconds
env --default-signal=TERM "$LOCKSTEP" run --quiet --stats "$folder/s.json" sh -c 'trap "" TERM; >"$0"; while :; do sleep 0.1; done' \
    "$folder/ready" 2>/dev/null &
until [ -e "$folder/ready" ]; do sleep 0.05; done
kill -TERM $!; sleep 0.8; kill -TERM $!
wait $!
[ $? -eq 137 ] || { echo "a program that ignores signals was not killed"; failures=1; }
partial "$folder/s.json" SIGKILL

command -v clang >/dev/null && [ -z "${LOCKSTEP_PRELOAD:-}" ] || { parsed; finish; exit 0; }
[ "$failures" -eq 0 ] || exit 1
cat >"$folder/p.cu" <<'P'
#include <cstdio>
#include <unistd.h>
__global__ void brief(int *x) { x[threadIdx.x] *= 2; }
__global__ void lengthy(int *x, int n)
{
    int v = x[threadIdx.x];
    for (int i = 0; i < n; i++) v = v * 3 + i;
    x[threadIdx.x] = v;
}
int main(int argc, char **argv)
{
    int *x;
    cudaMalloc(&x, 256);
    brief<<<1, 64>>>(x);
    lengthy<<<1, 64>>>(x, 1 << 30);
    printf("error %d\n", (int)cudaDeviceSynchronize());
    while (argc > 1 && cudaDeviceSynchronize() != cudaSuccess) usleep(20000);
    return 7;
}
P
"$LOCKSTEP" cc "$folder/p.cu" -o "$folder/p" || exit 1
in_turn timing functional
for mode in "${chosen[@]}"; do
    expect 4 "error 702" run --mode $mode --max-cycles 50000 --stats "$folder/a.json" "$folder/p"
    grep -qF '"exit_status": 7' "$folder/a.json" || { echo "the program's own exit status is not kept"; failures=1; }
    partial "$folder/a.json" max-cycles
    expect 5 "lengthy (stopped, partial)" run --mode $mode --max-seconds 0.8 --stats "$folder/a.json" "$folder/p"
    [ "$(grep -cF '"partial": false' "$folder/a.json")" -eq 1 ] || { echo "the kernel that ended is called partial"; failures=1; }
    partial "$folder/a.json" max-seconds
done
# A program that goes on for ever after its kernel was stopped is ended.
expect 4 "by --max-cycles: its results are partial" run --max-cycles 50000 "$folder/p" stay
interrupt INT 2 "$folder/p"
interrupt TERM 15 --mode functional "$folder/p"
in_turn TERM INT
for name in "${chosen[@]}"; do
    twice "$name" "$folder/p"
done
# A kernel whose loads run over the end of what was allocated: what was simulated until then does not depend on threads or skipping.
cat >"$folder/over.ptx" <<'P'
.version 6.0
.target sm_30
.address_size 64
.visible .entry over(.param .u64 m)
{
 .reg .b32 %r<7>; .reg .b64 %rd<4>;
 ld.param.u64 %rd1, [m];
 mov.u32 %r1, %tid.x;
 mov.u32 %r2, %ctaid.x;
 mov.u32 %r3, %ntid.x;
 mad.lo.u32 %r4, %r2, %r3, %r1;
 mov.u32 %r6, 0;
L: mul.wide.u32 %rd2, %r4, 128;
 add.u64 %rd3, %rd1, %rd2;
 ld.global.u32 %r5, [%rd3];
 add.u32 %r6, %r6, %r5;
 add.u32 %r4, %r4, 1024;
 bra L;
}
P
in_turn 150000 170001
for count in "${chosen[@]}"; do
    cat >"$folder/over.yaml" <<Y
ptx: over.ptx
kernel: over
grid: [8]
block: [128]
buffers:
  m: {type: u32, count: $count, init: zero}
args: [m]
Y
    for machine in gtx480 gtx480-sm2 gtx1080ti; do
        in_turn "--threads 2" "--threads 3" --no-skip
        for how in "" "${chosen[@]}"; do
            # shellcheck disable=SC2086
            "$LOCKSTEP" run --quiet --machine "$machine" $how --stats "$folder/over.json" "$folder/over.yaml" >/dev/null 2>&1
            [ $? -eq 1 ] || wrong "$machine $how: loads beyond the end did not fail"
            without_host "$folder/over.json" >"$folder/over$how"
            cmp "$folder/over" "$folder/over$how" || wrong "$machine $how, $count elements: another result than one thread's"
        done
    done
done
parsed
finish
