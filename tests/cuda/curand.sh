# Random numbers in kernels and by the host's interface. nvcc's own headers give the same bits (nvcc_curand).
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
build "$work/curand" "$here/curand.cu"
on_simulator "$work/curand" >"$work/out" 2>&1 || fail "in kernels, by $compiler: $(cat "$work/out")"
[ "$(grep -c ': right$' "$work/out")" = 14 ] || fail "not all came: $(cat "$work/out")"
[ "$compiler" = cc ] || exit 0

# The host's interface needs no library, but takes its name; plain C++ has it too.
build "$work/host" "$here/curand_host.cu" -lcurand
on_simulator "$work/host" >"$work/out" 2>&1 || fail "by the host: $(cat "$work/out")"
[ "$(grep -c ': right$' "$work/out")" = 7 ] || fail "not all came: $(cat "$work/out")"
cat >"$work/plain.cpp" <<'END'
#include <curand.h>
#include <cstdio>
int main()
{
    curandGenerator_t g;
    float v[2];
    return curandCreateGeneratorHost(&g, CURAND_RNG_PSEUDO_DEFAULT) || curandGenerateUniform(g, v, 2) || printf("%f\n", v[0]) != 9;
}
END
build "$work/plain" -Wall -Wextra -Werror "$work/plain.cpp"
on_simulator "$work/plain" >"$work/out" || fail "in plain C++: $(cat "$work/out")"
