#!/usr/bin/env bash
# compare A.json B.json: two runs whose results are there, side by side; what is no results file is told with its name and exit code 2.
. "$(dirname "$0")/_lib.sh"
cases=$LOCKSTEP_SRC/tests/reference
cd "$folder" || exit 1
for kind in json csv; do
    "$LOCKSTEP" run --quiet --stats a.$kind --sched lrr "$cases/scan.yaml" || exit 1
    "$LOCKSTEP" run --quiet --stats b.$kind --sched gto --set l1d.ways=8 "$cases/scan.yaml" || exit 1
done
"$LOCKSTEP" compare a.json b.json >out || wrong "exit code"

# member FILE NAME: a number of the results, in CSV without commas in a text.
member() {
    awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } NR == 2 { print $at }' "$1"
}
for name in cycles sm.warp_cycles stalls.data energy.total; do
    a=$(member a.csv $name) b=$(member b.csv $name)
    [ "$a" != "$b" ] || wrong "$name is the same: it is no test"
    awk -v n=$name -v a="$a" -v b="$b" 'seen && $1 == n { found = $2 == a && $3 == b && $4 == sprintf("%.3f", b / a) }
        $1 == "statistic" { seen = 1 } END { exit !found }' out || { wrong "no row of $name: $a $b"; cat out; }
done
[ "$(member a.csv sm.warp_instructions)" = "$(member b.csv sm.warp_instructions)" ] && grep -q '^sm.warp_instructions' out && wrong "a row without a difference"
grep -q '^l1d.ways  *4  *8$' out || wrong "no word of l1d.ways"
grep -q '^sm.scheduler  *lrr  *gto$' out || wrong "no word of the scheduler"
grep -q host out && wrong "the host's time is no result"
# The part above is that of a comparison of configurations.
"$LOCKSTEP" compare --sched lrr,gto "$cases/vecadd.yaml" --stats both.json >configurations || wrong "compare"
for sched in lrr gto; do
    "$LOCKSTEP" run --quiet --sched $sched --stats $sched.json "$cases/vecadd.yaml" || wrong "run"
done
"$LOCKSTEP" compare lrr.json gto.json >out
awk '/^cycles/ { on = 1 } on && /^$/ { exit } on' out | tr -s ' ' >results
sed 1d configurations | tr -s ' ' | diff - results || wrong "not the rows of a comparison"
{ echo '['; cat a.json; echo ']'; } >list.json
expect 0 "no statistic differs" compare a.json list.json
expect 0 "kernel scan" compare a.json b.json --kernels

echo '{' >bad.json
echo '{}' >none.json
echo '[]' >empty.json
sed 's/"schema": 2/"schema": 1/' a.json >old.json
head -c 1000 a.json >cut.json
expect 2 "bad.json:2: error: it is no JSON" compare a.json bad.json
expect 2 "none.json: error: it is JSON, but not the results of a run" compare none.json a.json
expect 2 "empty.json: error: it holds 0 runs" compare a.json empty.json
expect 2 "both.json: error: it holds 2 runs" compare a.json both.json
expect 2 "old.json: error: its results have the form 1, and not 2" compare a.json old.json
expect 2 "cut.json:" compare a.json cut.json
expect 2 "cannot read nowhere.json" compare a.json nowhere.json
expect 2 "bad.json:2: error" compare bad.json nowhere.json
expect 2 "cannot read nowhere.json" compare bad.json nowhere.json
expect 2 "one other file" compare a.json
expect 2 "one other file" compare a.json b.json a.json
expect 2 "one other file" compare a.json "$cases/scan.yaml"
expect 2 "--sched is for runs" compare --sched lrr a.json b.json
expect 2 "--set is for runs" compare a.json b.json --set sm.warps=3
"$LOCKSTEP" run --quiet --stats part.json --max-cycles 50 "$cases/scan.yaml" 2>/dev/null
expect 0 "max-cycles" compare a.json part.json
"$LOCKSTEP" compare a.json part.json >out
grep -q '^speed-up .* -$' out || wrong "a run that did not end has a speed-up"
finish
