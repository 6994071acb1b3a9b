# The driver interface, libcuda.so.1: a C program that brings its own PTX, built against our cuda.h and NVIDIA's; a program of
# both interfaces, with either runtime and in either order of libraries; a checkpoint; names that leave the library.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"

simulate() { LD_PRELOAD=${LOCKSTEP_PRELOAD:-} LOCKSTEP_MODE=timing LD_LIBRARY_PATH=$LOCKSTEP_BUILD/lib/lockstep timeout 120 "$@"; }

# check HOW: output of the program $work/driver.
check() {
    simulate "$work/driver" >"$work/out" 2>"$work/err" || fail "$1: status $?: $(tail -n 3 "$work/out" "$work/err")"
    diff -u "$here/driver.expected" "$work/out" || fail "$1: other answers"
    grep -q 'note: cuDeviceGetCount is refused with CUDA_ERROR_NOT_INITIALIZED: cuInit was not called' "$work/err" || fail "$1: cuInit"
    grep -q 'note: cuStreamDestroy_v2 is refused with CUDA_ERROR_INVALID_HANDLE: ' "$work/err" || fail "$1: a stream"
    grep -q 'warning: cuMipmappedArrayCreate is not supported' "$work/err" || fail "$1: a texture"
}
link="-L$LOCKSTEP_BUILD/lib/lockstep -l:libcuda.so.1"

# images INCLUDE: arrays, textures and surfaces, by that cuda.h.
images() {
    ${CC:-cc} -I "$1" "$here/driver_images.c" -o "$work/images" $link
    for LOCKSTEP_MODE in functional timing; do
        export LOCKSTEP_MODE
        [ "$(on_simulator "$work/images" 2>"$work/err")" = "0 wrong" ] || fail "textures by $1, $LOCKSTEP_MODE: $(cat "$work/err")"
    done
    unset LOCKSTEP_MODE
}
images "$LOCKSTEP_SRC/src/cuda/include"
${CC:-cc} -I "$LOCKSTEP_SRC/src/cuda/include" "$here/driver.c" -o "$work/driver" $link
check "our cuda.h"
simulate "$work/driver" primary >"$work/out" 2>"$work/err" || fail "primary context: status $?"
diff <(grep -v 'cuCtxDestroy\|^none' "$here/driver.expected") "$work/out" >"$work/diff" && fail "the primary context is like any"
[ "$(grep '^[<>]' "$work/diff")" = '> cuDevicePrimaryCtxRelease(device): CUDA_ERROR_INVALID_CONTEXT' ] || fail "primary: $(cat "$work/diff")"

# A program that asked what its errors mean succeeds under lockstep run, which counts its kernels; a continued run does as the
# whole one did.
"$LOCKSTEP" run --stats "$work/stats.json" --checkpoint-every 2000 --checkpoint "$work/%c.checkpoint" "$work/driver" \
    >"$work/one" 2>"$work/err" || fail "lockstep run: $(tail -n 3 "$work/err")"
grep -q 'scale' "$work/err" "$work/one" || fail "lockstep run shows no kernel"
[ "$(grep -c '"name": "scale"' "$work/stats.json")" = 7 ] || fail "not 7 launches: $(grep -c '"name": "scale"' "$work/stats.json")"
from=$(ls "$work"/*.checkpoint | sort -V | tail -1)
"$LOCKSTEP" run --quiet --allow-code --resume "$from" >"$work/two" 2>"$work/err" || fail "--resume: $(tail -n 3 "$work/err")"
diff -u "$here/driver.expected" "$work/two" || fail "a continued run answers otherwise"

# Both interfaces in one process share everything, whichever library comes first.
"$LOCKSTEP" cc "$here/driver_mixed.cu" -o "$work/mixed" $link 2>"$work/err" || fail "driver_mixed.cu: $(cat "$work/err")"
cat >"$work/mixed.expected" <<'X'
the runtime's context: 1
0: 352
freed by the runtime: 0
freed again: 1, of which the runtime knows nothing: 0
and the other way round: 0 1
an entry of the driver: 0 0 0
after a reset: 400
X
mixed() {
    on_simulator "$work/mixed" >"$work/out" 2>"$work/err" || fail "mixed, $1: status $?: $(tail -n 3 "$work/err")"
    diff -u "$work/mixed.expected" "$work/out" || fail "mixed, $1"
}
mixed "by lockstep cc"
LOCKSTEP_PRELOAD="${LOCKSTEP_PRELOAD:+$LOCKSTEP_PRELOAD }$LOCKSTEP_BUILD/lib/lockstep/libcuda.so.1" mixed "libcuda first"

# What -fatbin and -cubin write are modules, from the file and from memory.
cat >"$work/kernel.cu" <<'X'
extern "C" __global__ void twice(int *p) { p[threadIdx.x] *= 2; }
X
cat >"$work/load.cu" <<'X'
#include <cstdio>
#include <cuda.h>
int main(int argc, char **argv)
{
    static char text[1 << 20];
    CUmodule modules[2];
    CUfunction twice;
    int *p;
    cudaMallocManaged(&p, 4);
    int mode = -1;
    cuDeviceGetAttribute(&mode, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, 0);
    if (mode == CU_COMPUTEMODE_PROHIBITED)
        return 1;
    *p = 1;
    FILE *file = fopen(argv[1], "rb");
    size_t size = file ? fread(text, 1, sizeof text, file) : 0;
    bool ended = size && text[size - 1] == '\0';
    int failed = cuModuleLoad(&modules[0], argv[1]) || cuModuleLoadData(&modules[1], text);
    void *parameters[] = {&p};
    for (auto module : modules)
        failed |= cuModuleGetFunction(&twice, module, "twice") || cuLaunchKernel(twice, 1, 1, 1, 1, 1, 1, 0, 0, parameters, 0);
    failed |= cudaDeviceSynchronize();
    printf("%d %d %d\n", failed, ended, *p);
}
X
"$LOCKSTEP" cc "$work/load.cu" -o "$work/load" $link || fail "load.cu"
for kind in fatbin cubin; do
    (cd "$work" && "$LOCKSTEP" cc -$kind -gencode arch=compute_75,code=sm_75 kernel.cu) || fail "-$kind"
    [ "$(on_simulator "$work/load" "$work/kernel.$kind")" = "0 1 4" ] || fail "a module of -$kind: $(on_simulator "$work/load" "$work/kernel.$kind")"
done

names() { nm -D --defined-only "$LOCKSTEP_BUILD/lib/lockstep/libcuda.so.1" | sed 's/.* [A-Za-z] //' | sort -u; }
names | grep -v '^cu[A-Z]\|^__cudaLockstepHome$' && fail "something else leaves libcuda.so.1"

nvidia=/usr/local/cuda/include
[ -z "$nvcc" ] || nvidia=$(dirname "$(dirname "$(readlink -f "$nvcc")")")/include
[ -f "$nvidia/cuda.h" ] || exit 0
${CC:-cc} -I "$nvidia" "$here/driver.c" -o "$work/driver" $link
check "NVIDIA's cuda.h"
images "$nvidia"
[ -n "$nvcc" ] || exit 0
for order in "-cudart shared" "-cudart shared -Xlinker --no-as-needed"; do
    "$nvcc" $order -gencode arch=compute_75,code=compute_75 "$here/driver_mixed.cu" -o "$work/mixed" "-L$LOCKSTEP_BUILD/lib/lockstep" -lcuda
    mixed "by nvcc $order"
done
exit 0
