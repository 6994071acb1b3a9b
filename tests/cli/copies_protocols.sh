#!/usr/bin/env bash
# Copies in bulk under every protocol: of lines that L1s share, or own with what threads have written, and to lines of which L1s have copies; the
# same cycles on every number of threads and stepped.
. "$(dirname "$0")/_lib.sh"
cd "$folder" || exit 1
# Each of 4 blocks reads both arrays, so that L1s have copies; writes its part of `in`; then brings the next block's part by a copy, adds 7, and
# has it copied to its part of `mid`, and added to `sum`. What another block copied is read back, and what its own did.
cat >passes.ptx <<'P'
.version 8.0
.target sm_90
.address_size 64
.shared .align 128 .b8 room[512];
.shared .align 8 .b64 full;
.visible .entry k(.param .u64 in, .param .u64 mid, .param .u64 sum, .param .u64 out, .param .u64 count)
{
    .reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %d<20>;
    ld.param.u64 %d1, [in]; ld.param.u64 %d2, [mid]; ld.param.u64 %d3, [sum]; ld.param.u64 %d4, [out]; ld.param.u64 %d5, [count];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;
    setp.eq.u32 %p1, %r1, 0;
    mov.u32 %r3, full; mov.u32 %r4, room;
    @%p1 mbarrier.init.shared.b64 [%r3], 1;
    mul.wide.u32 %d6, %r1, 16;
    add.u64 %d7, %d1, %d6; add.u64 %d8, %d2, %d6;
    ld.global.u32 %r5, [%d7]; ld.global.u32 %r6, [%d8];
    ld.global.u32 %r7, [%d7+4]; ld.global.u32 %r8, [%d8+8];
    add.u32 %r5, %r5, %r6; add.u32 %r5, %r5, %r7; add.u32 %r5, %r5, %r8;
    and.b32 %r5, %r5, 0;
    fence.proxy.async;
    bar.sync 0;
    @%p1 red.release.gpu.global.add.u32 [%d5], 1;
FIRST:
    ld.acquire.gpu.global.u32 %r9, [%d5];
    setp.lt.u32 %p2, %r9, 4;
    @%p2 bra FIRST;
    bar.sync 0;
    mad.lo.u32 %r10, %r2, 128, %r1;
    mul.wide.u32 %d9, %r10, 4;
    mad.lo.u32 %r11, %r2, 1000, %r1;
    add.u32 %r11, %r11, %r5;
    add.u64 %d10, %d1, %d9;
    st.global.u32 [%d10], %r11;
    fence.acq_rel.gpu;
    fence.proxy.async;
    bar.sync 0;
    @%p1 red.release.gpu.global.add.u32 [%d5], 1;
SECOND:
    ld.acquire.gpu.global.u32 %r9, [%d5];
    setp.lt.u32 %p2, %r9, 8;
    @%p2 bra SECOND;
    fence.proxy.async;
    bar.sync 0;
    @!%p1 bra WAIT;
    mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 512;
    add.u32 %r12, %r2, 1; and.b32 %r12, %r12, 3;
    mul.wide.u32 %d11, %r12, 512; add.u64 %d11, %d1, %d11;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r4], [%d11], 512, [%r3];
WAIT:
    mbarrier.try_wait.parity.shared.b64 %p3, [%r3], 0;
    @!%p3 bra WAIT;
    shl.b32 %r13, %r1, 2; add.u32 %r13, %r13, %r4;
    ld.shared.u32 %r14, [%r13]; add.u32 %r14, %r14, 7; st.shared.u32 [%r13], %r14;
    fence.proxy.async;
    bar.sync 0;
    @!%p1 bra MEET;
    mul.wide.u32 %d12, %r2, 512; add.u64 %d13, %d2, %d12; add.u64 %d14, %d3, %d12;
    cp.async.bulk.global.shared::cta.bulk_group [%d13], [%r4], 512;
    cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d14], [%r4], 512;
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;
    fence.proxy.async;
    fence.acq_rel.gpu;
    red.release.gpu.global.add.u32 [%d5], 1;
MEET:
    ld.acquire.gpu.global.u32 %r9, [%d5];
    setp.lt.u32 %p2, %r9, 12;
    @%p2 bra MEET;
    fence.acq_rel.gpu;
    add.u32 %r15, %r2, 2; and.b32 %r15, %r15, 3;
    mad.lo.u32 %r15, %r15, 128, %r1;
    mul.wide.u32 %d15, %r15, 4; add.u64 %d16, %d2, %d15; add.u64 %d17, %d3, %d15;
    add.u64 %d19, %d2, %d9;
    ld.global.u32 %r16, [%d16]; ld.global.u32 %r17, [%d17]; ld.global.u32 %r18, [%d19];
    add.u32 %r16, %r16, %r17; add.u32 %r16, %r16, %r18;
    add.u64 %d18, %d4, %d9;
    st.global.u32 [%d18], %r16;
    ret;
}
P
cat >passes.yaml <<'Y'
ptx: passes.ptx
kernel: k
grid: [4, 1, 1]
block: [128, 1, 1]
shared: 0
buffers:
  in: {type: u32, count: 512, init: zero}
  mid: {type: u32, count: 512, init: zero}
  sum: {type: u32, count: 512, init: zero}
  out: {type: u32, count: 512, init: zero}
  count: {type: u32, count: 1, init: zero}
args:
  - in
  - mid
  - sum
  - out
  - count
check:
  - {buffer: out, sum_u32: 2412288}
  - {buffer: mid, sum_u32: 804096}
Y
cycles_of() {
    sed -n 's/^ *"cycles": \([0-9]*\),*$/\1/p' "$1" | head -n 1
}
small=(--machine h100 --set gpu.sms=8 --set gpu.gpc_sms=4)
protocols=$("$LOCKSTEP" protocols | awk '/^[a-z]/ { print $1 }')
[ "$(echo "$protocols" | wc -l)" -ge 7 ] || wrong "protocols: $protocols"
for protocol in $protocols; do
    json with "${small[@]}" --protocol "$protocol" passes.yaml || continue
    cycles=$(cycles_of with)
    for how in "--threads 3" --no-skip; do
        # shellcheck disable=SC2086
        json other "${small[@]}" --protocol "$protocol" $how passes.yaml || continue
        [ "$(cycles_of other)" = "$cycles" ] || wrong "$protocol $how: other cycles"
    done
done
json with "${small[@]}" --check mem,race,init passes.yaml
# Machines whose lines have 64 bytes: each line is asked for by itself.
for machine in thesis apu8; do
    for protocol in $protocols; do
        json with --machine "$machine" --protocol "$protocol" passes.yaml
    done
done
finish
