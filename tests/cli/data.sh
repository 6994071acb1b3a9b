#!/usr/bin/env bash
# Data never acts: nothing that is read runs a command, loads code or writes a file, unless the command line says so. Each way to
# do so would leave a file `acted` somewhere below the folder.
. "$(dirname "$0")/_lib.sh"
. "$LOCKSTEP_SRC/tests/_effort.sh"
cd "$folder" || exit 1
acted() {
    [ -z "$(find . -name '*acted*' ! -name '*.c' -print -quit)" ] || { wrong "$1 acts: $(find . -name '*acted*')"; find . -name '*acted*' -delete; }
}
cases=$LOCKSTEP_SRC/tests/reference

# Texts of a study that are commands to a shell, SQL, a browser or a terminal.
mkdir mini
little_locks mini
printf "name,factor\na,2\nb'); ATTACH 'acted1' AS o; CREATE TABLE o.t(x); --,8\n" >mini/theirs.csv
cat >mini/study.yaml <<'Y'
title: "T <script>alert(1)</script> \e]0;title\a"
source: "<script>"
about: "<script>"
benchmarks:
  A: {program: ht64.yaml}
readings:
  plain: [sm.age_rotation=50000]
runs:
  - {benchmarks: [A], machines: [gtx480], schedulers: [gto], readings: [plain], phases: true}
tables:
  theirs: theirs.csv
views: |
  CREATE TEMP VIEW v AS SELECT benchmark, cycles FROM results;
figures:
  - {id: bars, kind: bars, title: "<script>", x: "x `touch acted2` \" '; system('touch acted3') #\nset output 'acted4'\nsystem('touch acted5')\n", y: "\"; system(\"touch acted6\"); \"`touch acted7`\n!touch acted8",
     text: "<script>", sql: "SELECT 's `touch acted9`''\n!touch acted10', '100%d''`touch acted11`\n!touch acted12', cycles FROM results"}
  - {id: lines, kind: lines, title: "t</h3></figure><img src=x>", x: "\" onfocus=alert(1) x=\"", y: "</script><!--\u2028", sql: "SELECT '`touch acted14`</script><script>alert(1)</script>', 1, 2"}
  - {id: time, kind: timeline, title: t, x: "`touch acted15`", y: y, sql: "SELECT '`touch acted16`\n!touch acted17', 0, 10, 20, '`touch acted18`\nEND\n!touch acted19'"}
  - {id: rows, kind: table, title: t, sql: "SELECT '<script>' AS '<script>c', factor AS \"<b>\" FROM theirs"}
judging: {mean: geometric, no_effect: 0.03, loses: 0.05}
claims:
  - {id: C1, claim: "<script>\e[2J", sql: "SELECT 1.0 AS ours", direction: ours > 0 AND ours < 9, range: [0, 10], why: "<script>"}
findings:
  - {id: F, text: "<script> {name}", sql: "SELECT '<script>' AS name"}
Y
"$LOCKSTEP" study ./mini --out ./-out >out.txt 2>err.txt || { wrong "a study of texts that look like commands: $?"; cat err.txt; }
acted "a study's text"
grep -q 'ATTACH' ./-out/index.html && wrong "where is this text?"

# Figures are drawn by a library that the page carries: its scripts are the library and ours, whatever the texts are. Names of axes stand
# in attributes, names of series in the file that one takes along, where all but letters and digits is written by its number.
library() {
    mkdir -p "share$1/javascript/chart.js"
    echo "$2" >"share$1/javascript/chart.js/chart.min.js"
}
page() { # page WITH: the page by the library in shareWITH, as page.html
    XDG_DATA_DIRS=$folder/none:$folder/share$1 "$LOCKSTEP" study ./mini --out ./-out --report >out.txt 2>err.txt && cp ./-out/index.html page.html
}
library 1 '/* Chart.js v3.9.1 */'
library 2 '/* Chart.js v3.9.1 */ "</SCRIPT>"'
library 3 '/* Chart.js v2.9.4 */'
page 1 || wrong "a page with a library"
[ "$(grep -ci '<script' page.html)" -eq 2 ] && [ "$(grep -ci '</script' page.html)" -eq 2 ] || wrong "texts of a study are scripts of its page"
[ "$(sed '/^<script>/,/^<\/script>/d' page.html | grep -ciE '<script|</script|<!--|<img|<[a-z]+([^">]*"[^"]*")*[^">]* onfocus')" -eq 0 ] || wrong "texts of a study are parts of its page"
[ "$(grep -c '<div class=chart role=img data-kind=' page.html)" -eq 3 ] || wrong "$(grep -c 'class=chart' page.html) figures of 3 are drawn"
for text in 'data-x="x `touch acted2` &quot;' 'data-x="&quot; onfocus=alert(1) x=&quot;" data-y="&lt;/script&gt;&lt;!--' 's%20%60touch%20acted9%60%27%0A%21touch%20acted10' \
    '%60touch%20acted14%60%3C%2Fscript%3E%3Cscript%3Ealert%281%29%3C%2Fscript%3E,1,2,,,%0A"' '%60touch%20acted16%60%0A%21touch%20acted17%22,0,10,20,%22%60touch%20acted18'; do
    grep -qF "$text" page.html || wrong "the page has no $text"
done
for unknown in 2 3 4; do
    page $unknown || wrong "a page without a library"
    ! grep -qi '<script' page.html && [ "$(grep -c 'Not drawn: Chart.js' page.html)" -eq 3 ] || wrong "drawn by the library in share$unknown"
done
cp page.html again.html
page 4 && cmp page.html again.html || wrong "equal results give other pages"

# SQL that does more than to read: in views, questions, conditions, also where nothing is run.
# sql WORDS SED: refused with WORDS.
sql() {
    bad "$2" "$1"
    acted "SQL"
}
only="a study's SQL only reads"
n=0
statements=("ATTACH 'acted' AS o" "VACUUM INTO 'acted'" "VACUUM" "DELETE FROM executions" "CREATE TABLE t(x)" "CREATE VIEW w AS SELECT 1"
    "CREATE TEMP TRIGGER t AFTER INSERT ON runs BEGIN SELECT 1; END" "PRAGMA journal_mode = delete" "DROP TABLE runs" "BEGIN" "DETACH main" "REINDEX"
    "INSERT INTO runs(benchmark) VALUES('x')" "UPDATE executions SET status = 'ok'" "ANALYZE" "CREATE VIRTUAL TABLE f USING fts5(x)"
    "SELECT load_extension('./acted')" "ALTER TABLE runs ADD COLUMN x" "SAVEPOINT s" "CREATE TEMP TABLE t AS SELECT 1")
# Each as the question of a claim: all are told at once.
rm -rf bad && cp -r mini bad
{
    sed '/^findings:/,$d' mini/study.yaml
    for statement in "${statements[@]}"; do
        echo "  - {id: \"S$((n++))\", claim: c, sql: \"$statement\", direction: ours > 0, range: any}"
    done
} >bad/study.yaml
"$LOCKSTEP" study ./bad --list >out.txt 2>&1
[ $? -eq 2 ] && [ "$(grep -c ": S[0-9]*: $only" out.txt)" -eq ${#statements[@]} ] || { wrong "claims act"; cat out.txt; }
acted "SQL"
# And before the views, where the first ends it: every sixth of them, with LOCKSTEP_LONG each.
n=0
for statement in "${statements[@]}"; do
    [ $((n++ % 6)) -eq 0 ] || [ -n "${LOCKSTEP_LONG:-}" ] || continue
    sql "$only" "s/^  CREATE TEMP VIEW v/  ${statement//\//\\/};\n&/"
done
for more in "SELECT 1 AS ours; ATTACH 'acted' AS o" "WITH x AS (SELECT 1) DELETE FROM runs" "SELECT 1 AS ours; SELECT 2"; do
    sql "error" "s/SELECT 1.0 AS ours/$more/"
done
sql "more than one statement" "s/direction: ours > 0 AND ours < 9/direction: \"1 > 0) FROM (SELECT 1); ATTACH 'acted' AS o; --\"/"
sql "load_extension" "s/direction: ours > 0 AND ours < 9/direction: \"load_extension('acted')\"/"
sql "$only" "s/SELECT '\`touch acted14/CREATE TABLE t(x); &/"
sql "letters, digits" "s/theirs: theirs.csv/\"a\\\\\"b\": theirs.csv/"

# SQL without an end: many rows; many steps, in a condition, where nothing is run.
count="WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
rm -rf bad && cp -r mini bad
sed -i "s/SELECT '<script>' AS '<script>c', factor AS .* FROM theirs/$count) SELECT i FROM n/" bad/study.yaml
expect 2 "rows: it comes to no end" study ./bad --out ./-out --report
bad "s/direction: ours > 0 AND ours < 9/direction: \"(${count/SELECT 1/SELECT ours} LIMIT 1000) SELECT count(*) FROM n a, n b, n c, n d) > 0\"/" "C1: direction: it comes to no end"

bad 's/program: ht64.yaml/program: ..\/ht64.yaml/' "a program has a plain name"
bad 's/program: ht64.yaml/program: ..\/x\/acted/' "a program has a plain name"
bad 's/program: ht64.yaml/program: ht64.yaml, full: "--stats acted"/' "a launch file takes no arguments"

# Code is loaded when the command line says so, and never because a file does: it leaves a file as soon as it is loaded.
cat >acted.c <<'C'
#include <stdio.h>
__attribute__((constructor)) static void load(void) { fclose(fopen("acted", "w")); }
C
cc -shared -fPIC -o code.so acted.c || exit 1
printf 'base: gtx480\nsm:\n  scheduler: ./code.so\n' >m.yaml
cp m.yaml mini/
said="is loaded only when the command line says so"
expect 2 "$said" run --machine m.yaml "$cases/vecadd.yaml"
expect 0 "lrr" compare --machine m.yaml --sched lrr "$cases/vecadd.yaml"
expect 2 "$said" litmus --machine m.yaml "$LOCKSTEP_SRC/examples/litmus/mp.litmus"
expect 0 "" run --machine m.yaml --sched gto "$cases/vecadd.yaml"
expect 0 "" run --machine m.yaml --set sm.scheduler=gto "$cases/vecadd.yaml"
bad 's/schedulers: \[gto\]/schedulers: [.\/code.so]/' "--allow-code lets the study load it"
bad 's/schedulers: \[gto\]/schedulers: [.\/code.so+bows]/' "--allow-code lets the study load it"
bad 's/\[sm.age_rotation=50000\]/[sm.scheduler=.\/code.so]/' "--allow-code lets the study load it"
bad 's/phases: true/set: {sm.scheduler: [gto, .\/code.so]}/' "--allow-code lets the study load it"
bad 's/phases: true/vary: {sm.scheduler: [gto, .\/code.so]}/' "--allow-code lets the study load it"
mkdir records
sed '3,$d; 2s/^\([^,]*,[^,]*,[^,]*\),[^,]*/\1,.\/code.so/' "$cases/gpgpusim.csv" >records/gpgpusim.csv
expect 2 "the records name a scheduler that is code" validate --reference records
acted "a file that names code"
expect 2 "is no warp scheduler" run --allow-code --machine m.yaml "$cases/vecadd.yaml"
[ -e acted ] && rm acted || wrong "--allow-code loads nothing"
expect 2 "is no warp scheduler" run --machine m.yaml --sched ./code.so "$cases/vecadd.yaml"
[ -e acted ] && rm acted || wrong "--sched loads nothing"

# A checkpoint names a program with its arguments, which is not run unless the command line names it too.
if [ -e "$(dirname "$LOCKSTEP")/../lib/lockstep/libcudart.so.13" ] && command -v clang >/dev/null && [ -z "${LOCKSTEP_PRELOAD:-}" ]; then
    cat >p.cu <<'P'
#include <stdio.h>
__global__ void k(int *p) { for (int i = 0; i < 200; i++) atomicAdd(p, 1); }
int main() { int *p; cudaMalloc(&p, 4); fclose(fopen("acted", "w")); k<<<1, 32>>>(p); return cudaDeviceSynchronize(); }
P
    "$LOCKSTEP" cc p.cu -o p || exit 1
    "$LOCKSTEP" run --quiet --checkpoint-every 20000 --checkpoint at ./p >/dev/null || wrong "checkpoints"
    rm -f acted
    expect 2 "names ./p to be run, which it does not do by itself" run --resume at
    acted "a checkpoint"
    expect 0 "" run --resume at ./p
    rm -f acted
    expect 0 "" run --allow-code --resume at
    rm -f acted
fi

# Text that a terminal would take for commands is not shown as it is.
escape=$(printf 'none\033]0;owned\007\302\233x.yaml')
printf 'ptx: "\\e[2Jacted.ptx"\nkernel: "k\\e[5m"\ngrid: [1]\nblock: [1]\nargs: []\ncheck: []\n' >terminal.yaml
for arguments in "run $escape" "run --machine $escape x.yaml" "run terminal.yaml" "run --sched ./$escape.so $cases/vecadd.yaml"; do
    # shellcheck disable=SC2086 # several words
    "$LOCKSTEP" $arguments >out.txt 2>&1 && wrong "lockstep $arguments"
    LC_ALL=C grep -q "$(printf '[\033\007\233]')" out.txt && { wrong "control characters reach the terminal: $arguments"; cat -v out.txt; }
done
if command -v script >/dev/null; then
    sed '1s/.*/PTX "a\x1b]0;owned\x07b"/' "$LOCKSTEP_SRC/examples/litmus/mp.litmus" >title.litmus
    script -qec "$LOCKSTEP litmus --runs 500 title.litmus" /dev/null >out.txt </dev/null
    grep -q '500 runs' out.txt || wrong "a litmus test shows no progress on a terminal"
    LC_ALL=C grep -q "$(printf '\033]\|\007')" out.txt && { wrong "a litmus test drives the terminal"; cat -v out.txt; }
    script -qec "$LOCKSTEP study ./mini --out ./-out --report" /dev/null >out.txt </dev/null
    grep -q 'C1 .*script' out.txt || wrong "a study says nothing on a terminal"
    LC_ALL=C grep -q "$(printf '\033')" out.txt && wrong "a study drives the terminal"
fi
finish
