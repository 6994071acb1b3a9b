# cuFFT: transforms; every name that leaves the library is one of NVIDIA's headers.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
library=cufft parts=transforms least=30
. "$LOCKSTEP_SRC/tests/cuda/_kernels.sh"
[ "$compiler" = cc ] || exit 0
cat >"$work/plain.c" <<'END'
#include <cufft.h>
int main(void)
{
    cufftHandle plan;
    return cufftPlan1d(&plan, 8, CUFFT_C2C, 1) || cufftDestroy(plan) != CUFFT_SUCCESS;
}
END
build "$work/plain" -Wall -Wextra -Werror "$work/plain.c" -lcufft_static
on_simulator "$work/plain" || fail "in plain C"
