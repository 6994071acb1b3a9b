# Video instructions: written in assembly, and by nvcc.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
try() {
    for mode in functional timing; do
        LOCKSTEP_MODE=$mode on_simulator "$work/video" >"$work/out" || fail "$1, $mode: $(cat "$work/out")"
        [ "$(cat "$work/out")" = "no error, 0 wrong" ] || fail "$1, $mode: $(cat "$work/out")"
    done
}
build "$work/video" "$here/video.cu"
try "lockstep cc"
if [ -n "$nvcc" ]; then
    "$nvcc" -cudart shared -gencode arch=compute_80,code=compute_80 "$here/video.cu" -o "$work/video"
    try nvcc
fi
