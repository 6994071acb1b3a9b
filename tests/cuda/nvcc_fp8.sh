# Numbers of 8 bits by NVIDIA's header, on the host.
compiler=nvcc long=1
. "$LOCKSTEP_SRC/tests/cuda/fp8.sh"
