#!/usr/bin/env bash
# Energy as a user meets it: in the table of run, in JSON and CSV, in compare; none in functional mode; prices by --set.
. "$LOCKSTEP_SRC/tests/cli/_lib.sh"
case=$LOCKSTEP_SRC/tests/reference/alu_dep.yaml

# column FILE NAME: the value of a CSV's column in its first line.
column() {
    awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } NR == 2 && at { print $at }' "$1"
}

# check WHAT CONDITION...: a test(1) condition.
check() {
    local what=$1
    shift
    test "$@" || { echo "$what: not $*"; failures=$((failures + 1)); }
}

expect 0 "total energy" run --stats "$folder/a.csv" "$case"
expect 0 "" run --set energy.leakage=0 --set energy.constant=0 --set energy.idle_sm=0 --stats "$folder/b.csv" "$case"
dynamic=$(column "$folder/a.csv" energy.dynamic)
total=$(column "$folder/a.csv" energy.total)
check "dynamic energy" "${dynamic:-0}" -gt 0
check "total energy" "${total:-0}" -gt "${dynamic:-0}"
check "dynamic energy without powers" "$(column "$folder/b.csv" energy.dynamic)" = "$dynamic"
check "total energy without powers" "$(column "$folder/b.csv" energy.total)" = "$dynamic"

expect 0 "" run --stats "$folder/a.json" "$case"
check "total energy in JSON" "$(grep -c "\"total\": $total" "$folder/a.json")" = 1
expect 0 "" run --mode functional --stats "$folder/f.csv" "$case"
check "energy of a functional run" -z "$(column "$folder/f.csv" energy.total)$(column "$folder/f.csv" energy.dynamic)"

expect 0 "  of the first" compare --sched lrr,gto "$case"
expect 0 "dynamic energy" compare --sched lrr "$case"
expect 0 "energy.flit" params energy
expect 0 "energy.dram (pJ): DRAM commands" explain energy.dram
expect 2 "not a number" run --set energy.flit=1e3 "$case"
finish
