#!/usr/bin/env bash
# docs/energy.md gives the coefficients, powers and weights that the machines have: each row of its tables that begins with
# a parameter's name, or with an operation's, against `lockstep machines`.
set -euo pipefail
page=$LOCKSTEP_SRC/docs/energy.md
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# value MACHINE PARAMETER
value() {
    "$LOCKSTEP" machines "$1" | awk -v name="$2:" '/^[a-z]/ { inside = $1 == "energy:" } inside && $1 == name { print $2 }'
}

# The last two columns of a table with a parameter in the first; the weight of an operation in the second.
awk -F' *[|] *' '
    /^\| [a-z0-9_]+ \| .* \| *[0-9.]+ \| *[0-9.]+ \|$/ { print "gtx480", $2, $(NF - 2); print "gtx1080ti", $2, $(NF - 1); next }
    /^\| [a-z0-9_]+ \| [0-9.]+ \|/ { print "gtx480", "weight_" $2, $3 }' "$page" >"$folder/rows"
while read -r machine name documented; do
    found=$(value "$machine" "$name")
    [ "$found" = "$documented" ] || { echo "energy.$name of $machine is $found; docs/energy.md says $documented"; exit 1; }
done <"$folder/rows"

# Every decimal parameter has its row.
for name in $("$LOCKSTEP" machines gtx480 | awk '/^[a-z]/ { inside = $1 == "energy:" } inside && /^ / { sub(":", "", $1); print $1 }'); do
    case $name in pipeline_duty | gate_lanes) continue ;; esac
    grep -q " $name " "$folder/rows" || { echo "docs/energy.md does not give energy.$name"; exit 1; }
done
echo "$(wc -l <"$folder/rows") values"
