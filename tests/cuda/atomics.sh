# Every atomic of every scope, in global and in shared memory, leaves and gives what its type says.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
check_output atomics "$here/atomics.cu"
