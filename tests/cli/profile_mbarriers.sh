#!/usr/bin/env bash
# Profiles and time-lines by mbarrier object, and of barriers of clusters: what they count adds up to the statistics, on every number of
# threads and stepped; tables, traces and pages have it.
. "$(dirname "$0")/_lib.sh"
cd "$folder" || exit 1
# Warp 0 brings 1 KiB for `full`, at which warp 1 arrives late; then all warps of the cluster meet. Warp 2 looks without being suspended.
cat >wait.ptx <<'P'
.version 8.0
.target sm_90
.address_size 64
.shared .align 128 .b8 room[1024];
.shared .align 8 .b64 spare;
.shared .align 8 .b64 full;
.visible .entry k(.param .u64 in, .param .u64 out)
{
    .reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %d<8>;
    ld.param.u64 %d1, [in];
    ld.param.u64 %d2, [out];
    mov.u32 %r1, %tid.x;
    shr.u32 %r2, %r1, 5;
    setp.eq.u32 %p1, %r1, 0;
    mov.u32 %r3, full;
    @%p1 mbarrier.init.shared.b64 [%r3], 2;
    bar.sync 0;
    setp.eq.u32 %p2, %r1, 32;
    @!%p1 bra LATE;
    mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 1024;
    mov.u32 %r4, room;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r4], [%d1], 1024, [%r3];
LATE:
    @!%p2 bra WAIT;
    nanosleep.u32 3000;
    mbarrier.arrive.shared.b64 _, [%r3];
WAIT:
    setp.eq.u32 %p2, %r2, 2;
    @%p2 bra LOOK;
TRY:
    mbarrier.try_wait.parity.shared.b64 %p3, [%r3], 0;
    @!%p3 bra TRY;
    bra.uni DONE;
LOOK:
    mbarrier.test_wait.parity.shared.b64 %p3, [%r3], 0;
    @!%p3 bra LOOK;
DONE:
    shl.b32 %r5, %r1, 2;
    mov.u32 %r6, room;
    add.u32 %r6, %r6, %r5;
    ld.shared.u32 %r7, [%r6];
    barrier.cluster.arrive;
    barrier.cluster.wait;
    mov.u32 %r8, %ctaid.x;
    mad.lo.u32 %r8, %r8, 96, %r1;
    mul.wide.u32 %d3, %r8, 4;
    add.u64 %d3, %d2, %d3;
    st.global.u32 [%d3], %r7;
    ret;
}
P
cat >wait.yaml <<'Y'
ptx: wait.ptx
kernel: k
grid: [4, 1, 1]
block: [96, 1, 1]
cluster: [2, 1, 1]
shared: 0
buffers:
  in: {type: u32, count: 256, init: zero}
  out: {type: u32, count: 384, init: zero}
args:
  - in
  - out
Y
# member NAME FILE: the numbers of that name in the profile's mbarriers.
member() {
    awk -v name="\"$1\":" '/"mbarriers": \[/ { inside = 1 } inside && $1 == name { gsub(/,/, "", $2); print $2 } inside && /^ *\],?$/ && --depth < 0 { exit } inside && /\[$/ { depth++ }' "$2" | head -n 1
}
sum_of() { # the warp-cycles of a cause, in the statistics
    awk -v name="\"$1\":" '/"warps": \{/ { inside = 1 } inside && $1 == name { gsub(/,/, "", $2); print $2; exit }' "$2"
}
small="--machine h100 --set gpu.sms=8 --set gpu.gpc_sms=4"
# shellcheck disable=SC2086
json with $small --profile wait.yaml
[ "$(member phases with)" = 4 ] || wrong "phases: $(member phases with)"
[ "$(member arrivals with)" = 8 ] || wrong "arrivals: $(member arrivals with)"
[ "$(member expected with)" = 4096 ] || wrong "bytes expected: $(member expected with)"
[ "$(member came with)" = 4096 ] || wrong "bytes that came: $(member came with)"
[ "$(member by_bytes with)" = 0 ] || wrong "an arrival ended the phases: $(member by_bytes with)"
[ "$(member handovers with)" = 4 ] || wrong "handovers: $(member handovers with)"
[ "$(member handed with)" -gt 0 ] || wrong "handed: $(member handed with)"
[ "$(member open with)" -gt 8000 ] || wrong "the phases were not open for long: $(member open with)"
[ "$(member waited with)" = "$(sum_of mbarrier with)" ] || wrong "waited $(member waited with), the statistic has $(sum_of mbarrier with)"
[ "$(sum_of mbarrier with)" -gt 8000 ] || wrong "nobody waited"
grep -q '"name": "full"' with || wrong "the object has no name"
awk '/"barriers": \[/ { inside = 1 } inside && $1 == "\"waited\":" { gsub(/,/, "", $2); sum += $2 } /"mbarriers": \[/ { exit } END { print sum }' with >waited
[ "$(cat waited)" = $(($(sum_of cluster with) + $(sum_of barrier with))) ] ||
    wrong "barriers: $(cat waited), the statistics have $(sum_of cluster with) and $(sum_of barrier with)"
[ "$(sum_of cluster with)" -gt 0 ] || wrong "nobody waited for the cluster"

for how in "--threads 3" --no-skip; do
    # shellcheck disable=SC2086
    json other $small $how --profile wait.yaml
    for count in phases waited handed open looks; do
        [ "$(member $count with)" = "$(member $count other)" ] || wrong "$how: another $count"
    done
done

# shellcheck disable=SC2086
"$LOCKSTEP" run $small --profile --timeline line --report page.html wait.yaml >out 2>err || { cat err; wrong "no time-line"; }
grep -q '^ wait     phases  arrivals      bytes     open   handed  mbarrier$' out || { cat out; wrong "no table of mbarriers"; }
grep -Eq '^ *[0-9.]+%  +4  +8  +4096  +[0-9]+  +[0-9]+  full$' out || { cat out; wrong "no row of the object"; }
tr -s '\n ' ' ' <out | grep -q 'waited for at line 35 of the PTX and line 31 of the PTX, arrived at line 20 of the PTX and line 26 of the PTX, bytes expected at line 20 of the PTX, copied at line 22 of the PTX ' ||
    { cat out; wrong "its lines are not named"; }
grep -Eq '^ *[0-9.]+%  +2  +[0-9]+ .*line 43 of the PTX$' out || { cat out; wrong "the cluster's barrier is not in the table"; }
grep -q '>Mbarriers<' page.html || wrong "the page has no mbarriers"

"$LOCKSTEP" timeline line --perfetto trace >out 2>&1 || { cat out; wrong "no trace"; }
grep -aq 'mbarrier full' trace || wrong "the trace does not name the mbarrier"
grep -aq 'at barrier' trace || wrong "the trace has no barriers"
if command -v zstd >/dev/null; then
    zstd -dc line | awk -F'[][]' '/"mbarriers":\[[0-9]/ { n = split($2, f, ","); for (i = 1; i <= n; i += 5) sum += f[i + 2] - f[i + 1] - 1 } END { print sum }' >waits
    [ "$(cat waits)" = "$(member waited with)" ] || wrong "the time-line's waits are $(cat waits) cycles, the profile's $(member waited with)"
fi
finish
