#!/usr/bin/env bash
# Locks that order by acquire and release (workloads/order.h), without fences: right under every coherence protocol, on machines of 32 and of
# 64 lanes, and under BOWS; and with a release that comes before what the lock guards, wrong.
. "$LOCKSTEP_SRC/tests/workloads/_lib.sh"
. "$LOCKSTEP_SRC/tests/_effort.sh"
for name in hashtable atm; do
    "$LOCKSTEP" cc "$LOCKSTEP_SRC/workloads/$name/$name.cu" -o "$work/$name" || fail "$name: lockstep cc"
done
protocols=$("$LOCKSTEP" protocols | awk '/^[a-z]/ { print $1 }')
[ "$(echo "$protocols" | wc -l)" -ge 7 ] || fail "protocols: $protocols"
for protocol in $protocols; do
    for name in hashtable atm; do
        in_turn gtx480 apu8
        for machine in "${chosen[@]}"; do
            simulate $name --machine $machine --sched gto+bows --protocol "$protocol" -- --small --acquire 1
            grep -q "^$name: correct\$" "$work/out" || fail "$name: no verdict under $protocol on $machine"
        done
    done
done

mkdir "$work/broken"
cp "$LOCKSTEP_SRC/workloads/"*.h "$work/"
cp "$LOCKSTEP_SRC/workloads/hashtable/"*.h "$work/broken/"
sed 's/if (try_acquire(lock)) {/if (try_acquire(lock)) { release(lock);/' "$LOCKSTEP_SRC/workloads/hashtable/hashtable.cu" >"$work/broken/early.cu"
"$LOCKSTEP" cc "$work/broken/early.cu" -o "$work/early" || fail "early: lockstep cc"
status=0
"$LOCKSTEP" run --quiet --machine gtx480 -- "$work/early" --insertions 4096 --threads 4096 --buckets 4 --acquire 1 >"$work/out" 2>&1 || status=$?
[ $status -eq 1 ] || fail "a lock that is given back too early was not noticed"
finish
