# A program that locks by atomics or by lock instructions (workloads/locks.h): every form is right, and prints the same, with every
# scheduler, under every divergence model and every protocol, with queues of locks and without; or it is refused, and the reason said.
# LOCKSTEP_LONG: every combination, else some protocols, another third of them with each program, with some of the others.
# shellcheck disable=SC2086 # several words
schedulers=()
for scheduler in $(listed core/sched); do
    schedulers+=("$scheduler" "$scheduler+bows")
done
[ ${#schedulers[@]} -ge 14 ] || fail "only ${#schedulers[@]} schedulers"
protocols=$("$LOCKSTEP" protocols | awk '/^[a-z]/ { print $1 }')

# right FORM OPTIONS...
right() {
    local form=$1
    shift
    simulate "$name" "$@" -- $small --sync "$form"
    cmp -s "$work/out" "$work/$name.expected" || fail "$name --sync $form $*: $(diff "$work/$name.expected" "$work/out")"
}

# refused FORM WORDS OPTIONS...
refused() {
    local form=$1 words=$2
    shift 2
    ! timeout $hang "$LOCKSTEP" run --quiet "$@" "$work/$name" --small --sync "$form" >"$work/out" 2>"$work/err" ||
        fail "$name --sync $form $*: not refused"
    grep -q -- "$words" "$work/err" || fail "$name --sync $form $*: no word of '$words': $(head -n 3 "$work/err")"
}

# forms FORMS...
forms() {
    local protocol way form met
    met=$(among barneshut hashtable interac apriori)
    for form; do
        right "$form" --machine thesis
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
                    right "$form" --machine gtx480 --protocol "$protocol" --divergence $way --sched "$scheduler"
                done
            done
        done
        turn=$((turn + 2)) # or each protocol would have the same of three forms
    done
}

# queues FORM OPTIONS...: with queues of locks, whose room is little or not.
queues="--set locks.queue=true"
queues() {
    in_turn "" "--set locks.record_limit=4" "--set locks.queue_limit=2 --set locks.backoff=linear"
    for limits in "${chosen[@]}"; do right "$@" $queues $limits; done
}

# cycles_of_build ARGUMENTS...: of the kernel that builds barneshut's tree.
cycles_of_build() {
    simulate barneshut --machine thesis --stats "$work/build.csv" -- $small --first 2 --last 2 "$@"
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next } $column["name"] ~ /build/ { print $column["cycles"] }' "$work/build.csv"
}

# barneshut's other ways to build the tree give the same one; its other bodies have another.
built_otherwise() {
    local way sections few at_once apart
    in_turn "--sync atomics --empty lock" "--sync lock --empty cas" "--sync lock --poll ask" "--sync lock --poll barrier" \
        "--sync trylock --empty cas" "--sync lock --empty cas --poll barrier --stagger 50"
    for way in "${chosen[@]}"; do
        simulate barneshut --machine thesis -- $small $way
        cmp -s "$work/out" "$work/barneshut.expected" || fail "barneshut $way: $(diff "$work/barneshut.expected" "$work/out")"
    done
    in_turn "--shape cube" "--order tree" "--shape cube --order tree --sync lock --stagger 10"
    for way in "${chosen[@]}"; do
        simulate barneshut --mode functional -- $small $way
        grep -q '^barneshut: correct$' "$work/out" || fail "barneshut $way: no verdict"
    done
    # Each insertion takes a lock, or those alone that find a body in the slot.
    for way in usual lock cas; do
        simulate barneshut --mode functional -- $small --sync lock --empty $way
        sections=$(sed -n 's/^barneshut: \([0-9]*\) critical sections.*/\1/p' "$work/err")
        few=$((sections < 300))
        [ $few = "$([ "$way" = cas ] && echo 1 || echo 0)" ] ||
            fail "barneshut --empty $way: $sections critical sections"
    done
    # 300 bodies are one for each lane of eight warps, and more: the last one begins 7 times 20,000 cycles after the first.
    in_turn "--sync atomics" "--sync lock"
    for way in "${chosen[@]}"; do
        at_once=$(cycles_of_build $way)
        apart=$(cycles_of_build $way --stagger 20000)
        [ "$apart" -gt 140000 ] && [ "$apart" -lt $((140000 + 2 * at_once)) ] || fail "barneshut $way --stagger 20000: $apart cycles, at once $at_once"
    done
    ! "$LOCKSTEP" run --quiet "$work/barneshut" --small --poll ask >/dev/null 2>"$work/err" || fail "barneshut: --poll without --sync lock"
    grep -q "cannot use '--poll'" "$work/err" || fail "barneshut --poll ask: $(head -n 2 "$work/err")"
}

case $name in
hashtable)
    forms atomics lock trylock
    # Queues with room and with little: a lane whose answer comes while others of its warp execute acquires when it goes on, or it finds in
    # the L1 what was there before it had the lock.
    for records in 0 8 64; do
        simulate hashtable --machine gtx480 $queues --set locks.record_limit=$records -- --insertions 20480 --threads 20480 \
            --buckets 512 --sync lock
        grep -q "^hashtable: correct\$" "$work/out" || fail "hashtable: no verdict with queues of $records records"
    done
    ;;
interac)
    forms atomics lock
    right atomics --machine thesis $queues
    refused lock 'with queues (locks.queue)' --machine thesis $queues
    ;;
barneshut)
    forms atomics lock trylock
    # Warps that ask again and again for a lock that their L1 has do not hold up what the network brings.
    right lock --machine gtx480 --protocol hlrc --sched lrr
    queues lock --machine thesis --sched gto
    queues trylock --machine gtx480
    refused lock 'and hlrc is not one' --machine gtx480 $queues --protocol hlrc
    built_otherwise
    ;;
apriori)
    # It takes much longer than all the others.
    [ -z "${LOCKSTEP_LONG:-}" ] || forms atomics lock
    queues lock --machine thesis
    refused lock 'which its lets others have' --machine thesis $queues --divergence its
    refused lock 'which aware lets others have' --machine thesis $queues --divergence aware
    ;;
esac
