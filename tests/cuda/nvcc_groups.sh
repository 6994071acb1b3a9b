# Cooperative groups, built by nvcc.
compiler=nvcc
. "$LOCKSTEP_SRC/tests/cuda/groups.sh"
