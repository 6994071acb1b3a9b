#!/usr/bin/env bash
# Cooperative launches of launch files: a grid barrier as nvcc's cooperative_groups compile it (the address of the workspace from
# %envreg1 and %envreg2, an atomic with release, loads with acquire), residency, checkpoints, and what is said without
# `cooperative: true`.
. "$(dirname "$0")/_lib.sh"

# Each of `rounds` rounds: thread 0 of a block adds its block's number + 1 to total[round]; after the barrier every thread compares the
# total with that of the whole grid, and stores how often it was right.
cat >"$folder/grid.ptx" <<'P'
.version 7.0
.target sm_70
.address_size 64
.visible .entry grid(.param .u64 total_p, .param .u64 right_p, .param .u32 rounds_p)
{
 .reg .pred %p<6>; .reg .b32 %r<32>; .reg .b64 %rd<16>;
 ld.param.u64 %rd1, [total_p];
 ld.param.u64 %rd2, [right_p];
 ld.param.u32 %r1, [rounds_p];
 mov.b64 %rd3, {%envreg2, %envreg1};
 mov.u32 %r20, %envreg2;
 mov.u32 %r21, %envreg1;
 cvt.u64.u32 %rd4, %r21;
 shl.b64 %rd4, %rd4, 32;
 cvt.u64.u32 %rd5, %r20;
 or.b64 %rd4, %rd4, %rd5;
 setp.ne.u64 %p1, %rd3, %rd4;
 @%p1 trap;
 add.s64 %rd6, %rd4, 4;
 mov.u32 %r2, %tid.x;
 mov.u32 %r3, %ctaid.x;
 mov.u32 %r4, %nctaid.x;
 add.u32 %r5, %r4, 1;
 mul.lo.u32 %r5, %r5, %r4;
 shr.u32 %r5, %r5, 1;
 mov.u32 %r6, 0;
 mov.u32 %r7, 0;
 setp.ne.u32 %p2, %r2, 0;
ROUND:
 mul.wide.u32 %rd7, %r7, 4;
 add.s64 %rd7, %rd1, %rd7;
 @%p2 bra ARRIVED;
 add.u32 %r8, %r3, 1;
 red.global.add.u32 [%rd7], %r8;
ARRIVED:
 barrier.sync 0;
 @%p2 bra LEFT;
 sub.u32 %r9, 0x80000001, %r4;
 setp.eq.u32 %p3, %r3, 0;
 selp.u32 %r10, %r9, 1, %p3;
 atom.add.release.gpu.u32 %r11, [%rd6], %r10;
WAIT:
 ld.acquire.gpu.u32 %r12, [%rd6];
 xor.b32 %r13, %r12, %r11;
 setp.ge.s32 %p4, %r13, 0;
 @%p4 bra WAIT;
LEFT:
 barrier.sync 0;
 ld.volatile.global.u32 %r14, [%rd7];
 setp.eq.u32 %p5, %r14, %r5;
 selp.u32 %r15, 1, 0, %p5;
 add.u32 %r6, %r6, %r15;
 add.u32 %r7, %r7, 1;
 setp.lt.u32 %p3, %r7, %r1;
 @%p3 bra ROUND;
 mov.u32 %r16, %ntid.x;
 mad.lo.u32 %r17, %r3, %r16, %r2;
 mul.wide.u32 %rd8, %r17, 4;
 add.s64 %rd8, %rd2, %rd8;
 st.global.u32 [%rd8], %r6;
 ret;
}
P
# launch BLOCKS COOPERATIVE: writes grid.yaml; 64 threads a block, 6 rounds.
launch() {
    cat >"$folder/grid.yaml" <<Y
ptx: grid.ptx
kernel: grid
grid: [$1]
block: [64]
$2
buffers:
  total: {type: u32, count: 6, init: zero}
  right: {type: u32, count: $(($1 * 64)), init: zero}
args: [total, right, {u32: 6}]
check:
  - {buffer: right, sum_u32: $(($1 * 64 * 6))}
Y
}
launch 30 "cooperative: true"
for sched in gto lrr tls; do
    expect 0 "" run --sched $sched "$folder/grid.yaml"
done
for machine in gtx480-sm2 gtx1080ti; do
    expect 0 "" run --machine $machine "$folder/grid.yaml"
done
expect 0 "" run --mode functional "$folder/grid.yaml"
json "$folder/one" "$folder/grid.yaml"
json "$folder/two" --threads 2 "$folder/grid.yaml"
json "$folder/stepped" --no-skip "$folder/grid.yaml"
cmp "$folder/one" "$folder/two" || wrong "two threads: another result"
cmp "$folder/one" "$folder/stepped" || wrong "--no-skip: another result"
(cd "$folder" && "$LOCKSTEP" run --quiet --checkpoint-every 1500 --checkpoint at.%c grid.yaml) || wrong "with checkpoints"
found=0
for file in "$folder"/at.*; do
    [ -e "$file" ] || continue
    found=$((found + 1))
    (cd "$folder" && "$LOCKSTEP" run --quiet --resume "$file") >/dev/null || wrong "resumed from $file"
done
[ "$found" -gt 1 ] || wrong "$found checkpoints"

# As many as fit are 8 on each of 15 SMs; one more is refused.
launch 120 "cooperative: true"
expect 0 "" run "$folder/grid.yaml"
expect 0 "" run --mode functional "$folder/grid.yaml"
launch 121 "cooperative: true"
expect 2 "its 121 blocks must be resident at once, but 8 of them fit on each of 15 SMs" run "$folder/grid.yaml"
expect 2 "121 blocks must be resident" run --mode functional "$folder/grid.yaml"

# Not launched cooperatively.
launch 2 "cooperative: false"
expect 1 "needs a cooperative launch" run "$folder/grid.yaml"
launch 2 ""
expect 1 "needs a cooperative launch" run --mode functional "$folder/grid.yaml"
launch 2 "cooperative: maybe"
expect 2 "cooperative: expected true or false" run "$folder/grid.yaml"

# A program with several cooperative launches is continued in any of them.
if command -v clang >/dev/null && [ -z "${LOCKSTEP_PRELOAD:-}" ]; then
    cd "$folder" || exit 1
    "$LOCKSTEP" cc "$LOCKSTEP_SRC/tests/cuda/grid.cu" -o prog || exit 1
    every=20000
    [ -z "${LOCKSTEP_LONG:-}" ] || every=9000
    whole=$("$LOCKSTEP" run --quiet --set gpu.sms=2 --checkpoint-every $every --checkpoint prog.%c ./prog 2>/dev/null)
    found=0
    for file in prog.*; do
        found=$((found + 1))
        [ "$("$LOCKSTEP" run --quiet --allow-code --resume "$file" 2>/dev/null)" = "$whole" ] || wrong "the program goes on otherwise from $file"
    done
    [ "$found" -gt 2 ] || wrong "$found checkpoints of the program"
fi
finish
