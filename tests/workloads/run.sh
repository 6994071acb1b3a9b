# Programs under workloads/ with small inputs: each one's own check must pass, and it must print the same in every run. Built
# by nvcc too, where that is installed. Programs that wait for each other are in spin.sh, those that never do in free.sh.
. "$LOCKSTEP_SRC/tests/workloads/_lib.sh"

check_table <<'END'
vecadd     every
matmul     every
reduce     every
histogram  every
bfs        every
hashtable  every
END

# The other way of bfs, and the same levels.
for options in "--sched lrr" "--machine gtx1080ti --sched gto" "--mode functional"; do
    # shellcheck disable=SC2086
    simulate bfs $options -- --small --queue 1
    cmp -s "$work/out" "$work/bfs.expected" || fail "bfs with a queue: $(diff "$work/bfs.expected" "$work/out")"
done

# Options: presets give way to single options; nonsense is refused.
simulate hashtable --mode functional -- --buckets 7 --small --insertions 100
grep -q '^hashtable: 100 insertions by 4 blocks of 128 threads into 7 buckets$' "$work/out" || fail "options: $(head -n 1 "$work/out")"
for words in "--buckets 0" "--buckets 12x" "--bucket 1" "--buckets" "7"; do
    status=0
    # shellcheck disable=SC2086
    "$LOCKSTEP" run --quiet "$work/hashtable" $words >/dev/null 2>"$work/err" || status=$?
    [ "$status" = 2 ] && grep -q '^usage:' "$work/err" || fail "'$words' was accepted"
done
finish
