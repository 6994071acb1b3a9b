#!/usr/bin/env bash
# Reasons are tried: an intervention runs for the configurations on which a claim rests, and for no others; the claim is answered again
# with its results. What was not tried says so, and what lacks a result says nothing.
. "$(dirname "$0")/_lib.sh"
cd "$folder" || exit 1
mkdir mini
cp "$LOCKSTEP_SRC"/tests/reference/{vecadd,sfu}.{yaml,ptx} mini/
cat >mini/study.yaml <<'Y'
title: tried
benchmarks:
  add: {program: vecadd.yaml}
  sfu: {program: sfu.yaml}
readings:
  plain: []
interventions:
  slow: {set: [partition.dram_latency=600]}
  counted: {set: [spin.measure=true], quick: false}
  other: {benchmarks: {add: sfu}}
runs:
  - {benchmarks: [add, sfu], machines: [gtx480], schedulers: [lrr, gto], readings: [plain]}
judging: {mean: geometric, no_effect: 0.03, loses: 0.05}
claims:
  - {id: K, claim: add is slow, sql: "SELECT cycles AS ours FROM results WHERE benchmark = 'add' AND scheduler = 'gto'", direction: ours > 100000, range: [1, 1e9],
     why: memory is fast, tried: [slow, counted, other]}
  - {id: U, claim: sfu is slow, sql: "SELECT cycles AS ours FROM results WHERE benchmark = 'sfu' AND scheduler = 'gto'", direction: ours > 100000, range: [1, 1e9],
     why: it is fast}
Y
has() {
    grep -qF -- "$2" "$1" || { wrong "$1 has no: $2"; cat "$1"; }
}
cycles() {
    "$LOCKSTEP" run --quiet --machine gtx480 --sched gto --stats one.csv "$@" >/dev/null &&
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "cycles") at = i } NR == 2 { print $at }' one.csv
}
# Two runs besides: one of add under gto with each parameter; sfu under gto is there already.
expect 0 "6 runs" study ./mini --list
expect 0 "5 runs" study ./mini --list --quick
"$LOCKSTEP" study ./mini --out out >out.txt 2>err.txt || { wrong "the study ended with $?"; cat err.txt; }
was=$(cycles mini/vecadd.yaml) slow=$(cycles --set partition.dram_latency=600 mini/vecadd.yaml) other=$(cycles mini/sfu.yaml)
[ "$slow" -gt $((was * 104 / 100)) ] || wrong "the latency of DRAM does nothing to vecadd: $was and $slow"
percent() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%+.1f%%", 100 * (b / a - 1) }'; }
has out.txt "tried slow (partition.dram_latency=600): $was becomes $slow: moves by $(percent "$was" "$slow"); direction no"
has out.txt "tried counted (spin.measure=true): $was becomes $was: does not move (+0.0%); direction no"
has out.txt "tried other (sfu in the place of add): $was becomes $other: moves by $(percent "$was" "$other"); direction no"
has out/index.html "<div class=why>memory is fast</div><div class=why>Tried: slow (partition.dram_latency=600): <b>$was becomes $slow: moves by"
has out/index.html '<div class=why>it is fast <b>Not tried: whether that is it is not known.</b></div>'
has out/claims.csv ",slow: $was becomes $slow: moves by $(percent "$was" "$slow"); direction no | counted: "
# Neither results nor results.csv know of what was tried but the view for it.
[ "$(wc -l <out/results.csv)" -eq 5 ] || wrong "results.csv has what was tried"
[ "$(sqlite3 out/full.sqlite "SELECT cycles FROM tried_results WHERE intervention = 'slow'")" = "$slow" ] || wrong "tried_results"
"$LOCKSTEP" study ./mini --quick --out quick >quick.txt 2>&1
has quick.txt "tried counted (spin.measure=true): left out of the quick version"

# In shards as in one.
for shard in 1 2; do expect 0 "shard" study ./mini --out parts --shard $shard/2; done
expect 0 "page" study ./mini --out parts --merge
cmp out/claims.csv parts/claims.csv || wrong "shards try something else"
# A trial without a result is none.
expect 0 "shard" study ./mini --out half --shard 1/6
expect 1 "tried slow (partition.dram_latency=600): 0 of 1 runs have a result: nothing can be said" study ./mini --out half --merge

# Another of the study's machines: where it runs anyway, the trial takes its result, and nothing more is run.
cp -r mini machines
sed -i 's/^readings:/machines:\n  slower: {machine: gtx480, set: [partition.dram_latency=600]}\nreadings:/; s/other: {.*/other: {machines: {gtx480: slower}}/
    s/machines: \[gtx480\]/machines: [gtx480, slower]/; s/AND scheduler/AND machine = '"'gtx480'"' AND scheduler/' machines/study.yaml
expect 0 "9 runs" study ./machines --list
"$LOCKSTEP" study ./machines --out machines.out >machines.txt 2>&1
has machines.txt "tried other (slower in the place of gtx480): $was becomes $slow: moves by $(percent "$was" "$slow"); direction no"
[ "$(sqlite3 machines.out/full.sqlite "SELECT count(DISTINCT execution) FROM (SELECT execution FROM runs UNION SELECT execution FROM tried WHERE intervention = 'other')")" = 8 ] || wrong "a machine that runs anyway is run twice"

bad 's/tried: \[slow/tried: [fast/' "study.yaml:16:35: error: there is no intervention named fast"
bad 's/slow: {set: \[partition.dram_latency=600\]}/slow: {quick: false}/' "study.yaml:8:9: error: an intervention changes something"
bad 's/slow: {set: \[partition.dram_latency=600\]}/slow: {arguments: "--size 4"}/' "a launch file (vecadd.yaml) takes no arguments"
bad 's/slow: {set: \[partition.dram_latency=600\]}/slow: {set: [sm.warps=99999]}/' "out of range"
bad 's/other: {benchmarks: {add: sfu}}/other: {benchmarks: {add: sfx}}/' "there is no benchmark named sfx"
bad 's/other: {benchmarks: {add: sfu}}/other: {machines: {gtx480: gtx481}}/' "there is no machine named gtx48"
bad "s/SELECT cycles AS ours FROM results WHERE benchmark = 'add'.*direction/SELECT count(*) AS ours FROM executions\", direction/" "K: the claim rests on no result that could be run with an intervention"
finish
