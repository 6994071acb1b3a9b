# cuSOLVER: programs that nvcc built against NVIDIA's library run on ours, whose functions have the same names and arguments.
library=cusolver version=12 header=cusolverDn.h rows=cusolver_functions.h macro=LOCKSTEP_CUSOLVER
. "$LOCKSTEP_SRC/tests/cuda/_nvcc_kernels.sh"
