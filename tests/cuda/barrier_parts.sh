# Barriers of the block to which a warp comes in parts: threads are counted for targets of sm_70 and later, and under every
# divergence model but the stack for older ones; there a note for each line says that the warp is, and --check sync makes it an
# error. Where the stack can never bring the others, it says who waits for whom.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
. "$LOCKSTEP_SRC/tests/_effort.sh"
build "$work/parts70" -O2 -lineinfo "$here/barrier_parts.cu"
build "$work/parts60" -O2 -lineinfo -arch=sm_60 "$here/barrier_parts.cu"

run() {
    "$LOCKSTEP" run --quiet "$@" >"$work/out" 2>"$work/err" || :
}
# expect PROGRAM KERNEL COUNT OPTIONS...: so many threads are right, and nothing is noted.
expect() {
    local program=$1 kernel=$2 count=$3
    shift 3
    run "$@" "$work/$program" "$kernel"
    [ "$(cat "$work/out")" = "$kernel: cudaSuccess, $count right" ] || fail "$program $kernel $*: $(cat "$work/out" "$work/err")"
    [ ! -s "$work/err" ] || fail "$program $kernel $*: $(cat "$work/err")"
}
ways=$(sed -n 's/^SIMT_MODEL(\(.*\))/\1/p' "$LOCKSTEP_SRC/src/simt/models.def")
[ -n "$ways" ] || fail "no divergence models"
for way in $ways; do
    in_turn timing functional
    for mode in "${chosen[@]}"; do
        in_turn "leave 80" "sides 80" "named 64" "called 60"
        for kernel in "${chosen[@]}"; do
            # shellcheck disable=SC2086 # two words
            expect parts70 $kernel --mode $mode --divergence "$way" --check sync
            # shellcheck disable=SC2086
            [ "$way" = stack ] || expect parts60 $kernel --mode $mode --divergence "$way"
        done
        [ "$way" = stack ] || expect parts70 half 80 --mode $mode --divergence "$way"
    done
    turn=$((turn + 1)) # or the modes would keep step with the ways
done
for mode in timing functional; do
    in_turn "leave named" "sides called half"
    for kernel in ${chosen[*]}; do
        run --mode $mode "$work/parts60" $kernel
        lines=$(sed -n 's/.*(barrier_parts.cu:\([0-9]*\)):.*/\1/p' "$work/err" | sort -u)
        [ -n "$lines" ] || fail "sm_60 $kernel, $mode: no note: $(cat "$work/err")"
        [ "$(grep -c 'note: .* come to this barrier without lane' "$work/err")" = "$(echo "$lines" | wc -l)" ] ||
            fail "sm_60 $kernel, $mode: not one note a line: $(cat "$work/err")"
        for line in $lines; do
            sed -n "${line}p" "$here/barrier_parts.cu" | grep -q '// NOTED' || fail "sm_60 $kernel, $mode: line $line is noted"
        done
        run --mode $mode --check sync "$work/parts60" $kernel
        grep -q "$kernel: cudaErrorIllegalInstruction" "$work/out" || fail "sm_60 $kernel, $mode: no error: $(cat "$work/out")"
        grep -q 'error: .* come to this barrier without lane' "$work/err" || fail "sm_60 $kernel, $mode: $(cat "$work/err")"
    done
    run --mode $mode "$work/parts70" half
    grep -q 'error: .*cannot bring .*: lanes of mask 0xaaaaaaaa would wait here for ever for lanes of mask 0x55555555, which wait for them where branches meet, ' \
        "$work/err" || fail "half, $mode: $(cat "$work/err")"
done

# A checkpoint taken while lanes wait.
expect parts70 sides 80 --checkpoint-every 700 --checkpoint "$work/at.%c"
count=${LOCKSTEP_LONG:+1000}
for at in $(ls "$work"/at.* | tail -n "${count:-1}"); do
    run --allow-code --resume "$at"
    [ "$(cat "$work/out")" = "sides: cudaSuccess, 80 right" ] || fail "resumed from $at: $(cat "$work/out" "$work/err")"
done
