# Options of the programs under workloads/: presets give way to single options; nonsense is refused.

# nonsense WORDS...: each of them.
nonsense() {
    local words status
    for words; do
        status=0
        # shellcheck disable=SC2086 # several words
        "$LOCKSTEP" run --quiet "$work/$name" --small $words >/dev/null 2>"$work/err" || status=$?
        [ "$status" = 2 ] && grep -q '^usage:' "$work/err" || fail "'$words' was accepted"
    done
}

case $name in
hashtable)
    simulate hashtable --mode functional -- --buckets 7 --small --insertions 100
    grep -q '^hashtable: 100 insertions by 4 blocks of 128 threads into 7 buckets$' "$work/out" || fail "options: $(head -n 1 "$work/out")"
    nonsense "--buckets 0" "--buckets 12x" "--bucket 1" "--buckets" "7"
    ;;
interac)
    # An option that takes words: one of those that the program has for it.
    "$LOCKSTEP" run --quiet "$work/interac" --help >"$work/out"
    grep -q -e '--sync  .* (atomics; small: atomics)$' "$work/out" || fail "help: $(cat "$work/out")"
    nonsense "--sync spin" "--sync trylock" "--sync 0" "--sync"
    ;;
esac
