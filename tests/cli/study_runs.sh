#!/usr/bin/env bash
# What `lockstep study` makes of a row of runs: grids, seeds, values of a parameter, machines with departures set back; the tables
# and views of its database, which sqlite3 alone can read.
. "$(dirname "$0")/_lib.sh"
cd "$folder" || exit 1
mkdir mini
cp "$LOCKSTEP_SRC"/tests/reference/{vecadd,sfu}.{yaml,ptx} mini/
printf 'base: gtx480\nsm:\n  warps: 8\n  threads: 256\n' >mini/narrow.yaml
cat >mini/study.yaml <<'Y'
title: runs
benchmarks:
  add: {program: vecadd.yaml}
  sfu: {program: sfu.yaml}
readings:
  plain: []
machines:
  fixed: {machine: gtx480, as: fixed-order}
  theirs: {machine: gtx480, as: reference, set: [gpu.sms=3]}
  narrow: {machine: narrow.yaml, as: reference}
runs:
  - {benchmarks: [add], machines: [gtx480], schedulers: [gto], readings: [plain], set: {gpu.sms: [2, 4], sm.fence_l1: [none]}, seeds: 3}
  - {benchmarks: [add], machines: [gtx480], schedulers: [lrr], readings: [plain], vary: {partition.dram_latency: [100, 120]}}
  - {benchmarks: [sfu], machines: [fixed, theirs, narrow], schedulers: [gto, gto+bows], readings: [plain]}
  - {benchmarks: [sfu], machines: [fixed], schedulers: [gto], readings: [plain]}
judging: {mean: geometric, no_effect: 0.03, loses: 0.05}
claims:
  - {id: C, claim: grids have columns, sql: "SELECT count(DISTINCT set_gpu_sms) AS ours FROM results", direction: ours = 2, range: [0, 9]}
Y
# keys: what is run, a line an execution.
keys() {
    "$LOCKSTEP" study ./mini --list | sed -n 's/ | [0-9a-f]\{16\}$//p' | sort
}
cat >expected <<'L'
sfu.yaml  | gtx480 | gto | timing  | sm.schedulers_take_turns=false
sfu.yaml  | gtx480 | gto+bows | timing  | sm.schedulers_take_turns=false
vecadd.yaml  | gtx480 | gto | timing  | gpu.sms=2 sm.fence_l1=none
vecadd.yaml  | gtx480 | gto | timing  | gpu.sms=2 sm.fence_l1=none gpu.seed=1
vecadd.yaml  | gtx480 | gto | timing  | gpu.sms=2 sm.fence_l1=none gpu.seed=2
vecadd.yaml  | gtx480 | gto | timing  | gpu.sms=4 sm.fence_l1=none
vecadd.yaml  | gtx480 | gto | timing  | gpu.sms=4 sm.fence_l1=none gpu.seed=1
vecadd.yaml  | gtx480 | gto | timing  | gpu.sms=4 sm.fence_l1=none gpu.seed=2
vecadd.yaml  | gtx480 | lrr | timing  | partition.dram_latency=100
vecadd.yaml  | gtx480 | lrr | timing  | partition.dram_latency=120
L
keys | grep -v preference | diff expected - || wrong "the runs"
theirs=$(keys | grep '| gtx480 | gto:rotate=preference:patience=0+bows')
[[ $theirs == *"sm.values_at_issue=true"*"sm.schedulers_take_turns=false"*"gpu.sms=3" ]] || wrong "as: reference is $theirs"
[ "$(keys | grep -c '| narrow.yaml [0-9a-f]* | gto:rotate.*sm.age_rotation=50000')" -eq 2 ] || wrong "a machine file has the departures of its base"
expect 0 "14 runs; 14 were not run there before" study ./mini --list --out out
expect 0 "9 runs; 9 were not run there before" study ./mini --list --out out --quick
expect 0 "The quick version leaves out 5 of 14 runs; 5 variants: each configuration runs once." study ./mini --list --out out --quick
[ ! -e out ] || wrong "--list makes a folder"

expect 0 "page: out/index.html" study ./mini --out out
[ "$(cut -d, -f5 out/claims.csv | tail -n 1)" = 2 ] || wrong "the claim over the grid"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "seconds") exit 1 }' out/results.csv || wrong "results.csv has seconds of the host"
[ "$(head -n 1 out/results.csv | cut -d, -f1-9)" = benchmark,machine,scheduler,reading,set_gpu_sms,set_sm_fence_l1,program,variants,launches ] ||
    { wrong "the columns"; head -c 200 out/results.csv; }
# Variants against `lockstep run`.
cycles() {
    "$LOCKSTEP" run --quiet --stats one.csv "$@" mini/vecadd.yaml >/dev/null &&
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "cycles") at = i } NR == 2 { print $at }' one.csv
}
all=$(for seed in 0 1 2; do cycles --sched gto --set gpu.sms=2 --set sm.fence_l1=none --seed $seed; done)
[ "$(wc -w <<<"$all")" -eq 3 ] || wrong "lockstep run gives $all"
summary=$(awk '{ s += $1; l = NR == 1 || $1 < l ? $1 : l; m = $1 > m ? $1 : m } END { printf "3|%.6f|%d|%d", s / NR, l, m }' <<<"$all")
ask() { sqlite3 out/full.sqlite "$1"; }
where="scheduler = 'gto' AND set_gpu_sms = 2"
[ "$(ask "SELECT variants, printf('%.6f', cycles), cycles_least, cycles_most FROM results WHERE $where")" = "$summary" ] || wrong "the mean of seeds"
[ "$(ask "SELECT cycles FROM variants_of_results WHERE $where ORDER BY variant")" = "$all" ] || wrong "the variants"
[ "$(ask "SELECT typeof(cycles), variants FROM results WHERE benchmark = 'sfu' AND machine = 'fixed' AND scheduler = 'gto'")" = 'integer|1' ] || wrong "one variant is as it is"
[ "$(ask "SELECT count(*), count(DISTINCT variant), max(variants) FROM runs WHERE scheduler = 'lrr'")" = '2|2|2' ] || wrong "variants over a parameter"
[ "$(ask "SELECT group_concat(DISTINCT typeof(set_gpu_sms) || typeof(set_sm_fence_l1)) FROM runs WHERE machine = 'gtx480' AND scheduler = 'gto'")" = integertext ] ||
    wrong "the types of a grid"

expect 0 "14 runs; 14 have a result in out" study ./mini --list --out out
ask "UPDATE executions SET build = 'other', seconds = 40"
expect 0 "14 runs; 14 took 9 min of one core before" study ./mini --list --out out

# A machine file or a part of a launch file that changes is run again.
before=$(keys | wc -l)
"$LOCKSTEP" study ./mini --list >list
echo '# other' >>mini/narrow.yaml
[ "$("$LOCKSTEP" study ./mini --list | grep -vcxFf list)" -eq 2 ] || wrong "another machine file is the same"
echo '// other' >>mini/vecadd.ptx
[ "$("$LOCKSTEP" study ./mini --list | grep -vcxFf list)" -eq 10 ] || wrong "another PTX is the same"


# So is a program whose header changes.
cp -r mini headers
printf '#include "../workload.h"\n#include "one.h"\n' >headers/own.cu
echo '#include "two.h"' >headers/one.h
echo '// two' >headers/two.h
sed -i 's/sfu.yaml/own/' headers/study.yaml
"$LOCKSTEP" study ./headers --list >list
echo '// other' >>headers/two.h
[ "$("$LOCKSTEP" study ./headers --list | grep -vcxFf list)" -eq 6 ] || wrong "another header is the same"

# Benchmarks by `each`: a name, and arguments, for every combination of values.
cp -r headers copies
sed -i 's/^  sfu: .*/  "sfu.{n}{m}": {program: own, full: "--count {n} --more {m}", each: {n: [2, 5], m: [x, y]}}/
    s/benchmarks: \[sfu\]/benchmarks: [sfu.2y, sfu.5x]/' copies/study.yaml
"$LOCKSTEP" study ./copies --list >list
[ "$(grep -c '^own --count 2 --more y | ' list) $(grep -c '^own --count 5 --more x | ' list) $(grep -c '^own' list)" = "6 6 12" ] ||
    { wrong "benchmarks by each"; cat list; }

# A parameter that is set twice has the last value, and is listed once.
cp -r mini twice
sed -i 's/plain: \[\]/plain: [gpu.sms=5, gpu.sms=3]/' twice/study.yaml
"$LOCKSTEP" study ./twice --list >list
grep -q 'gpu.sms=3 | ' list || wrong "the last value of a parameter is not listed"
! grep -q 'gpu.sms=5\|gpu.sms=3.*gpu.sms=3' list || wrong "a parameter is listed twice"

# bad SED WORDS: a study with a mistake, which has its line and column.
bad 's/  sfu: {program: sfu.yaml}/  "ad{x}": {program: sfu.yaml, each: {x: [d]}}/' "study.yaml:4:3: error: two benchmarks have this name"
bad 's/  sfu: {program: sfu.yaml}/  "ad{x}": {program: sfu.yaml, each: {x: e}}/' "study.yaml:4:42: error: each: expected a list of values"
bad 's/gpu.sms: \[2, 4\]/gpu.sms: [2, 4000]/' "study.yaml:12:102: error: gpu.sms = 4000 is out of range"
bad 's/gpu.sms: \[2, 4\]/gpu.smz: [2, 4]/' "study.yaml:12:89: error: there is no parameter 'gpu.smz'"
bad 's/seeds: 3/seeds: none/' "study.yaml:12:135: error: seeds must be a number"
bad 's/seeds: 3/seeds: 3, vary: {gpu.sms: [1, 2]}/' "a row has seeds or vary, not both"
bad 's/vary: {/vary: {gpu.sms: 3, /' "one parameter"
bad 's/as: fixed-order/as: fixed/' "study.yaml:8:32: error: as must be shipped, fixed-order or reference"
bad 's/machine: gtx480, as: fixed-order/machine: gtx480-sm2, as: fixed-order/' "gtx480-sm2 has nothing that fixed-order would set back"
bad 's/set: \[gpu.sms=3\]/set: [gpu.sms=3, gpu.sms=99999]/' "study.yaml:9:61: error: gpu.sms = 99999 is out of range"
bad 's/plain: \[\]/plain: [gpu.seed=1, sm.wraps=4]/' "study.yaml:6:23: error: there is no parameter 'sm.wraps'"
bad 's/machines: \[gtx480\], schedulers: \[lrr\]/machines: [gtx481], schedulers: [lrr]/' "there is no machine named gtx481"
sed '$!{/benchmarks: \[sfu\], machines: \[fixed\], sch/s/}/, max_cycles: 77}/}' mini/study.yaml >bad/study.yaml
expect 2 "study.yaml:15:5: error: sfu on fixed with gto and plain stands in an earlier row" study ./bad --list
finish
