# Shared memory of host and device, built by nvcc.
compiler=nvcc long=1
. "$LOCKSTEP_SRC/tests/cuda/managed.sh"
