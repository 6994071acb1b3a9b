# Memory pools and graphs that allocate memory, built by nvcc.
compiler=nvcc long=1
. "$LOCKSTEP_SRC/tests/cuda/pools.sh"
