# Functions of halves and bf16 numbers, by nvcc and its own headers.
compiler=nvcc long=1
. "$LOCKSTEP_SRC/tests/cuda/halves.sh"
