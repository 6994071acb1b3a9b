#!/usr/bin/env bash
# Rows of runs with `phases: true`: the phases of SM 0's first blocks are those that `lockstep run --phases` writes, shards join them, and
# a result without them is not enough; a timeline is drawn of them.
. "$(dirname "$0")/_lib.sh"
cd "$folder" || exit 1
mkdir mini
cp "$LOCKSTEP_SRC"/tests/reference/{reduce,vecadd}.{yaml,ptx} mini/
cat >mini/study.yaml <<'Y'
title: phases
benchmarks:
  add: {program: vecadd.yaml}
  sum: {program: reduce.yaml}
readings:
  plain: []
runs:
  - {benchmarks: [add, sum], machines: [gtx480], schedulers: [lrr], readings: [plain]}
  - {benchmarks: [sum], machines: [gtx480], schedulers: [gto], readings: [plain], phases: true}
figures:
  - id: warps
    kind: timeline
    title: Warps
    x: cycle
    sql: "SELECT 'warp ' || warp, start, arrival, release, phase + 1 FROM phases_of_results WHERE benchmark = 'sum' AND block < 2 ORDER BY block, warp, phase"
Y
ask() { sqlite3 "$1/full.sqlite" "$2"; }
all="SELECT launch, kernel, phase, warp, start, arrival, release FROM phases_of_results ORDER BY 1, 2, 3, 4, 5, 6, 7"

expect 0 "page: out/index.html" study ./mini --out out
# Those of SM 0, whose blocks are numbered in the order in which they began.
"$LOCKSTEP" run --quiet --machine gtx480 --sched gto --phases run.csv mini/reduce.yaml || wrong "lockstep run"
awk -F, '$3 == 0' run.csv | sort -t, -k9,9n -s | awk -F, '!($4 in seen) { seen[$4] = n++ } seen[$4] < 8' |
    awk -F, '{ print $1 "|" $2 "|" $7 "|" $8 "|" $9 "|" $10 "|" $11 }' | sort >expected
[ "$(wc -l <expected)" -gt 20 ] || wrong "reduce has few phases: $(wc -l <expected)"
ask out "$all" | sort | diff -q expected - >/dev/null || { wrong "the phases"; ask out "$all" | sort | diff expected - | head -n 5; }
[ "$(ask out "SELECT count(DISTINCT scheduler) || max(scheduler) FROM phases_of_results")" = 1gto ] || wrong "phases of a row without them"
[ "$(ask out "SELECT min(block) || (max(block) + 1 = count(DISTINCT block)) FROM phases")" = 01 ] || wrong "blocks have gaps"
grep -q '<details open><summary>numbers' out/index.html || wrong "a timeline has no numbers"
grep -q 'download="warps.csv" href="data:text/csv;charset=utf-8,lane,from,to,until,label%0Awarp%200,[0-9]*,[0-9]*,[0-9]*,1%0A' out/index.html || wrong "a timeline has no lanes"

# A configuration that has a result without phases is run again for them, and then serves both.
sed -i 's/schedulers: \[lrr\], readings: \[plain\]}/schedulers: [lrr], readings: [plain], phases: true}/' mini/study.yaml
expect 0 "3 runs; 1 have a result in out; 2 took" study ./mini --list --out out
expect 0 "page: out/index.html" study ./mini --out out
[ "$(ask out "SELECT count(DISTINCT benchmark || scheduler) FROM phases_of_results")" = 3 ] || wrong "phases that were asked for later"
[ "$(ask out "SELECT count(*) FROM results")" = 3 ] || wrong "results that were asked for again"
sed -i 's/, phases: true}/}/' mini/study.yaml
expect 0 "3 runs; 3 have a result in out" study ./mini --list --out out
sed -i 's/readings: \[plain\]}/readings: [plain], phases: true}/' mini/study.yaml

# Shards have them too.
for shard in 1 2; do
    expect 0 "shard $shard/2" study ./mini --out parts --shard $shard/2
done
expect 0 "page: parts/index.html" study ./mini --out parts --merge
[ -n "$(ask parts "$all")" ] && [ "$(ask parts "$all")" = "$(ask out "$all")" ] || wrong "shards give other phases"

bad 's/, phases: true}/, phases: some}/' "study.yaml:8:96: error: phases must be true or false"
bad 's/, phases: true}/, phases: true, mode: functional}/' "error: functional mode has no phases"
bad "s/'warp ' || warp, start/start/" "study.yaml:15:10: error: warps: a figure's sql gives lane, from, to, until and label"
finish
