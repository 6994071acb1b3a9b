#!/bin/bash
# Our CUDA headers compile as strict C and C++ with gcc and clang, and their layouts and values are those of NVIDIA's
# headers, where installed.
. "$(dirname "$0")/_common.sh"
include=${LOCKSTEP_SRC:-$here/../..}/src/cuda/include
for h in cuda_runtime.h cuda_fp16.h cuComplex.h cuda.h; do echo "#include <$h>"; done >"$work/all.c"
echo 'int main(void) { return 0; }' >>"$work/all.c"
cp "$work/all.c" "$work/all.cpp"
for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    $compiler -std=c17 -Wall -Wextra -Wpedantic -Werror -I "$include" -c "$work/all.c" -o /dev/null ||
        fail "$compiler, C"
    $compiler -std=c++17 -Wall -Wextra -Werror -I "$include" -c "$work/all.cpp" -o /dev/null || fail "$compiler, C++"
done
cc=$(command -v gcc || command -v clang || command -v cc) || exit 77
# print_layout NAME INCLUDE: compiled with the headers in INCLUDE; our list of errors serves both
print_layout()
{
    "$cc" -w -std=c17 -I "$2" -I "$include/lockstep" "$here/abi_layout.c" -o "$work/$1" &&
        "$work/$1" >"$work/$1.txt" || exit 1
}
print_layout ours "$include"
theirs=/usr/local/cuda/include
if grep -q 'define CUDART_VERSION *130' $theirs/cuda_runtime_api.h 2>/dev/null; then
    print_layout theirs $theirs
    diff "$work/ours.txt" "$work/theirs.txt" || fail "the binary interface differs"
else
    echo "1 comparison skipped: NVIDIA's headers of CUDA 13 are not installed"
fi
finish
