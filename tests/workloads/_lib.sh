# Sourced by the tests of this folder.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

hang=600 # seconds after which a run is taken for one that never ends: all take less than a twentieth of it

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

. "$LOCKSTEP_SRC/tests/_nvidia.sh"
nvcc=$(nvidia_tool nvcc)
[ -z "${LOCKSTEP_NO_NVCC:-}" ] || nvcc=

# build_all NAME SOURCE: $work/NAME by lockstep cc and, where nvcc is installed and with LOCKSTEP_LONG, $work/NAME.nvcc. Code of the host,
# which these programs have most of, is optimized less without LOCKSTEP_LONG.
less=-O1
if [ -n "${LOCKSTEP_LONG:-}" ]; then less=; else nvcc=; fi
build_all() {
    "$LOCKSTEP" cc $less "$2" -o "$work/$1" || fail "$1: lockstep cc"
    [ -z "$nvcc" ] || "$nvcc" -w -cudart shared -isystem "$LOCKSTEP_SRC/src/cuda/include" -gencode arch=compute_75,code=compute_75 "$2" -o "$work/$1.nvcc" || fail "$1: nvcc"
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
    timeout $hang "$LOCKSTEP" run --quiet $options "$work/$program" "$@" >"$work/out" 2>"$work/err" || {
        fail "$program$options: status $?: $(tail -n 3 "$work/out") $(head -n 5 "$work/err")"
        return 0
    }
}

small=--small
# check PROGRAM OPTIONS...: with small inputs the program's own check passes, and the output is that of its first run.
check() {
    name=${1%.nvcc}
    # shellcheck disable=SC2086 # several words
    simulate "$@" -- $small
    grep -q "^$name: correct\$" "$work/out" || fail "$*: no verdict"
    [ -e "$work/$name.expected" ] || cp "$work/out" "$work/$name.expected"
    cmp -s "$work/out" "$work/$name.expected" || fail "$*: prints something else: $(diff "$work/$name.expected" "$work/out")"
}

# broken NAME SED STATUS MESSAGE OPTIONS...: the program with its source changed by the sed script ends with that status and
# says what matches the pattern MESSAGE, in functional mode or as $simulated says. A checker that cannot fail checks nothing.
broken() {
    program=$1 edit=$2 expected=$3 message=$4
    shift 4
    source=$LOCKSTEP_SRC/workloads/$program/$program.cu
    sed "$edit" "$source" >"$work/edited.cu"
    ! cmp -s "$source" "$work/edited.cu" || fail "$program: '$edit' changes nothing"
    sed "s,\"\.\./\([a-z]*\.h\)\",\"$LOCKSTEP_SRC/workloads/\1\",; s,\"\([a-z]*\.h\)\",\"$LOCKSTEP_SRC/workloads/$program/\1\"," \
        "$work/edited.cu" >"$work/broken.cu"
    "$LOCKSTEP" cc $less "$work/broken.cu" -o "$work/broken" || {
        fail "$program: '$edit' does not compile"
        return 0
    }
    status=0
    timeout $hang "$LOCKSTEP" run --quiet ${simulated:---mode functional} "$work/broken" "$@" >"$work/out" 2>"$work/err" || status=$?
    [ "$status" = "$expected" ] && cat "$work/out" "$work/err" | grep -q -e "$message" ||
        fail "$program, '$edit', not noticed: status $status: $(tail -n 3 "$work/out") $(head -n 3 "$work/err")"
}
