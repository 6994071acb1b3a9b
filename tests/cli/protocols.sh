#!/usr/bin/env bash
# lockstep protocols: the list, the tables, how often a run took each transition, and what is refused.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
case=$LOCKSTEP_SRC/tests/reference/bfs.yaml

expect 0 "(default)" protocols
expect 0 "touch; perform; dirty; answer" protocols gpu
expect 0 "install; enter; retry; drop all; ask again" protocols hlrc
expect 2 "there is no coherence protocol 'gpv'" protocols gpv
expect 2 "there is no coherence protocol named mesi" run --set coherence.protocol=mesi "$case"
expect 2 "does not know what to do with b" protocols gpu a b
# --protocol is the parameter by another name, and holds over it.
expect 2 "there is no coherence protocol named mesi" run --protocol mesi "$case"
expect 0 "coherence.protocol=gpu does not count: --protocol bypass is given too" run --protocol bypass --set coherence.protocol=gpu "$case"
cycles() { "$LOCKSTEP" run --stats "$folder/cycles.csv" "$@" "$case" >/dev/null; awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) k[$i] = i } NR > 1 { print $k["cycles"] }' "$folder/cycles.csv"; }
[ "$(cycles --protocol bypass)" = "$(cycles --set coherence.protocol=bypass)" ] || wrong "--protocol is not coherence.protocol"
[ "$(cycles --protocol bypass)" != "$(cycles)" ] || wrong "--protocol changes nothing"

# Transitions are counted where that is asked for, and a result says nothing about protocols where nobody asks.
counted=$folder/counted.json plain=$folder/plain.json
"$LOCKSTEP" run --quiet --set coherence.count=true --stats "$counted" "$case" >/dev/null || wrong "counting"
"$LOCKSTEP" run --quiet --stats "$plain" "$case" >/dev/null || wrong "not counting"
grep -q 'coherence\|transitions' "$plain" && wrong "a result names its protocol unasked"
expect 0 "taken" protocols gpu "$counted"
expect 2 "the result has no counts of transitions" protocols gpu "$plain"
expect 2 "the result is of a run under protocol gpu, not bypass" protocols bypass "$counted"
expect 2 "not a result" protocols gpu "$case"
expect 2 "nothing.json" protocols gpu "$folder/nothing.json"

# A count is that of the statistics beside it.
# of FILE GROUP NAME: the sum over kernels.
of() {
    awk -v group="\"$2\": {" -v name="\"$3\":" '
        index($0, group) { inside = 1 } inside && $1 == name { sum += $2 } inside && /}/ { inside = 0 } END { print sum + 0 }' "$1"
}
# taken EVENT STATE: of the L1s, as the table has it.
taken() {
    "$LOCKSTEP" protocols gpu "$counted" | awk -v event="$1" -v state="$2" '
        /^L2/ { exit } index($0, event "  ") == 1 { $0 = substr($0, length(event) + 1); if ($1 == state) print $NF }'
}
hits=$(($(taken load V) + $(taken load D) + $(taken "load own" V) + $(taken "load own" D)))
[ "$hits" -gt 0 ] && [ "$hits" -eq "$(of "$counted" l1d read_hits)" ] || wrong "$hits hits, and l1d.read_hits differs"
[ "$(of "$counted" l1d read_hits)" -eq "$(of "$plain" l1d read_hits)" ] || wrong "counting changes what is counted"

# With nothing kept in the L1s.
"$LOCKSTEP" run --quiet --set coherence.protocol=bypass --stats "$folder/bypass.json" "$case" >/dev/null || wrong "bypass"
[ "$(of "$folder/bypass.json" l1d fills)" -eq 0 ] || wrong "an L1 was filled under bypass"
finish
