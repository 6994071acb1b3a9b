# Locks and semaphores as instructions, built by nvcc.
compiler=nvcc long=1
. "$LOCKSTEP_SRC/tests/cuda/locks.sh"
