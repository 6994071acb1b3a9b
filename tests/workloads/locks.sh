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
finish
