#!/usr/bin/env bash
# Benchmarks of a public suite, of which the user has a copy: `lockstep study --programs DIR`. Without it they are absent, which is no
# failure; with it they are built, run and checked; no path leaves DIR.
. "$(dirname "$0")/_lib.sh"
cd "$folder" || exit 1
mkdir -p mini suite/sum/inc suite/data
cp "$LOCKSTEP_SRC"/tests/reference/vecadd.{yaml,ptx} mini/
# A suite of one program in two sources and a header. It prints a verdict, writes a file where it works, and reads data.
cat >suite/sum/sum.cu <<'C'
#include <cstdio>
#include "times.h"
int expected(int n);
__global__ void sum(int *to) { atomicAdd(to, threadIdx.x * TIMES); }
int main(int argc, char **argv)
{
    int *to, got = 0, offset = 0;
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (argc > 1 && (!file || fscanf(file, "%d", &offset) != 1))
        return 3;
    cudaMalloc(&to, sizeof *to);
    cudaMemset(to, 0, sizeof *to);
    sum<<<BLOCKS, 64>>>(to);
    cudaMemcpy(&got, to, sizeof got, cudaMemcpyDeviceToHost);
    fprintf(fopen("sum.txt", "w"), "%d\n", got + offset);
    printf(got == expected(BLOCKS) ? "sum: PASSED (%d)\n" : "sum: FAILED (%d)\n", got + offset);
    return 0;
}
C
echo 'int expected(int n) { return n * 2016; }' >suite/sum/expected.cpp
echo '#define TIMES 1' >suite/sum/inc/times.h
echo 5 >suite/data/offset.txt
echo 8064 >suite/sum/sum.txt
echo 'sum: PASSED (8069)' >suite/sum/out.txt
cat >mini/study.yaml <<'Y'
title: programs
benchmarks:
  add: {program: vecadd.yaml}
  sum: {suite: {sources: [sum/sum.cu, sum/expected.cpp], include: sum/inc, define: BLOCKS=4, expects: PASSED, output: sum/sum.txt, writes: sum.txt}}
  data: {suite: {sources: [sum/sum.cu, sum/expected.cpp], include: sum/inc, define: BLOCKS=4, output: sum/out.txt}, full: "{programs}/data/offset.txt"}
  gone: {suite: {sources: [sum/sum.cu, sum/expected.cpp], include: sum/inc, define: BLOCKS=4, expects: PASSED}, full: "{programs}/data/none.txt"}
readings:
  plain: []
runs:
  - {benchmarks: [add, sum, data, gone], machines: [gtx480], schedulers: [gto], readings: [plain]}
judging: {mean: geometric, no_effect: 0.03, loses: 0.05}
claims:
  - {id: A, claim: ours alone, sql: "SELECT cycles AS ours FROM results WHERE benchmark = 'add'", direction: ours > 2, range: [1, 1e9]}
  - {id: S, claim: theirs alone, sql: "SELECT cycles AS ours FROM results WHERE benchmark = 'sum'", direction: ours > 2, range: [1, 1e9]}
  - {id: B, claim: both, rows: "SELECT benchmark AS name, cycles AS ours FROM results WHERE benchmark IN ('add', 'sum')", direction: ours > 2, range: [1, 1e9]}
  - {id: G, claim: one that lacks its data, sql: "SELECT cycles AS ours FROM results WHERE benchmark = 'gone'", direction: ours > 2, range: [1, 1e9]}
Y
has() {
    grep -qF -- "$2" "$1" || { wrong "$1 has no: $2"; cat "$1"; }
}
verdicts() { cut -d, -f1,2,10,18 "$1/claims.csv" | tail -n +2 | tr '\n' ' '; }
states() { sqlite3 "$1/full.sqlite" "SELECT group_concat(r.benchmark || ':' || e.status, ' ') FROM (SELECT * FROM runs ORDER BY rowid) r JOIN executions e ON e.id = r.execution"; }

# Without: not run, not failed, not judged; the study is whole without them.
expect 0 "4 runs; 3 are absent: they need what --programs brings; 1 were not run there before" study ./mini --list
expect 0 "(absent: it needs --programs)" study ./mini --list
expect 0 "page: out/index.html" study ./mini --out out
[ "$(states out)" = "add:ok sum:not run data:not run gone:not run" ] || wrong "states without programs: $(states out)"
[ "$(verdicts out)" = "A,,yes, S,,-,not run B,,-,not run B,add,yes, G,,-,not run " ] || { wrong "verdicts without programs"; verdicts out; }
has out/index.html "3 of 4 runs are of programs or data of public suites, which --programs brings"
! grep -q 'did not end well</b>' out/index.html || wrong "what is absent failed"
expect 0 "runs: 1 of 4 done, 0 failed, 3 not run: 3 of these need what --programs brings" study ./mini --out out --status
[ -s out/full.sqlite.zst ] || wrong "a study whole but for absent programs is not packed"

# With: built, run and checked; a file that is missing makes one benchmark absent.
expect 0 "S      theirs alone" study ./mini --out out --programs suite
[ "$(states out)" = "add:ok sum:ok data:ok gone:not run" ] || { wrong "states with programs: $(states out)"; sqlite3 out/full.sqlite 'SELECT error FROM executions'; }
[ "$(verdicts out)" = "A,,yes, S,,yes, B,,yes,2 of 2 B,add,yes, B,sum,yes, G,,-,not run " ] || { wrong "verdicts with programs"; verdicts out; }
expect 0 "(absent: data/none.txt is not there)" study ./mini --list --programs suite --out out
[ "$(find suite -newer mini/study.yaml | wc -l)" = 0 ] || wrong "something was written into the suite"
[ ! -e sum.txt ] && [ -z "$(find out/cache -name '*.folder')" ] || wrong "what a program wrote is left"
# Nothing of theirs lies in the results; these hold wherever DIR is, and are answered from without it.
! grep -rqF "$folder/suite" out/results.csv out/claims.csv || wrong "results name the folder of programs"
cp -r suite elsewhere
expect 0 "4 runs; 1 are absent: they need what --programs brings; 3 have a result in out" study ./mini --list --programs elsewhere --out out
expect 0 "S      theirs alone" study ./mini --out out --report
[ "$(verdicts out)" = "A,,yes, S,,yes, B,,yes,2 of 2 B,add,yes, B,sum,yes, G,,-,not run " ] || { wrong "verdicts of a report"; verdicts out; }

# Data, or an expected output, that change make it another program: its result is forgotten, also when the new run fails.
echo 6 >elsewhere/data/offset.txt
echo 8065 >elsewhere/sum/sum.txt
expect 1 "A      ours alone" study ./mini --out out --programs elsewhere
[ "$(states out)" = "add:ok sum:failed data:failed gone:not run" ] || wrong "states with other data: $(states out)"
has out/index.html "what it printed differs from the expected sum/out.txt"
has out/index.html "sum.txt differs from the expected sum/sum.txt"
[ "$(verdicts out)" = "A,,yes, S,,-,0 of 1 B,,yes,1 of 2 B,add,yes, G,,-,not run " ] || { wrong "verdicts with other data"; verdicts out; }
# So does a header. A program that cannot be built ends its own runs alone.
expect 0 "S      theirs alone" study ./mini --out out --programs suite
echo '#error' >elsewhere/sum/inc/times.h
expect 1 "A      ours alone" study ./mini --out out --programs elsewhere
[ "$(states out)" = "add:ok sum:failed data:failed gone:not run" ] || wrong "states with another header: $(states out)"
has out/index.html "cannot build {programs}/sum/sum.cu {programs}/sum/expected.cpp"
rm -r elsewhere/sum
expect 0 "(absent: sum/sum.cu is not there)" study ./mini --list --programs elsewhere

# A program that is built already; data of a program of ours; a program that says something else. Commands of shards take the folder along.
cp mini/study.yaml kept
mkdir suite/bin
cp "$(find out/cache/bin -name 'suite-*' ! -name '*.log' ! -name '*.err')" suite/bin/sum
cat >mini/own.cu <<'C'
#include <cstdio>
__global__ void nothing() {}
int main(int argc, char **argv)
{
    nothing<<<1, 32>>>();
    cudaDeviceSynchronize();
    return !fopen(argv[1], "r");
}
C
sed -i "s|sources: .*BLOCKS=4, |binary: bin/sum, |; s|^  gone: .*|  gone: {suite: {binary: bin/sum, expects: PASSED}}\n  other: {suite: {binary: bin/sum, expects: \"something's else\"}}\n  own: {program: own, full: '{programs}/data/offset.txt'}|; s/data, gone\]/data, gone, other, own]/" mini/study.yaml
expect 1 "G      one that" study ./mini --out out --programs suite
[ "$(states out)" = "add:ok sum:ok data:ok gone:ok other:failed own:ok" ] || wrong "a binary, and data: $(states out)"
has out/index.html "it did not print the expected 'something's else'"
expect 0 "--programs '$folder/suite' --shard 1/" study ./mini --commands --programs suite --out out
expect 0 "shard 1/2" study ./mini --out part --shard 1/2
expect 0 "6 runs; 5 are absent" study ./mini --list

# Verified: with the programs all rows, without them those that can be run.
mkdir mini/results
grep -v ^own, out/results.csv >mini/results/results.csv
expect 0 "4 of 4 configurations equal the committed results to the digit" study ./mini --verify 9 --programs suite
expect 0 "3 of 4 rows are of programs or data that --programs brings, and are not drawn" study ./mini --verify 9
expect 0 "1 of 1 configurations equal" study ./mini --verify 1 --cheapest
rm -r mini/results

# No path leaves the folder: not by its text, whether there is a folder or not, and not by links.
cp kept mini/study.yaml
bad 's|include: sum/inc|include: sum/../../inc|' "'sum/../../inc' leaves the folder of programs"
bad 's|include: sum/inc|include: /usr/include|' "'/usr/include' leaves the folder of programs"
bad 's|{programs}/data/none.txt|{programs}/../none.txt|' "'../none.txt' leaves the folder of programs"
bad 's|{programs}/data/none.txt|{programs}none.txt|' "{programs} stands before the path of a file"
bad 's|output: sum/sum.txt|output: ./sum.txt|' "'./sum.txt' leaves the folder of programs"
bad 's|writes: sum.txt|writes: ../sum.txt|' "the plain name of the file"
bad 's|define: BLOCKS=4, expects|define: "BLOCKS=4 -o x", expects|' "'BLOCKS=4 -o x' defines nothing"
bad 's|, expects: PASSED}, full|}, full|' "a program of a suite needs to be checked"
bad 's|sources: \[sum/sum.cu, sum/expected.cpp\], include: sum/inc, define: BLOCKS=4, expects: PASSED, |expects: PASSED, |' "a program of a suite has sources, or a binary"
bad 's|include: sum/inc|binary: sum/sum|' "a program of a suite has sources, or a binary"
bad 's|sum: {suite|sum: {program: sum, suite|' "a benchmark has a program, or one of a suite"
bad 's|expects: PASSED|expect: PASSED|' "expect is not known here"
bad 's|^readings:|interventions:\n  i: {arguments: "--file {programs}/data/offset.txt"}\nreadings:|' "an intervention names no file of programs"
mkdir outside
echo 5 >outside/offset.txt
ln -s "$folder/outside/offset.txt" suite/data/none.txt
expect 2 "'data/none.txt' leads out of the folder of programs" study ./mini --list --programs suite
rm suite/data/none.txt
ln -s offset.txt suite/data/none.txt
expect 0 "4 runs; 4 were not run there before" study ./mini --list --programs suite
expect 2 "none is no folder of programs" study ./mini --list --programs none
expect 2 "suite/bin/sum is no folder of programs" study ./mini --list --programs suite/bin/sum
finish
