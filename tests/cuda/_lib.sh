# Sourced by the tests of this folder: building a CUDA program in both ways, and running it on the simulator.
set -eu
here=$LOCKSTEP_SRC/tests/cuda
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# For tests of a program that one of this folder builds by lockstep cc already: nvcc takes much longer for it.
if [ -n "${long:-}" ] && [ -z "${LOCKSTEP_LONG:-}" ]; then
    echo "skipped: only tried with LOCKSTEP_LONG (make test-long)"
    exit 77
fi

. "$LOCKSTEP_SRC/tests/_nvidia.sh"
nvcc=$(nvidia_tool nvcc)

# build OUTPUT SOURCES...: by lockstep cc, or by nvcc with a shared runtime when compiler=nvcc.
compiler=${compiler:-cc}
if [ "$compiler" = nvcc ] && [ -z "$nvcc" ]; then
    echo "skipped: nvcc is not installed"
    exit 77
fi
build() {
    output=$1
    shift
    if [ "$compiler" = nvcc ]; then
        "$nvcc" -cudart shared -gencode arch=compute_75,code=compute_75 "$@" -o "$output"
    else
        "$LOCKSTEP" cc "$@" -o "$output"
    fi
}

# on_simulator PROGRAM ARGUMENTS...: functional mode unless LOCKSTEP_MODE says otherwise.
on_simulator() {
    LD_LIBRARY_PATH=$LOCKSTEP_BUILD/lib/lockstep LD_PRELOAD=${LOCKSTEP_PRELOAD:-} LOCKSTEP_MODE=${LOCKSTEP_MODE:-functional} \
        timeout 120 "$@"
}

# A sanitizer keeps the host addresses at which device memory lies by default.
if [ -n "${LOCKSTEP_PRELOAD:-}" ]; then
    export LOCKSTEP_SET="gpu.memory_base=268435456"
fi

# Programs end with work of their own still on the device, as CUDA programs may; leaks are the unit tests' matter.
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0:verify_asan_link_order=0"

# check_output NAME SOURCES...: builds the program and runs it; its output must be NAME.expected. Without sources: the one built before.
check_output() {
    name=$1
    shift
    [ $# = 0 ] || build "$work/$name" "$@"
    on_simulator "$work/$name" >"$work/$name.out" || fail "$name ended with $?: $(tail -n 5 "$work/$name.out")"
    diff -u "$here/$name.expected" "$work/$name.out" || fail "$name by $compiler printed something else"
}

# right_by_both NAME: NAME.cu, built by lockstep cc and by nvcc for sm_80, says "no error, 0 wrong" in both modes.
right_in_both_modes() {
    for mode in functional timing; do
        LOCKSTEP_MODE=$mode on_simulator "$work/$1" >"$work/out" || fail "$2, $mode: $(cat "$work/out")"
        [ "$(cat "$work/out")" = "no error, 0 wrong" ] || fail "$2, $mode: $(cat "$work/out")"
    done
}
right_by_both() {
    build "$work/$1" "$here/$1.cu"
    right_in_both_modes "$1" "lockstep cc"
    [ -n "$nvcc" ] || return 0
    "$nvcc" -cudart shared -gencode arch=compute_80,code=compute_80 "$here/$1.cu" -o "$work/$1"
    right_in_both_modes "$1" nvcc
}
