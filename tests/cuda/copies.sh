# Copies by cp.async: written in assembly, and by nvcc for a GPU that has it.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
right_by_both copies
