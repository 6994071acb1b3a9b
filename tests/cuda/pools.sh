# Memory pools, graphs that allocate memory, graphs that are changed; nothing is left behind, and a checkpoint goes on.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
build "$work/pools" "$here/pools.cu"
printf '%s\n' pools captured kept changed >"$work/expected"
memory=${LOCKSTEP_SET:+--set $LOCKSTEP_SET}
on_simulator "$work/pools" "$work/a.dot" >"$work/out" 2>"$work/err" || fail "ended with $?: $(cat "$work/out" "$work/err")"
diff -u "$work/expected" "$work/out"
grep -q '1: copy' "$work/a.dot" && grep -q 'node0 -> node1' "$work/a.dot" || fail "picture: $(cat "$work/a.dot")"
grep -q 'label="0: add' "$work/a.dot" || fail "picture: $(cat "$work/a.dot")"
timeout 100 "$LOCKSTEP" run --quiet $memory --check mem,race,init "$work/pools" "$work/b.dot" >"$work/out" 2>"$work/err" ||
    fail "with checks: $(cat "$work/out" "$work/err")"
diff -u "$work/expected" "$work/out"
grep -q 'never freed' "$work/err" && fail "left behind: $(cat "$work/err")"
cmp "$work/a.dot" "$work/b.dot"
timeout 100 "$LOCKSTEP" run --quiet $memory --checkpoint-every 200 --checkpoint "$work/at%c" "$work/pools" "$work/b.dot" >"$work/out" 2>"$work/err" || fail "saving: $(cat "$work/err")"
tried=0
for at in "$work"/at*; do
    tried=$((tried + 1))
    timeout 100 "$LOCKSTEP" run --quiet --resume "$at" "$work/pools" "$work/b.dot" >"$work/out" 2>"$work/err" || fail "resumed at $at: $(cat "$work/err")"
    diff -u "$work/expected" "$work/out"
done
[ $tried -gt 0 ] || fail "no checkpoint"
