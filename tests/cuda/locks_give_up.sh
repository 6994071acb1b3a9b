# Lanes that give up asking for a lock meet the others of their warp, under each way and in both modes.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
. "$LOCKSTEP_SRC/tests/_effort.sh"
headers=()
[ "$compiler" = cc ] || headers=(-isystem "$LOCKSTEP_SRC/src/cuda/include")
build "$work/give_up" -O2 "${headers[@]}" "$here/locks_give_up.cu"
for way in stack its aware dwf; do
    in_turn "gtx480 functional apu8 timing" "gtx480 timing apu8 functional"
    # shellcheck disable=SC2068 # pairs of words
    set -- ${chosen[@]}
    while [ $# -gt 0 ]; do
        "$LOCKSTEP" run --quiet --machine "$1" --divergence $way --mode "$2" "$work/give_up" >"$work/out" 2>&1 ||
            fail "$1, $way, $2: $(cat "$work/out")"
        shift 2
    done
done
