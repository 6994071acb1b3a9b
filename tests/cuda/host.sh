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
    [ $mode = functional ] && [ -z "${LOCKSTEP_LONG:-}" ] || expect "$1" 60 "$2" "$(cat "$work/out")"
}

for mode in timing functional; do
    ordered launcher 42
    ordered stream 8
    ordered behind 'cudaErrorNotReady 0 0 43 5'
    ordered query 'cudaErrorNotReady 8'
    ordered boxes 700
    ordered registered 42
    for words in "thread 42" "talk 3 24" "beside 42 2015"; do
        in_turn 0 60
        for late in "${chosen[@]}"; do expect ${words%% *} $late "${words#* }"; done
    done
    expect never 0 cudaErrorLaunchTimeout
    grep -q 'no other thread' "$work/err" || fail "$mode never: $(cat "$work/err")"
    LOCKSTEP_HOST_PATIENCE=0.1 expect sleeper 400 cudaErrorLaunchTimeout
    grep -q 'as long as --host-patience says' "$work/err" || fail "$mode sleeper: $(cat "$work/err")"
    expect leave 0 left
    grep -q 'the program has ended' "$work/err" || fail "$mode leave: $(cat "$work/err")"
done

# Steps are as good as jumps, and two threads as one, also where a kernel stands.
mode=timing
run behind 0
cp "$work/out" "$work/jumps"
LOCKSTEP_NO_SKIP=1 LOCKSTEP_THREADS=2 run behind 20
diff "$work/jumps" "$work/out" || fail "behind: stepped, by two threads"
