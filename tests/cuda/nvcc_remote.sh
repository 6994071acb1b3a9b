# Accesses of remote scope, built by nvcc.
compiler=nvcc long=1
. "$LOCKSTEP_SRC/tests/cuda/remote.sh"
