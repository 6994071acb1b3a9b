#!/bin/bash
# Our CUDA headers compile as strict C and C++ with gcc and clang, and their layouts and values are those of NVIDIA's headers, where installed.
. "$(dirname "$0")/_common.sh"
include=${LOCKSTEP_SRC:-$here/../..}/src/cuda/include
printf '#include <cuda_runtime.h>\n#include <cuda_fp16.h>\n#include <cuComplex.h>\n#include <cuda.h>\nint main(void) { return 0; }\n' >"$work/all.c"
cp "$work/all.c" "$work/all.cpp"
for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    $compiler -std=c17 -Wall -Wextra -Wpedantic -Werror -I "$include" -c "$work/all.c" -o /dev/null || fail "$compiler, C"
    $compiler -std=c++17 -Wall -Wextra -Werror -I "$include" -c "$work/all.cpp" -o /dev/null || fail "$compiler, C++"
done
cc=$(command -v gcc || command -v clang || command -v cc) || exit 77
"$cc" -std=c17 -I "$include" -I "$include/lockstep" "$here/abi_layout.c" -o "$work/ours" && "$work/ours" >"$work/ours.txt" || exit 1
theirs=/usr/local/cuda/include
if grep -q 'define CUDART_VERSION *130' $theirs/cuda_runtime_api.h 2>/dev/null; then
    "$cc" -w -std=c17 -I $theirs -I "$include/lockstep" "$here/abi_layout.c" -o "$work/theirs" && "$work/theirs" >"$work/theirs.txt" || exit 1
    diff "$work/ours.txt" "$work/theirs.txt" || fail "the binary interface differs"
else
    echo "1 comparison skipped: NVIDIA's headers of CUDA 13 are not installed"
fi
finish
