# Functions of halves and bf16 numbers, all of which give what nvcc's headers give (nvcc_halves).
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
if [ "$compiler" = nvcc ]; then
    "$nvcc" -w -cudart shared -gencode arch=compute_80,code=compute_80 "$here/halves.cu" -o "$work/halves"
else
    build "$work/halves" -arch=sm_80 "$here/halves.cu"
fi
check_output halves

# Plain host code has the types and what converts them: with lockstep cc, and with the system's compiler (or NVIDIA's headers).
if [ "$compiler" = nvcc ]; then
    g++ -I "$(dirname "$(dirname "$(realpath "$nvcc")")")/include" "$here/halves_host.cpp" -o "$work/halves_host"
else
    g++ -Wall -Wextra -Werror -I "$LOCKSTEP_SRC/src/cuda/include" "$here/halves_host.cpp" -o "$work/halves_host"
    "$LOCKSTEP" cc -std=c++11 "$here/halves_host.cpp" -o "$work/plain"
    "$work/plain" >"$work/plain.out"
    diff -u "$here/halves_host.expected" "$work/plain.out" || fail "halves in plain host code, by lockstep cc"
    cp "$here/halves_host.cpp" "$work/as_cuda.cu"
    "$LOCKSTEP" cc "$work/as_cuda.cu" -o "$work/as_cuda"
    on_simulator "$work/as_cuda" | diff -u "$here/halves_host.expected" - || fail "halves in host code of a .cu file"
fi
"$work/halves_host" | diff -u "$here/halves_host.expected" - || fail "halves in plain host code, by g++"
