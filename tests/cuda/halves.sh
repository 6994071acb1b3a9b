# Functions of halves and bf16 numbers, all of which give what nvcc's headers give (nvcc_halves).
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
if [ "$compiler" = nvcc ]; then
    "$nvcc" -w -cudart shared -gencode arch=compute_80,code=compute_80 "$here/halves.cu" -o "$work/halves"
else
    build "$work/halves" -arch=sm_80 "$here/halves.cu"
fi
check_output halves
