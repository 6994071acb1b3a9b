# Numbers of 8 bits on the device and on the host, which give what NVIDIA's header gives on the host (nvcc_fp8).
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
cp "$here/fp8.cu" "$work/plain.cpp"
if [ "$compiler" = nvcc ]; then
    g++ -w -I "$(dirname "$(dirname "$(realpath "$nvcc")")")/include" "$work/plain.cpp" -o "$work/plain"
    "$work/plain" | diff -u "$here/fp8.expected" - || fail "by NVIDIA's header"
    exit 0
fi
g++ -std=c++11 -Wall -Wextra -Werror -I "$LOCKSTEP_SRC/src/cuda/include" "$work/plain.cpp" -o "$work/plain"
"$work/plain" | diff -u "$here/fp8.expected" - || fail "in plain host code"
check_output fp8 "$here/fp8.cu"
# With nvcc, whose header has instructions for it from sm_89 on.
[ -n "$nvcc" ] || exit 0
"$nvcc" -w -cudart shared -gencode arch=compute_90,code=compute_90 "$here/fp8.cu" -o "$work/fp8"
check_output fp8
