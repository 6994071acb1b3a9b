#!/usr/bin/env bash
# Inputs that a study states are those that its runs launch: what is stated is compared with grids and blocks, and the page shows both beside
# the paper's.
. "$(dirname "$0")/_lib.sh"
cd "$folder" || exit 1
mkdir mini
cat >mini/carry.ptx <<'P'
.version 6.0
.target sm_30
.address_size 64
.visible .entry carry(.param .u64 m)
{
 .reg .b64 %rd<2>; .reg .b32 %r<2>;
 ld.param.u64 %rd1, [m];
 mov.u32 %r1, 7;
 st.global.u32 [%rd1], %r1;
 ret;
}
P
# half: 60 blocks of 192 threads. all: the 120 that the paper has; in two dimensions.
launch() { printf 'ptx: carry.ptx\nkernel: carry\ngrid: %s\nblock: %s\nbuffers:\n  m: {type: u32, count: 16, init: zero}\nargs: [m]\n' "$2" "$3" >"mini/$1.yaml"; }
launch half '[60]' '[192]'
launch all '[12, 10]' '[96, 2]'
cat >mini/study.yaml <<'Y'
title: inputs
benchmarks:
  ATM: {program: all.yaml}
  TSP: {program: half.yaml}
readings:
  plain: []
inputs:
  ATM: {input: "23,040 <transfers>", threads: 23040, blocks: 120, threads_per_block: 192, warps_per_block: 6, paper: {input: 122K, threads: 24576, blocks: 120, warps_per_block: 6 or so}, note: why}
  TSP: {threads: 11520, paper: {threads: 3000}}
runs:
  - {benchmarks: [ATM, TSP], machines: [gtx480], schedulers: [gto], readings: [plain]}
figures:
  - {id: F, kind: bars, title: F, sql: "SELECT scheduler, benchmark, cycles FROM results", paper: {gto: {ATM: 1}}}
Y
has() {
    grep -qF -- "$2" "$1" || { wrong "$1 has no: $2"; cat "$1"; }
}

expect 0 "page: out/index.html" study ./mini --out out
row=$(grep '<tr><td>ATM' out/index.html)
[ "$row" = "<tr><td>ATM<td>122K<td>23,040 &lt;transfers&gt;<br><code>all.yaml </code><div class=small>why</div><td>120<td class=yes>120<td><span class=note>not printed</span><td class=yes>192<td>6 or so<td class=yes>6<td>24,576<td class=mixed>23,040</tr>" ] || { wrong "the row of ATM"; echo "$row"; }
has out/index.html '<td>3,000<td class=mixed>11,520'
[ "$(cut -d, -f1 out/results.csv | tail -n +2 | tr '\n' ' ')$(sqlite3 out/full.sqlite 'SELECT launch_blocks, block_threads, launch_threads FROM results ORDER BY 1')" = "ATM TSP 60|192|11520
120|192|23040" ] || wrong "launches in the results"
grep -q '^benchmark,.*,launch_blocks,block_threads,launch_threads,' out/results.csv || wrong "launches in results.csv"

# A study that states twice the threads that its program launches.
cp -r mini fault
sed -i 's/ATM: {program: all/ATM: {program: half/' fault/study.yaml
expect 2 "study.yaml:8:47: error: inputs of ATM: threads is 23,040, but the largest launch of its runs has 11,520" study ./fault --out fault.out
expect 2 "inputs of ATM: blocks is 120, but the largest launch of its runs has 60" study ./fault --out fault.out --report
has fault.out/index.html '<td class=no>11,520 instead of the stated 23,040'
# A clone has the means alone: what they state is checked, too; means of a former version, which lack it, are "not known".
mkdir fault/results
cp fault.out/results.csv fault/results
expect 2 "inputs of ATM: threads is 23,040, but" study ./fault --out clone --report
mkdir mini/results
sed 's/launch_/former_/g; s/block_threads/former_block/' out/results.csv >mini/results/results.csv
expect 0 "page: old/index.html" study ./mini --out old --report
has old/index.html '<td>120<td><span class=note>not known</span>'
rm -r mini/results

# The quick version is checked by what is stated of it, or, where it is the same program, by all.
expect 0 "page: out/index.html" study ./mini --quick --out out
expect 2 "threads is 23,040, but" study ./fault --quick --out fault.out
sed -i 's/all.yaml}/all.yaml, quick: ""}/; s/note: why/quick: {blocks: 60}/' mini/study.yaml
expect 2 "study.yaml:8:204: error: inputs of ATM: blocks is 60, but the largest launch of its runs has 120" study ./mini --quick --out out
# Configurations may launch different grids; all of them are stated.
cp -r mini several
sed -i 's/threads: 11520/threads: [11520, 5760]/' several/study.yaml
expect 2 "inputs of TSP: threads is 5,760 / 11,520, but the largest launch of its runs has 11,520" study ./several --out out

# --list finds benchmarks beside the paper's numbers that have no row, and rows that are wrong.
cp -r mini bad
sed -i '/^  TSP: {threads/d' bad/study.yaml
expect 0 "study.yaml:4:3: warning: benchmark TSP stands in a figure, and has no row of inputs" study ./bad --list
sed -i 's/, paper: {gto: {ATM: 1}}//; /^inputs:/,/^  ATM: {input/d' bad/study.yaml
! "$LOCKSTEP" study ./bad --list 2>&1 | grep warning || wrong "a doubt for no reason"
bad() {
    sed "$1" mini/study.yaml >bad/study.yaml
    expect 2 "$2" study ./bad --list
}
bad 's/^  TSP: {threads/  TPS: {threads/' "study.yaml:9:3: error: there is no benchmark of this name"
bad 's/^  TSP: {threads/  ATM: {threads/' "ATM"
bad 's/threads: 23040/threads: many/' "expected a number, or a list of those that its configurations launch"
bad 's/threads: 23040/thread: 23040/' "thread is not known here"
bad 's/threads: 24576/thread: 24576/' "thread is not known here"
finish
