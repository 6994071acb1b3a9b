# Cooperative groups handed to functions that take any of them.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
check_output groups "$here/groups.cu"
LOCKSTEP_MODE=timing check_output groups "$here/groups.cu"
