# Video instructions: written in assembly, and by nvcc.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
right_by_both video
