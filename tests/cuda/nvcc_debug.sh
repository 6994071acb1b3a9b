# The tour with device debug information: unoptimised PTX, in both modes.
compiler=nvcc long=1
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
check_output tour -G "$here/tour.cu"
LOCKSTEP_MODE=timing on_simulator "$work/tour" | diff -u "$here/tour.expected" - || fail "timing"
