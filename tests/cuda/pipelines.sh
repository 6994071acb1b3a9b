# Copies to shared memory and barriers there.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
build "$work/pipelines" "$here/pipelines.cu"
for mode in functional timing; do
    LOCKSTEP_MODE=$mode on_simulator "$work/pipelines" >"$work/out" || fail "$mode: $(cat "$work/out")"
    [ "$(cat "$work/out")" = "no error, 0 wrong" ] || fail "$mode: $(cat "$work/out")"
done
