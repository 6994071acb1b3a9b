# _broken.sh NAME: a program under workloads/ that finds its own result wrong says so through lockstep run: each row of
# broken.txt breaks one of its kernels. The first row of each program, or all with LOCKSTEP_LONG.
. "$LOCKSTEP_SRC/tests/workloads/_lib.sh"

rows=0
while IFS='	' read -r program edit status message options; do
    [ "$program" = "$1" ] || continue
    rows=$((rows + 1))
    [ "$rows" = 1 ] || [ -n "${LOCKSTEP_LONG:-}" ] || continue
    # shellcheck disable=SC2086
    broken "$program" "$edit" "$status" "$message" $options
done <"$LOCKSTEP_SRC/tests/workloads/broken.txt"
[ "$rows" -gt 0 ] || fail "$1 has no rows in broken.txt"
finish
