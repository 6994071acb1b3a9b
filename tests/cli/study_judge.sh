#!/usr/bin/env bash
# How `lockstep study` judges claims: over rows, by both means; what it refuses; copies by `each`; findings; the head of the page. No run is
# needed for most of it: the numbers come from a table of the study's folder.
. "$(dirname "$0")/_lib.sh"
cd "$folder" || exit 1
mkdir mini
little_locks mini
printf 'kernel,base,factor,print\na,lrr,1,1\nb,lrr,4,2\na,gto,0.9,1\nb,gto,1.02,\n' >mini/t.csv
cat >mini/study.yaml <<'Y'
title: "Judged"
benchmarks:
  HT: {program: ht64.yaml}
readings:
  plain: [sm.age_rotation=50000]
runs:
  - {benchmarks: [HT], machines: [gtx480], schedulers: [gto], readings: [plain]}
tables:
  t: t.csv
views: |
  CREATE TEMP VIEW lrr AS
    SELECT kernel, factor,
      print FROM t WHERE base = 'lrr';
  CREATE TEMP VIEW words AS SELECT 'a, "b"' AS ours;
figures:
  - {id: "f-{base}", kind: bars, title: "over {base}", y: speed-up, base: 1, each: {base: [lrr, gto]},
     sql: "SELECT '{base}', kernel, factor FROM t WHERE base = '{base}'", beside: "SELECT base, kernel, print FROM t WHERE base = '{base}'"}
  - {id: hues, kind: bars, title: hues, paper: {gto: {a: 3}}, sql: "SELECT s, 'a', 2 FROM (SELECT 'gto' AS s UNION ALL SELECT 'gto+bows' UNION ALL SELECT 'lrr')"}
judging: {mean: geometric, no_effect: 0.03, loses: 0.05}
claims:
  - id: R
    claim: gain over lrr
    paper: 2.5
    rows: "SELECT kernel AS name, factor AS ours, nullif(print, '') AS paper FROM lrr"
    direction: ours >= 1 AND n = 2
    magnitude: near(ours, paper)
    range: {ours: [0, 10], n: [0, 2]}
    why: First & foremost. Second.
  - id: E
    claim: "gain over {base} of {kernel}"
    each: {base: [lrr, gto], kernel: [a, b]}
    sql: "SELECT factor AS ours FROM t WHERE base = '{base}' AND kernel = '{kernel}'"
    direction: wins(ours)
    range: [0, 10]
    why: First & foremost. Second.
  - {id: L, claim: listed, each: [{base: lrr, p: 2}, {base: gto, p: 1}], paper: "{p}", sql: "SELECT mean(factor) AS ours, othermean(factor) AS o FROM t WHERE base = '{base}'",
     direction: noeffect(ours / paper), magnitude: loses(ours) OR ours > 1, range: [0, 10]}
  - {id: T, claim: a text, sql: SELECT ours FROM words, direction: "ours = 'x'", range: any}
findings:
  - {id: F, text: "BOWS gains {x} over lrr, at {who}.", sql: "SELECT mean(factor) AS x, max(kernel) AS who FROM lrr"}
Y
study() {
    "$LOCKSTEP" study "$@" >out.txt 2>err.txt
}
has() {
    grep -qF -- "$2" "$1" || { wrong "$1 has no: $2"; cat "$1"; }
}

study ./mini --out out || { wrong "the study ended with $?"; cat err.txt; }
cat >expected <<'C'
id,row,claim,paper,here,other_mean,least,most,variants,direction,magnitude,direction_in,magnitude_in,other_direction,other_magnitude,rows_direction,rows_magnitude,coverage,tried,note
R,,gain over lrr,2.5,2,2.5,,,1,yes,yes,,,yes,yes,2/2,1/2,2 of 2,,
R,a,gain over lrr,1,1,,,,1,yes,yes,,,,,,,,,
R,b,gain over lrr,2,4,,,,1,yes,no,,,,,,,,,
E-lrr-a,,gain over lrr of a,,1,,,,1,no,-,,,,,,,,,
E-lrr-b,,gain over lrr of b,,4,,,,1,yes,-,,,,,,,,,
E-gto-a,,gain over gto of a,,0.9,,,,1,no,-,,,,,,,,,
E-gto-b,,gain over gto of b,,1.02,,,,1,no,-,,,,,,,,,
L-lrr,,listed,2,2,2.5,,,1,yes,yes,,,no,no,,,,,
L-gto,,listed,1,0.9581,0.96,,,1,no,no,,,no,no,,,,,
T,,a text,,"a, ""b""",,,,1,no,-,,,,,,,,,
C
diff -u expected out/claims.csv || wrong "claims.csv"
grep -Eq '^R +gain over lrr +2.5 +2 \(2.5\) +- +- +yes +yes +2 of 2 rows$' out.txt || { wrong "the table"; cat out.txt; }
has out.txt "BOWS gains 2 over lrr, at b."
page=out/index.html
# The head of the page: counts, the finding, and what does not hold, once for a reason.
sed -n '/<ul class=head>/,/<\/ul>/p' $page >head.html
[ "$(grep -c '<li' head.html)" -eq 4 ] || { wrong "the head of the page"; cat head.html; }
has $page '<p class=counts><b>3 of 8</b> claims reproduce in direction, <b>2 of 3</b> in size.</p>'
has head.html '<a href="#E-lrr-a">E-lrr-a</a>, <a href="#E-gto-a">E-gto-a</a>, <a href="#E-gto-b">E-gto-b</a> gain over lrr / gto of a / b'
has head.html 'First &amp; foremost.</span>'
has head.html 'L-gto</a> listed: 0.9581 instead of 1'
# Copies by one `each` are cells of one row; rows are folded; the verdict is no column that a narrow screen cuts off.
[ "$(grep -c '<td class=claim>' $page)" -eq 4 ] || wrong "rows of claims"
[ "$(grep -c '<div class=cell[> ]' $page)" -eq 8 ] || wrong "cells of claims"
for text in '<details><summary>2 of 2 rows, size 1 of 2</summary>' '<div class=small>arithmetic 2.5 <span class=no>' '.claims > tbody > tr > td { display: block; width: auto; }' \
    '<a href="#f-lrr">over lrr</a>' '<figure id="f-gto">'; do
    has $page "$text"
done
# The figure with the paper's numbers stands first, its panels side by side; each has a text in its place and its numbers to take along.
[ "$(grep -n '<figure id="f-gto">' $page | cut -d: -f1)" -lt "$(grep -n '<ul class=head>' $page | cut -d: -f1)" ] &&
    [ "$(grep -n '<figure id="hues">' $page | cut -d: -f1)" -gt "$(grep -n '<h2 id=figures>' $page | cut -d: -f1)" ] || wrong "the main figure does not stand first"
[ "$(grep -c '<div class="side two">' $page) $(grep -c '<figure id="f-' $page)" = '1 2' ] || wrong "panels are not side by side"
has $page 'download="f-lrr.csv" href="data:text/csv;charset=utf-8,series,x,y,least,most,paper%0Alrr,a,1,,,1%0Alrr,b,4,,,2%0A"'
has $page '<div class=chart role=img data-kind=bars data-base="1" data-x="" data-y="speed-up" aria-label="Bars: over lrr, speed-up; lrr; beside what the paper prints. Its numbers follow."'
sed 's/id: hues, kind: bars,/id: hues, kind: bars, main: true,/' mini/study.yaml >plain.yaml
cp -r mini first && mv plain.yaml first/study.yaml
study ./first --out first.out || wrong "another main figure: $?"
[ "$(grep -n '<figure id="hues">' first.out/index.html | cut -d: -f1)" -lt "$(grep -n '<ul class=head>' first.out/index.html | cut -d: -f1)" ] || wrong "main: true"
grep -q '<div class=scroll[^>]*><table class=claims' $page && wrong "claims scroll sideways"
# Figures, findings and claims of another mean, and other thresholds.
sed -i 's/mean: geometric, no_effect: 0.03/mean: arithmetic, no_effect: 0.01/' mini/study.yaml
cp -r mini plain # to draw takes longer than to judge
sed -i '/^figures:/,/hues/d' plain/study.yaml
study ./plain --out out || wrong "by the arithmetic mean: $?"
has out/claims.csv 'R,,gain over lrr,2.5,2.5,2,,,1,yes,yes,,,yes,yes,2/2,1/2,2 of 2,,'
has out/claims.csv 'E-gto-b,,gain over gto of b,,1.02,,,,1,yes,'

# A result that the range does not know: the condition was tried without it.
cp -r plain other
sed -i 's/direction: noeffect(ours \/ paper)/direction: ours > 1/;s/range: \[0, 10\]}/range: [0, 1.5]}/' other/study.yaml
study ./other --out out || wrong "a result outside of its range: $?"
has err.txt "study.yaml:33:70: warning: L-lrr: ours is 2.5, outside of its range"
has $page "out of its range"

# Variants: the mean of them is judged, and each by itself. The slowest alone is not faster than the slowest.
mkdir five
cp mini/ht.ptx mini/ht64.yaml five/
cat >five/study.yaml <<'Y'
title: "Five"
benchmarks:
  HT: {program: ht64.yaml}
readings:
  plain: [sm.age_rotation=50000]
runs:
  - {benchmarks: [HT], machines: [gtx480], schedulers: [gto], readings: [plain], vary: {partition.dram_latency: [100, 150, 200, 250, 300]}}
  - {benchmarks: [HT], machines: [gtx480], schedulers: [lrr], readings: [plain]}
views: CREATE TEMP VIEW gto AS SELECT cycles FROM results WHERE scheduler = 'gto';
figures:
  - {id: spread, kind: bars, title: spread, sql: "SELECT scheduler, benchmark, cycles FROM results"}
judging: {mean: geometric, no_effect: 0.03, loses: 0.05}
claims:
  - {id: V4, claim: four, sql: "SELECT cycles AS ours, (SELECT max(cycles_most) FROM main.results WHERE scheduler = 'gto') AS top FROM gto",
     direction: ours < top, range: {ours: [1, 1e6], top: [1, 1e6]}, chaotic: true}
  - {id: VR, claim: rows, rows: "SELECT scheduler AS name, cycles * 1.0 / (SELECT max(cycles_most) FROM main.results z WHERE z.scheduler = r.scheduler) AS ours FROM results r",
     direction: ours < 1, range: [0, 10], chaotic: true}
  - {id: V1, claim: one, sql: "SELECT cycles AS ours FROM results WHERE scheduler = 'lrr'", direction: ours > 1, range: [0, 1e6]}
Y
study ./five --out five.out || { wrong "five variants: $?"; cat err.txt; }
cut -d, -f1,2,9-13,16,20 five.out/claims.csv >got
cat >expected <<'C'
id,row,variants,direction,magnitude,direction_in,magnitude_in,rows_direction,note
V4,,5,yes,-,4,,,
VR,,5,yes,-,4,,1/2,one run
VR,gto,5,yes,-,4,,,
VR,lrr,5,no,-,0,,,
V1,,1,yes,-,,,,one run
C
diff -u expected got || { wrong "verdicts of variants"; cat five.out/claims.csv; }
grep -Eq '^V4 +four +- +[0-9]{5} +[0-9]{5} +[0-9]{5} +yes 4/5 +-$' out.txt || { wrong "variants on the terminal"; cat out.txt; }
has five.out/index.html '<span class="mixed">4 of 5</span>'
# A single run is one run where its program varies by more than a tenth, as here (V1), and none where it does not.
cp -r five even
sed -i 's/\[100, 150, 200, 250, 300\]/[150, 151]/' even/study.yaml
study ./even --out even.out || { wrong "a program that hardly varies: $?"; cat err.txt; }
[ "$(sed -n 's/^V1,.*,//p' even.out/claims.csv)" = "" ] && [ "$(sed -n 's/^VR,,.*,//p' even.out/claims.csv)" = "one run" ] ||
    { wrong "one run of what hardly varies"; cat even.out/claims.csv; }
has five.out/index.html '<div class=mixed>one run</div>'
has five.out/index.html '<th scope=col class=number>least<th scope=col class=number>most'
grep -Eq 'utf-8,series,x,y,least,most,paper%0Agto,HT(,[0-9.]+){3},%0Alrr,HT,[0-9]+,' five.out/index.html || wrong "a figure has no variants"
# bad SED WORDS: what is refused, and where.
bad '/^judging/d' "study.yaml:20:3: error: a study with claims says how they are judged"
bad 's/    range: {ours.*/    why2:/' "study.yaml:27:5: error: why2 is not known here"
bad '/    range: {ours/d' "study.yaml:21:5: error: R: a claim needs a range"
bad 's/loses: 0.05/loses: 5%/' "study.yaml:19:53: error: loses: expected a number"
bad 's/loses: 0.05/loses: 5/' "shares of 1"
bad 's/mean: arithmetic/mean: median/' "mean must be geometric or arithmetic"
bad 's/direction: ours >= 1 AND/direction: ours >= 0 OR/' "study.yaml:25:16: error: R: direction cannot fail: so for each of"
bad 's/direction: ours >= 1 AND/direction: ours > 10 AND/' "R: direction cannot hold"
bad 's/magnitude: near(ours, paper)/magnitude: ours > 0 AND paper = 3/' "study.yaml:26:16: error: R: magnitude cannot hold where direction does"
bad 's/magnitude: near(ours, paper)/magnitude: paper > 2 OR ours < 99/' "R: magnitude cannot fail"
bad 's/magnitude: near(ours, paper)/magnitude: near(ours, 2.5)/' "R: rows have a paper each, which magnitude does not look at"
bad 's/direction: wins(ours)/direction: ours > (SELECT 1 FROM t)/' "study.yaml:33:16: error: E-lrr-a: direction reads a table (t)"
bad "s/direction: \"ours = 'x'\"/direction: \"ours <> ''\"/;s/range: any/range: [x, y]/" "T: direction cannot fail"
bad 's/    range: {ours: \[0, 10\], n: \[0, 2\]}/    range: [0, 10]/' "study.yaml:27:12: error: R: direction uses a column that has no range (n)"
bad "s/SELECT mean(factor) AS ours,/SELECT 1 AS paper, mean(factor) AS ours,/;s/range: \\[0, 10\\]}/range: {ours: [0, 10], paper: [50, 60]}}/" "L-lrr: direction cannot hold"
bad 's/n: \[0, 2\]}/m: [0, 2]}/' "R: sql gives no column m"
bad 's/range: \[0, 10\]/range: [10, 0]/' "a range goes from the least value to the greatest"
bad 's/range: any/range: all/' "a range is [least, greatest], a list of texts, or any"
bad 's/kernel AS name, factor AS ours/kernel, factor AS ours/' "study.yaml:24:11: error: R: rows gives name and ours"
bad 's/at {who}/at {whom}/' "F: sql gives no column whom"
bad 's/id: T,/id: a b,/' "study.yaml:38:5: error: the id 'a b' is not a word"
bad 's/id: T,/id: R,/' "there are two questions with the id R"
bad 's/each: \[{base: lrr, p: 2}/each: [{base: lrr, q: 2}/' "each: all entries have the same names"
bad 's/each: {base: \[lrr, gto\], kernel/each: {base: lrr, kernel/' "each: expected a list of values"
bad 's/kind: bars, title: hues/kind: lines, title: hues, base: 1/' "bars alone stand on a base"
bad 's/      print FROM t WHERE/      prince FROM t WHERE/' "study.yaml:13:7: error: view lrr: no such column: prince"
bad "s/CREATE TEMP VIEW words AS SELECT/CREATE TEMP VIEW words AS SELEKT/" "study.yaml:14:29: error: views: near \"SELEKT\": syntax error"
finish
