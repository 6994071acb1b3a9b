#!/usr/bin/env bash
# adversary.sh [SEEDS] [OPTIONS OF lockstep run...]   prints how often `lockstep run --adversary` shows that a fence is missing: of each program
#   of fences.cu, and each fence that it can lack, in how many of SEEDS (default 24) it goes wrong; and without an adversary (seed 0).
#   Exit code 1: a program went wrong that has all its fences. docs/adversary.md has the table.
#   LOCKSTEP names the tool (default build/release/bin/lockstep).
set -uo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
lockstep=${LOCKSTEP:-$here/build/release/bin/lockstep}
seeds=${1:-24}
shift
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT
"$lockstep" cc -arch=sm_70 "$here/bench/fences.cu" -o "$folder/fences" || exit 2

# goes_wrong SEED PROGRAM LACK
goes_wrong() {
    "$lockstep" run --quiet --adversary "$@" 2>"$folder/err" >"$folder/out"
    case $(tail -1 "$folder/out") in
    wrong) return 0 ;;
    right) return 1 ;;
    *) cat "$folder/err" >&2; echo "adversary.sh: $* did not end" >&2; exit 2 ;;
    esac
}
status=0 found=0 of=0 ever=0 fences=0
echo "| program | fence | without | wrong in $seeds seeds |"
echo "|---|---:|---:|---:|"
while read -r program lacks <&3; do
    for lack in $(seq 0 "$lacks"); do
        count=0 plain=right
        goes_wrong 0 "${@}" "$folder/fences" "$program" "$lack" && plain=wrong
        for seed in $(seq "$seeds"); do
            goes_wrong "$seed" "${@}" "$folder/fences" "$program" "$lack" && count=$((count + 1))
        done
        echo "| $program | $([ "$lack" = 0 ] && echo "all there" || echo "$lack") | $plain | $count |"
        if [ "$lack" = 0 ]; then
            [ "$count$plain" = 0right ] || status=1
        else
            found=$((found + count)) of=$((of + seeds)) ever=$((ever + (count > 0))) fences=$((fences + 1))
        fi
    done
done 3< <("$lockstep" run --quiet "$folder/fences")
echo "$ever of $fences missing fences are shown by some seed, and $found of $of runs go wrong"
exit $status
