# Graphs, made by hand and by capture, in both modes.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
try() {
    on_simulator "$work/graphs" >"$work/out" 2>"$work/err" || fail "$1: $(cat "$work/out" "$work/err")"
    [ "$(grep -c ': right$' "$work/out")" = 21 ] || fail "$1: not all came: $(cat "$work/out")"
}
build "$work/graphs" "$here/graphs.cu"
try functional
LOCKSTEP_MODE=timing try timing

# Conditional nodes, on machines that run one kernel at a time and several.
build "$work/conditions" "$here/graph_conditions.cu"
cd "$work" || exit 1
for machine in "functional gtx480" "timing gtx480" "timing h100"; do
    LOCKSTEP_MODE=${machine% *} LOCKSTEP_MACHINE=${machine#* } on_simulator "$work/conditions" >"$work/out" 2>"$work/err" ||
        fail "conditions, $machine: $(cat "$work/out" "$work/err")"
done
grep -q '"0: while"' conditions.dot || fail "no while: $(cat conditions.dot)"
