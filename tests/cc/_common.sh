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

# The name of an NVIDIA tool, empty when it is not installed.
nvidia_tool()
{
    command -v "$1" 2>/dev/null || { [ -x "/usr/local/cuda/bin/$1" ] && echo "/usr/local/cuda/bin/$1"; }
}

need_clang()
{
    for c in "${LOCKSTEP_CLANG:-clang}" clang-19 clang-18 clang-17 clang-16 clang-15 clang-14; do
        command -v "$c" >/dev/null && return
    done
    echo "skipped: clang is not installed"
    exit 77
}

finish()
{
    [ "$failures" -eq 0 ] && exit 0
    echo "$failures failed"
    exit 1
}
