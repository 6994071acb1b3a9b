# The barrier of the grid as an instruction: right in both modes, on every kind of network, with one thread and two, stepped and skipped,
# continued from a checkpoint; and refused where the grid does not fit.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
headers=()
[ "$compiler" = cc ] || headers=(-isystem "$LOCKSTEP_SRC/src/cuda/include")
build "$work/grid" "${headers[@]}" "$here/grid_barrier.cu"
right='cudaSuccess, wrong 0'

# expect OPTIONS...: the program is right; its cycles go to $cycles.
expect() {
    "$LOCKSTEP" run --quiet --stats "$work/stats.json" "$@" "$work/grid" >"$work/out" 2>"$work/err" || fail "$*: status $?: $(cat "$work/err")"
    [ "$(cat "$work/out")" = "$right" ] || fail "$*: $(cat "$work/out")"
    cycles=$(sed -n 's/.*"cycles": *\([0-9]*\).*/\1/p' "$work/stats.json" | head -n 1)
}
expect --mode functional
expect
usual=$cycles
for same in "--threads 2" --no-skip "--checkpoint-every 9000 --checkpoint $work/at.%c"; do
    # shellcheck disable=SC2086 # several words
    expect $same
    [ "$cycles" = "$usual" ] || fail "$same: $cycles cycles, not $usual"
done
expect --resume "$(ls "$work"/at.* | tail -n 1)"
[ "$cycles" = "$usual" ] || fail "resumed: $cycles cycles, not $usual"
expect --set gpu.grid_barrier_cycles=2000
[ $((cycles - usual)) -ge 6000 ] || fail "a slow barrier: $cycles cycles, not much more than $usual"
expect --machine apu128 --protocol hlrc
expect --machine gtx1080ti --divergence its --threads 2

"$LOCKSTEP" run --quiet "$work/grid" many >"$work/out" 2>"$work/err" || :
grep -q 'all 4000 blocks must be resident at once' "$work/err" || fail "too many blocks: $(cat "$work/err")"
