#!/usr/bin/env bash
# A printed machine is a machine file: it loads back to the same machine. A file with a base says only what differs, and its errors
# carry line and column.
. "$(dirname "$0")/_lib.sh"
for name in gtx480 gtx480-sm2 gtx480-card gtx1080ti gtx1080ti-card apu8 apu128 thesis v100 a100 h100; do
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
# Without a base a file says everything: what it left out would be a GTX 480's in silence.
"$LOCKSTEP" machines gtx480-sm2 >"$folder/whole.yaml"
expect 0 "l1d_latency: 35" machines "$folder/whole.yaml"
sed '/l1d_latency/d' "$folder/whole.yaml" >"$folder/part.yaml"
expect 2 "part.yaml:1:1: error: a machine file without a base gives every parameter: sm.l1d_latency and 0 more are missing" machines "$folder/part.yaml"
: >"$folder/empty.yaml"
echo "doc: mine" >"$folder/doc.yaml"
for name in empty doc; do
    expect 2 "begin it with \`base: gtx480\`" run --machine "$folder/$name.yaml" "$LOCKSTEP_SRC/tests/reference/alu_dep.yaml"
done
printf 'sm:\n  wraps: 16\n  warps: 99\nl2d:\n  sets: 4\nsm:\n' >"$folder/bad.yaml"
expect 2 "bad.yaml:6:1: error: 'sm' is given twice" machines "$folder/bad.yaml"
printf 'sm:\n  wraps: 16\n  warps: 99\nl2d:\n  sets: 4\n' >"$folder/bad.yaml"
expect 2 "bad.yaml:2:3: error: there is no parameter 'sm.wraps'" machines "$folder/bad.yaml"
expect 2 "bad.yaml:3:10: error: sm.warps = 99 is out of range" machines "$folder/bad.yaml"
expect 2 "bad.yaml:4:1: error: there is no parameter group 'l2d'" machines "$folder/bad.yaml"
# What cannot work together is refused where the last of it was set, with the reason; nothing is blamed on a kernel.
printf 'base: gtx480\nl2:\n  miss_room: 3\n  miss_queue: 1\n' >"$folder/bad.yaml"
vecadd=$LOCKSTEP_SRC/tests/reference/vecadd.yaml
expect 2 "bad.yaml:4:15: error: l2.miss_queue = 1, l2.miss_room = 3: an access that misses would wait for ever" run --machine "$folder/bad.yaml" "$vecadd"
expect 2 "error: l2.miss_queue = 1, l2.miss_room = 2: an access" run --set l2.miss_queue=1 "$vecadd"
expect 2 "error: sm.l1d_queue = 1, l1d.miss_room = 2: a load" run --set sm.l1d_queue=1 "$vecadd"
expect 0 PASS run --set sm.l1d_queue=1 --set l1d.miss_room=1 "$vecadd"
expect 2 "partition.slices_per_channel = 3: bits of an address" run --set partition.channels=16 --set partition.slices_per_channel=3 "$vecadd"
expect 2 "partition.block_bytes = 96: blocks of addresses must be powers of two" run --set partition.block_bytes=96 "$vecadd"
expect 2 "l2.line_bytes = 128: the bytes of a line lie in one channel" run --set partition.block_bytes=64 "$vecadd"
expect 0 PASS run --set partition.block_bytes=128 --set partition.channels=5 "$vecadd"
expect 2 "network.core: there is no network core named mash" run --set network.core=mash "$vecadd"
expect 2 "known cores: crossbar, " run --set network.core=mash "$vecadd"
# Parameters that came after results had been published are told where they differ from their defaults.
for core in crossbar ideal; do
    "$LOCKSTEP" run --quiet --set network.core=$core --stats "$folder/$core.json" "$vecadd" >"$folder/out" || wrong "$core"
done
grep -q '"core": "ideal"' "$folder/ideal.json" || wrong "a result does not tell the core"
grep -q '"core"' "$folder/crossbar.json" && wrong "a result tells the usual core"
expect 2 "gpu.sms = 257 is out of range (1 to 256 SMs)" run --set gpu.sms=257 "$vecadd"
printf 'sm: [\n' >"$folder/bad.yaml"
expect 2 "bad.yaml:" machines "$folder/bad.yaml"
expect 2 "Is a directory" machines "$folder"
head -c 4000 "$LOCKSTEP" >"$folder/bad.yaml"
expect 2 "bad.yaml" machines "$folder/bad.yaml"

# Departures: each says another value than the machine has, and one that the machine can have.
"$LOCKSTEP" machines --departures >"$folder/departures" || wrong "departures"
awk 'NR > 1 { print $1, $2, $3, $4 }' "$folder/departures" >"$folder/rows"
[ "$(cut -d' ' -f1 "$folder/rows" | sort -u | wc -l)" -eq 3 ] || wrong "a machine has no departures"
while read -r name parameter here there; do
    [ "$here" != "$there" ] || wrong "$name departs with $parameter in nothing"
    case $parameter in
    *.*) expect 0 ": $there " machines --set "$parameter=$there" "$name" ;;
    *) expect 4 "" run --machine "$name" --sched "$there+bows" --max-cycles 100 "$vecadd" ;;
    esac
done <"$folder/rows"
expect 0 "gtx480-sm2  sm.overtakes" machines --departures "$folder/mine.yaml"
[ "$("$LOCKSTEP" machines --departures apu8 | wc -l)" -le 1 ] || wrong "apu8 is not described after GPGPU-Sim, and departs from it"
expect 2 "there is no machine named gtx481" machines --departures gtx481
finish
