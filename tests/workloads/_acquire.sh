# Locks that order by acquire and release (workloads/order.h), without fences: right under every coherence protocol, on machines of 32 and of
# 64 lanes, and under BOWS; and with a release that comes before what the lock guards, wrong (LOCKSTEP_LONG).
protocols=$("$LOCKSTEP" protocols | awk '/^[a-z]/ { print $1 }')
[ "$(echo "$protocols" | wc -l)" -ge 7 ] || fail "protocols: $protocols"
for protocol in $protocols; do
    in_turn gtx480 apu8
    for machine in "${chosen[@]}"; do
        simulate $name --machine $machine --sched gto+bows --protocol "$protocol" -- --small --acquire 1
        grep -q "^$name: correct\$" "$work/out" || fail "$name: no verdict under $protocol on $machine"
    done
done

if [ $name = hashtable ] && [ -n "${LOCKSTEP_LONG:-}" ]; then
    simulated="--machine gtx480" broken hashtable 's/if (try_acquire(lock)) {/& release(lock);/' 1 FAILED --insertions 4096 --threads 4096 --buckets 4 --acquire 1
fi
