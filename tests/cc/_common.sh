# Helpers of the tests of `lockstep cc`. A test exits 0, 1 or 77 (skipped); it works in a directory of its own.
set -u
LOCKSTEP=${LOCKSTEP:?the lockstep program}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

fail()
{
    echo "FAIL: $*"
    failures=$((failures + 1))
}

. "$here/../_nvidia.sh"

need_clang()
{
    for c in "${LOCKSTEP_CLANG:-clang}" clang-19 clang-18 clang-17 clang-16 clang-15 clang-14; do
        command -v "$c" >/dev/null && return
    done
    echo "skipped: clang is not installed"
    exit 77
}

# Random programs: $cc compiles what writes them, $nvcc is empty where it is not installed and without LOCKSTEP_LONG.
need_random_programs()
{
    need_clang
    [ -e "$(dirname "$LOCKSTEP")/../lib/lockstep/libcudart.so.13" ] || { echo "skipped: libcudart is not built"; exit 77; }
    nvcc=$(nvidia_tool nvcc)
    [ -z "${LOCKSTEP_LONG:-}" ] || [ -n "${LOCKSTEP_NO_NVCC:-}" ] && nvcc=
    cc=$(command -v gcc || command -v clang || command -v cc) || exit 77
}

# differ WAY COMMAND...: the command makes $work/program of $work/program.cu, which $work/make wrote
differ()
{
    local way=$1
    shift
    rm -f "$work/program"
    "$@" "$work/program.cu" -o "$work/program" >"$work/log" 2>&1 ||
        { fail "$way: the functions do not compile" && head -20 "$work/log" && return; }
    "$LOCKSTEP" run --mode functional "$work/program" >"$work/log" 2>&1 || fail "$way: device and host differ"
    grep '^f[0-9]' "$work/log" | head -5
    grep -q 'functions differ$' "$work/log" || fail "$way: the comparison did not come to its end"
}

# compare_random FOLDER COUNT SEED: programs of COUNT functions, with the headers of programs/FOLDER beside them, another seed each way.
# Without -I, and with some optimization, `lockstep cc` takes the headers that were prepared.
compare_random()
{
    local count=$2 seed=$3
    cp "$here/programs/$1/"*.h "$work/"
    "$work/make" "$count" "$seed" >"$work/program.cu"
    differ "cc" "$LOCKSTEP" cc -O1
    "$work/make" "$count" "$((seed + 1))" >"$work/program.cu"
    differ "cc --fast" "$LOCKSTEP" cc --fast -O1
    [ -z "$nvcc" ] && echo "nvcc: not installed, or without LOCKSTEP_LONG" && return
    "$work/make" "$count" "$((seed + 2))" >"$work/program.cu"
    differ nvcc "$nvcc" -w -O0 -std=c++17 -cudart shared -gencode arch=compute_75,code=compute_75
}

finish()
{
    [ "$failures" -eq 0 ] && exit 0
    echo "$failures failed"
    exit 1
}
