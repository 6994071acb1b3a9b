# Relocatable device code, built by nvcc.
compiler=nvcc long=1
. "$LOCKSTEP_SRC/tests/cuda/relocatable.sh"
