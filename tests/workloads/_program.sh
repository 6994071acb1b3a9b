# _program.sh NAME PART...: a program under workloads/ with small inputs: its own check must pass, and it must print the same in
# every run, whatever machine, scheduler, fetch policy and mode. Each scheduler with each fetch policy, with and without BOWS, is a *policy*:
# a program runs under one of them on one machine, the next program under another on the next. LOCKSTEP_LONG: every machine with every
# scheduler and in both modes, and every policy; and built by nvcc, where that is installed. The blocks that residency.txt says an SM of the
# gtx480 machine holds are those that it does. A PART is what some programs show besides: _PART.sh, sourced with the program's `name` and
# `place` (its number in programs.txt). `clusters`: on h100 alone.
. "$LOCKSTEP_SRC/tests/workloads/_lib.sh"
. "$LOCKSTEP_SRC/tests/_effort.sh"
# shellcheck disable=SC2086 # a policy is several words
name=$1
shift
place=$(sed -n '/^[a-z]/p' "$LOCKSTEP_SRC/tests/workloads/programs.txt" | grep -n "^$name\b" | cut -d: -f1)
if [ "$*" = long ] && [ -z "${LOCKSTEP_LONG:-}" ]; then
    echo "skipped: only tried with LOCKSTEP_LONG (make test-long)"
    exit 77
fi
# The fewer sets of items are many enough to be counted, the less apriori has to do.
[ "$name" != apriori ] || [ -n "${LOCKSTEP_LONG:-}" ] || small="--small --support 120"
build_all "$name" "$LOCKSTEP_SRC/workloads/$name/$name.cu"

listed() {
    sed -n 's/^[A-Z_]*(\([a-z]*\))$/\1/p' "$LOCKSTEP_SRC/src/$1/list.def"
}
policies=()
for fetch in $(listed fetch); do
    for scheduler in $(listed core/sched) mwf:inner=gto; do
        policies+=("--sched $scheduler --fetch $fetch" "--sched $scheduler+bows --fetch $fetch")
    done
done
[ ${#policies[@]} -ge 56 ] || fail "only ${#policies[@]} policies"
machines=(gtx480 gtx480-sm2 gtx1080ti)
[[ " $* " != *" clusters "* ]] || machines=(h100 h100 h100)

check "$name" --mode functional --machine "${machines[0]}" --stats "$work/resident.csv"
if [ -z "${LOCKSTEP_LONG:-}" ]; then
    check "$name" --machine ${machines[$((place % 3))]} ${policies[$((place * 5 % ${#policies[@]}))]}
else
    for machine in "${machines[@]}"; do
        check "$name" --mode functional --machine $machine
        for scheduler in lrr gto tls cawa lrr+bows gto+bows; do
            check "$name" --machine $machine --sched $scheduler
        done
    done
    for policy in "${policies[@]}"; do
        check "$name" --machine "${machines[0]}" $policy
    done
fi
[ -z "$nvcc" ] || {
    check "$name.nvcc" --mode functional --machine "${machines[0]}"
    check "$name.nvcc" --machine "${machines[0]}" --sched gto
}

# The blocks that an SM holds: "BLOCKS WARPS RESOURCE", once for each of them that the launches of matching kernels have.
residency() {
    awk -F, -v pattern="$1" '
        NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
        $column["name"] ~ pattern {
            split($column["block"], size, "x")
            print $column["blocks_per_sm"], int((size[1] * (size[2] ? size[2] : 1) + 31) / 32), $column["blocks_limited_by"]
        }' "$work/resident.csv" | sort -u
}

while read -r program blocks warps resource pattern; do
    [ "$program" = "$name" ] || continue
    residency "$pattern" >"$work/resident"
    [ "$(wc -l <"$work/resident")" = 1 ] && grep -Eqx "$blocks $warps ($resource)" "$work/resident" ||
        fail "$name: kernels $pattern have on an SM '$(cat "$work/resident")', not '$blocks $warps $resource'"
done <"$LOCKSTEP_SRC/tests/workloads/residency.txt"

# among NAMES...: the program's place among these, for what each of them does a share of.
among() {
    printf '%s\n' "$@" | grep -nx "$name" | cut -d: -f1
}

# Each part takes its turns from another choice on with another program.
for part; do
    turn=$place
    [ "$part" = long ] || [ "$part" = clusters ] || . "$LOCKSTEP_SRC/tests/workloads/_$part.sh"
done

# The other way of bfs, and the same levels.
if [ "$name" = bfs ]; then
    in_turn "--sched lrr" "--machine gtx1080ti --sched gto" "--mode functional"
    for options in "${chosen[@]}"; do
        simulate bfs $options -- --small --queue 1
        cmp -s "$work/out" "$work/bfs.expected" || fail "bfs with a queue: $(diff "$work/bfs.expected" "$work/out")"
    done
fi

# Several shirts, corrected in turns.
if [ "$name" = cloth ]; then
    simulate cloth --mode functional -- --small --shirts 3 --kinds 2
    grep -q '^cloth: 288 particles, 471 constraints, ' "$work/out" && grep -q '^cloth: correct$' "$work/out" || fail "three shirts: $(cat "$work/out")"
fi
finish
