# cuSOLVER for several GPUs: programs that nvcc built against NVIDIA's library run on ours, whose functions have the same names and arguments.
library=cusolverMg version=12 header=cusolverMg.h rows=cusolverMg_functions.h macro=LOCKSTEP_CUSOLVER
. "$LOCKSTEP_SRC/tests/cuda/_nvcc_kernels.sh"
