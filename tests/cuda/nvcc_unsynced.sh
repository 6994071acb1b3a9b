# Exchanges between lanes that do not execute them together, built by nvcc.
compiler=nvcc
. "$LOCKSTEP_SRC/tests/cuda/unsynced.sh"
