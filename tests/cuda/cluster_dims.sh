# __cluster_dims__, which clang does not have: by lockstep cc with and without the passes of its own, and by nvcc where it is installed.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
export LOCKSTEP_MACHINE=h100
for fast in "" --fast; do
    # shellcheck disable=SC2086
    "$LOCKSTEP" cc $fast "$here/cluster_dims.cu" -o "$work/cluster_dims"
    right_in_both_modes cluster_dims "lockstep cc $fast"
done
# What is no number is clang's to refuse, and a host compiler sees nothing.
echo '#include <host_defines.h>
__global__ void __cluster_dims__(2) f();' >"$work/plain.cpp"
"$LOCKSTEP" cc -c "$work/plain.cpp" -o "$work/plain.o" || fail "__cluster_dims__ in C++"
[ -n "$nvcc" ] || exit 0
"$nvcc" -cudart shared -gencode arch=compute_90,code=compute_90 "$here/cluster_dims.cu" -o "$work/cluster_dims"
right_in_both_modes cluster_dims nvcc
