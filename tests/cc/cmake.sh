#!/bin/bash
# Projects of CMake take share/lockstep/cuda for an installation of CUDA: a project of CUDA and C++ with a library of kernels, device code in
# several files and the toolkit's libraries configures, builds and runs; as does one of C++ alone.
. "$(dirname "$0")/_common.sh"
need_clang
command -v cmake >/dev/null || { echo "skipped: cmake is not installed"; exit 77; }
root=$(dirname "$(dirname "$LOCKSTEP")")
toolkit=$root/share/lockstep/cuda
[ -e "$root/lib/lockstep/libcudart.so.13" ] || { echo "skipped: libcudart is not built"; exit 77; }
[ -z "${LOCKSTEP_PRELOAD:-}" ] || { echo "skipped: a sanitized library is only found by tests that preload its runtime"; exit 77; }
cp -r "$here/programs/project/." "$work" && cd "$work" || exit 1
unset LDFLAGS CXXFLAGS CUDAFLAGS CUDACXX

# project WAY PROGRAMS OPTIONS...: configures, and builds these programs
project()
{
    local way=$1 programs=$2
    shift 2
    cmake -Wno-dev -S . -B "$way" "$@" >log 2>&1 && cmake --build "$way" --target $programs >>log 2>&1 && return
    fail "$way: $(grep -iA8 error log | head -30)"
    return 1
}

# says COMMAND...: the program's sum
says()
{
    "$@" >log 2>&1 && grep -qx 'sum 4950' log || fail "$*: $(tail -n 3 log)"
}

export LOCKSTEP_MODE=functional
project chain "sum parts plain" -DCMAKE_TOOLCHAIN_FILE="$toolkit/lockstep.cmake" -DCMAKE_BUILD_TYPE=Release &&
    for program in sum parts plain; do says chain/$program; done
project compiler "parts plain" -DCMAKE_CUDA_COMPILER="$toolkit/bin/nvcc" -DRUNTIME=Static &&
    for program in parts plain; do says "$LOCKSTEP" run --quiet compiler/$program; done
[ "$("$toolkit/bin/nvcc" --version | grep -c 'release 13')" = 1 ] || fail "nvcc --version"
finish
