#!/usr/bin/env bash
# validate: rows and summaries of chosen records; names without a record, foreign folders and changed cases are refused; a run
# that fails is said so and makes the whole fail.
. "$(dirname "$0")/_lib.sh"
expect 0 "gtx480-sm2: 4 runs" validate --case alu_dep --case sfu --machine gtx480-sm2
expect 0 "gtx480: 1 runs" validate --case sfu --machine gtx480 --sched gto --jobs 1
expect 0 "gtx480: 1 runs" validate --case sfu --machine gtx480 --sched gto --as-reference
expect 2 "give one of them" validate --case sfu --as-reference --fixed-order
rows() { "$LOCKSTEP" validate --case hist_shared --machine gtx480 --sched lrr "$@" | awk '$1 == "hist_shared" { print $4 }'; }
one=$(rows --fixed-order) two=$(rows --set sm.schedulers_take_turns=false) three=$(rows)
[ -n "$one" ] && [ "$one" = "$two" ] && [ "$one" != "$three" ] || { echo "fixed order: $one, $two, in turns $three"; failures=1; }
expect 0 "gtx1080ti: 4 runs" validate --case ht64 --machine gtx1080ti --as-reference
expect 0 "gtx1080ti: 1 runs" validate --case ht64 --machine gtx1080ti --sched lrr+bows
expect 2 "did you mean" validate --case alu_dap
expect 2 "'gtx480'" validate --machine gtx481
expect 2 "--jobs 0" validate --jobs 0
expect 2 "takes no arguments" validate sfu
expect 2 "no reference records" validate --reference "$folder"
expect 1 "over 4 times" validate --case sfu --machine gtx480 --sched lrr --set sm.interval_special=200
expect 1 "1 failed" validate --case sfu --machine gtx480 --sched lrr --set sm.interval_special=200

# The page: one plot a machine where the library is installed, a row a run; it replaces the file whole.
mkdir -p "$folder/share/javascript/chart.js"
echo '/* Chart.js v3.9.1 */' >"$folder/share/javascript/chart.js/chart.min.js"
shape() { echo "$(grep -c 'data-kind=scatter' "$folder/page.html") $(grep -c '^<script>' "$folder/page.html") $(grep -c 'scope="row"' "$folder/page.html") $(tail -n 1 "$folder/page.html")"; }
printf '<!doctype html>\n--ink: old\n' >"$folder/page.html"
XDG_DATA_DIRS=$folder/share expect 0 "gtx480: 2 runs" validate --case sfu --case alu_dep --sched gto --html "$folder/page.html"
[ "$(shape)" = "3 2 6 </html>" ] || wrong "the page is not what was run"
XDG_DATA_DIRS=$folder expect 0 "" validate --case sfu --machine gtx480 --sched gto --html "$folder/page.html"
grep -q "Chart.js (libjs-chart.js) is not installed" "$folder/page.html" && [ "$(shape)" = "0 0 1 </html>" ] || wrong "drawn without a library"
expect 2 "cannot write" validate --case sfu --html "$folder/none/page.html"

# The figures are those of the records and of lockstep run.
row=$("$LOCKSTEP" validate --case alu_dep --machine gtx480 --sched lrr | awk '$1 == "alu_dep" { print $4, $5 }')
here=$("$LOCKSTEP" run --machine gtx480 --sched lrr --stats /dev/stdout --quiet "$LOCKSTEP_SRC/tests/reference/alu_dep.yaml" |
    sed -n 's/^ *"cycles": \([0-9]*\),$/\1/p')
there=$(awk -F, '$1 == "alu_dep" && $3 == "gtx480" && $4 == "lrr" { print $5 }' "$LOCKSTEP_SRC/tests/reference/gpgpusim.csv")
[ -n "$there" ] && [ "$row" = "$here $there" ] || { echo "row '$row', expected '$here $there'"; failures=1; }

cp "$LOCKSTEP_SRC"/tests/reference/{gpgpusim.csv,sfu.yaml,sfu.ptx} "$folder"
expect 0 "gtx480: 1 runs" validate --reference "$folder" --case sfu --machine gtx480 --sched lrr
echo "# changed" >>"$folder/sfu.yaml"
expect 2 "not the one that was measured" validate --reference "$folder" --case sfu --machine gtx480 --sched lrr
expect 2 "cannot read" validate --reference "$folder" --case alu_dep
finish
