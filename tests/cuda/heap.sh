# The heap of device malloc, sized by the program.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
check_output heap "$here/heap.cu"
LOCKSTEP_MODE=timing check_output heap "$here/heap.cu"
