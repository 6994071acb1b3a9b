#!/bin/bash
# Every standard C++ header that clang itself takes in CUDA mode compiles under `lockstep cc`, by every clang that is installed. A file
# includes them all, under C++20; where that fails, and under each standard with LOCKSTEP_LONG, each header stands alone.
. "$(dirname "$0")/_common.sh"
need_clang
cd "$work" || exit 1
cat >memory.cu <<'P'
#include <memory>
#include <regex>
__noinline__ int one() { return *std::make_shared<int>(1); }
__noinline__ __device__ int two() { return 2; }
__global__ void k(int *p) { *p = two(); }
int main() { return one() - 1; }
P

# The headers of the C++ library that `$clang` finds: what its folder holds by a name without a suffix.
headers()
{
    local folder
    folder=$(dirname "$(echo '#include <vector>' | "$clang" -x c++ -E - | sed -n 's/^# 1 "\(.*\/vector\)".*/\1/p' | head -1)")
    find "$folder" -maxdepth 1 -type f ! -name '*.*' -printf '%f\n' | LC_ALL=C sort
}

# including HEADER...: a program
including()
{
    printf '#include <%s>\n' "$@"
    echo 'int main() {}'
}

# taken STANDARD FILE: by clang without Lockstep's headers
taken()
{
    "$clang" -x cuda -nocudainc -nocudalib --cuda-path=/nonexistent --cuda-host-only -fsyntax-only -w "-std=$1" "$2" >/dev/null 2>&1
}

# compiled STANDARD FILE: for the device, where clang checks host code too; with LOCKSTEP_LONG for both
if [ -n "${LOCKSTEP_LONG:-}" ]; then goal="-c -O0 -o out.o"; else goal="--ptx -o out.ptx"; fi
compiled()
{
    # shellcheck disable=SC2086 # several words
    LOCKSTEP_CLANG=$clang "$LOCKSTEP" cc $goal "-std=$1" "$2" >log 2>&1
}

each_alone()
{
    local header
    for header in $all; do
        including "$header" >one.cu
        compiled "$1" one.cu || ! taken "$1" one.cu || fail "$clang $1: #include <$header>: $(grep -m1 error log)"
    done
}

together()
{
    local header kept=()
    for header in $all; do
        including "$header" >one.cu
        # Two known faults of clang's aside, a header that it does not take fails at once: asking for each would take longer than the test.
        # At <regex> clang 14 crashes, which takes long too; memory.cu includes it.
        case $1/$header in c++20/regex) continue ;; */coroutine) taken "$1" one.cu || continue ;; esac
        kept+=("$header")
    done
    including "${kept[@]}" >all.cu
    compiled "$1" all.cu && return
    local before=$failures error
    error=$(grep -m1 error log)
    each_alone "$1"
    [ "$failures" -gt "$before" ] || fail "$clang $1: all headers together: $error"
}

for clang in "${LOCKSTEP_CLANG:-clang}" $(compgen -c clang- | grep -x 'clang-[0-9]*' | sort -u); do
    command -v "$clang" >/dev/null || continue
    real=$(readlink -f "$(command -v "$clang")")
    case " ${seen:-} " in *" $real "*) continue ;; esac
    seen="${seen:-} $real"
    all=$(headers)
    [ "$(echo "$all" | wc -w)" -ge 70 ] || fail "$clang: only $(echo "$all" | wc -w) headers are found"
    compiled c++17 memory.cu || fail "$clang: <memory> beside __noinline__: $(grep -m1 error log)"
    for standard in ${LOCKSTEP_LONG:+c++11 c++14 c++17} c++20; do
        if [ -n "${LOCKSTEP_LONG:-}" ]; then each_alone "$standard"; else together "$standard"; fi
    done
done
finish
