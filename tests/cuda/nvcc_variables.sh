# Device variables of every linkage, built by nvcc.
compiler=nvcc
. "$LOCKSTEP_SRC/tests/cuda/variables.sh"
