# Random numbers in kernels, by nvcc and its own headers: what curand.cu expects is what cuRAND does.
compiler=nvcc long=1
. "$LOCKSTEP_SRC/tests/cuda/curand.sh"
