# Kernels that wait for the host: they go on when it writes, whoever writes and however late; simulated time stands meanwhile. Where nobody is
# left to write, or nobody does for as long as the limit says, that is told.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
. "$LOCKSTEP_SRC/tests/_effort.sh"
build "$work/host" "$here/host.cu"

run() { LOCKSTEP_MODE=$mode on_simulator "$work/host" "$@" >"$work/out" 2>"$work/err" || fail "$mode $*: status $?"; }

# expect CASE MILLISECONDS OUTPUT [timed]: what the program prints, but for the time; timed: and the time that the last one like it printed.
expect() {
    run "$1" "$2"
    [ "$(sed 's/ in .*//' "$work/out")" = "$3" ] || fail "$mode $1 $2: $(cat "$work/out" "$work/err")"
    [ -z "${4:-}" ] || [ "$(cat "$work/out")" = "$4" ] || fail "$mode $1 $2: $(cat "$work/out"), not $4"
}

# The thread that launched the kernel writes, so that all is in order: the time is the same too.
ordered() {
    expect "$1" 0 "$2"
    expect "$1" 60 "$2" "$(cat "$work/out")"
}

late() {
    in_turn 0 60
    for late in "${chosen[@]}"; do expect "$1" "$late" "$2"; done
}

never() {
    expect never 0 cudaErrorLaunchTimeout
    grep -q 'no other thread' "$work/err" || fail "$mode never: $(cat "$work/err")"
}
sleeper() {
    LOCKSTEP_HOST_PATIENCE=0.1 expect sleeper 400 cudaErrorLaunchTimeout
    grep -q 'as long as --host-patience says' "$work/err" || fail "$mode sleeper: $(cat "$work/err")"
}
leave() {
    expect leave 0 left
    grep -q 'the program has ended' "$work/err" || fail "$mode leave: $(cat "$work/err")"
}

# in_modes HOW...: in both, or in one and the next in the other.
modes=0
in_modes() {
    turn=$modes
    in_turn timing functional
    modes=$((modes + 1))
    for mode in "${chosen[@]}"; do "$@"; done
}
in_modes ordered launcher 42
in_modes ordered stream 8
in_modes ordered behind 'cudaErrorNotReady 0 0 43 5'
in_modes ordered query 'cudaErrorNotReady 8'
in_modes ordered boxes 700
in_modes ordered registered 42
in_modes late thread 42
in_modes late talk '3 24'
in_modes late beside '42 2015'
in_modes never
in_modes sleeper
in_modes leave

# Steps are as good as jumps, and two threads as one, also where a kernel stands.
mode=timing
run behind 0
cp "$work/out" "$work/jumps"
LOCKSTEP_NO_SKIP=1 LOCKSTEP_THREADS=2 run behind 20
diff "$work/jumps" "$work/out" || fail "behind: stepped, by two threads"
