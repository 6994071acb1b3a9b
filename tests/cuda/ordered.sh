# --check race between launches: streams, events, waits of the host, graphs and programmatic dependent launch order them, and nothing else.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
[ -z "${LOCKSTEP_PRELOAD:-}" ] || { echo "skipped: programs of this test have no sanitizer"; exit 77; }
if [ "$compiler" = nvcc ]; then
    "$nvcc" -std=c++17 -lineinfo -cudart shared -gencode arch=compute_90,code=compute_90 "$here/ordered.cu" -o "$work/ordered" || fail "nvcc"
else
    build "$work/ordered" "$here/ordered.cu"
fi
checked() { # PROGRAM: its findings in said
    "$LOCKSTEP" run --quiet --machine h100 --check race "$work/ordered" "$1" >"$work/out" 2>"$work/said"
}
line() { # TEXT: of ordered.cu, which ends so
    awk -v text="// $1" 'index($0, text) && substr($0, length($0) - length(text) + 1) == text { print NR }' "$here/ordered.cu"
}
# finds PROGRAM FIRST SECOND HINT: both lines, the first one's kernel, and what would order them; of others nothing is said.
finds() {
    local program=$1 first=$2 second=$3 hint=$4 kernel
    kernel=${first%% *}
    ! checked "$program" || fail "$program: nothing is found"
    grep -q " of kernel $kernel, which was launched before, at .*(ordered.cu:$(line "$first"))" "$work/said" || fail "$program: not the line that $first: $(cat "$work/said")"
    grep -q "^  .* by thread ([0-9,]*) of block ([0-9,]*) at .*(ordered.cu:$(line "$second"))" "$work/said" || fail "$program: not the line that $second: $(cat "$work/said")"
    ! grep hint: "$work/said" | grep -qv "$hint" || fail "$program: another hint than $hint: $(cat "$work/said")"
}
streams='nothing orders the two launches: .*cudaStreamWaitEvent'
early='cudaGridDependencySynchronize() (griddepcontrol.wait) before ordered.cu:[0-9]* would order them'
finds streams "writes writes" "reads reads" "$streams"
finds streams "writes writes" "reads again" "$streams"
finds streams_turned "reads again" "writes writes" "$streams"
finds streams_event_before "writes writes" "reads reads" "$streams"
finds streams_not_blocking "writes writes" "reads reads" "$streams"
finds streams_other_host "writes writes" "reads reads" "$streams"
finds streams_flag "tells writes" "hears reads" '__threadfence() between ordered.cu:[0-9]*, which saw what was released'
finds early "writes writes" "reads reads" "$early"
finds early_late "writes writes" "reads reads" "$early"
finds early_untold "writes writes" "reads reads" "$early"
finds early_too_late "writes writes" "reads reads" "$early"
! grep -q "ordered.cu:$(line "reads again")" "$work/said" || fail "early_too_late: a read behind the wait: $(cat "$work/said")"
finds early_legacy "writes writes" "reads reads" "$early"
finds early_writes "reads again" "writes writes" "$early"
finds early_chain "writes writes" "reads reads" "$early"
finds early_half "writes writes" "sums reads" "$early"
grep -q "by thread (32,0,0) of block (0,0,0) at" "$work/said" || fail "early_half: threads that have waited: $(cat "$work/said")"
finds graph "writes writes" "reads reads" "$streams"

"$LOCKSTEP" run --quiet --machine h100 "$work/ordered" >"$work/names" || fail "names"
right=0
for program in $(grep _right "$work/names"); do
    checked "$program" || fail "$program: $(cat "$work/out" "$work/said")"
    right=$((right + 1))
done
[ "$right" = 20 ] || fail "$right programs without a race"
