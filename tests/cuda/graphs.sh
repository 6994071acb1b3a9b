# Graphs, made by hand and by capture, in both modes.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
try() {
    on_simulator "$work/graphs" >"$work/out" 2>"$work/err" || fail "$1: $(cat "$work/out" "$work/err")"
    [ "$(grep -c ': right$' "$work/out")" = 15 ] || fail "$1: not all came: $(cat "$work/out")"
}
build "$work/graphs" "$here/graphs.cu"
try functional
LOCKSTEP_MODE=timing try timing
