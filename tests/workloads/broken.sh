#!/usr/bin/env bash
# A program under workloads/ that finds its own result wrong says so through lockstep run: each row of broken.txt breaks a kernel of
# one. One row of forty; all with LOCKSTEP_LONG. Every program has a row there, and one in programs.txt.
. "$LOCKSTEP_SRC/tests/workloads/_lib.sh"

rows=0 tried=0
step=40
[ -z "${LOCKSTEP_LONG:-}" ] || step=1
while IFS='	' read -r program edit status message options; do
    [[ "$program" =~ ^[a-z] ]] || continue
    [ $((rows++ % step)) -eq $((step / 4)) ] || continue
    simulated="--mode functional"
    [[ $program != cluster* ]] || simulated+=" --machine h100"
    # shellcheck disable=SC2086
    broken "$program" "$edit" "$status" "$message" $options
    tried=$((tried + 1))
done <"$LOCKSTEP_SRC/tests/workloads/broken.txt"
for table in broken.txt programs.txt; do
    sed -n 's/^\([a-z][a-z0-9]*\).*/\1/p' "$LOCKSTEP_SRC/tests/workloads/$table" >"$work/rows"
    missing=$(cd "$LOCKSTEP_SRC/workloads" && printf '%s\n' */ | tr -d / | grep -vxFf "$work/rows" || :)
    [ -z "$missing" ] || fail "no row in $table: $missing"
done
[ "$tried" -ge 3 ] || fail "only $tried rows tried"
echo "$tried of $rows rows"
finish
