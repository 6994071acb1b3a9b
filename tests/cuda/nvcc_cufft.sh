# cuFFT: programs that nvcc built against NVIDIA's library run on ours, whose functions have the same names and arguments.
library=cufft version=12 header=cufftXt.h rows="cufft_functions.h cufft_by_types.h cufft_several.h" macro=LOCKSTEP_CUFFT
. "$LOCKSTEP_SRC/tests/cuda/_nvcc_kernels.sh"
