# A program that waits in several ways (its words of --how): each prints the same, on a machine that has it, under some divergence model
# and in both modes; and takes the same cycles with every cycle stepped and by several threads. LOCKSTEP_LONG: all models.
# shellcheck disable=SC2086 # several words
cycles_of() {
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next } { print $column["name"], $column["cycles"] }' "$1"
}

# shows HOW OPTIONS...
shows() {
    local how=$1
    shift
    simulate "$name" "$@" -- $small --how "$how"
    cmp -s "$work/out" "$work/$name.expected" || fail "$name --how $how $*: $(diff "$work/$name.expected" "$work/out")"
}

case $name in
clusterlock) ways="cluster cas sleep ticket test instruction queue" ;;
clusters) ways="cluster atomics launch last send graph early spin" ;;
gridbarrier) ways="counter poll sleep cluster launch remote graph early groups instruction" ;;
pipeline) ways="plain groups bulk flags named arrivals copies roles" ;;
streamk) ways="shares tiles" ;;
taskqueue) ways="load poll sleep instruction remote mail launch graph early" ;;
workqueue) ways="ticket turns" ;;
esac
for how in $ways; do
    shows $how --mode functional --machine h100
    in_turn stack its aware dwf
    for way in "${chosen[@]}"; do
        shows $how --machine h100 --divergence $way --stats "$work/first.csv"
        shows $how --machine h100 --divergence $way --stats "$work/again.csv" --no-skip --threads 2
        [ "$(cycles_of "$work/first.csv")" = "$(cycles_of "$work/again.csv")" ] || fail "$name --how $how, $way: other cycles when stepped"
    done
    if [[ " cluster remote queue mail send " == *" $how "* ]]; then
        ! timeout $hang "$LOCKSTEP" run --quiet --machine gtx480 "$work/$name" $small --how $how >"$work/out" 2>"$work/err" || fail "$name: clusters on a gtx480"
        grep -q 'not supported' "$work/err" || fail "$name: no word of clusters: $(head -n 3 "$work/err")"
    elif [ $how = roles ]; then
        ! timeout $hang "$LOCKSTEP" run --quiet --machine gtx480 "$work/$name" $small --how $how >"$work/out" 2>"$work/err" || fail "$name: 240 registers a thread on a gtx480"
        grep -q 'wait for registers of their block at' "$work/err" || fail "$name: no word of registers: $(head -n 3 "$work/err")"
    else
        shows $how --machine gtx480
    fi
done
