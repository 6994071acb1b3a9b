# cuSOLVER: dense matrices; every name that leaves the library is one of NVIDIA's headers.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
library=cusolver parts="dense wide pairs" least=170
. "$LOCKSTEP_SRC/tests/cuda/_kernels.sh"
[ "$compiler" = cc ] || exit 0
cat >"$work/plain.c" <<'END'
#include <cusolverDn.h>
int main(void)
{
    cusolverDnHandle_t h;
    return cusolverDnCreate(&h) || cusolverDnSetStream(h, 0) || cusolverDnDestroy(h);
}
END
"$LOCKSTEP" cc -c "$work/plain.c" -o "$work/plain.o"
"${CXX:-c++}" "$work/plain.o" -L"$LOCKSTEP_BUILD/share/lockstep/cuda/lib64" -lcusolverMg -lcusolver -lcublas -lcudart -o "$work/linked" ||
    fail "a build file names the library for several GPUs too"
build "$work/plain" -Wall -Wextra -Werror "$work/plain.c" -lcusolver_static
on_simulator "$work/plain" || fail "in plain C"
