# Host threads that use the device at the same time.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
check_output threads "$here/threads.cu"
