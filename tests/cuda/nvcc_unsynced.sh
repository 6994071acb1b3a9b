# Exchanges between lanes that do not execute them together, built by nvcc.
compiler=nvcc long=1
. "$LOCKSTEP_SRC/tests/cuda/unsynced.sh"
