# Textures and surfaces, built by nvcc.
compiler=nvcc long=1
. "$LOCKSTEP_SRC/tests/cuda/texture.sh"
