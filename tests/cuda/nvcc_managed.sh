# Shared memory of host and device, built by nvcc.
compiler=nvcc
. "$LOCKSTEP_SRC/tests/cuda/managed.sh"
