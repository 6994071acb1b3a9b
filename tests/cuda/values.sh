# Values at any byte of packed structures, and what printf returns.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
check_output values "$here/values.cu"
LOCKSTEP_MODE=timing check_output values
