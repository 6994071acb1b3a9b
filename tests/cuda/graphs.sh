# Graphs, made by hand and by capture, in both modes.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
try() {
    on_simulator "$work/graphs" >"$work/out" 2>"$work/err" || fail "$1: $(cat "$work/out" "$work/err")"
    [ "$(grep -c ': right$' "$work/out")" = 21 ] || fail "$1: not all came: $(cat "$work/out")"
}
build "$work/graphs" "$here/graphs.cu"
try functional
LOCKSTEP_MODE=timing try timing

# Conditional nodes are left out: the calls say so.
build "$work/conditions" "$here/graph_conditions.cu"
on_simulator "$work/conditions" >"$work/out" 2>"$work/err" || fail "conditions: $(cat "$work/out" "$work/err")"
[ "$(grep -cx cudaErrorNotSupported "$work/out")" = 2 ] || fail "conditions: $(cat "$work/out")"
grep -q "cudaGraphConditionalHandleCreate is not supported" "$work/err" || fail "conditions: $(cat "$work/err")"
grep -q "cudaGraphAddNode is refused .*: conditional nodes" "$work/err" || fail "conditions: $(cat "$work/err")"
