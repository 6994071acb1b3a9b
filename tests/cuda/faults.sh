# Each kind of failing kernel: the error every later call answers, the diagnostic on standard error, once, and a device
# that works again after a reset.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"

# expect HOW ERROR WORDS
expect() {
    on_simulator "$work/faults" "$1" >"$work/out" 2>"$work/err" || fail "$1: status $?: $(tail -n 5 "$work/err")"
    printf '%s\n' "$2 $2 $2" cudaSuccess | diff -u - "$work/out" || fail "$1"
    grep -qi -- "$3" "$work/err" || fail "$1: no word of '$3': $(cat "$work/err")"
    [ "$(grep -ci 'error:' "$work/err")" = 1 ] || fail "$1: not one error: $(cat "$work/err")"
}

build "$work/faults" "$here/faults.cu"
for mode in functional timing; do
    export LOCKSTEP_MODE=$mode
    expect beyond cudaErrorIllegalAddress 'thread'
    expect askew cudaErrorMisalignedAddress 'align'
    expect assert cudaErrorAssert 'threadIdx.x < limit'
    expect trap cudaErrorLaunchFailure 'trap'
done
export LOCKSTEP_SET="${LOCKSTEP_SET:+$LOCKSTEP_SET
}gpu.watch_cycles=20000"
LOCKSTEP_MODE=timing expect hang cudaErrorLaunchTimeout 'lock\|progress\|spin'
