# Two files, built by nvcc.
compiler=nvcc
. "$LOCKSTEP_SRC/tests/cuda/files.sh"
