#!/usr/bin/env bash
# Every reference case under each divergence model that a machine does not have by itself, in both modes: what a program without data races
# computes, and what these cases check of those that lock, wait or count with atomics, does not depend on the way (a case under one way or none, by turns, in one of
# the modes; with LOCKSTEP_LONG under all, in both). Cases none of whose lanes wait for others take as many cycles under its, and execute as many warp instructions under aware, whose sides of a branch take
# turns; under dwf, whose warps are other ones, as many of each thread.
set -uo pipefail
. "$LOCKSTEP_SRC/tests/_effort.sh"
cd "$LOCKSTEP_SRC/tests/reference" || exit 1
list=$(mktemp)
trap 'rm -f "$list"' EXIT

one() {
    local output seed how=(--divergence "$1" --machine "$2")
    [ "$3" = functional ] && how+=(--mode functional)
    # For more than one seed: see protocols.sh.
    for seed in 0 1 2 3 4; do
        output=$("$LOCKSTEP" run "${how[@]}" --seed $seed "$4" 2>&1)
        case $? in
        0) grep -q '^PASS' <<<"$output" && return 0 || break ;;
        3) [ "$4" = atm.yaml ] || break ;;
        *) break ;;
        esac
    done
    printf '%s\nFAILED: %s under %s on %s, %s\n' "$output" "$4" "$1" "$2" "$3"
    return 1
}
export -f one

ways=$("$LOCKSTEP" run --divergence no-such-way x 2>&1 | sed -n 's/.*known models: stack, //p' | tr -d ',')
[ -n "$ways" ] || { echo "no way but the default one"; exit 1; }
number=0
for case in *.yaml; do
    [ "$case" != ht64full.yaml ] || [ -n "${LOCKSTEP_LONG:-}" ] || continue # long, and says little more than ht64
    number=$((number + 1)) of_case=0
    for way in $ways; do
        of_case=$((of_case + 1))
        in_turn gtx480 gtx480-sm2
        [ $(((number + of_case) % 9)) -ne 0 ] && [ -z "${LOCKSTEP_LONG:-}" ] || printf "$way %s timing $case\n" "${chosen[@]}"
        [ $(((number + of_case) % 9)) -ne 3 ] && [ -z "${LOCKSTEP_LONG:-}" ] || printf "$way gtx480 functional $case\n"
    done
done >"$list"
runs=$(wc -l <"$list")
[ "$runs" -ge 18 ] || { echo "only $runs runs"; exit 1; }
xargs -P 2 -L 1 bash -c 'one "$@"' one <"$list" || exit 1

# count WHAT WAY CASE
count() {
    local out
    out=$(mktemp)
    "$LOCKSTEP" run --quiet --stats "$out" --divergence "$2" "$3" >/dev/null || echo failed
    grep -m 1 "\"$1\"" "$out"
    rm -f "$out"
}
for way in $ways; do
    for case in bfs divergence spmv; do
        what=cycles
        [ "$way" != aware ] || what=warp_instructions
        [ "$way" != dwf ] || what=thread_instructions
        [ "$(count $what stack $case.yaml)" = "$(count $what "$way" $case.yaml)" ] || { echo "$case: other $what under $way"; exit 1; }
    done
done
echo "$runs runs passed"
