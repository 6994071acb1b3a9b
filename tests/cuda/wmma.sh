# Products of matrices by nvcuda::wmma, of our own header and of the one that nvcc brings.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
build "$work/wmma" "$here/wmma.cu"
right_in_both_modes wmma cc
[ -n "$nvcc" ] || exit 0
"$nvcc" -cudart shared -gencode arch=compute_80,code=compute_80 "$here/wmma.cu" -o "$work/wmma"
right_in_both_modes wmma nvcc
