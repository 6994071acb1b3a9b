# Sourced by the tests of this folder.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

finish() {
    [ "$failures" = 0 ] || exit 1
    exit 0
}

for clang in "${LOCKSTEP_CLANG:-clang}" clang-19 clang-18 clang-17 clang-16 clang-15 clang-14 none; do
    ! command -v "$clang" >/dev/null || break
done
if [ "$clang" = none ]; then
    echo "skipped: clang is not installed"
    exit 77
fi

nvcc=$(command -v nvcc || { [ -x /usr/local/cuda/bin/nvcc ] && echo /usr/local/cuda/bin/nvcc; } || :)
[ -z "${LOCKSTEP_NO_NVCC:-}" ] || nvcc=

# build_all NAME SOURCE: $work/NAME by lockstep cc and, where nvcc is installed, $work/NAME.nvcc.
build_all() {
    "$LOCKSTEP" cc "$2" -o "$work/$1" || fail "$1: lockstep cc"
    [ -z "$nvcc" ] || "$nvcc" -w -cudart shared -gencode arch=compute_75,code=compute_75 "$2" -o "$work/$1.nvcc" || fail "$1: nvcc"
}

# simulate PROGRAM OPTIONS-OF-RUN -- ARGUMENTS: standard output to $work/out.
simulate() {
    program=$1
    shift
    options=
    while [ "$1" != -- ]; do
        options="$options $1"
        shift
    done
    shift
    # shellcheck disable=SC2086
    timeout 60 "$LOCKSTEP" run --quiet $options "$work/$program" "$@" >"$work/out" 2>"$work/err" || {
        fail "$program$options: status $?: $(tail -n 3 "$work/out") $(head -n 5 "$work/err")"
        return 0
    }
}
