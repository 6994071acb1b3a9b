# cuSPARSE: the generic functions, the older ones, plain C; every name that leaves the library is one of NVIDIA's headers.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
library=cusparse parts="generic old" least=200
. "$LOCKSTEP_SRC/tests/cuda/_kernels.sh"
[ "$compiler" = cc ] || exit 0
cat >"$work/plain.c" <<'END'
#include <cusparse.h>
int main(void)
{
    cusparseHandle_t h;
    int version = 0;
    return cusparseCreate(&h) || cusparseGetVersion(h, &version) || version != CUSPARSE_VERSION || cusparseDestroy(h);
}
END
build "$work/plain" -Wall -Wextra -Werror "$work/plain.c" -lcusparse_static
on_simulator "$work/plain" || fail "in plain C"
