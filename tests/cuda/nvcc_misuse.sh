# Wrong calls, of a program built by nvcc.
compiler=nvcc long=1
. "$LOCKSTEP_SRC/tests/cuda/misuse.sh"
