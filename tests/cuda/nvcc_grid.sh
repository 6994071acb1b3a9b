# Grid barriers, built by nvcc.
compiler=nvcc
. "$LOCKSTEP_SRC/tests/cuda/grid.sh"
