#!/usr/bin/env bash
# validate --hardware builds a program of tools/measure, keeps it, runs it on a machine and lays its rows beside those of a card.
. "$(dirname "$0")/_lib.sh"
command -v clang >/dev/null || { echo "skipped: no clang"; exit 77; }
export XDG_CACHE_HOME=$folder/cache
run() { "$LOCKSTEP" validate --hardware gtx1080ti --card h100 --kind rates "$@" 2>"$folder/errors"; }
run --out "$folder/out" >"$folder/first" || wrong "it failed: $(cat "$folder/errors")"
read -r rows compared < <(awk '$1 == "rates" { print $2, $3 }' "$folder/first")
[ "${rows:-0}" -gt 90 ] && [ "$rows" = "$compared" ] || wrong "of $rows rows $compared were compared"
built=("$XDG_CACHE_HOME"/lockstep/measure/*/rates)
[ -x "${built[0]}" ] && [ ! -e "${built[0]%rates}memory" ] || wrong "built: ${built[*]}"
touch -d 2001-01-01 "${built[0]}"
run --jobs 1 >"$folder/second" || wrong "the second run failed"
cmp -s "$folder/first" "$folder/second" || wrong "two runs differ: $(diff "$folder/first" "$folder/second")"
[ "$(date -r "${built[0]}" +%Y)" = 2001 ] || wrong "built again"
run --measured "$folder/out" >"$folder/third" && cmp -s "$folder/first" "$folder/third" || wrong "what was kept is not what was measured"
run --set sm.interval_special=32 >"$folder/slow" && ! cmp -s "$folder/first" "$folder/slow" || wrong "--set changes nothing"
finish
