# Every program under workloads/, with small inputs, in both modes, on every machine and under both schedulers: its own check
# must pass and it must print the same each time. Built by nvcc too, where that is installed.
. "$LOCKSTEP_SRC/tests/workloads/_lib.sh"
programs="vecadd matmul reduce histogram bfs hashtable"

# check PROGRAM OPTIONS...: the output is that of the first run of the program.
check() {
    name=${1%.nvcc}
    simulate "$@" -- --small
    grep -q "^$name: correct\$" "$work/out" || fail "$*: no verdict"
    [ -e "$work/$name.expected" ] || cp "$work/out" "$work/$name.expected"
    cmp -s "$work/out" "$work/$name.expected" || fail "$*: prints something else: $(diff "$work/$name.expected" "$work/out")"
}

for name in $programs; do
    build_all "$name" "$LOCKSTEP_SRC/workloads/$name/$name.cu"
done
for name in $programs; do
    for machine in gtx480 gtx480-sm2 gtx1080ti; do
        check "$name" --mode functional --machine $machine
        for scheduler in lrr gto; do
            check "$name" --machine $machine --sched $scheduler
        done
    done
    [ -z "$nvcc" ] || { check "$name.nvcc"; check "$name.nvcc" --mode functional; check "$name.nvcc" --sched lrr --machine gtx480-sm2; }
done
[ -n "$nvcc" ] || echo "nvcc is not installed: its builds were skipped"

# A program that finds its own result wrong must say so through lockstep run: a checker that cannot fail checks nothing.
sed 's/atomicExch(&locks\[b\], 0);/if (i) atomicExch(\&locks[b], 0);/' "$LOCKSTEP_SRC/workloads/hashtable/hashtable.cu" |
    sed "s,\"../workload.h\",\"$LOCKSTEP_SRC/workloads/workload.h\"," >"$work/broken.cu"
"$LOCKSTEP" cc "$work/broken.cu" -o "$work/broken"
status=0
"$LOCKSTEP" run --quiet --mode functional "$work/broken" --insertions 1 --threads 1 --block 1 >"$work/out" 2>"$work/err" || status=$?
[ "$status" = 1 ] && grep -q 'FAILED, 1 wrong' "$work/out" && grep -q 'still locked' "$work/err" ||
    fail "a lock left taken was not noticed: status $status"

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
