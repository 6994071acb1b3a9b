# Sourced by the tests of this folder: building a CUDA program in both ways, and running it on the simulator.
set -eu
here=$LOCKSTEP_SRC/tests/cuda
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

nvcc=$(command -v nvcc || { [ -x /usr/local/cuda/bin/nvcc ] && echo /usr/local/cuda/bin/nvcc; } || :)

# with_cc OUTPUT SOURCES...: by lockstep cc.
with_cc() {
    output=$1
    shift
    "$LOCKSTEP" cc "$@" -o "$output"
}

# with_nvcc OUTPUT SOURCES...: by nvcc, the runtime shared. False when there is no nvcc.
with_nvcc() {
    [ -n "$nvcc" ] || return 1
    output=$1
    shift
    "$nvcc" -cudart shared -gencode arch=compute_75,code=compute_75 "$@" -o "$output"
}

# on_simulator PROGRAM ARGUMENTS...: functional mode unless LOCKSTEP_MODE says otherwise.
on_simulator() {
    LD_LIBRARY_PATH=$LOCKSTEP_BUILD/lib LD_PRELOAD=${LOCKSTEP_PRELOAD:-} LOCKSTEP_MODE=${LOCKSTEP_MODE:-functional} \
        timeout 120 "$@"
}

# A sanitizer keeps the host addresses at which device memory lies by default.
if [ -n "${LOCKSTEP_PRELOAD:-}" ]; then
    export LOCKSTEP_SET="gpu.memory_base=268435456"
fi

# Programs end with work of their own still on the device, as CUDA programs may; leaks are the unit tests' matter.
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0:verify_asan_link_order=0"

# same_in_both_builds NAME SOURCES...: builds and runs the program both ways; the output of each must be NAME.expected.
same_in_both_builds() {
    name=$1
    shift
    with_cc "$work/$name" "$@"
    on_simulator "$work/$name" >"$work/$name.out" || fail "$name ended with $?: $(tail -n 5 "$work/$name.out")"
    diff -u "$here/$name.expected" "$work/$name.out" || fail "$name built by lockstep cc printed something else"
    if with_nvcc "$work/$name.nvcc" "$@"; then
        on_simulator "$work/$name.nvcc" >"$work/$name.nvcc.out" || fail "$name by nvcc ended with $?"
        diff -u "$here/$name.expected" "$work/$name.nvcc.out" || fail "$name built by nvcc printed something else"
    else
        echo "skipped: $name by nvcc, which is not installed"
    fi
}
