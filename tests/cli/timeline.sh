#!/usr/bin/env bash
# --timeline: results are the same with it; its file is the same by whatever way the run goes, also from a checkpoint; the summary names
# the hot lock and the slow line on its first screen; it becomes a trace for Perfetto; what it cannot be combined with and written over.
. "$(dirname "$0")/_lib.sh"
command -v clang >/dev/null || { echo "skipped: clang is not installed"; exit 77; }
[ -z "${LOCKSTEP_PRELOAD:-}" ] || { echo "skipped: programs of this test have no sanitizer"; exit 77; }
cd "$folder" || exit 1

cat >hot.cu <<'P'
#include <cstdio>
__device__ int hot, cool[1024], in_hot, in_cool[1024];
static __device__ void locked(int *lock, int *count)
{
    for (bool done = false; !done;) {
        if (atomicCAS(lock, 0, 1) == 0) {
            *(volatile int *)count = *(volatile int *)count + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}
__global__ void work()
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned r = 0; r < 2; r++)
        locked(&cool[(t * 37 + r * 101) % 1024], in_cool);
    __syncthreads();
    if (t % 8 == 0)
        locked(&hot, &in_hot);
}
int main()
{
    for (int i = 0; i < 2; i++) work<<<8, 64>>>();
    return cudaDeviceSynchronize() != cudaSuccess;
}
P
"$LOCKSTEP" cc hot.cu -o hot || exit 1

# timed TO OPTIONS...: a run of the program, to TO and TO.stats.
timed() {
    local to=$1
    shift
    json "$to.stats" --timeline "$to" "$@"
}
timed whole ./hot
json plain ./hot
cmp -s plain whole.stats || wrong "results depend on --timeline"
for how in --no-skip "--threads 2" "--checkpoint-every 15000 --checkpoint at%c"; do
    # shellcheck disable=SC2086
    timed other $how ./hot
    cmp -s whole other || wrong "the timeline depends on $how"
done
for at in at*; do
    timed other --allow-code --resume "$at"
    cmp -s whole other || wrong "the timeline goes on otherwise from checkpoint $at"
done
ls at* | wc -l | grep -qx 1 && wrong "there is one checkpoint only"
expect 2 "it was taken with --profile, --timeline, and is continued with --profile, --timeline --timeline-resolution 9" \
    run --quiet --timeline other --timeline-resolution 9 --allow-code --resume "$at"
cmp -s whole other || wrong "a run that was refused has written over a timeline"
cp "$at" kept
expect 2 "is continued with no observer" run --quiet --allow-code --resume kept

"$LOCKSTEP" timeline whole >summary || wrong "the summary"
head -24 summary | tr -s '\n ' ' ' >first
grep -q 'have a thread that waits for lock hot, taken at hot.cu:6 (called from hot.cu:21)' first || { cat summary; wrong "the first screen does not name the hot lock"; }
grep -q '^ *[0-9.]*% .* hot.cu:6 ' <(head -24 summary) || { cat summary; wrong "the first screen does not name the hot line"; }
[ "$(grep -c '^launch [01]: work, ' summary)" = 2 ] || wrong "there are two launches"
grep -q 'for want of room' summary && wrong "something was not kept"
[ "$(wc -c <whole)" -lt 200000 ] || wrong "the file is large: $(wc -c <whole)"

"$LOCKSTEP" timeline whole --perfetto trace || wrong "the trace"
"$LOCKSTEP" timeline whole --perfetto trace || wrong "a trace is not replaced by a trace"
"$LOCKSTEP" timeline whole --perfetto - >again && cmp -s trace again || wrong "--perfetto -"
strings -n 6 trace >words
for word in 'holds hot' 'waits for hot' 'gives back hot' 'warps waiting for locks' 'at barrier' 'hot.cu:6 (called from hot.cu:21)'; do
    grep -qF "$word" words || wrong "the trace has no $word"
done

# Without putting together: the phases' cycles are the statistics. By zstd and a parser of another kind.
timed fine --timeline-resolution 1 ./hot
if command -v python3 >/dev/null && command -v zstd >/dev/null; then
    zstd -qdc fine | python3 -I -S -c '
import json, sys
lines = [json.loads(line) for line in sys.stdin]
results = json.load(open("fine.stats.json"))["kernels"]
assert lines[0]["lockstep timeline"] == 1 and lines[0]["program"] == ["./hot"]
launch, launches = None, []
for line in lines[1:]:
    if "launch" in line:
        launch = line, {}
        launches.append(launch)
    p = line.get("phases", [])
    for cycles, cause in zip(p[0::4], p[1::4]):
        launch[1][cause] = launch[1].get(cause, 0) + cycles
    assert not p or line["at"] + sum(p[0::4]) == line["life"][1]
assert len(launches) == 2
for (head, by), result in zip(launches, results):
    assert head["cycles"] == result["cycles"] and not any(head["lost"].values())
    for number, name in enumerate(head["causes"]):
        assert by.get(number, 0) == result["warps"][name], name
' || wrong "phases are not what the statistics count"
fi
"$LOCKSTEP" run --quiet --timeline part --timeline-window 100:300 --timeline-sms 0,3-4 ./hot
"$LOCKSTEP" timeline part | awk '$1 ~ /^[0-9]+$/ && $2 ~ /^[0-9]+$/ { print $1, $2, $3 }' >sms
printf '%s\n' "0 2 400" "3 2 400" "4 2 400" "0 2 400" "3 2 400" "4 2 400" | diff - sms >difference || { cat difference; wrong "a window of some SMs"; }

"$LOCKSTEP" run --quiet --timeline limited --max-cycles 12000 ./hot >/dev/null 2>&1
"$LOCKSTEP" timeline limited | grep -q '^launch 0: work, 12000 cycles' || wrong "a run that was stopped"
"$LOCKSTEP" timeline limited --perfetto limited.trace && strings -n 6 limited.trace >words
grep -qF "never taken" words || wrong "a lane that waits when the run is stopped is not in the trace"
cat >stuck.cu <<'P'
__device__ int one, other;
__device__ void take(int *lock) { while (atomicCAS(lock, 0, 1)) ; }
__global__ void work()
{
    take(blockIdx.x ? &one : &other);
    __nanosleep(1000);
    take(blockIdx.x ? &other : &one);
}
int main() { work<<<2, 1>>>(); return cudaDeviceSynchronize() == cudaSuccess; }
P
"$LOCKSTEP" cc stuck.cu -o stuck || exit 1
"$LOCKSTEP" run --quiet --set gpu.watch_cycles=20000 --timeline stuck.tl ./stuck >/dev/null 2>&1
"$LOCKSTEP" timeline stuck.tl --perfetto stuck.trace && strings -n 6 stuck.trace >words
for word in 'holds one' 'holds other' 'waits for one' 'waits for other' 'never given back' 'never taken'; do
    grep -qF "$word" words || wrong "the trace of a deadlock has no $word"
done
echo precious >notes
expect 2 "notes is there and holds something else than a timeline" run --timeline notes ./hot
expect 2 "notes is there and holds something else than a trace of Lockstep" timeline whole --perfetto notes
expect 2 "whole is there and holds something else than a trace of Lockstep" timeline whole --perfetto whole
expect 2 "trace is there and holds something else than a timeline" run --timeline trace ./hot
[ "$(cat notes)" = precious ] || wrong "notes were written over"
expect 2 "notes is no timeline" timeline notes
head -c 1000 whole >damaged
expect 2 "damaged is damaged" timeline damaged
expect 2 "lockstep timeline needs a file" timeline
expect 2 "a timeline (--timeline) needs timing mode" run --timeline t --mode functional ./hot
expect 2 "--timeline-sms needs --timeline" run --timeline-sms 0 ./hot
expect 2 "--timeline-window 5: expected FROM:TO" run --timeline t --timeline-window 5 ./hot
expect 2 "--stats t and --timeline t are one file" run --stats t --timeline t ./hot
LOCKSTEP_TIMELINE=1 LOCKSTEP_RESULTS=results ./hot || wrong "a program by itself"
grep -q '"timeline":' results || wrong "a program by itself has no timeline"
finish
