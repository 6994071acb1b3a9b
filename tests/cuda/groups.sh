# Cooperative groups handed to functions that take any of them.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
check_output groups "$here/groups.cu"
LOCKSTEP_MODE=timing check_output groups
# Warps of 64 lanes are two warps to the program; tiles of different sizes share their memory, whoever comes first. In nvcc's headers a
# warp of a tile polls what the other one writes: for halves of one warp of the machine, a way is needed that lets both go on.
divergence=stack
[ "$compiler" != nvcc ] || divergence=its
for mode in functional timing; do
    "$LOCKSTEP" run --quiet --machine apu8 --divergence $divergence --mode $mode "$work/groups" >"$work/out" || fail "apu8, $mode"
    diff -u "$here/groups.expected" "$work/out" || fail "apu8, $mode: something else"
done
