# Several kernels, templates, shared and constant memory, printf, streams, events, recursion, errors. The text expected is the
# same for both compilers.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
check_output tour "$here/tour.cu"
