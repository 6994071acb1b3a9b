# Host threads, built by nvcc.
compiler=nvcc
. "$LOCKSTEP_SRC/tests/cuda/threads.sh"
