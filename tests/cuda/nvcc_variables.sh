# Device variables of every linkage, built by nvcc.
compiler=nvcc long=1
. "$LOCKSTEP_SRC/tests/cuda/variables.sh"
