# The tour, built by nvcc.
compiler=nvcc
. "$LOCKSTEP_SRC/tests/cuda/tour.sh"
