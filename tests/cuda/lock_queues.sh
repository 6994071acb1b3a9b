# Queues of locks in the slices of the L2: a program prints the same with them and without, however little they have room for, and
# what they cannot do is refused with the reason.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
. "$LOCKSTEP_SRC/tests/_effort.sh"
check_output lock_queues "$here/lock_queues.cu"
set=${LOCKSTEP_SET:-}
export LOCKSTEP_SET LOCKSTEP_MACHINE LOCKSTEP_MODE=timing

# settings WORDS...: one a line, behind those of the environment.
settings() {
    LOCKSTEP_SET=$(printf '%s\n' "$@")${set:+
$set}
}

# right MACHINE SETTINGS...: with them, the program prints what it should.
right() {
    LOCKSTEP_MACHINE=$1
    shift
    settings "$@"
    on_simulator "$work/lock_queues" >"$work/timed" || fail "$LOCKSTEP_MACHINE, $*: ended with $?"
    diff "$here/lock_queues.expected" "$work/timed" || fail "$LOCKSTEP_MACHINE, $*"
}
for machine in gtx480 thesis gtx1080ti; do
    in_turn locks.queue=false "locks.queue=true locks.queue_limit=2"
    # shellcheck disable=SC2086 # several settings
    for setting in "${chosen[@]}"; do right "$machine" $setting; done
    right "$machine" locks.queue=true
done
for backoff in constant linear exponential; do
    in_turn "gtx480 locks.record_limit=1" "thesis locks.record_limit=8" "gtx1080ti locks.queue_limit=2 locks.record_limit=8 locks.backoff_cycles=1"
    # shellcheck disable=SC2086
    for setting in "${chosen[@]}"; do right $setting locks.queue=true "locks.backoff=$backoff"; done
done
for protocol in gpu bypass; do
    right gtx480 locks.queue=true "coherence.protocol=$protocol"
done
right gtx480 locks.queue=true sm.scheduler=lrr+bows
right gtx480 locks.queue=true locks.record_limit=8 sm.scheduler=lrr l2.sets=4 l2.ways=1

# refused WORDS SETTINGS...: nothing is launched, and the reason has the words.
refused() {
    words=$1
    shift
    LOCKSTEP_MACHINE=gtx480
    settings "$@"
    on_simulator "$work/lock_queues" >"$work/out" 2>"$work/err" || fail "$*: ended with $?"
    grep -qF -- "$words" "$work/err" || fail "$*: no word of '$words': $(cat "$work/err")"
    ! grep -q '^one: cudaSuccess, [1-9]' "$work/out" || fail "$*: it ran"
}
refused 'which its lets others have' locks.queue=true sm.divergence=its
refused 'and hlrc is not one' locks.queue=true coherence.protocol=hlrc
refused 'expected constant, linear or exponential' locks.backoff=never
