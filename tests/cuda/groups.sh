# Cooperative groups handed to functions that take any of them.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
check_output groups "$here/groups.cu"
LOCKSTEP_MODE=timing check_output groups
# Warps of 64 lanes are two warps to the program; tiles of different sizes share their memory, whoever comes first.
for mode in functional timing; do
    "$LOCKSTEP" run --quiet --machine apu8 --mode $mode "$work/groups" >"$work/out" || fail "apu8, $mode"
    diff -u "$here/groups.expected" "$work/out" || fail "apu8, $mode: something else"
done
