# Checks inside critical sections: see trap.cu. A hang ends by the watch, far below the time limit of a test.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"

# expect KIND LIMIT RESULT WORDS
expect() {
    on_simulator "$work/trap" "$1" "$2" >"$work/out" 2>"$work/err" || fail "$1 $2: status $?: $(tail -n 5 "$work/err")"
    [ "$(tail -n 1 "$work/out")" = "$3" ] || fail "$1 $2 $LOCKSTEP_MODE: $(cat "$work/out" "$work/err")"
    [ $# -lt 4 ] || grep -q -- "$4" "$work/err" || fail "$1 $2: no word of '$4': $(cat "$work/err")"
}

build "$work/trap" "$here/trap.cu"
export LOCKSTEP_SET="${LOCKSTEP_SET:+$LOCKSTEP_SET
}gpu.watch_cycles=20000"
for mode in functional timing; do
    export LOCKSTEP_MODE=$mode
    for kind in trap assert function; do
        expect $kind 1000 'cudaSuccess 128'
    done
    expect trap 50 'cudaErrorLaunchFailure 0' 'trap'
    expect function 50 'cudaErrorLaunchFailure 0' 'trap'
    expect assert 50 'cudaErrorAssert 0' 'so_far < limit'
done
