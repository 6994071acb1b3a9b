# Threads of a warp in different functions at a time, with registers of all widths, recursion and calls by address: right
# under every divergence model, in both modes, in warps of 32 and 64 lanes, and continued from a checkpoint.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
. "$LOCKSTEP_SRC/tests/_effort.sh"
build "$work/frames" -O2 "$here/frames.cu"

# expect ARGUMENT OPTIONS...: every thread computes what the host does.
expect() {
    waits=$1
    shift
    "$LOCKSTEP" run --quiet "$@" "$work/frames" "$waits" >"$work/out" 2>"$work/err" || fail "$waits $*: status $?: $(cat "$work/out" "$work/err")"
    [ "$(cat "$work/out")" = 'cudaSuccess, 0 wrong' ] || fail "$waits $*: $(cat "$work/out")"
}
ways=$(sed -n 's/^SIMT_MODEL(\(.*\))/\1/p' "$LOCKSTEP_SRC/src/simt/models.def")
[ -n "$ways" ] || fail "no divergence models"
for way in $ways; do
    in_turn timing functional
    for mode in "${chosen[@]}"; do
        expect alone --divergence "$way" --mode $mode
        [ "$way" = stack ] || expect wait --divergence "$way" --mode $mode
    done
    [ "$way" = stack ] || expect wait --divergence "$way" --machine apu8
done
expect wait --divergence its --checkpoint-every 15000 --checkpoint "$work/at.%c"
resumed=$("$LOCKSTEP" run --quiet --allow-code --resume "$(find "$work" -name 'at.*' | sort | tail -n 1)") || fail "--resume"
[ "$resumed" = 'cudaSuccess, 0 wrong' ] || fail "resumed: $resumed"
