#!/usr/bin/env bash
# A printed machine is a machine file: it loads back to the same machine. A file with a base says only what differs, and its errors
# carry line and column.
. "$(dirname "$0")/_lib.sh"
for name in gtx480 gtx480-sm2 gtx1080ti; do
    "$LOCKSTEP" machines "$name" >"$folder/$name.yaml" || exit 1
    "$LOCKSTEP" machines "$folder/$name.yaml" >"$folder/again.yaml" || exit 1
    cmp "$folder/$name.yaml" "$folder/again.yaml" || exit 1
done
cmp -s "$folder/gtx480.yaml" "$folder/gtx480-sm2.yaml" && { echo "the two machines are the same"; exit 1; }
# The source of every value is the table's default or the file: gtx480.yaml names every parameter.
"$LOCKSTEP" params | awk 'NR > 1 { split($1, part, "."); print part[2] }' | sort -u >"$folder/params"
sed -n 's/^  \([A-Za-z0-9_]*\):.*/\1/p' "$LOCKSTEP_SRC/machines/gtx480.yaml" | sort -u >"$folder/named"
diff "$folder/params" "$folder/named" || exit 1

printf 'base: gtx480-sm2\ndoc: mine\nsm:\n  warps: 16\n  threads: 512\n' >"$folder/mine.yaml"
expect 0 "warps: 16" machines "$folder/mine.yaml"
expect 0 "l1d_latency: 35" machines "$folder/mine.yaml"
expect 0 "warps: 8" machines --set sm.warps=8 "$folder/mine.yaml"
expect 0 PASS run --machine "$folder/mine.yaml" "$LOCKSTEP_SRC/tests/reference/alu_dep.yaml"
printf 'sm:\n  wraps: 16\n  warps: 99\nl2d:\n  sets: 4\nsm:\n' >"$folder/bad.yaml"
expect 2 "bad.yaml:6:1: error: 'sm' is given twice" machines "$folder/bad.yaml"
printf 'sm:\n  wraps: 16\n  warps: 99\nl2d:\n  sets: 4\n' >"$folder/bad.yaml"
expect 2 "bad.yaml:2:3: error: there is no parameter 'sm.wraps'" machines "$folder/bad.yaml"
expect 2 "bad.yaml:3:10: error: sm.warps = 99 is out of range" machines "$folder/bad.yaml"
expect 2 "bad.yaml:4:1: error: there is no parameter group 'l2d'" machines "$folder/bad.yaml"
printf 'sm: [\n' >"$folder/bad.yaml"
expect 2 "bad.yaml:" machines "$folder/bad.yaml"
expect 2 "Is a directory" machines "$folder"
head -c 4000 "$LOCKSTEP" >"$folder/bad.yaml"
expect 2 "bad.yaml" machines "$folder/bad.yaml"
finish
