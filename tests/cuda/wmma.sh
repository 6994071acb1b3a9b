# Products of matrices by nvcuda::wmma of our own header.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
build "$work/wmma" "$here/wmma.cu"
right_in_both_modes wmma cc
