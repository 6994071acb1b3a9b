#!/usr/bin/env bash
# `lockstep study` on small studies of its own: answers on the terminal, in claims.csv and on the page; results are kept, also over an
# interruption; what is wrong with a study is said where it stands, and a run that fails is listed.
. "$(dirname "$0")/_lib.sh"
cd "$folder" || exit 1
mkdir mini
little_locks mini
printf 'name,factor\na,2\nb,8\n' >mini/theirs.csv
cat >mini/study.yaml <<'Y'
title: "Locks <of> two kinds"
source: "Nobody, 2026"
about: two schedulers
benchmarks:
  HT: {program: ht64.yaml}
readings:
  plain: [sm.age_rotation=50000]
runs:
  - {benchmarks: [HT], machines: [gtx480], schedulers: [lrr, gto], readings: [plain]}
  - {benchmarks: [HT], machines: [gtx1080ti], schedulers: [gto], readings: [plain], quick: false}
tables:
  theirs: theirs.csv
views: |
  CREATE TEMP VIEW both AS SELECT l.cycles AS lrr, g.cycles AS gto
    FROM results l JOIN results g ON l.scheduler = 'lrr' AND g.scheduler = 'gto' AND l.machine = g.machine;
figures:
  - {id: cycles, kind: bars, title: Cycles, x: scheduler, y: cycles, sql: "SELECT 'HT', scheduler, cycles FROM results ORDER BY scheduler"}
  - {id: lines, kind: lines, title: More cycles, log: both, sql: "SELECT scheduler, cycles, cycles FROM results"}
  - {id: stack, kind: stack, title: All cycles, sql: "SELECT machine, scheduler, cycles FROM results"}
  - {id: rows, kind: table, title: All, sql: "SELECT benchmark, scheduler, launches FROM results ORDER BY scheduler", text: "what was run"}
judging: {mean: geometric, no_effect: 0.03, loses: 0.05}
claims:
  - {id: C1, claim: "both take time", paper: "1", sql: "SELECT lrr > 0 AND gto > 0 AS ours FROM both", direction: ours = 1, magnitude: "near(ours, 1)", range: [0, 1]}
  - {id: C2, claim: "one takes no time", sql: "SELECT min(lrr, 0) + 1 AS ours FROM both", direction: ours = 0, range: [0, 10], why: "time passes & passes"}
  - {id: C3, claim: "nobody ran tls", sql: "SELECT min(cycles) AS ours FROM results WHERE scheduler = 'tls'", direction: ours > 0, range: [0, 1e9], why: "not run"}
  - {id: C4, claim: "theirs is known", paper: "2.5", sql: "SELECT geomean(factor) AS ours FROM theirs", direction: ours > 1, magnitude: "near(ours, 2.5)", range: [0, 10]}
Y
study() {
    "$LOCKSTEP" study "$@" >out.txt 2>err.txt
}
has() {
    grep -qF -- "$2" "$1" || { wrong "$1 has no: $2"; cat "$1"; }
}

# To draw takes longer than to run: plain has no figures but a table.
cp -r mini plain
sed '/kind: [bls]/d' mini/study.yaml >plain/study.yaml
study ./plain --quick --out quick || wrong "a quick study ended with $?"
has quick/index.html "Quick version"
has quick/index.html "The quick version leaves out 1 of 3 runs; 1 configurations."
has err.txt "lockstep study: The quick version leaves out 1 of 3 runs; 1 configurations."
has err.txt "lockstep study: 2 runs to do; how long 2 of them take is not known"
cp -r plain timed
sed -i 's/^judging/takes: {full: 45 min, quick: 90 s}\n&/' timed/study.yaml
expect 0 "3 were not run there before: about 45 min by study.yaml" study ./timed --list --out none
expect 0 "2 were not run there before: about 90 s by study.yaml" study ./timed --list --out none --quick
sed -i 's/45 min/45 days/' timed/study.yaml
expect 2 "expected a time of one core, such as 90 s, 45 min or 1.5 h" study ./timed --list
[ "$(wc -l <quick/results.csv)" -eq 3 ] || wrong "the quick version runs something else"
study ./mini --out full || wrong "a study ended with $?"
[ "$(wc -l <full/results.csv)" -eq 4 ] || wrong "the full version runs something else"
cat >expected <<'C'
id,row,claim,paper,here,other_mean,least,most,variants,direction,magnitude,direction_in,magnitude_in,other_direction,other_magnitude,rows_direction,rows_magnitude,coverage,tried,note
C1,,both take time,1,1,,,,1,yes,yes,,,,,,,,,
C2,,one takes no time,,1,,,,1,no,-,,,,,,,,,
C3,,nobody ran tls,,-,,,,1,-,-,,,,,,,,,
C4,,theirs is known,2.5,4,,,,1,yes,no,,,,,,,,,
C
diff -u expected full/claims.csv || wrong "claims.csv"
grep -Eq '^C1 +both take time +1 +1 +- +- +yes +yes$' out.txt && grep -Eq '^C3 +nobody ran tls +- +- +- +- +- +-$' out.txt || { wrong "the table"; cat out.txt; }
has out.txt "page: full/index.html"
sed '/^<script>/,/^<\/script>/d' full/index.html | grep -E "(src|href)=['\"]?[^#'\" ]" | grep -v 'href="data:text/csv;charset=utf-8,' && wrong "the page needs something from outside"
for text in '<h1>Locks &lt;of&gt; two kinds' 'Full version' 'time passes &amp; passes' '<figcaption>what was run' '<td>HT<td>gto<td class=number>1' \
    '<span class=no>&#x2717; direction</span>' 'None.'; do
    has full/index.html "$text"
done
grep -q 'time passes' out.txt && wrong "reasons are for the page"
# Figures and who draws them: the page carries the library, where it is installed.
drawn() {
    [ "$(grep -c '<div class=chart role=img data-kind=' full/index.html) $(grep -c '^<script>' full/index.html)" = "$1" ] || wrong "drawn: $2"
}
if [ -e /usr/share/javascript/chart.js/chart.min.js ] && [ -z "${XDG_DATA_DIRS:-}" ]; then
    drawn "3 2" "not all figures, or without the library"
    [ "$(wc -c <full/index.html)" -lt 300000 ] || wrong "a page of three bars has $(wc -c <full/index.html) bytes"
fi
mkdir -p share/javascript/chart.js
echo '/* Chart.js v3.9.1 */ var Chart;' >share/javascript/chart.js/chart.min.js
XDG_DATA_DIRS=$folder/share study ./mini --out full || wrong "with a library: $?"
drawn "3 2" "not all figures"
for text in 'data-kind=lines data-log=both data-x="" data-y=""' 'data-kind=bars data-x="scheduler" data-y="cycles" aria-label="Bars: Cycles, cycles; HT. Its numbers follow."' \
    '<table><caption class=unseen>Cycles</caption>' '<th scope=col>series<th scope=col>scheduler<th scope=col class=number>cycles</tr>' 'var Chart;' \
    '<a download="cycles.csv" href="data:text/csv;charset=utf-8,series,x,y,least,most,paper%0AHT,gto,' '<noscript>'; do
    has full/index.html "$text"
done

# In a browser each figure is drawn, and its numbers are folded then.
if [ -n "${LOCKSTEP_LONG:-}" ] && command -v chromium >/dev/null && [ -e /usr/share/javascript/chart.js/chart.min.js ]; then
    study ./mini --out full || wrong "with the library of this system: $?"
    timeout 120 chromium --headless=new --no-sandbox --disable-gpu --enable-logging=stderr --virtual-time-budget=5000 --dump-dom \
        "file://$folder/full/index.html" >dom.html 2>browser.txt
    [ "$(grep -o '<canvas' dom.html | wc -l) $(grep -o '<details open' dom.html | wc -l) $(grep -o '>PNG</button>' dom.html | wc -l)" = "3 0 3" ] &&
        ! grep CONSOLE browser.txt || wrong "a browser does not draw all figures"
fi

# Once more: nothing is run (the seconds that runs took are those of before).
seconds() { sqlite3 full/full.sqlite "SELECT scheduler, machine, seconds FROM results ORDER BY 1, 2"; }
cp full/results.csv before.csv
before=$(seconds)
study ./plain --out full || wrong "the second time ended with $?"
[ -n "$before" ] && [ "$before" = "$(seconds)" ] && cmp before.csv full/results.csv || wrong "something was run again"
study ./plain --out full --report || wrong "--report ended with $?"
study ./mini --out nothing --report && wrong "a study without results is whole"
expect 0 "3 runs" study ./mini --list

# Without the library: the numbers, unfolded.
XDG_DATA_DIRS=$folder/none study ./mini --out full || wrong "without a library: $?"
has full/index.html "Not drawn: Chart.js (libjs-chart.js) is not installed."
has full/index.html "<details open><summary>numbers</summary>"
drawn "0 0" "without a library"

# Interrupted: what was done is kept, and the rest is run the next time.
cp -r plain long
cp "$LOCKSTEP_SRC/tests/reference/ht64.yaml" long/ # long enough to be interrupted
sed -i 's/schedulers: \[lrr, gto\]/schedulers: [lrr, gto, cawa, lrr+bows, gto+bows]/' long/study.yaml
"$LOCKSTEP" study ./long --out long.out --jobs 1 >out.txt 2>err.txt &
pid=$!
for i in $(seq 6000); do
    [ ! -e long.out/cache/3.out ] || break
    sleep 0.05
done
kill -INT $pid
wait $pid
[ $? -eq 130 ] || wrong "an interrupted study: $?"
had=$(wc -l <long.out/results.csv)
[ "$had" -ge 2 ] && [ "$had" -lt 7 ] || wrong "an interrupted study has $had lines of results"
cp long.out/results.csv before.csv
has long.out/index.html "runs have not been run.</b>"
[ "$("$LOCKSTEP" study ./long --out long.out --status)" = "runs: $((had - 1)) of 6 done, 0 failed, $((7 - had)) not run" ] || wrong "what an interrupted study has not run"
study ./long --out long.out || { wrong "an interrupted study goes on badly: $?"; cat err.txt; }
[ "$(wc -l <long.out/results.csv)" -eq 7 ] || wrong "an interrupted study does not become whole"
grep -vxFf long.out/results.csv before.csv && wrong "an interrupted study runs again what it has"

# bad CODE SED WORDS: a study with a mistake.
bad() {
    [ -d bad ] || cp -r mini bad
    sed "$2" mini/study.yaml >bad/study.yaml
    cmp -s bad/study.yaml mini/study.yaml && wrong "nothing changed: $2"
    expect "$1" "$3" study ./bad --quick --out bad.out
}
bad 2 's/^claims:/claim:/' "study.yaml:22:1: error: claim is not known here"
bad 2 's/kind: table/knid: table/' "knid is not known here"
bad 2 's/kind: bars/kind: pies/' "kind must be table, bars, stack, lines or timeline"
bad 2 's/\[HT\], machines: \[gtx480\]/[HX], machines: [gtx480]/' "study.yaml:9:19: error: there is no benchmark named HX"
bad 2 's/readings: \[plain\], quick/readings: [odd], quick/;s/quick: false/quick: true/' "study.yaml:10:77: error: there is no reading named odd"
bad 2 's/plain: \[sm/plain: [odd, sm/' "study.yaml:7:11: error: there is no reading named odd"
bad 2 's/title: ".*"/title: [1]/' "title: expected a text"
bad 2 's/AS lrr/AS llr/' "study.yaml:23:64: error: C1: no such column: lrr"
bad 2 's/CREATE TEMP VIEW/CREATE TMP VIEW/' 'study.yaml:14:10: error: views: near "TMP"'
bad 2 's/direction: ours = 0/direction: ours ==== 0/' "study.yaml:24:109: error: C2: direction: near"
bad 2 "s/SELECT 'HT', scheduler/SELECT scheduler/" "cycles: a figure's sql gives series, x and y"
bad 2 's/theirs.csv/none.csv/' "none.csv"
expect 2 "there is no study named nothing" study nothing
expect 2 "is no number from 1 to 256" study ./mini --jobs 0

# The page's example is one.
mkdir example
printf 'name,factor\na,2\n' >example/theirs.csv
sed -n '/^```yaml/,/^```$/p' "$LOCKSTEP_SRC/docs/studies.md" | grep -v '^```' >example/study.yaml
expect 0 "28 runs" study ./example --list
"$LOCKSTEP" study ./example --list 2>&1 | grep warning && wrong "--list doubts the example of the page"
expect 0 "14 runs" study ./example --list --quick
study ./example --list
has out.txt "| gtx480 | gto+bows | timing 9000000 | sm.age_rotation=50000 spin.adaptive=false spin.delay=1000 |"

# All of it is looked at before anything runs, and by --list too (by turns without LOCKSTEP_LONG).
bad_plan() {
    bad 2 "$1" "$2"
    [ ! -e bad.out ] || wrong "a study that cannot run as it is has begun: $1"
    [ $((plans++ % 4)) -ne 0 ] && [ -z "${LOCKSTEP_LONG:-}" ] || expect 2 "$2" study ./bad --quick --list
}
rm -rf bad.out
plans=0
bad_plan 's/schedulers: \[lrr, gto\]/schedulers: [lrr, gtoo]/' "there is no warp scheduler named gtoo"
bad_plan 's/schedulers: \[lrr, gto\]/schedulers: [lrr, gtoo]/' "study.yaml:9:62: error: there is no warp scheduler named gtoo"
bad_plan 's/sm.age_rotation=50000/gpu.smz=3/' "smz"
bad_plan 's/sm.age_rotation=50000/sm.warps=99/' "out of range"
bad_plan 's/machines: \[gtx480\]/machines: [gtx48O]/' "there is no machine named gtx48O"
bad_plan 's/program: ht64.yaml/program: ht46.yaml/' "there is no program ht46.yaml"
bad_plan 's/readings: \[plain\]}/readings: [plain], mode: fast}/' "mode must be timing or functional"
bad_plan 's/readings: \[plain\]}/readings: [plain], max_cycles: many}/' "max_cycles must be a number of cycles"
bad_plan 's/quick: false/quick: no/' "quick must be true or false"
bad_plan 's/scheduler, launches FROM/scheduler, lunches FROM/' "rows: no such column: lunches"
bad_plan 's/min(cycles) AS ours/min(sm_cycles) AS ours/' "C3: no such column: sm_cycles"
bad_plan 's/FROM results l JOIN/FROM result l JOIN/' "study.yaml:15:10: error: view both: no such table"
bad_plan 's/theirs.csv/none.csv/' "none.csv"

# A path has '/' or '.' in it; the folder's name is the study's.
(cd mini && "$LOCKSTEP" study . --quick >/dev/null 2>&1 && ls study-mini/quick.sqlite >/dev/null) || wrong "study . is not this folder"
(mkdir -p mini/sub && cd mini/sub && "$LOCKSTEP" study .. --list >/dev/null 2>&1) || wrong "study .. is not the folder above"
rm -rf mini/study-mini mini/sub
study ./mini/ --quick --list || wrong "a slash at the end"

cp plain/study.yaml mini/

# Results replace results alone.
mkdir own && echo mine >own/index.html
expect 2 "own has a file index.html and no study's database" study ./mini --quick --out own
[ "$(cat own/index.html)" = mine ] || wrong "somebody's own page was replaced"

# The second in a folder is told of the first; a reader of the database disturbs nobody.
mkdir hour
cat >hour/hour.ptx <<'P'
.version 6.0
.target sm_30
.address_size 64
.visible .entry hour(.param .u64 m)
{
 .reg .b32 %r<3>; .reg .pred %p;
 mov.u32 %r1, 0;
L: mad.lo.u32 %r2, %r2, 3, %r1;
 add.u32 %r1, %r1, 1;
 setp.ne.u32 %p, %r1, 0;
 @%p bra L;
 ret;
}
P
printf 'ptx: hour.ptx\nkernel: hour\ngrid: [1]\nblock: [32]\nargs: [{u64: 0}]\n' >hour/hour.yaml
sed 's/ht64.yaml/hour.yaml/; /^tables/,$d' mini/study.yaml >hour/study.yaml
"$LOCKSTEP" study ./hour --out two --jobs 1 >/dev/null 2>&1 &
pid=$!
for i in $(seq 600); do
    ls two/cache/*.out >/dev/null 2>&1 && break
    sleep 0.05
done
expect 2 "another lockstep study is still at work in two" study ./mini --out two --wait 0.2
expect 2 "another lockstep study is still at work in two" study ./mini --quick --out two --wait 0.2
kill -TERM $pid
wait $pid
[ $? -eq 143 ] || wrong "the first in a folder ended by itself"
# Killed without a word, a study leaves nothing that runs on.
"$LOCKSTEP" study ./hour --out killed --jobs 1 >/dev/null 2>&1 &
pid=$!
begun $pid || wrong "the study to be killed ended by itself"
children=$(pgrep -P $pid)
kill -KILL $pid
wait $pid
for i in $(seq 600); do
    ps -o stat= -p "$children" | grep -qv Z || break
    sleep 0.05
done
[ -n "$children" ] && ! ps -o stat= -p "$children" | grep -v Z || wrong "a killed study leaves its runs: $children"
expect 0 "page: two/index.html" study ./mini --quick --out two

# A run that fails.
rm -rf bad bad.out
cp -r mini bad
sed -i 's/sum_u32: .*/sum_u32: 1}/' bad/ht64.yaml
expect 1 "C1" study ./bad --quick --out bad.out
has bad.out/index.html "ht64.yaml  | gtx480 | lrr"
[ "$(wc -l <bad.out/results.csv)" -eq 1 ] || wrong "a run whose check failed counts"
cp mini/ht64.yaml bad/
expect 0 "C1" study ./bad --quick --out bad.out # failed runs are tried again
finish
