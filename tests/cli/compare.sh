#!/usr/bin/env bash
# compare: one column a configuration; a configuration that fails makes the whole fail and says why.
. "$(dirname "$0")/_lib.sh"
cd "$LOCKSTEP_SRC/tests/reference" || exit 1
expect 0 "speed-up" compare scan.yaml
expect 0 "gtx480-sm2 lrr" compare --machine gtx480,gtx480-sm2 --sched gto,lrr scan.yaml
expect 0 "kernel scan" compare --kernels --sched lrr scan.yaml
expect 1 "partial: max-cycles" compare --max-cycles 50 scan.yaml
sed 's/crc32: 0x......../crc32: 0x00000001/; s/scan\.ptx/tests\/reference\/scan.ptx/' scan.yaml >"$folder/wrong.yaml"
mkdir -p "$folder/tests/reference" && cp scan.ptx "$folder/tests/reference/"
expect 1 "FAIL" compare --sched lrr "$folder/wrong.yaml"
"$LOCKSTEP" compare --sched lrr,gto --stats "$folder/all.json" scan.yaml >/dev/null || exit 1
[ "$(grep -c '"schema": 2' "$folder/all.json")" -eq 2 ] || { echo "not two documents in the JSON"; failures=1; }
# The shares of a column's scheduler-cycles add up to all of them.
"$LOCKSTEP" compare --sched lrr scan.yaml | awk '/^  / { sum += $2 } END { exit !(sum > 99.4 && sum < 100.6) }' ||
    { echo "shares do not add up"; failures=1; }
finish
