# A tour of several kernels, templates, shared and constant memory, printf, streams, events, recursion and errors prints what is expected.
# LOCKSTEP_RESULTS: one JSON object a line, the machine second; equal between two runs but for `host`; settings take effect.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
check_output tour "$here/tour.cu"
export LOCKSTEP_MODE=timing
set_before=${LOCKSTEP_SET:-}
for run in 1 2; do
    LOCKSTEP_RESULTS=$work/results.$run LOCKSTEP_SCHED=lrr LOCKSTEP_SET="$set_before
gpu.sms=4" on_simulator "$work/tour" >"$work/out" || fail "status $?"
    diff -u "$here/tour.expected" "$work/out"
    [ -s "$work/results.$run" ] || fail "no results"
    sed 's/,"host":{[^}]*}//' "$work/results.$run" >"$work/plain.$run"
done
diff "$work/plain.1" "$work/plain.2" || fail "two runs differ"
[ "$(head -n 1 "$work/results.1")" = '{"type":"loaded"}' ] || fail "first line"
sed -n 2p "$work/results.1" >"$work/machine"
grep -q '^{"type":"machine","schema":2,"machine":{"name":"gtx480"' "$work/machine" || fail "second line"
grep -q '"sms":4' "$work/machine" || fail "LOCKSTEP_SET did nothing"
grep -q '"scheduler":"lrr"' "$work/machine" || fail "LOCKSTEP_SCHED did nothing"
[ "$(grep -c '^{"type":"kernel"' "$work/results.1")" = 8 ] || fail "not one line for each of 8 launches"
for member in name grid block status cycles warp_instructions thread_instructions ipc simd_efficiency stalls l1d l2 dram host; do
    grep '^{"type":"kernel"' "$work/results.1" | head -n 1 | grep -q "\"$member\":" || fail "no member $member"
done
LOCKSTEP_MACHINE=nonsense on_simulator "$work/tour" >"$work/out" 2>"$work/err" && fail "an unknown machine was accepted"
grep -q nonsense "$work/err" || fail "the unknown machine was not named"
