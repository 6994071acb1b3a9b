# Failing kernels, built by nvcc.
compiler=nvcc
. "$LOCKSTEP_SRC/tests/cuda/faults.sh"
