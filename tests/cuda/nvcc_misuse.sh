# Wrong calls, of a program built by nvcc.
compiler=nvcc
. "$LOCKSTEP_SRC/tests/cuda/misuse.sh"
