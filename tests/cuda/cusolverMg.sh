# cuSOLVER for several GPUs, of which there is one; every name that leaves the library is one of NVIDIA's headers.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
library=cusolverMg parts=matrices least=19
. "$LOCKSTEP_SRC/tests/cuda/_kernels.sh"
