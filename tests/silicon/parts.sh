# Warps that come apart at barriers, at instructions with a mask, at locks and flags go on as on an H100, where lanes of a
# warp progress by themselves; where the card hangs or faults, the simulator says that they wait for ever.
. "$LOCKSTEP_SRC/tests/silicon/_lib.sh"
build "$work/parts" -arch=sm_80 "$here/parts.cu"
number=0
while IFS= read -r want; do
    "$LOCKSTEP" run --quiet --divergence its "$work/parts" $number >"$work/out" 2>"$work/notes" || :
    case $want in
    *': hangs' | *': cudaErrorIllegalInstruction')
        grep -q -E 'would wait here for ever|hangs' "$work/out" "$work/notes" || fail "the card does not end: $want: $(cat "$work/out" "$work/notes")"
        ;;
    *) [ "$(cat "$work/out")" = "$want" ] || fail "on the card: $want: here: $(cat "$work/out" "$work/notes")" ;;
    esac
    number=$((number + 1))
done <"$here/parts.expected"
[ $number -eq 26 ] || fail "$number scenes"
