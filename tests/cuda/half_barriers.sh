# Barriers that warps of 32 threads come to by themselves open for the right threads where two of them share a warp of 64
# lanes: under each way, in one mode or the other (with LOCKSTEP_LONG in both), for old targets and new ones, and for these also where the lanes of a warp come one part after the
# other.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
. "$LOCKSTEP_SRC/tests/_effort.sh"
for arch in 60 70 "70 -DPIECES"; do
    # shellcheck disable=SC2086 # several words
    build "$work/barriers" -arch=sm_$arch "$here/half_barriers.cu"
    for machine in gtx480 apu8; do
        for way in stack its aware dwf; do
            in_turn functional timing
            for mode in "${chosen[@]}"; do
                "$LOCKSTEP" run --quiet --machine $machine --divergence $way --mode $mode --check sync "$work/barriers" \
                    >"$work/out" 2>&1 || fail "sm_$arch, $machine, $way, $mode: $(cat "$work/out")"
                grep -q '^0 wrong' "$work/out" || fail "sm_$arch, $machine, $way, $mode: $(cat "$work/out")"
            done
        done
    done
done
