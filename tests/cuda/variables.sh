# Device variables of unnamed namespaces and types, static and of templates.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
check_output variables "$here/variables.cu"
