# _program.sh NAME each|brief: a program under workloads/ with small inputs: its own check must pass, and it must print the same in
# every run, whatever machine, scheduler, fetch policy and mode. Each scheduler with each fetch policy, with and without BOWS, is a *policy*:
# a program runs under one of them, the next program under another. LOCKSTEP_LONG: every machine with every scheduler and in both modes,
# and every policy; and built by nvcc, where that is installed. The blocks that residency.txt says an SM of the gtx480 machine holds are those that it does.
. "$LOCKSTEP_SRC/tests/workloads/_lib.sh"
# shellcheck disable=SC2086 # a policy is several words
name=$1 runs=$2
if [ -n "${LOCKSTEP_LONG:-}" ]; then runs=all; else nvcc=; fi
build_all "$name" "$LOCKSTEP_SRC/workloads/$name/$name.cu"

listed() {
    sed -n 's/^[A-Z_]*(\([a-z]*\))$/\1/p' "$LOCKSTEP_SRC/src/sm/$1/list.def"
}
policies=()
for fetch in $(listed fetch); do
    for scheduler in $(listed sched) mwf:inner=gto; do
        policies+=("--sched $scheduler --fetch $fetch" "--sched $scheduler+bows --fetch $fetch")
    done
done
[ ${#policies[@]} -ge 56 ] || fail "only ${#policies[@]} policies"
place=$(sed -n '/^[a-z]/p' "$LOCKSTEP_SRC/tests/workloads/programs.txt" | grep -n "^$name " | cut -d: -f1)
policy=${policies[$((place * 5 % ${#policies[@]}))]}

check "$name" --mode functional
case $runs in
brief)
    check "$name" --machine gtx480 $policy
    check "$name" --machine gtx1080ti --sched lrr
    ;;
each)
    check "$name" --machine gtx480 $policy
    if [ $((place % 2)) -eq 0 ]; then check "$name" --machine gtx480-sm2 --sched lrr; else check "$name" --machine gtx1080ti --sched gto; fi
    ;;
all)
    for machine in gtx480 gtx480-sm2 gtx1080ti; do
        check "$name" --mode functional --machine $machine
        for scheduler in lrr gto tls cawa lrr+bows gto+bows; do
            check "$name" --machine $machine --sched $scheduler
        done
    done
    for policy in "${policies[@]}"; do
        check "$name" --machine gtx480 $policy
    done
    ;;
*)
    fail "what is '$runs'?"
    ;;
esac
[ -z "$nvcc" ] || {
    check "$name.nvcc" --mode functional
    check "$name.nvcc" --machine gtx480 --sched gto
}

# The other way of bfs, and the same levels.
if [ "$name" = bfs ]; then
    for options in "--sched lrr" "--machine gtx1080ti --sched gto" "--mode functional"; do
        # shellcheck disable=SC2086
        simulate bfs $options -- --small --queue 1
        cmp -s "$work/out" "$work/bfs.expected" || fail "bfs with a queue: $(diff "$work/bfs.expected" "$work/out")"
    done
fi

# The blocks that an SM holds: "BLOCKS WARPS RESOURCE", once for each of them that the launches of matching kernels have.
residency() {
    awk -F, -v pattern="$1" '
        NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
        $column["name"] ~ pattern {
            split($column["block"], size, "x")
            print $column["blocks_per_sm"], int((size[1] * (size[2] ? size[2] : 1) + 31) / 32), $column["blocks_limited_by"]
        }' "$work/stats.csv" | sort -u
}

while read -r program blocks warps resource pattern; do
    [ "$program" = "$name" ] || continue
    simulate "$name" --machine gtx480 --mode functional --stats "$work/stats.csv" -- --small
    residency "$pattern" >"$work/resident"
    [ "$(wc -l <"$work/resident")" = 1 ] && grep -Eqx "$blocks $warps ($resource)" "$work/resident" ||
        fail "$name: kernels $pattern have on an SM '$(cat "$work/resident")', not '$blocks $warps $resource'"
done <"$LOCKSTEP_SRC/tests/workloads/residency.txt"

# Several shirts, corrected in turns.
if [ "$name" = cloth ]; then
    simulate cloth --mode functional -- --small --shirts 3 --kinds 2
    grep -q '^cloth: 288 particles, 471 constraints, ' "$work/out" && grep -q '^cloth: correct$' "$work/out" || fail "three shirts: $(cat "$work/out")"
fi
finish
