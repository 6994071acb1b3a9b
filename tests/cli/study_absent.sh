#!/usr/bin/env bash
# Whatever is absent in a study is told, and taken for nothing else: patterns of kernels that match none, runs that were not run, that failed.
. "$(dirname "$0")/_lib.sh"
cd "$folder" || exit 1
mkdir mini
# Two launch files of a kernel whose name is mangled: insert(unsigned*).
cat >mini/insert.ptx <<'P'
.version 6.0
.target sm_30
.address_size 64
.visible .entry _Z6insertPj(.param .u64 m)
{
 .reg .b64 %rd<2>; .reg .b32 %r<2>;
 ld.param.u64 %rd1, [m];
 mov.u32 %r1, 7;
 st.global.u32 [%rd1], %r1;
 ret;
}
P
for name in a b; do
    printf 'ptx: insert.ptx\nkernel: _Z6insertPj\ngrid: [1]\nblock: [32]\nbuffers:\n  m: {type: u32, count: 16, init: zero}\nargs: [m]\n' >mini/$name.yaml
done
cat >mini/study.yaml <<'Y'
title: absent
benchmarks:
  A: {program: a.yaml, kernels: "insert*"}
  B: {program: b.yaml, kernels: "_Z6insert*"}
readings:
  plain: []
runs:
  - {benchmarks: [A, B], machines: [gtx480], schedulers: [lrr, gto], readings: [plain]}
judging: {mean: geometric, no_effect: 0.03, loses: 0.05}
claims:
  - {id: M, claim: a mean over two programs, rows: "SELECT benchmark AS name, cycles AS ours FROM results WHERE scheduler = 'gto'", direction: ours > 2, range: [1, 1e9]}
  - {id: L, claim: the least of four, sql: "SELECT min(cycles) AS ours FROM results", direction: ours > 2, range: [1, 1e9]}
  - {id: A, claim: one of A alone, sql: "SELECT cycles AS ours FROM results WHERE benchmark = 'A' AND scheduler = 'gto'", direction: ours > 2, range: [1, 1e9]}
  - {id: E, claim: B ends, sql: "SELECT min(e.status = 'ok') AS ours FROM main.runs r JOIN executions e ON e.id = r.execution WHERE benchmark = 'B'", direction: ours = 1, range: [0, 1]}
Y
has() {
    grep -qF -- "$2" "$1" || { wrong "$1 has no: $2"; cat "$1"; }
}
has_not() {
    ! grep -qF -- "$2" "$1" || { wrong "$1 has: $2"; cat "$1"; }
}

# Names are matched as tables show them, and as PTX has them.
expect 0 "page: out/index.html" study ./mini --out out
[ "$(cut -d, -f1,3 out/results.csv | sort | tr '\n' ' ')" = "A,gto A,lrr B,gto B,lrr benchmark,scheduler " ] || { wrong "kernels by either name"; cut -c1-60 out/results.csv; }

# A pattern that matches nothing is an error where it stands; nothing is run again, and the rest is answered.
cp -r mini none
sed -i 's/kernels: "insert\*"/kernels: "insort*"/' none/study.yaml
expect 2 "study.yaml:3:33: error: benchmark A: kernels 'insort*' match none of those that ran: insert" study ./none --out out
expect 2 "kernels 'insort*' match none" study ./none --out out --report
[ "$(sqlite3 out/full.sqlite "SELECT count(*) FROM executions")" = 4 ] || wrong "another pattern is another run"

# A run that was not made is neither failed nor judged: of every claim it is told whether it rests on it. A.gto is the first shard of four's.
expect 0 "shard" study ./mini --out part --shard 2/4
expect 1 "runs: 1 of 4 done, 0 failed, 3 not run" study ./mini --out part --status
verdicts() { cut -d, -f1,2,10,18,20 "$1/claims.csv" | tr '\n' ' '; }
expect 1 "not run" study ./mini --out part --merge
[ "$(verdicts part)" = "id,row,direction,coverage,note M,,-,not run, M,A,yes,, L,,-,not run, A,,yes,, E,,-,not run, " ] || { wrong "verdicts with runs that were not run"; verdicts part; }
has part/index.html '<b>3 of 4 runs have not been run.</b>'
has part/index.html '; 3 of 4 could not be judged'
has part/index.html '<li>b.yaml  | gtx480 | lrr | timing  | '
has part/index.html '<h2 id=failures>Runs that did not end well</h2>'
has part/index.html '<p>None.</p>'
[ "$(sqlite3 part/full.sqlite "SELECT group_concat(DISTINCT status) FROM executions WHERE seconds IS NULL")" = "not run" ] || wrong "the status of what was not run"
# A database of former versions says it otherwise.
sqlite3 part/full.sqlite "UPDATE executions SET status = 'failed' WHERE seconds IS NULL"
expect 1 "not run" study ./mini --out part --report
has part/index.html '<b>3 of 4 runs have not been run.</b>'

# A run that failed is missing from what is judged, which says so: rows of those that there are, or results of those on which it rests.
cp -r mini failing
printf 'check:\n  - {buffer: m, sum_u32: 1}\n' >>failing/b.yaml
expect 1 "M      a mean over two programs" study ./failing --out failing.out
[ "$(verdicts failing.out)" = "id,row,direction,coverage,note M,,yes,1 of 2, M,A,yes,, L,,yes,2 of 4, A,,yes,, E,,no,, " ] || { wrong "verdicts with runs that failed"; verdicts failing.out; }
has failing.out/index.html '<b>2 of 4 runs did not end well</b>'
has failing.out/index.html '<div class=mixed>over 2 of 4</div>'
has_not failing.out/index.html 'have not been run'
expect 1 "1 of 1 rows  over 1 of 2" study ./failing --out failing.out --report

# --list warns of what a study states and does not have, and of verdicts on what counts as no effect. doubts SED WARNING: '' is none.
doubts() {
    [ -d bad ] || cp -r mini bad
    sed "$1" mini/study.yaml >bad/study.yaml
    expect 0 "${2:-runs}" study ./bad --list --out out
    [ -n "$2" ] || ! "$LOCKSTEP" study ./bad --list --out out 2>&1 | grep warning || wrong "a doubt for no reason: $1"
}
claim='  - {id: D, claim: a doubt, sql: "SELECT 1.01 AS ours, 1.5 AS other FROM results", range: {ours: [0, 10], other: [0, 10]}, direction: '
doubts '' ''
# All of these with LOCKSTEP_LONG, one of each kind without.
sounds=('more(ours, other)' 'wins(ours)' 'loses(ours)' 'noeffect(ours)' 'fewer(ours, other) AND wins(other)' 'ours > 2' 'ours = 1' 'ours >= other * 1.5')
unsounds=('ours > 1' 'ours > other' 'ours < 1.02' 'wins(ours) AND ours < other' 'other > ours')
[ -n "${LOCKSTEP_LONG:-}" ] || sounds=("${sounds[@]:0:2}") unsounds=("${unsounds[@]:0:2}")
for sound in "${sounds[@]}"; do
    doubts "\$a\\$claim \"$sound\"}" ''
done
for unsound in "${unsounds[@]}"; do
    doubts "\$a\\$claim \"$unsound\"}" 'study.yaml:15:136: warning: D: direction ignores judging: it tells apart what differs by less than 0.03'
done
doubts "s/benchmark = 'A' AND/benchmark = 'C' AND/" 'study.yaml:13:41: warning: A finds nothing, even if every run ends well'
doubts 's/cycles AS ours FROM results WHERE sch/CASE benchmark WHEN '"'A'"' THEN cycles END AS ours FROM results WHERE sch/' 'warning: M: 1 of 2 rows find nothing'
doubts 's/claim: one of A alone/claim: "with sm.warps=7, patience=0 and --size 12."/' 'warning: A: no run has sm.warps=7, which a text states'
doubts 's/claim: one of A alone/claim: "with sm.warps=7, patience=0 and --size 12."/' 'warning: A: no run has patience=0, which a text states'
doubts 's/claim: one of A alone/claim: "with sm.warps=7, patience=0 and --size 12."/' 'warning: A: no program is run with --size 12, which a text states'
doubts 's/claim: one of A alone/claim: "with sm.warps=48, as the machine has them"/' ''
figure='figures:\n  - {id: F, kind: bars, title: F, paper: {gto: {A: 2, X: 3}}, sql: "SELECT scheduler, benchmark, cycles FROM results"}'
sed -i 's/^readings:/inputs: {A: {threads: 32}, B: {threads: 32}}\n&/' mini/study.yaml # nothing to doubt about inputs
doubts "s/^judging/$figure\n&/" "study.yaml:11:5: warning: F: the paper's 3 of gto at X has no row of ours"
doubts "s/^judging/${figure/, X: 3/}\n&/" ''
# A launch without barriers has one phase: with results that is seen.
sed -i 's/readings: \[plain\]}/readings: [plain], phases: true}/' mini/study.yaml
sed -i '$a\  - {id: P, claim: the first barrier, sql: "SELECT max(release) AS ours FROM phases_of_results WHERE benchmark = '"'A'"' AND launch = 0 AND phase = 0", direction: ours > 0, range: [-1, 1e9]}' mini/study.yaml
expect 0 "page: out/index.html" study ./mini --out out
doubts '' "warning: P asks for phases between barriers of launch 0 of A, in which there is no barrier (kernel _Z6insertPj)"
finish
