# Copies to shared memory and barriers there: of ordinary instructions and, from sm_80 on, of PTX's own.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
for architecture in 70 80; do
    [ "$compiler" = cc ] || [ $architecture = 70 ] || continue
    [ "$compiler" = nvcc ] || set -- -arch=sm_$architecture
    build "$work/pipelines" "$@" "$here/pipelines.cu"
    for mode in functional timing; do
        LOCKSTEP_MODE=$mode on_simulator "$work/pipelines" >"$work/out" || fail "$architecture, $mode: $(cat "$work/out")"
        [ "$(cat "$work/out")" = "no error, 0 wrong" ] || fail "$architecture, $mode: $(cat "$work/out")"
    done
done
