# Managed, pinned and registered memory, in both modes.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
same_in_both_builds managed "$here/managed.cu"
LOCKSTEP_MODE=timing same_in_both_builds managed "$here/managed.cu"
