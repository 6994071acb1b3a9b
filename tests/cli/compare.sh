#!/usr/bin/env bash
# compare: one column a configuration; a configuration that fails makes the whole fail and says why.
. "$(dirname "$0")/_lib.sh"
cd "$LOCKSTEP_SRC/tests/reference" || exit 1
expect 0 "speed-up" compare scan.yaml
expect 0 "gtx480-sm2 lrr" compare --machine gtx480,gtx480-sm2 --sched gto,lrr scan.yaml
expect 0 "gto cff" compare --sched gto --fetch lrr,cff scan.yaml
expect 0 "gtx480 mwf fef" compare --machine gtx480,gtx1080ti --sched mwf --fetch fef,lrr scan.yaml
expect 0 "gto bypass" compare --sched gto --protocol gpu,bypass scan.yaml
expect 0 "apu8 oldest cff bypass" compare --machine gtx480,apu8 --sched oldest --fetch cff,lrr --protocol gpu,bypass hist_shared.yaml
expect 2 "there is no coherence protocol named mesi" compare --protocol gpu,mesi scan.yaml
expect 0 "gto its" compare --sched gto --divergence stack,its scan.yaml
expect 2 "a name in the list is empty" compare --fetch lrr,,cff scan.yaml
expect 2 "there is no fetch policy named ccf" compare --fetch lrr,ccf scan.yaml
expect 0 "kernel scan" compare --kernels --sched lrr scan.yaml
expect 1 "partial: max-cycles" compare --max-cycles 50 scan.yaml
sed 's/crc32: 0x......../crc32: 0x00000001/; s/scan\.ptx/tests\/reference\/scan.ptx/' scan.yaml >"$folder/wrong.yaml"
mkdir -p "$folder/tests/reference" && cp scan.ptx "$folder/tests/reference/"
expect 1 "FAIL" compare --sched lrr "$folder/wrong.yaml"
"$LOCKSTEP" compare --sched lrr,gto --stats "$folder/all.json" scan.yaml >/dev/null || exit 1
[ "$(grep -c '"schema": 2' "$folder/all.json")" -eq 2 ] || { echo "not two documents in the JSON"; failures=1; }
# Its CSV has what any of them has.
"$LOCKSTEP" compare --sched gto,mwf --stats "$folder/all.csv" scan.yaml >/dev/null || exit 1
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "sm.scheduler_bits") at = i; columns = NF }
    NR == 2 { gto = $at } NR == 3 { mwf = $at } NF != columns { exit 1 } END { exit !(at && gto == "" && mwf == 48) }' "$folder/all.csv" ||
    wrong "columns of the second run alone"
# The shares of a column's scheduler-cycles add up to all of them.
"$LOCKSTEP" compare --sched lrr scan.yaml | awk '/^  / { sum += $2 } END { exit !(sum > 99.4 && sum < 100.6) }' ||
    { echo "shares do not add up"; failures=1; }
# Samples: one column a configuration; the same as runs with each seed; a file of others' numbers; what varies is no matter of one run.
"$LOCKSTEP" compare --sched lrr,gto --samples 2 scan.yaml >"$folder/samples" || wrong "--samples"
"$LOCKSTEP" compare --sched lrr,gto --seed 0,1 scan.yaml >"$folder/seeds"
for sched in lrr gto; do
    spread=$(sed -n '/cycles of 2 seeds/,$p' "$folder/seeds" | awk -v s=$sched '$1 == s { print $2, $3, $4, $5 }')
    column=$([ $sched = lrr ] && echo 2 || echo 1)
    row() { awk -v w="$1" -v c="$column" 'index($0, w) == 1 { print $(NF + 1 - c) }' "$folder/samples"; }
    [ -n "$spread" ] && [ "$(row 'cycles, mean') $(row '  deviation') $(row '  least') $(row '  most')" = "$spread" ] || { wrong "samples of $sched: $spread"; cat "$folder/samples"; }
done
printf '# cycles of others\n1, 2\n3 4 5\n' >"$folder/others"
expect 0 "differ (p = 0.0079)" compare --sched lrr --samples 5 --agree "$folder/others" scan.yaml
printf '1 1e9 2\n' >"$folder/others"
expect 0 "too few" compare --sched lrr --samples 2 --agree "$folder/others" scan.yaml
expect 0 "lrr: cycles vary by " compare --sched lrr --samples partition.dram_latency=100,400 scan.yaml
expect 1 "samples each" compare --sched gto --samples 2 --max-cycles 50 scan.yaml
printf '1\nx 2\n' >"$folder/others"
expect 2 "others: line 2: 'x' is no number" compare --samples 2 --agree "$folder/others" scan.yaml
expect 2 "is no number from 2 to 1000" compare --samples 1 scan.yaml
expect 2 "--agree compares the numbers of --samples" compare --agree "$folder/others" scan.yaml
expect 2 "--seed is given, too" compare --samples 3 --seed 4 scan.yaml
expect 2 "there is no parameter 'sm.wraps'" compare --samples sm.wraps=1,2 scan.yaml
finish
