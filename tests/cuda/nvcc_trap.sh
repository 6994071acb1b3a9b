# Checks inside critical sections, built by nvcc.
compiler=nvcc
. "$LOCKSTEP_SRC/tests/cuda/trap.sh"
