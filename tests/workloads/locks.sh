#!/usr/bin/env bash
# Programs that lock by atomics or by lock instructions (workloads/locks.h): both ways are right, and print the same, on the machine of the
# thesis and on another, under two schedulers.
. "$LOCKSTEP_SRC/tests/workloads/_lib.sh"

# forms NAME FORMS...
forms() {
    local name=$1 form machine scheduler
    shift
    "$LOCKSTEP" cc "$LOCKSTEP_SRC/workloads/$name/$name.cu" -o "$work/$name" || fail "$name: lockstep cc"
    for form; do
        for machine in thesis gtx480; do
            for scheduler in lrr gto; do
                simulate "$name" --machine $machine --sched $scheduler -- --small --sync "$form"
                grep -q "^$name: correct\$" "$work/out" || fail "$name --sync $form: no verdict on $machine under $scheduler"
                [ -e "$work/$name.first" ] || cp "$work/out" "$work/$name.first"
                cmp -s "$work/out" "$work/$name.first" || fail "$name --sync $form prints something else on $machine under $scheduler"
            done
        done
    done
}
forms hashtable atomics lock trylock
forms interac atomics lock
forms apriori atomics lock
forms barneshut atomics lock trylock

# Queues with room and with little: a lane whose answer comes while others of its warp execute acquires when it goes on, or it finds in the L1
# what was there before it had the lock.
for records in 0 8 64; do
    simulate hashtable --machine gtx480 --set locks.queue=true --set locks.record_limit=$records -- --insertions 20480 --threads 20480 \
        --buckets 512 --sync lock
    grep -q "^hashtable: correct\$" "$work/out" || fail "hashtable: no verdict with queues of $records records"
done
finish
