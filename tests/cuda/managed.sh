# Managed, pinned and registered memory, in both modes.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
check_output managed "$here/managed.cu"
LOCKSTEP_MODE=timing check_output managed
