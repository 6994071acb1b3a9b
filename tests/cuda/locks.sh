# Locks and semaphores as instructions, through lockstep/lock.h: right in both modes, and under every protocol.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
. "$LOCKSTEP_SRC/tests/_effort.sh"
headers=()
[ "$compiler" = cc ] || headers=(-isystem "$LOCKSTEP_SRC/src/cuda/include")
check_output locks "${headers[@]}" "$here/locks.cu"
set=${LOCKSTEP_SET:-}
export LOCKSTEP_SET LOCKSTEP_MACHINE LOCKSTEP_MODE=timing

# right MACHINE SETTING: with it, the program prints what it should.
right() {
    LOCKSTEP_MACHINE=$1 LOCKSTEP_SET="$2${set:+
$set}"
    on_simulator "$work/locks" >"$work/timed" || fail "$1, $2: ended with $?"
    diff "$here/locks.expected" "$work/timed" || fail "$1, $2"
}
for protocol in $("$LOCKSTEP" protocols | awk '/^[a-z]/ { print $1 }'); do
    in_turn "gtx480 sm.divergence=stack" "gtx480 sm.divergence=its" "apu8 sm.divergence=stack" "gtx480 sm.divergence=aware" \
        "gtx1080ti sm.scheduler=lrr"
    for how in "${chosen[@]}"; do
        right "${how% *}" "coherence.protocol=$protocol
${how#* }"
    done
done
