#!/usr/bin/env bash
# However many threads simulate, and whether cycles in which nothing can happen are skipped or stepped, the JSON is the
# same but for `host`: every case of this folder, both machines of the references between them; the ways take turns.
. "$(dirname "$0")/_json.sh"
. "$LOCKSTEP_SRC/tests/_effort.sh"

failed=0 runs=0
for case in *.yaml; do
    case "$case" in
    ht64full.yaml | ht1024.yaml | atm*.yaml) [ -n "${LOCKSTEP_LONG:-}" ] || continue ;; # long, and say no more than ht64
    esac
    case "$case" in
    atm.yaml | ht* | s* | v*) how=(--machine gtx480-sm2 --sched gto) ;;
    *) how=(--machine gtx480 --sched lrr) ;;
    esac
    json "$folder/one" "$case" "${how[@]}" || exit 1
    grep -q '"cycles"' "$folder/one" || exit 1
    in_turn "--threads 2" "--no-skip" "--threads 3" "--threads 4"
    for other in "${chosen[@]}"; do
        # shellcheck disable=SC2086
        json "$folder/other" "$case" "${how[@]}" $other || exit 1
        runs=$((runs + 1))
        cmp "$folder/one" "$folder/other" || { echo "$case ${how[*]} $other gives another result"; failed=1; }
    done
done
[ "$runs" -ge 25 ] || { echo "only $runs runs"; exit 1; }
exit $failed
