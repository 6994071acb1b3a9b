# Lanes that give up asking for a lock meet the others of their warp, under each way and in both modes.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
headers=()
[ "$compiler" = cc ] || headers=(-isystem "$LOCKSTEP_SRC/src/cuda/include")
build "$work/give_up" -O2 "${headers[@]}" "$here/locks_give_up.cu"
for machine in gtx480 apu8; do
    for way in stack its aware dwf; do
        for mode in functional timing; do
            "$LOCKSTEP" run --quiet --machine $machine --divergence $way --mode $mode "$work/give_up" >"$work/out" 2>&1 ||
                fail "$machine, $way, $mode: $(cat "$work/out")"
        done
    done
done
