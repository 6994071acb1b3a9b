# The heap of device malloc, sized by the program.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
check_output heap "$here/heap.cu"
LOCKSTEP_MODE=timing on_simulator "$work/heap" | diff -u "$here/heap.expected" - || fail "timing mode"
# From C++20 on, <cmath> brings <new> along before anything else (by default cc.standard_headers compiles both).
[ "$compiler" = nvcc ] || [ -z "${LOCKSTEP_LONG:-}" ] || check_output heap -std=c++20 "$here/heap.cu"
