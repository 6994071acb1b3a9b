# Options of the programs under workloads/: presets give way to single options; nonsense is refused.
. "$LOCKSTEP_SRC/tests/workloads/_lib.sh"
"$LOCKSTEP" cc "$LOCKSTEP_SRC/workloads/hashtable/hashtable.cu" -o "$work/hashtable" || fail "lockstep cc"
simulate hashtable --mode functional -- --buckets 7 --small --insertions 100
grep -q '^hashtable: 100 insertions by 4 blocks of 128 threads into 7 buckets$' "$work/out" || fail "options: $(head -n 1 "$work/out")"
for words in "--buckets 0" "--buckets 12x" "--bucket 1" "--buckets" "7"; do
    status=0
    # shellcheck disable=SC2086
    "$LOCKSTEP" run --quiet "$work/hashtable" $words >/dev/null 2>"$work/err" || status=$?
    [ "$status" = 2 ] && grep -q '^usage:' "$work/err" || fail "'$words' was accepted"
done

# An option that takes words: one of those that the program has for it.
"$LOCKSTEP" cc "$LOCKSTEP_SRC/workloads/interac/interac.cu" -o "$work/interac" || fail "lockstep cc"
"$LOCKSTEP" run --quiet "$work/interac" --help >"$work/out"
grep -q -e '--sync  .* (atomics; small: atomics)$' "$work/out" || fail "help: $(cat "$work/out")"
for words in "--sync spin" "--sync trylock" "--sync 0" "--sync"; do
    status=0
    # shellcheck disable=SC2086
    "$LOCKSTEP" run --quiet "$work/interac" --small $words >/dev/null 2>"$work/err" || status=$?
    [ "$status" = 2 ] && grep -q '^usage:' "$work/err" || fail "'$words' was accepted"
done

# Every program has its row of tests.
for folder in "$LOCKSTEP_SRC"/workloads/*/; do
    grep -q "^$(basename "$folder") " "$LOCKSTEP_SRC/tests/workloads/programs.txt" || fail "$(basename "$folder") has no row in programs.txt"
done
finish
