# cuBLAS: vectors, matrices, plain C++ and C; every name that leaves the library is one of NVIDIA's headers.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
[ -e "$LOCKSTEP_BUILD/lib/lockstep/libcublas.so.13" ] || { echo "skipped: libcublas is not built"; exit 77; }
for part in vectors matrices packed lt; do
    build "$work/$part" "$here/cublas_$part.cu" -lcublasLt -lcublas
    on_simulator "$work/$part" >"$work/out" 2>&1 || fail "$part, by $compiler: $(cat "$work/out")"
    grep -q "^$part: [0-9]\{2,\} tried, 0 wrong$" "$work/out" || fail "$part: $(cat "$work/out")"
done
build "$work/long" "$here/cublas_long.cu" -lcublas
right_in_both_modes long "$compiler, numbers of 64 bits"
[ "$compiler" = cc ] || exit 0

# Host code that is compiled apart; the library's static form is the same one.
cat >"$work/plain.cpp" <<'END'
#include <cublas_v2.h>
#include <cstdio>
int main()
{
    cublasHandle_t h;
    double x[3] = {1, 2, 3}, *d, sum;
    return cublasCreate(&h) || cudaMalloc((void **)&d, sizeof x) || cublasSetVector(3, sizeof *x, x, 1, d, 1) || cublasDasum(h, 3, d, 1, &sum) ||
           std::printf("%g\n", sum) != 2 || cublasDestroy(h);
}
END
build "$work/plain" -Wall -Wextra -Werror "$work/plain.cpp" -lcublas_static
[ "$(on_simulator "$work/plain")" = 6 ] || fail "in plain C++"
build "$work/old" -Wall -Wextra -Werror "$here/cublas_old.c" -lcublas
[ "$(on_simulator "$work/old")" = "2 13 4 18
0.5 0.375 1.5 0.625, 21
7 0" ] || fail "without handles: $(on_simulator "$work/old")"

nm -D --defined-only "$LOCKSTEP_BUILD/lib/lockstep/libcublas.so.13" | sed 's/.* [A-Za-z] //' >"$work/names"
[ "$(grep -c '^cublas.*@@libcublas.so.13$' "$work/names")" -gt 180 ] || fail "too few exports"
grep -v '^cublas.*@@libcublas.so.13$' "$work/names" | grep -v '^libcublas.so.13' && fail "something else leaves the library"
exit 0
