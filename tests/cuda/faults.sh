# Each kind of failing kernel: the error every later call answers, the diagnostic on standard error, once, and a device
# that works again after a reset.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"

# expect HOW ERROR WORDS: runs the program both ways.
expect() {
    for program in "$work"/faults*; do
        case $program in *.out | *.err) continue ;; esac
        on_simulator "$program" "$1" >"$program.out" 2>"$program.err" || fail "$1: status $?"
        printf '%s\n' "$2 $2 $2" cudaSuccess | diff -u - "$program.out" || fail "$1 in $(basename "$program")"
        grep -qi "$3" "$program.err" || fail "$1: no word of '$3': $(cat "$program.err")"
        [ "$(grep -ci '^.*error:' "$program.err")" = 1 ] || fail "$1: not one error: $(cat "$program.err")"
    done
}

with_cc "$work/faults" "$here/faults.cu"
with_nvcc "$work/faults.nvcc" "$here/faults.cu" || echo "skipped: faults by nvcc, which is not installed"
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
