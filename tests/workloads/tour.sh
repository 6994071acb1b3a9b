# A user's program of several kernels, templates, shared and constant memory, printf, events and streams: equal output in both
# modes, on every machine, and built by lockstep cc and by nvcc.
. "$LOCKSTEP_SRC/tests/workloads/_lib.sh"
build_all tour "$LOCKSTEP_SRC/tests/workloads/tour.cu"

same() {
    simulate "$@" --
    cmp -s "$work/out" "$work/expected" || fail "$*: $(diff "$work/expected" "$work/out")"
}

simulate tour --mode functional --
cp "$work/out" "$work/expected"
[ "$(grep -c 'as on the host' "$work/expected")" = 5 ] && [ "$(grep -c '^cell ' "$work/expected")" = 3 ] || fail "$(cat "$work/expected")"
for options in "--sched gto" "--sched lrr" "--machine gtx480-sm2 --sched lrr" "--machine gtx480-sm2 --sched gto" \
    "--machine gtx1080ti --sched lrr" "--machine gtx1080ti --sched gto"; do
    # shellcheck disable=SC2086
    same tour $options
    # shellcheck disable=SC2086
    [ -z "$nvcc" ] || same tour.nvcc $options
done
if [ -n "$nvcc" ]; then same tour.nvcc --mode functional; else echo "nvcc is not installed: its build was skipped"; fi
finish
