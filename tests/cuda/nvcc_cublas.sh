# cuBLAS: programs that nvcc built against NVIDIA's library run on ours, whose functions have the same names and arguments.
compiler=nvcc long=1
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
theirs=$(dirname "$(dirname "$(realpath "$nvcc")")")
[ -e "$theirs/lib64/libcublas.so.13" ] && [ -e "$theirs/include/cublas_v2.h" ] || { echo "skipped: no libcublas.so.13 of NVIDIA's"; exit 77; }
nm -D --defined-only "$LOCKSTEP_BUILD/lib/lockstep/libcublas.so.13" | sed 's/.* [A-Za-z] //' | sort >"$work/ours"
nm -D --defined-only "$theirs/lib64/libcublas.so.13" | sed 's/.* [A-Za-z] //' | sort >"$work/theirs"
comm -23 "$work/ours" "$work/theirs" | grep . && fail "names that NVIDIA's library has not"

# Our declarations beside NVIDIA's: a compiler says where they differ.
cat >"$work/both.cpp" <<'END'
#include <cublas_api.h>
#define LOCKSTEP_CUBLAS_JOIN(a, b) LOCKSTEP_CUBLAS_JOIN_(a, b)
#define LOCKSTEP_CUBLAS_JOIN_(a, b) a##b
#define LOCKSTEP_CUBLAS_SECOND(name, ...) cublasStatus_t LOCKSTEP_CUBLAS_JOIN(name, _v2)(__VA_ARGS__);
#define LOCKSTEP_CUBLAS(name, ...) cublasStatus_t name(__VA_ARGS__);
extern "C" {
#define LOCKSTEP_I int
#include "lockstep/cublas_functions.h"
#include "lockstep/cublas_mixed.h"
#undef LOCKSTEP_I
#undef LOCKSTEP_CUBLAS_SECOND
#undef LOCKSTEP_CUBLAS
#define LOCKSTEP_CUBLAS_SECOND(name, ...) cublasStatus_t LOCKSTEP_CUBLAS_JOIN(name, _v2_64)(__VA_ARGS__);
#define LOCKSTEP_CUBLAS(name, ...) cublasStatus_t LOCKSTEP_CUBLAS_JOIN(name, _64)(__VA_ARGS__);
#define LOCKSTEP_CUBLAS_LONG
#define LOCKSTEP_I int64_t
#include "lockstep/cublas_functions.h"
#include "lockstep/cublas_mixed.h"
}
END
cp -r "$LOCKSTEP_SRC/src/cuda/include/lockstep" "$work/"
g++ -fsyntax-only -I "$theirs/include" -I "$work" "$work/both.cpp" || fail "functions are declared otherwise"
LOCKSTEP_LONG=1
. "$LOCKSTEP_SRC/tests/cuda/cublas.sh"
