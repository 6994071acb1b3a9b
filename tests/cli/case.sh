#!/usr/bin/env bash
# Launch files: exit codes for each way a run can end, results as JSON and CSV, and errors with line and column.
. "$(dirname "$0")/_lib.sh"
reference=$LOCKSTEP_SRC/tests/reference

# edit FROM TO FILE: vecadd's launch file with FROM replaced; TO may hold \n.
edit() {
    sed "s/$1/$2/" "$reference/vecadd.yaml" >"$folder/$3.yaml"
}
cp "$reference/vecadd.ptx" "$folder/"

expect 0 "PASS c crc32: 0x4ab7cb55" run "$reference/vecadd.yaml"
edit 0x4ab7cb55 0x4ab7cb56 wrong
expect 1 "FAIL c crc32: 0x4ab7cb55, expected 0x4ab7cb56" run "$folder/wrong.yaml"
expect 1 "FAIL c crc32" run --quiet "$folder/wrong.yaml"
expect 4 "limit" run --max-cycles 100 "$reference/vecadd.yaml"
expect 2 "takes no arguments" run "$reference/vecadd.yaml" more

edit 'kernel: vecadd' 'kernel: vecad' a
expect 2 "a.yaml:3:9: error: vecadd.ptx has no kernel 'vecad'" run "$folder/a.yaml"
edit 'ptx: vecadd.ptx' 'ptx: none.ptx' a
expect 2 "a.yaml:2:6: error: no PTX in 'none.ptx'" run "$folder/a.yaml"
edit '  - c$' '  - d' a
expect 2 "a.yaml:15:5: error: 'd' is not known here" run "$folder/a.yaml"
edit 'u32: 98304' 'u64: 98304' a
expect 2 "has 4 bytes, this has 8" run "$folder/a.yaml"
edit 'u32: 98304' 'u32: 4294967296' a
expect 2 "a.yaml:16:11: error: 4294967296 does not fit u32" run "$folder/a.yaml"
edit 'u32: 98304' 'f32: 1e39' a
expect 2 "a.yaml:16:11: error: 1e39 does not fit f32" run "$folder/a.yaml"
edit 'u32: 98304' 'f64: -1e400' a
expect 2 "error: -1e400 does not fit f64" run "$folder/a.yaml"
edit 'init: zero' 'init: {const: 4e38}' a
expect 2 "error: 4e38 does not fit f32" run "$folder/a.yaml"
edit 'init: zero' 'init: {const: -inf}' a
expect 0 "" run --quiet --mode functional "$folder/a.yaml"
edit '  - c$' '' a
expect 2 "the kernel has 4 parameters, args has 3" run "$folder/a.yaml"
edit 'grid: .*' 'grid: [0, 1]' a
expect 2 "a.yaml:4:8: error: 0 is out of range" run "$folder/a.yaml"
edit 'grid: .*' 'grid: [2147483647, 2147483647, 2147483647]' a
expect 2 "a grid has at most 2^40 blocks" run "$folder/a.yaml"
edit 'init: zero' 'init: {file: none.bin}' a
expect 2 "no content for buffer 'c'" run "$folder/a.yaml"
edit 'init: zero' 'init: {file: vecadd.ptx}' a
expect 2 "bytes, the buffer 393216" run "$folder/a.yaml"
edit 'registers: 12' 'register: 12' a
expect 2 "did you mean 'registers'?" run "$folder/a.yaml"

# A kernel outside its buffers is stopped with the place in the PTX.
edit 'c: {type: f32, count: 98304' 'c: {type: f32, count: 64' small
sed -i '/^check/,$d' "$folder/small.yaml"
expect 1 "vecadd.ptx:" run "$folder/small.yaml"

# A warp that waits for its own lock is diagnosed, not run for ever.
cat >"$folder/lock.ptx" <<'P'
.version 6.0
.target sm_30
.address_size 64
.visible .entry lock(.param .u64 m)
{
 .reg .b32 %r<3>; .reg .b64 %rd<2>; .reg .pred %p;
 ld.param.u64 %rd1, [m];
L: atom.global.cas.b32 %r1, [%rd1], 0, 1;
 setp.ne.s32 %p, %r1, 0;
 @%p bra L;
 atom.global.exch.b32 %r2, [%rd1], 0;
 ret;
}
P
cat >"$folder/lock.yaml" <<'Y'
ptx: lock.ptx
kernel: lock
grid: [1]
block: [32]
buffers:
  m: {type: u32, count: 1, init: zero}
args: [m]
Y
expect 3 "lock.ptx:8" run "$folder/lock.yaml"

"$LOCKSTEP" run --quiet --stats "$folder/r.json" "$reference/vecadd.yaml" || exit 1
for member in '"schema": 2' '"machine": {' '"scheduler": "gto"' '"mode": "timing"' '"kernels": [' '"name": "vecadd"' '"grid": [' \
    '"cycles": ' '"warp_instructions": ' '"thread_instructions": ' '"ipc": ' '"simd_efficiency": ' '"stalls": {' '"l1d": {' '"l2": {' \
    '"dram": {' '"host": {' '"peak_rss_bytes": ' '"pass": true'; do
    grep -qF "$member" "$folder/r.json" || { echo "no $member in the JSON"; failures=1; }
done
"$LOCKSTEP" run --quiet --stats "$folder/r.csv" "$reference/vecadd.yaml" || exit 1
awk -F, 'NR == 1 { n = NF; for (i = 1; i <= NF; i++) if ($i == "stalls.issued") at = i }
    NR == 2 { good = NF == n && at && $at > 0 } END { exit !(good && NR == 2) }' "$folder/r.csv" || { echo "bad CSV"; failures=1; }
expect 2 "cannot write" run --quiet --stats "$folder/none/r.json" "$reference/vecadd.yaml"
# Results replace results alone: no program, source or notes under a name that slipped.
cp "$reference/vecadd.ptx" "$folder/mine.txt"
for option in --stats --hang-report "--checkpoint-every 100 --checkpoint"; do
    # shellcheck disable=SC2086
    expect 2 "mine.txt" run $option "$folder/mine.txt" "$reference/vecadd.yaml"
done
expect 2 "holds something else than statistics: it is not replaced" compare --stats "$folder/mine.txt" "$reference/vecadd.yaml"
expect 2 "holds something else than a page" validate --html "$folder/mine.txt"
expect 2 "is an input" cc "$LOCKSTEP_SRC/workloads/vecadd/vecadd.cu" -o "$LOCKSTEP_SRC/workloads/vecadd/vecadd.cu"
cmp "$reference/vecadd.ptx" "$folder/mine.txt" || wrong "a user's file was replaced"
expect 2 "holds something else than statistics" run --stats "$LOCKSTEP" "$reference/vecadd.yaml"
# One kind of results replaces another: JSON, CSV, those of compare, an empty file.
: >"$folder/again"
for i in 1 2; do
    expect 0 "" run --stats "$folder/again" "$reference/vecadd.yaml"
    expect 0 "" compare --sched lrr --stats "$folder/again" "$reference/vecadd.yaml"
    mv "$folder/again" "$folder/again.csv"
    expect 0 "" run --stats "$folder/again.csv" "$reference/vecadd.yaml"
    mv "$folder/again.csv" "$folder/again"
done
expect 3 "" run --hang-report "$folder/again.dot" "$folder/lock.yaml"
expect 3 "" run --hang-report "$folder/again.dot" "$folder/lock.yaml"
for i in 1 2; do
    expect 0 "" run --checkpoint-every 8000 --checkpoint "$folder/again.checkpoint" "$reference/vecadd.yaml"
    expect 0 "" validate --case vecadd --machine gtx480 --sched lrr --html "$folder/again.html"
done

# What has no end is not read for ever, wherever a file is named (texts have one limit, which takes a second to reach); a pipe is
# read to its end.
ln -s /dev/zero "$folder/endless.yaml"
expect 2 "endless.yaml: it has more than" run "$folder/endless.yaml"
expect 2 "/dev/zero" run --resume /dev/zero
if [ -n "${LOCKSTEP_LONG:-}" ]; then
    expect 2 "/dev/zero" disasm /dev/zero
    expect 2 "/dev/zero" run --machine /dev/zero "$reference/vecadd.yaml"
    edit 'ptx: vecadd.ptx' 'ptx: \/dev\/zero' a
    expect 2 "no PTX in '/dev/zero'" run "$folder/a.yaml"
fi
edit 'init: zero' 'init: {file: \/dev\/zero}' a
expect 2 "it has more than 393216 bytes" run "$folder/a.yaml"
[ "$(cat "$reference/vecadd.ptx" | "$LOCKSTEP" disasm /dev/stdin | wc -l)" -gt 10 ] || wrong "a pipe is not read"

# A link stays a link, whether to a file of the user's or to an open one.
ln -s r.json "$folder/link.json"
: >"$folder/r.json"
"$LOCKSTEP" run --quiet --stats "$folder/link.json" "$reference/vecadd.yaml" || failures=1
{ [ -L "$folder/link.json" ] && [ -s "$folder/r.json" ]; } || { echo "a link was replaced by the statistics"; failures=1; }
"$LOCKSTEP" run --quiet --stats /proc/self/fd/7 "$reference/vecadd.yaml" 7>"$folder/open.json" || failures=1
[ -s "$folder/open.json" ] || { echo "nothing was written to an open file"; failures=1; }
ls -A "$folder" | grep -q 'r.json.' && { echo "a temporary file was left"; failures=1; }
finish
