#!/usr/bin/env bash
# report, run --report, compare --profile: what they write and say, and what they refuse.
. "$(dirname "$0")/_lib.sh"
cd "$folder" || exit 1
cat >a.ptx <<'P'
.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p)
{
    .reg .pred %q; .reg .b32 %r<9>; .reg .b64 %d<5>;
    ld.param.u64 %d1, [p];
    mov.u32 %r1, 0; mov.u32 %r2, %tid.x;
    mul.wide.u32 %d2, %r2, 128;
    add.u64 %d2, %d1, %d2;
BACK:
    ld.volatile.global.u32 %r5, [%d2];
    add.u32 %r6, %r5, 1;
    add.u32 %r1, %r1, 1;
    setp.ne.u32 %q, %r1, 20;
    @%q bra BACK;
    st.global.u32 [%d2], %r6;
    ret;
}
P
sed 's/, 128;/, 4;/; s/^{/{\n    \/\/ mended/' a.ptx >b.ptx
for name in a b; do
    printf 'ptx: %s.ptx\nkernel: k\ngrid: [4, 1, 1]\nblock: [128, 1, 1]\nshared: 0\nbuffers:\n  p: {type: u32, count: 16384, init: zero}\nargs: [p]\n' $name >$name.yaml
    "$LOCKSTEP" run --quiet --profile --stats $name.json --report $name.html $name.yaml >$name.out || { wrong "run $name"; cat $name.out; }
done
"$LOCKSTEP" run --quiet --stats plain.json a.yaml >/dev/null || wrong "run"

# The page of a run is that of its results, but for the name of their file.
expect 0 "page: a2.html" report a.json -o a2.html
sed 's/ title="a.json"//' a2.html | cmp - a.html || wrong "run --report and report write different pages"
expect 0 "page: a.html" report a.json
grep -q '^<li><a href="#k0"><b>k</b></a>: .*most expensive line is <a href="#[^"]*">a.ptx:12</a>' a.html || wrong "the page does not name the hot line"
grep -q 'ld.volatile.global.u32' a.html && grep -q '<h2 id=settings>' a.html && grep -q 'gtx480: ' a.html || wrong "the page lacks something"
"$LOCKSTEP" report a.json b.json -o - >two.html && grep -q '<title>Profile of a and b<' two.html || wrong "a page on standard output"
"$LOCKSTEP" run --quiet --report - a.yaml >run.html 2>err.txt && [ "$(head -c 15 run.html)" = '<!doctype html>' ] && grep -q '^profile of k' err.txt ||
    wrong "run --report -"
{ echo '['; cat a.json; echo ','; sed 's/"scheduler": "gto"/"scheduler": "lrr"/' a.json; echo ']'; } >list.json
expect 0 "page: list.html" report list.json
grep -q '<title>Profile of list gto and list lrr<' list.html || wrong "two runs of a file"
sed 's/<script>/\n&/g' a.html | sed '/^<script>/,/^<\/script>/d' | grep -E "(src|href)=['\"]?[^#'\" ]" | grep -v 'href="data:text/csv;charset=utf-8,' && wrong "the page needs something from outside"

# Timelines among the results; a page needs results too. That of a run has its own timeline.
mkdir kept
"$LOCKSTEP" run --quiet --timeline kept/a --stats kept/a.json --report ta.html a.yaml >/dev/null || wrong "run --timeline --report"
expect 0 "page: beside.html" report kept/a kept/a.json -o beside.html
sed 's/ title="kept\/a.json"//' beside.html | cmp - ta.html || wrong "run --timeline --report and report write different pages"
[ "$(grep -c '<script type="application/octet-stream" data-title="launch 0: k">' ta.html)" = 1 ] || wrong "the page of the run has no timeline"
cp kept/a t
cp kept/a.json ta.json
expect 0 "page: ta.html" report t ta.json
expect 0 "page: none.html" report ta.json t --timeline-window 100000000: -o none.html
grep -q 'There is nothing in the part' none.html || wrong "a part with nothing in it"
expect 2 "a page needs a file of results beside t" report t -o x.html
expect 2 "--timeline-window 9: expected FROM:TO" report ta.json t --timeline-window 9 -o x.html
expect 2 "--timeline-sms x: expected numbers of SMs" report ta.json t --timeline-sms x -o x.html
expect 2 "has no option --timeline-resolution" report ta.json t --timeline-resolution 4 -o x.html
expect 2 "a page has room for 8 timelines" report ta.json t t t t t t t t t -o x.html
head -c 300 t >damaged
expect 2 "damaged is damaged" report ta.json damaged -o x.html
expect 2 "t is there and holds something else than a page" report ta.json t -o t

# What moved: the load, which is in another line now and of another file.
"$LOCKSTEP" compare --profile a.json b.json >out.txt || wrong "compare"
before=$(awk '/^profile of k/ { print $4 }' a.out) after=$(awk '/^profile of k/ { print $4 }' b.out)
grep -q "^profile of k: $before -> $after cycles" out.txt && grep -A1 '^- ' out.txt | tr '\n' ' ' | grep -qE '^- a.ptx:12, now b.ptx:13 costs [0-9,]+ warp-cycles less: its value awaited +-[0-9]' || { wrong "compare does not say what moved"; cat out.txt; }
awk '/^cost  before/ { on = 1; next } on && NF > 3 && $1 ~ /^[0-9]+$/ { if ($2 - $1 != $3 + 0) print; d = $3 < 0 ? -$3 : $3; if (rows++ && d > last) print "order"; last = d }
    END { if (rows < 2) print "rows" }' out.txt | grep . && wrong "the rows of compare"
awk 'length > 80' out.txt | grep . && wrong "lines are too long"
expect 0 "no line costs a hundredth" compare --profile a.json a.json

echo '{' >bad.json
echo '{}' >none.json
echo mine >mine.html
sed 's/"name": "k"/"name": "other"/' b.json >other.json
expect 2 "bad.json:2: error: it is no JSON" report bad.json -o x.html
expect 2 "none.json: error: it is JSON, but not the results of a run" report a.json none.json -o x.html
expect 2 "plain.json: error: its kernels have no profile" report plain.json -o x.html
expect 2 "plain.json: error: its kernels have no profile" compare --profile a.json plain.json
expect 2 "a.json and other.json have profiles of no kernel in common" compare --profile a.json other.json
expect 2 "cannot read nowhere.json" report nowhere.json -o x.html
expect 2 "lockstep report needs a file of results" report
expect 2 "a page has room for 8 results" report a.json a.json a.json a.json a.json a.json a.json a.json a.json -o x.html
expect 2 "-o needs a value" report a.json -o
expect 2 "mine.html is there and holds something else than a page" report a.json -o mine.html
expect 2 "mine.html is there and holds something else than a page" run --report mine.html a.yaml
expect 2 "a.json is there and holds something else" report a.json -o a.json
expect 2 "cannot write no/x.html" report a.json -o no/x.html
expect 2 "are one file" run --report x.html --stats x.html a.yaml
expect 2 "a profile (--profile) needs timing mode" run --report x.html --mode functional a.yaml
expect 2 "--profile compares two files of results" compare --profile a.yaml
expect 2 "has no option -o" run -o x.html a.yaml
[ "$(cat mine.html)" = mine ] && [ ! -e x.html ] || wrong "something was written"
finish
