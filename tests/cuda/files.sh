# Two files with kernels and variables of the same name, each its own.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
check_output files "$here/files_a.cu" "$here/files_b.cu"
