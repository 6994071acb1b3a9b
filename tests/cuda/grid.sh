# Grid barriers, in both modes, on several machines and under several schedulers; and one in a launch that is not cooperative.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
. "$LOCKSTEP_SRC/tests/_effort.sh"
check_output grid "$here/grid.cu"
export LOCKSTEP_MODE=timing
common=${LOCKSTEP_SET:+$LOCKSTEP_SET
}
# Four SMs, so that as many blocks as fit are not many; all places of an SM are taken all the same.
for machine in gtx480 gtx480-sm2 gtx1080ti; do
    in_turn gto lrr tls
    for sched in "${chosen[@]}"; do
        LOCKSTEP_MACHINE=$machine LOCKSTEP_SCHED=$sched LOCKSTEP_SET="${common}gpu.sms=4" on_simulator "$work/grid" \
            >"$work/out" || fail "$machine $sched ended with $?"
        diff -u "$here/grid.expected" "$work/out" || fail "$machine $sched"
    done
done
for mode in timing functional; do
    LOCKSTEP_MODE=$mode on_simulator "$work/grid" plain >"$work/out" 2>"$work/err" || fail "plain ended with $?"
    grep -q '^plain: cudaError' "$work/out" || fail "plain, $mode: $(cat "$work/out")"
    grep -q 'cudaLaunchCooperativeKernel' "$work/err" || fail "plain, $mode: not explained: $(cat "$work/err")"
done
