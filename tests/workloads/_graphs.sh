# A graph program: the same result with and without stealing, with operations on queues at every scope, with and without fences, with one
# queue and with more queues than tasks, with tasks of few nodes, on machines of 32 and of 64 lanes; files in both formats; what is wrong with
# a file is said with its line. The queues are the same code in all three programs: with LOCKSTEP_LONG each does all of that, else each a third.

# same ARGUMENTS: on one of the $machines, or on each of them, the verdict is good and the rest as in the first run.
same() {
    local machine
    # shellcheck disable=SC2086 # several words
    in_turn $machines
    for machine in "${chosen[@]}"; do
        simulate "$name" --machine $machine ${protocol:+--protocol $protocol} -- --small --rounds 1 "$@"
        grep -q "^$name: correct\$" "$work/out" || fail "$name $*: no verdict on $machine"
        [ -e "$work/$name.first" ] || cp "$work/out" "$work/$name.first"
        cmp -s "$work/out" "$work/$name.first" || fail "$name $* prints something else on $machine: $(diff "$work/$name.first" "$work/out")"
    done
}
shown=$(among coloring pagerank sssp)
by_turns() {
    [ $((shown++ % 3)) -ne 0 ] && [ -z "${LOCKSTEP_LONG:-}" ] || same "$@"
}
machines="gtx480 apu8 gtx1080ti" protocol=
same
# Operations at the scope of a block are seen by thieves only under a protocol that is made for it.
protocol=rsp by_turns --scope 2
protocol=hlrc-scoped by_turns --scope 3
machines=gtx480
by_turns --steal 0
by_turns --queues 1
by_turns --task 7
by_turns --task 3 --looks 1
by_turns --task 3 --looks 2 --order 1
by_turns --task 3 --order 2 --mark 0
by_turns --task 3 --extra 2
by_turns --third 1
by_turns --scope 2 --fences 1
machines=apu8
by_turns --steal 0 --scope 1
by_turns --fences 1
by_turns --queues 20

# In another order of nodes a graph has as many edges, and the program is right; each block's line says what one word does.
simulate $name --mode functional -- --small --shuffle 50
cp "$work/out" "$work/$name.half"
simulate $name --mode functional -- --small --shuffle 100
grep -q "^$name: correct\$" "$work/out" || fail "$name with its nodes in a random order"
edges=$(grep -o "[0-9]* edges" "$work/out")
cmp -s "$work/out" "$work/$name.first" && fail "$name --shuffle 100 prints the same"
cmp -s "$work/out" "$work/$name.half" && fail "$name --shuffle 50 prints what --shuffle 100 does"
grep -q "$edges" "$work/$name.first" && grep -q "$edges" "$work/$name.half" || fail "$name --shuffle has other edges: $edges"

if [ $name = coloring ]; then
    for shape in 0 1 2; do
        simulate coloring --mode functional -- --shape $shape --nodes 3000 --edges 4000
        grep -q "coloring: correct" "$work/out" || fail "shape $shape"
    done
    simulate coloring --mode functional -- --small --rounds 1 --apart 1
    cmp -s "$work/out" "$work/coloring.first" || fail "coloring --apart 1 prints something else"
    simulate coloring --mode functional -- --small --apart 1
    cmp -s "$work/out" "$work/coloring.expected" || fail "coloring --apart 1 does not come to the same end"
    cat >"$work/square.mtx" <<'M'
%%MatrixMarket matrix coordinate pattern symmetric
% a square of four nodes, and its loops
4 4 6
1 1
2 1
3 2
4 3
4 1
4 4
M
    simulate coloring --mode functional -- --file "$work/square.mtx"
    grep -q "^coloring: 4 nodes, 8 edges, " "$work/out" || fail "a matrix: $(cat "$work/out")"
fi

# refused LINE WORDS: the file in $work/bad is refused with these words.
refused() {
    local got=0
    "$LOCKSTEP" run --quiet --mode functional "$work/sssp" --file "$work/bad" >"$work/out" 2>"$work/err" || got=$?
    [ "$got" = 2 ] && grep -q "bad:$1: .*$2" "$work/err" || fail "status $got: $(cat "$work/err"), expected line $1: $2"
}
if [ $name = sssp ]; then
    printf 'c two ways, the direct one longer; node 4 leads here and is not reached\np sp 4 4\na 1 2 3\na 2 3 4\na 1 3 9\na 4 1 1\n' >"$work/ways.gr"
    simulate sssp --mode functional -- --file "$work/ways.gr"
    grep -q "^sssp: 4 nodes, 4 edges, 3 rounds, 3 reached, the farthest after 7\$" "$work/out" || fail "ways: $(cat "$work/out")"
    printf 'p sp 4 1\na 1 5 3\n' >"$work/bad" && refused 2 "nodes of the graph"
    printf 'p sp 4 2\na 1 2 3\n' >"$work/bad" && refused 2 "as many arcs"
    printf 'p sp 4 1\na 1 2 3000000\n' >"$work/bad" && refused 2 "1,000,000"
    printf 'p sp 4294967297 0\n' >"$work/bad" && refused 1 "67,108,864 nodes"
    printf 'p sp 99999999999999999999999 0\n' >"$work/bad" && refused 1 "p sp NODES ARCS"
    printf 'p sp 4 1\na 1 -2 3\n' >"$work/bad" && refused 2 "nodes of the graph"
    printf 'p sp 4 1\na 1 2 3\na 2 3 4\n' >"$work/bad" && refused 3 "as many arcs"
    printf 'p max 4 1\n' >"$work/bad" && refused 1 "p sp NODES ARCS"
    printf 'hello\n' >"$work/bad" && refused 1 "neither"
    printf '' >"$work/bad" && refused 1 "empty"
    printf '%%%%MatrixMarket matrix array real general\n2 2\n' >"$work/bad" && refused 1 "coordinate"
    printf '%%%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1\n' >"$work/bad" && refused 2 "square"
    printf '%%%%MatrixMarket matrix coordinate real general\n2 2 1\n1 3 0.5\n' >"$work/bad" && refused 3 "ROW COLUMN"
    printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 0.5\n' >"$work/bad" && refused 3 "as many entries"
    got=0
    "$LOCKSTEP" run --quiet "$work/sssp" --small --scope 1 >"$work/out" 2>&1 || got=$?
    [ "$got" = 2 ] && grep -q "scope 1 with stealing" "$work/out" || fail "stealing at the block's scope: status $got"
fi
