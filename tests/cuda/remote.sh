# Accesses of remote scope through lockstep/scope.h: in the PTX as they are written, and right in both modes and under every protocol.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
. "$LOCKSTEP_SRC/tests/_effort.sh"
headers=()
[ "$compiler" = cc ] || headers=(-isystem "$LOCKSTEP_SRC/src/cuda/include")
check_output remote "${headers[@]}" "$here/remote.cu"
set=${LOCKSTEP_SET:-}
export LOCKSTEP_SET LOCKSTEP_MACHINE
for protocol in $("$LOCKSTEP" protocols | awk '{print $1}'); do
    in_turn gtx480 apu8
    for LOCKSTEP_MACHINE in "${chosen[@]}"; do
        LOCKSTEP_SET="coherence.protocol=$protocol${set:+
$set}"
        LOCKSTEP_MODE=timing on_simulator "$work/remote" >"$work/timed" || fail "$LOCKSTEP_MACHINE, $protocol"
        diff "$here/remote.expected" "$work/timed" || fail "$LOCKSTEP_MACHINE, $protocol"
    done
done
