# Memory shared with OpenGL, built by nvcc.
compiler=nvcc long=1
. "$LOCKSTEP_SRC/tests/cuda/graphics.sh"
