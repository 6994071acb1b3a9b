# Copies by cp.async: written in assembly, and by nvcc for a GPU that has it.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
try() {
    for mode in functional timing; do
        LOCKSTEP_MODE=$mode on_simulator "$work/copies" >"$work/out" || fail "$1, $mode: $(cat "$work/out")"
        [ "$(cat "$work/out")" = "no error, 0 wrong" ] || fail "$1, $mode: $(cat "$work/out")"
    done
}
build "$work/copies" "$here/copies.cu"
try "lockstep cc"
if [ -n "$nvcc" ]; then
    "$nvcc" -cudart shared -gencode arch=compute_80,code=compute_80 "$here/copies.cu" -o "$work/copies"
    try nvcc
fi
