# Races between launches, in a program that nvcc builds.
compiler=nvcc
. "$LOCKSTEP_SRC/tests/cuda/ordered.sh"
