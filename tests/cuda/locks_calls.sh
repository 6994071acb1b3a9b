# Locks across functions: right in both modes and under every divergence model; around locks with queues, right or refused with the lock.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
headers=()
[ "$compiler" = cc ] || headers=(-isystem "$LOCKSTEP_SRC/src/cuda/include")
check_output locks_calls "${headers[@]}" "$here/locks_calls.cu"
set=${LOCKSTEP_SET:-}
export LOCKSTEP_SET LOCKSTEP_MODE=timing
for way in its aware dwf; do
    LOCKSTEP_SET="sm.divergence=$way${set:+
$set}"
    on_simulator "$work/locks_calls" >"$work/timed" || fail "$way: ended with $?"
    diff "$here/locks_calls.expected" "$work/timed" || fail "$way"
done

# with_queues NAME: its output is what is expected.
with_queues() {
    on_simulator "$work/locks_calls" "$1" >"$work/timed" || fail "queues, $1: ended with $?"
    grep "^$1:" "$here/locks_calls.expected" | diff - "$work/timed" || fail "queues, $1"
}
# refused NAME WORDS: the launch is refused with the words.
refused() {
    ! on_simulator "$work/locks_calls" "$1" >"$work/out" 2>"$work/err" || fail "$1: should be refused"
    grep -qF -- "$2" "$work/err" || fail "$1: no word of '$2': $(cat "$work/err")"
}
LOCKSTEP_SET="locks.queue=true${set:+
$set}"
for name in given_in_call taken_in_call before_barrier in_branches some_keep inner_shared inner_attempts; do
    with_queues $name
done
refused out_of_order 'the lock at '
refused out_of_order 'with queues (locks.queue), a lane that waits may get the lock that the one which runs needs'
for way in its aware dwf; do
    LOCKSTEP_SET="locks.queue=true
sm.divergence=$way${set:+
$set}"
    refused given_in_call "queues of locks (locks.queue) answer lanes that keep their warp's turn, which $way lets others have"
done
