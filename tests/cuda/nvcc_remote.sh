# Accesses of remote scope, built by nvcc.
compiler=nvcc
. "$LOCKSTEP_SRC/tests/cuda/remote.sh"
