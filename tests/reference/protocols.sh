#!/usr/bin/env bash
# Every reference case under each coherence protocol that a machine does not have by itself: what a program without data races computes,
# and what these cases check of those that lock, wait or count with atomics, does not depend on the protocol. By default each has
# a protocol or none, by turns, and all with LOCKSTEP_LONG.
set -uo pipefail
. "$LOCKSTEP_SRC/tests/_effort.sh"
if grep -qs '^CMAKE_BUILD_TYPE:[A-Z]*=\(Asan\|Tsan\)' "${LOCKSTEP_BUILD:-/nowhere}/CMakeCache.txt"; then
    echo "skipped: too slow with sanitizers, and the values are the same"
    exit 77
fi
cd "$LOCKSTEP_SRC/tests/reference" || exit 1
list=$(mktemp) result=$(mktemp)
trap 'rm -f "$list" "$result"' EXIT

one() {
    local output seed
    # Whoever takes two locks one after the other without ordering them, as atm does, can give them back in vain for ever where all
    # latencies are fixed, which the run then says (3): with another rhythm it ends. Any other failure is one.
    for seed in 0 1 2 3 4; do
        output=$("$LOCKSTEP" run --machine "$2" --seed $seed --set "coherence.protocol=$1" "$3" 2>&1)
        case $? in
        0) grep -q '^PASS' <<<"$output" && return 0 || break ;;
        3) [ "$3" = atm.yaml ] || break ;;
        *) break ;;
        esac
    done
    printf '%s\nFAILED: %s under %s on %s\n' "$output" "$3" "$1" "$2"
    return 1
}
export -f one

protocols=$("$LOCKSTEP" protocols | awk '!/\(default\)/ { print $1 }')
[ -n "$protocols" ] || { echo "no protocol but the default one"; exit 1; }
number=0 protocols_seen=0
for protocol in $protocols; do
    number=$((protocols_seen++)) # cases that are left out before make no difference
    # The setting is what the run has.
    "$LOCKSTEP" run --quiet --stats "$result" --set "coherence.protocol=$protocol" --set coherence.count=true vecadd.yaml &&
        "$LOCKSTEP" protocols "$protocol" "$result" >/dev/null || exit 1
    for case in *.yaml; do
        [ $((number++ % 9)) -eq 0 ] || [ -n "${LOCKSTEP_LONG:-}" ] || continue
        [ "$case" != ht64full.yaml ] || [ -n "${LOCKSTEP_LONG:-}" ] || continue # long, and says little more than ht64
        in_turn gtx480 gtx480-sm2
        printf "$protocol %s $case\n" "${chosen[@]}"
    done
done >"$list"
runs=$(wc -l <"$list")
[ "$runs" -ge 15 ] || { echo "only $runs runs"; exit 1; }
xargs -P 2 -L 1 bash -c 'one "$@"' one <"$list" || exit 1
echo "$runs runs passed"
