#!/usr/bin/env bash
# A program under workloads/ that finds its own result wrong says so through lockstep run: each row of broken.txt breaks a kernel of
# one. One row of thirty; all with LOCKSTEP_LONG.
. "$LOCKSTEP_SRC/tests/workloads/_lib.sh"

rows=0 tried=0
step=30
[ -z "${LOCKSTEP_LONG:-}" ] || step=1
while IFS='	' read -r program edit status message options; do
    [[ "$program" =~ ^[a-z] ]] || continue
    [ $((rows++ % step)) -eq 0 ] || continue
    # shellcheck disable=SC2086
    broken "$program" "$edit" "$status" "$message" $options
    tried=$((tried + 1))
done <"$LOCKSTEP_SRC/tests/workloads/broken.txt"
for program in $(sed -n 's/^\([a-z][a-z0-9]*\) .*/\1/p' "$LOCKSTEP_SRC/tests/workloads/programs.txt"); do
    grep -q "^$program	" "$LOCKSTEP_SRC/tests/workloads/broken.txt" || fail "$program has no row in broken.txt"
done
[ "$tried" -ge 3 ] || fail "only $tried rows tried"
echo "$tried of $rows rows"
finish
