# Host threads, built by nvcc.
compiler=nvcc long=1
. "$LOCKSTEP_SRC/tests/cuda/threads.sh"
