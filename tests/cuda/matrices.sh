# Products of matrices by warps, and matrices between registers and shared memory.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
build "$work/matrices" "$here/matrices.cu"
right_in_both_modes matrices cc
for machine in h100 gtx480; do
    LOCKSTEP_MACHINE=$machine right_in_both_modes matrices "cc, $machine"
done
build "$work/quads" "$here/quads.cu"
right_in_both_modes quads cc
LOCKSTEP_MACHINE=v100 right_in_both_modes quads "cc, v100"
build "$work/small" "$here/matrices_small.cu"
right_in_both_modes small cc
LOCKSTEP_MACHINE=h100 right_in_both_modes small "cc, h100"
[ -n "$nvcc" ] || exit 0
"$nvcc" -cudart shared -gencode arch=compute_90,code=compute_90 "$here/matrices.cu" -o "$work/matrices"
right_in_both_modes matrices nvcc
"$nvcc" -diag-suppress 550 -cudart shared -gencode arch=compute_80,code=compute_80 "$here/matrices_small.cu" -o "$work/small"
right_in_both_modes small nvcc
"$nvcc" -cudart shared -gencode arch=compute_75,code=compute_75 "$here/quads.cu" -o "$work/quads"
right_in_both_modes quads nvcc
