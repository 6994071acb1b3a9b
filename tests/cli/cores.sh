#!/usr/bin/env bash
# Several cores of an SM: programs end rightly, each core has a scheduler whose cycles are all accounted for, and cores change time.
. "$(dirname "$0")/_lib.sh"
reference=$LOCKSTEP_SRC/tests/reference

# value FILE GROUP NAME: a number of the results.
value() {
    awk -v group="\"$2\": {" -v name="\"$3\":" 'index($0, group) { inside = 1 } inside && index($0, name) { gsub(/[^0-9]/, "", $2); print $2; exit }' "$1"
}

expect 0 PASS run --set sm.cores=2 --set sm.divergence=its "$reference/waitsignal.yaml"
expect 0 PASS run --set sm.cores=4 --set coherence.protocol=hlrc "$reference/waitsignal.yaml"
expect 0 PASS run --set sm.cores=2 --set sm.memory_in_order=false --set sm.values_at_issue=true "$reference/vecadd.yaml"
for cores in 1 2 4; do
    "$LOCKSTEP" run --quiet --set "sm.cores=$cores" --set sm.schedulers=2 --stats "$folder/$cores.json" "$reference/strided.yaml" || wrong "cores=$cores"
    schedulers=$cores
    [ "$cores" = 1 ] && schedulers=2
    total=0
    for cause in $("$LOCKSTEP" stats | awk '$1 ~ /^stalls\./ { sub(/^stalls\./, "", $1); print $1 }'); do
        total=$((total + $(value "$folder/$cores.json" stalls "$cause")))
    done
    sms=$("$LOCKSTEP" machines gtx480 | awk '$1 == "sms:" { print $2 }')
    cycles=$(awk -F'[:,]' '/^ *"cycles": *[0-9]/ { print $2 + 0; exit }' "$folder/$cores.json")
    [ "$total" = $((cycles * sms * schedulers)) ] || wrong "cores=$cores: $total scheduler-cycles, not $cycles x $sms x $schedulers"
done
for file in 2 4; do
    cmp -s <(grep -v cores "$folder/1.json" | grep '"cycles"' | head -1) <(grep '"cycles"' "$folder/$file.json" | head -1) && wrong "cores=$file takes the time of one"
    grep -q "\"cores\": $file" "$folder/$file.json" || wrong "a result does not tell its cores"
done
grep -q '"cores"' "$folder/1.json" && wrong "a result tells the usual number of cores"
expect 2 "sm.cores = 5 is out of range (1 to 4 cores)" run --set sm.cores=5 "$reference/reduce.yaml"
finish
