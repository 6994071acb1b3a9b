#!/usr/bin/env bash
# Results that come with a study: --report answers from them, packed or as results.csv alone, and --verify runs some of them again and
# compares to the digit.
. "$(dirname "$0")/_lib.sh"
cd "$folder" || exit 1
mkdir -p mini
cp "$LOCKSTEP_SRC"/tests/reference/vecadd.{yaml,ptx} mini/
cat >mini/study.yaml <<'Y'
title: committed
benchmarks:
  add: {program: vecadd.yaml}
readings:
  plain: []
runs:
  - {benchmarks: [add], machines: [gtx480], schedulers: [gto], readings: [plain], set: {gpu.sms: [2, 4]}, seeds: 3}
  - {benchmarks: [add], machines: [gtx480], schedulers: [lrr, tls], readings: [plain]}
judging: {mean: geometric, no_effect: 0.03, loses: 0.05}
claims:
  - {id: V, claim: several variants, sql: "SELECT cycles AS ours FROM results WHERE set_gpu_sms = 2", direction: ours > 2, range: [1, 1e9]}
  - {id: O, claim: one, sql: "SELECT cycles AS ours FROM results WHERE scheduler = 'lrr'", direction: ours > 2, range: [1, 1e9]}
Y
expect 0 "page: out/index.html" study ./mini --out out
[ -s out/full.sqlite.zst ] || wrong "no packed database"
expect 2 "results.csv" study ./mini --verify 1
mkdir mini/results
cp out/results.csv mini/results/

# From results.csv: the means are the same, and nothing is said of variants.
expect 0 "the means of" study ./mini --report --out means
cmp out/results.csv means/results.csv || wrong "results.csv is not itself"
cut -d, -f1,5,7,8,10 out/claims.csv >had
cut -d, -f1,5,7,8,10 means/claims.csv >has
[ "$(sed -n 3p had)" = "$(sed -n 3p has)" ] && [ "$(sed -n 2p had | cut -d, -f2,5)" = "$(sed -n 2p has | cut -d, -f2,5)" ] || wrong "claims by means"
[ "$(sed -n 2p has | cut -d, -f3,4)" = , ] && [ "$(sed -n 2p had | cut -d, -f3,4)" != , ] || { wrong "variants by means"; cat had has; }
expect 0 "the means of" study ./mini --report --out means
! grep -q 'have not been run' means/index.html || wrong "what has a mean was not run"
# They are no results of this simulator: a run begins anew.
expect 0 "8 runs; 8 were not run there before" study ./mini --list --out means

# They are of the programs that they say: those of another are left out, and so are configurations that are gone. A file of before
# says nothing of programs.
cp -r mini moved
cp mini/vecadd.yaml moved/other.yaml
sed -i 's/vecadd.yaml/other.yaml/; s/schedulers: \[lrr, tls\]/schedulers: [lrr]/' moved/study.yaml
expect 1 "4 of 4 rows are of programs, arguments or configurations that the study does not have: left out" study ./moved --report --out moved/out
[ "$(sed -n 2,3p moved/out/claims.csv | grep -c 'not run')" = 2 ] || { wrong "claims on another program's results"; cat moved/out/claims.csv; }
expect 2 "the study was changed after its results" study ./moved --verify 9
sed -i 's/other.yaml/vecadd.yaml/' moved/study.yaml
expect 0 "1 of 4 rows are of programs" study ./moved --report --out moved/out2
column=$(head -n 1 moved/results/results.csv | tr , '\n' | grep -n '^program$' | cut -d: -f1)
cut -d, -f"$column" --complement moved/results/results.csv >old && mv old moved/results/results.csv
sed -i 's/vecadd.yaml/other.yaml/' moved/study.yaml
expect 0 "1 of 4 rows are of programs" study ./moved --report --out moved/out3

# Packed: everything is there.
cp out/full.sqlite.zst mini/results/
expect 0 "page: packed/index.html" study ./mini --report --out packed
cmp out/claims.csv packed/claims.csv && cmp out/results.csv packed/results.csv || wrong "the packed database says something else"
expect 0 "8 runs; 8 have a result in packed" study ./mini --list --out packed
head -c 300 out/full.sqlite.zst >mini/results/full.sqlite.zst
expect 2 "full.sqlite.zst" study ./mini --report --out cut
printf 'nonsense' >mini/results/full.sqlite.zst
expect 2 "is no database that a study has packed" study ./mini --report --out cut2
rm mini/results/full.sqlite.zst

# Verified: all rows, or some, by a seed; a digit, a column, a row that are not those of a run.
expect 0 "4 of 4 configurations equal the committed results to the digit" study ./mini --verify 9
expect 0 "1 of 1 configurations" study ./mini --verify 1 --cheapest
draw() { "$LOCKSTEP" study ./mini --verify "$1" --seed "$2" 2>/dev/null | grep -v configurations; }
[ "$(draw 2 1)" = "$(draw 2 1)" ] || wrong "a seed draws other rows another time"
# Seeds draw different rows.
for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do draw 1 $seed; done | sort | uniq -c >drawn
[ "$(wc -l <drawn)" -ge 3 ] || { wrong "what is drawn"; cat drawn; }
sed -i 's/^\(add,gtx480,lrr,.*\),1\(,[0-9]*\)$/\1,2\2/; /^add,gtx480,lrr/s/,\([0-9]\)\([0-9]*\),/,9\1\2,/3' mini/results/results.csv
expect 1 "add gtx480 lrr plain: differs in " study ./mini --verify 9
expect 1 "3 of 4 configurations equal" study ./mini --verify 9
sed 's/^benchmark,machine,/&extra,/; 2,$s/^add,gtx480,/&1,/' out/results.csv >mini/results/results.csv
expect 0 "1 of these are no statistics any more" study ./mini --verify 9
sed '2s/gtx480/gtx1080ti/' out/results.csv >mini/results/results.csv
expect 2 "results.csv: line 2: no run of study.yaml is add gtx1080ti" study ./mini --verify 9
sed '2s/,[0-9]*$//' out/results.csv >mini/results/results.csv
expect 2 "results.csv: line 2 has" study ./mini --verify 9
expect 2 "those of --verify" study ./mini --seed 3
expect 2 "of the full version" study ./mini --verify 1 --quick
finish
