# Barriers that warps of 32 threads come to by themselves open for the right threads where two of them share a warp of 64
# lanes: under each way, in one mode or the other (with LOCKSTEP_LONG in both), for old targets, and for new ones where the
# lanes of a warp come one part after the other (with LOCKSTEP_LONG also together).
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
. "$LOCKSTEP_SRC/tests/_effort.sh"
# Defined in the source, not by an option, so that the headers that were prepared are taken.
{ echo '#define PIECES' && cat "$here/half_barriers.cu"; } >"$work/pieces.cu"
for what in "60 $here/half_barriers.cu" ${LOCKSTEP_LONG:+"70 $here/half_barriers.cu"} "70 $work/pieces.cu"; do
    build "$work/barriers" -arch=sm_${what%% *} "${what#* }"
    for machine in gtx480 apu8; do
        for way in stack its aware dwf; do
            in_turn functional timing
            for mode in "${chosen[@]}"; do
                "$LOCKSTEP" run --quiet --machine $machine --divergence $way --mode $mode --check sync "$work/barriers" \
                    >"$work/out" 2>&1 || fail "$what, $machine, $way, $mode: $(cat "$work/out")"
                grep -q '^0 wrong' "$work/out" || fail "$what, $machine, $way, $mode: $(cat "$work/out")"
            done
        done
    done
done
