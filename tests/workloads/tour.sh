# A user's program of several kernels, templates, shared and constant memory, printf, events and streams: equal output in both
# modes, on every machine, and built by lockstep cc and, with LOCKSTEP_LONG, by nvcc.
. "$LOCKSTEP_SRC/tests/workloads/_lib.sh"
. "$LOCKSTEP_SRC/tests/_effort.sh"
build_all tour "$LOCKSTEP_SRC/tests/workloads/tour.cu"

same() {
    simulate "$@" --
    cmp -s "$work/out" "$work/expected" || fail "$*: $(diff "$work/expected" "$work/out")"
}

simulate tour --mode functional --
cp "$work/out" "$work/expected"
[ "$(grep -c 'as on the host' "$work/expected")" = 5 ] && [ "$(grep -c '^cell ' "$work/expected")" = 3 ] || fail "$(cat "$work/expected")"
for machine in gtx480 gtx480-sm2 gtx1080ti; do
    in_turn gto lrr
    for scheduler in "${chosen[@]}"; do
        same tour --machine $machine --sched $scheduler
        [ -z "$nvcc" ] || same tour.nvcc --machine $machine --sched $scheduler
    done
done
[ -z "$nvcc" ] || same tour.nvcc --mode functional
finish
