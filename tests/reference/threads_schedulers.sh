#!/usr/bin/env bash
# Under schedulers that look at time and at who waits, too, the JSON is the same but for `host`, however many threads simulate and
# whether cycles are skipped.
. "$(dirname "$0")/_json.sh"
. "$LOCKSTEP_SRC/tests/_effort.sh"

failed=0 runs=0 alone=0
for case in ht1024 reduce bfs barimb; do
    for sched in tls cawa cawa:profile=artifact tls+bows 'mwf --fetch cff' 'saws+bows --fetch fef'; do
        # Only BOWS has more to do where threads spin; elsewhere every second one.
        [[ $case != ht1024 || $sched = *bows* || -n ${LOCKSTEP_LONG:-} ]] || continue
        [[ $case = ht1024 || -n ${LOCKSTEP_LONG:-} ]] || ((alone++ % 2)) || continue
        # shellcheck disable=SC2086
        json "$folder/one" $case.yaml --sched $sched || exit 1
        grep -q '"cycles"' "$folder/one" || exit 1
        in_turn "--threads 3" "--no-skip" "--threads 2"
        for other in "${chosen[@]}"; do
            # shellcheck disable=SC2086
            json "$folder/other" $case.yaml --sched $sched $other || exit 1
            runs=$((runs + 1))
            cmp "$folder/one" "$folder/other" || { echo "$case $sched $other gives another result"; failed=1; }
        done
    done
done
[ "$runs" -ge 11 ] || { echo "only $runs runs"; exit 1; }
exit $failed
