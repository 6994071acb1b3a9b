# The tour, built by nvcc: its output is that of the one by lockstep cc (results.sh).
compiler=nvcc
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
check_output tour "$here/tour.cu"
