# Instructions on matrices that not all of a warp executes, or that find no matrix: each is an error with its line.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
build "$work/misuse" -g "$here/matrices_misuse.cu"

# says CASE WORDS: the program ends so, in both modes, and by the line of the kernel.
says() {
    for mode in functional timing; do
        LOCKSTEP_MODE=$mode on_simulator "$work/misuse" "$1" >"$work/out" 2>&1 || :
        grep -q "$2" "$work/out" && grep -q 'matrices_misuse.cu:[0-9]' "$work/out" || fail "case $1, $mode: $(cat "$work/out")"
    done
}
says 0 'mma is executed by all 32 threads of a warp together, here without lanes 16-31'
says 1 "address 0x[0-9a-f]* of a matrix's row is not one of shared memory"
says 2 'a descriptor leads to byte 258048 of shared memory, of which the block has 0'
says 3 'mma is executed by all 32 threads of a warp together, here without lanes 16-31'
export LOCKSTEP_SET=sm.divergence=its
LOCKSTEP_MODE=timing on_simulator "$work/misuse" 0 >"$work/out" 2>&1 || :
grep -q 'mma' "$work/out" && grep -q 'lanes 16-31' "$work/out" || fail "its: $(cat "$work/out")"
export LOCKSTEP_SET=sm.warp_size=64
LOCKSTEP_MODE=timing on_simulator "$work/misuse" 0 >"$work/out" 2>&1 || :
grep -q 'mma is for warps of 32 threads; sm.warp_size is 64' "$work/out" || fail "64 lanes: $(cat "$work/out")"
