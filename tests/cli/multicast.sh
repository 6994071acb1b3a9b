#!/usr/bin/env bash
# Copies to several blocks of a cluster that slices answer to each of them (sm.bulk_cast): the same values as where the SM that has asked sends
# the others what has come, under every protocol; the same cycles on every number of threads, stepped, and from a checkpoint; and as long to 8
# blocks as to 2.
. "$(dirname "$0")/_lib.sh"
cd "$folder" || exit 1
# Each block of a cluster brings its own 8 KB of `in` to all of it, by pieces that begin in the middle of lines of 128 bytes; then each adds up
# what it has got of block r, times r + 1.
cat >cast.ptx <<'P'
.version 8.0
.target sm_90
.address_size 64
.extern .shared .align 128 .b8 room[];
.shared .align 8 .b64 full;
.visible .entry k(.param .u64 in, .param .u64 out)
{
    .reg .pred %p<4>; .reg .b16 %h<2>; .reg .b32 %r<24>; .reg .b64 %d<12>;
    ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %cluster_ctarank; mov.u32 %r3, %cluster_nctarank; mov.u32 %r4, %ctaid.x;
    setp.eq.u32 %p1, %r1, 0;
    mov.u32 %r5, full; mov.u32 %r6, room;
    @%p1 mbarrier.init.shared.b64 [%r5], 1;
    @%p1 fence.mbarrier_init.release.cluster;
    mov.u32 %r7, 1; shl.b32 %r7, %r7, %r3; sub.u32 %r7, %r7, 1; cvt.u16.u32 %h1, %r7;
    mul.lo.u32 %r8, %r3, 8192;
    @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r5], %r8;
    barrier.cluster.arrive; barrier.cluster.wait;
    @!%p1 bra WAIT;
    mul.wide.u32 %d3, %r4, 8192; add.u64 %d4, %d1, %d3; add.u64 %d4, %d4, 48;
    mad.lo.u32 %r9, %r2, 8192, %r6;
    add.u32 %r10, %r9, 6144; add.u64 %d5, %d4, 6144;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r9], [%d4], 6144, [%r5], %h1;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r10], [%d5], 2048, [%r5], %h1;
WAIT:
    mbarrier.try_wait.parity.shared.b64 %p2, [%r5], 0;
    @!%p2 bra WAIT;
    mov.u32 %r11, 0; mov.u32 %r12, 0;
BLOCKS:
    mov.u32 %r13, 0; mov.u32 %r14, %r1;
WORDS:
    mad.lo.u32 %r15, %r12, 2048, %r14; shl.b32 %r15, %r15, 2; add.u32 %r15, %r15, %r6;
    ld.shared.u32 %r16, [%r15]; add.u32 %r13, %r13, %r16;
    add.u32 %r14, %r14, 64; setp.lt.u32 %p3, %r14, 2048;
    @%p3 bra WORDS;
    add.u32 %r12, %r12, 1; mad.lo.u32 %r11, %r13, %r12, %r11;
    setp.lt.u32 %p3, %r12, %r3;
    @%p3 bra BLOCKS;
    mad.lo.u32 %r17, %r4, 64, %r1; mul.wide.u32 %d6, %r17, 4; add.u64 %d6, %d2, %d6;
    st.global.u32 [%d6], %r11;
    ret;
}
P
# case_of BLOCKS CRC: blocks of a cluster, of which there are two; what the output is.
case_of() {
    cat <<Y
ptx: cast.ptx
kernel: k
grid: [$((2 * $1)), 1, 1]
block: [64, 1, 1]
shared: $(($1 * 8192))
cluster: [$1, 1, 1]
buffers:
  in: {type: u32, count: 36864, init: {iota: {start: 0, step: 1}}}
  out: {type: u32, count: 1024, init: zero}
args:
  - in
  - out
check:
  - {buffer: out, crc32: $2}
Y
}
case_of 2 0x735c7aa7 >two.yaml
case_of 8 0xdb5a54c8 >eight.yaml
cycles_of() {
    sed -n 's/^ *"cycles": \([0-9]*\),*$/\1/p' "$1" | head -n 1
}
small=(--machine h100 --set gpu.sms=16 --set gpu.gpc_sms=16)
protocols=$("$LOCKSTEP" protocols | awk '/^[a-z]/ { print $1 }')
for blocks in two eight; do
    for cast in true false; do
        json $cast "${small[@]}" --set sm.bulk_cast=$cast $blocks.yaml || continue
        whole=$(cycles_of $cast)
        for how in "--threads 2" "--threads 4" --no-skip "--set sm.bulk_narrow=1 --set partition.copy_sectors=1"; do
            # shellcheck disable=SC2086
            json other "${small[@]}" --set sm.bulk_cast=$cast $how $blocks.yaml || continue
            [ "$(cycles_of other)" = "$whole" ] || [ "${how#--set}" != "$how" ] || wrong "$blocks $cast $how: other cycles"
        done
    done
    for protocol in $protocols; do
        json other "${small[@]}" --protocol "$protocol" $blocks.yaml
    done
    json other "${small[@]}" --set sm.values_at_issue=true $blocks.yaml
    json other "${small[@]}" --check mem,race,init $blocks.yaml
    json whole "${small[@]}" $blocks.yaml
    whole=$(cycles_of whole)
    json saving "${small[@]}" --checkpoint-every $((whole / 40)) --checkpoint "$folder/at.%c" $blocks.yaml
    for saved in "$folder"/at.*; do
        json resumed --resume "$saved"
        [ "$(cycles_of resumed)" = "$whole" ] || wrong "${saved##*/} of $blocks: other cycles"
    done
    rm -f "$folder"/at.*
done
# One block of each cluster asks for 24 KB for all of it, which come to 8 blocks about as soon as to 2; where the SM that has asked sends them on,
# each piece passes 7 times.
sed -e 's/mul.lo.u32 %r8, %r3, 8192;/mov.u32 %r8, 24576;/' -e 's/6144, \[%r5\]/24576, [%r5]/' -e 's/@!%p1 bra WAIT;/setp.eq.and.u32 %p1, %r2, 0, %p1; @!%p1 bra WAIT;/' \
    -e '/2048, \[%r5\]/d' -e 's/^BLOCKS:/ret; BLOCKS:/' cast.ptx >one.ptx
for blocks in two eight; do
    sed -e 's/cast.ptx/one.ptx/' -e '/^check/,$d' -e 's/^shared: .*/shared: 65536/' $blocks.yaml >one_$blocks.yaml
    json $blocks "${small[@]}" one_$blocks.yaml
done
json sent "${small[@]}" --set sm.bulk_cast=false one_eight.yaml
two=$(cycles_of two) eight=$(cycles_of eight) sent=$(cycles_of sent)
[ $((eight - two)) -lt 300 ] || wrong "a multicast to 8 blocks: $eight cycles, to 2: $two"
[ $((sent - eight)) -gt 600 ] || wrong "a multicast to 8 blocks: $eight cycles, and $sent where SMs send it on"
finish
