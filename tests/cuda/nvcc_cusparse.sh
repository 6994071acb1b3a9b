# cuSPARSE: programs that nvcc built against NVIDIA's library run on ours, whose functions have the same names and arguments.
library=cusparse version=12 header=cusparse.h rows=cusparse_functions.h macro=LOCKSTEP_CUSPARSE
. "$LOCKSTEP_SRC/tests/cuda/_nvcc_kernels.sh"
