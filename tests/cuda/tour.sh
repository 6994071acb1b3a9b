# Several kernels, templates, shared and constant memory, printf, streams, events, recursion, errors: equal output from both
# compilers.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
same_in_both_builds tour "$here/tour.cu"
