#!/usr/bin/env bash
# Programs that lock by atomics or by lock instructions (workloads/locks.h): every form is right, and prints the same, with every
# scheduler, under every way to diverge and every protocol, with queues of locks and without; or it is refused, and the reason said.
# LOCKSTEP_LONG: every combination, else each protocol and way with some of the others, and the programs by turns.
. "$LOCKSTEP_SRC/tests/workloads/_lib.sh"
. "$LOCKSTEP_SRC/tests/_effort.sh"
schedulers=()
for scheduler in $(sed -n 's/^[A-Z_]*(\([a-z]*\))$/\1/p' "$LOCKSTEP_SRC/src/sm/sched/list.def"); do
    schedulers+=("$scheduler" "$scheduler+bows")
done
[ ${#schedulers[@]} -ge 14 ] || fail "only ${#schedulers[@]} schedulers"
protocols=$("$LOCKSTEP" protocols | awk '{print $1}')

# right NAME FORM OPTIONS...
right() {
    local name=$1 form=$2
    shift 2
    simulate "$name" "$@" -- --small --sync "$form"
    grep -q "^$name: correct\$" "$work/out" || fail "$name --sync $form $*: no verdict"
    [ -e "$work/$name.first" ] || cp "$work/out" "$work/$name.first"
    cmp -s "$work/out" "$work/$name.first" || fail "$name --sync $form $* prints something else"
}

# refused NAME FORM WORDS OPTIONS...
refused() {
    local name=$1 form=$2 words=$3
    shift 3
    ! timeout $hang "$LOCKSTEP" run --quiet "$@" "$work/$name" --small --sync "$form" >"$work/out" 2>"$work/err" ||
        fail "$name --sync $form $*: not refused"
    grep -q -- "$words" "$work/err" || fail "$name --sync $form $*: no word of '$words': $(head -n 3 "$work/err")"
}

# forms NAME FORMS...
forms() {
    local name=$1 protocol way form
    shift
    "$LOCKSTEP" cc "$LOCKSTEP_SRC/workloads/$name/$name.cu" -o "$work/$name" || fail "$name: lockstep cc"
    for form; do
        right "$name" "$form" --machine thesis
    done
    for protocol in $protocols; do
        [ $((met++ % 3)) -eq 0 ] || [ -n "${LOCKSTEP_LONG:-}" ] || continue
        in_turn stack its aware dwf
        for way in "${chosen[@]}"; do
            in_turn "$@"
            local some=("${chosen[@]}")
            for form in "${some[@]}"; do
                in_turn "${schedulers[@]}"
                for scheduler in "${chosen[@]}"; do
                    right "$name" "$form" --machine gtx480 --protocol "$protocol" --divergence $way --sched "$scheduler"
                done
            done
        done
    done
}
queues="--set locks.queue=true" met=0
forms hashtable atomics lock trylock
forms interac atomics lock
forms barneshut atomics lock trylock
# It takes much longer than all the others.
if [ -n "${LOCKSTEP_LONG:-}" ]; then
    forms apriori atomics lock
else
    "$LOCKSTEP" cc "$LOCKSTEP_SRC/workloads/apriori/apriori.cu" -o "$work/apriori" || fail "apriori: lockstep cc"
fi
# Warps that ask again and again for a lock that their L1 has do not hold up what the network brings.
right barneshut lock --machine gtx480 --protocol hlrc --sched lrr
# shellcheck disable=SC2086 # several words
{
    for limits in "" "--set locks.record_limit=4" "--set locks.queue_limit=2 --set locks.backoff=linear"; do
        [ -n "$limits" ] && [ -z "${LOCKSTEP_LONG:-}" ] || right apriori lock --machine thesis $queues $limits
        right barneshut lock --machine thesis --sched gto $queues $limits
        right barneshut trylock --machine gtx480 $queues $limits
    done
    right interac atomics --machine thesis $queues
    refused interac lock 'with queues (locks.queue)' --machine thesis $queues
    refused apriori lock 'which its lets others have' --machine thesis $queues --divergence its
    refused apriori lock 'which aware lets others have' --machine thesis $queues --divergence aware
    refused barneshut lock 'and hlrc is not one' --machine gtx480 $queues --protocol hlrc
}
# Queues with room and with little: a lane whose answer comes while others of its warp execute acquires when it goes on, or it finds in the L1
# what was there before it had the lock.
for records in 0 8 64; do
    simulate hashtable --machine gtx480 --set locks.queue=true --set locks.record_limit=$records -- --insertions 20480 --threads 20480 \
        --buckets 512 --sync lock
    grep -q "^hashtable: correct\$" "$work/out" || fail "hashtable: no verdict with queues of $records records"
done
finish
