# Hints of sm_80 and sm_90 to caches and to the register file, by both compilers.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
right_by_both hints
