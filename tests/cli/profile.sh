#!/usr/bin/env bash
# --profile: results are the same with it; its lines name the slow one, of a launch file and of a program; the profile in the results adds
# up to the statistics; what it cannot be combined with; checkpoints.
. "$(dirname "$0")/_lib.sh"
cd "$folder" || exit 1
cat >slow.ptx <<'P'
.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n)
{
    .reg .pred %q; .reg .b32 %r<9>; .reg .b64 %d<5>;
    ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mad.lo.u32 %r2, %r3, %r4, %r2;
    mul.wide.u32 %d2, %r2, 128;
    add.u64 %d2, %d1, %d2; mul.wide.u32 %d3, %r2, 4; add.u64 %d3, %d1, %d3;
BACK:
    ld.volatile.global.u32 %r5, [%d2];
    add.u32 %r6, %r6, %r5;
    ld.volatile.global.u32 %r5, [%d3];
    add.u32 %r6, %r6, %r5;
    sub.u32 %r1, %r1, 1;
    setp.ne.u32 %q, %r1, 0;
    @%q bra BACK;
    st.global.u32 [%d3], %r6;
    ret;
}
P
cat >slow.yaml <<'Y'
ptx: slow.ptx
kernel: k
grid: [4, 1, 1]
block: [128, 1, 1]
shared: 0
buffers:
  p: {type: u32, count: 16384, init: zero}
args:
  - p
  - {u32: 40}
Y
# places FILE: the lines that its profile names, as FILE:NUMBER.
places() {
    sed -nE 's/^ *[0-9.]+% +[0-9.]+% +[0-9.]+%  ([^ ]+).*/\1/p' "$1"
}
# closed FILE: says where warp-cycles of the profile, by cause, are not those of the statistics.
closed() {
    awk '/"profile": \{/ { inside = 1 } /"host": \{/ { inside = 0 } /"warps": \{/ { warps = 1 }
        { name = $1; value = $2; gsub(/[":,]/, "", name); gsub(/,/, "", value) }
        inside && /"cycles": \{/ { cycles = 1 } inside && cycles && value ~ /^[0-9]+$/ { sum += value; of[name] += value }
        inside && name == "issues" { issues += value }
        warps && value ~ /^[0-9]+$/ { whole += value; all[name] += value }
        /\}/ { cycles = warps = 0 }
        END { for (c in all) if (all[c] != of[c] + 0) print c, all[c], of[c]
              if (!whole || sum != whole || !issues) print "sum", whole, sum, issues }' "$1"
}
json plain slow.yaml
json with --profile slow.yaml
awk '/"profile": \{/ { inside = 1; match($0, /^ */); depth = RLENGTH } !inside { print }
    inside && /\}/ { match($0, /^ */); inside = RLENGTH > depth }' with | sed 's/,$//' >with.rest
sed 's/,$//' plain | diff - with.rest >difference || { cat difference; wrong "results depend on --profile"; }
[ -z "$(closed with.json)" ] || wrong "the profile does not add up: $(closed with.json)"
[ "$(places with.out | head -1)" = slow.ptx:12 ] || { cat with.out; wrong "the slow line is not the first"; }
grep -q '32.0 transactions an access, its lanes lie 128' with.out || { cat with.out; wrong "it does not say why"; }
awk 'length > 80' with.out | grep . && wrong "lines are too long"
for how in --no-skip "--threads 2"; do
    # shellcheck disable=SC2086
    json other --profile $how slow.yaml
    cmp -s with other || wrong "the profile depends on $how"
done
json ptx --profile --ptx slow.yaml
grep -qE '^ +[0-9.]+% +ld.volatile.global.u32' ptx.out || wrong "--ptx shows no instruction"
"$LOCKSTEP" run --quiet --profile --stats with.csv slow.yaml >/dev/null && ! grep -q profile with.csv || wrong "the CSV has a profile"
"$LOCKSTEP" run --quiet --profile --checkpoint-every 1500 --checkpoint at slow.yaml >/dev/null || wrong "checkpoints"
json rest --profile --resume at
grep -A1000000 '"profile"' with >a
grep -A1000000 '"profile"' rest | cmp -s - a || wrong "the profile goes on otherwise from a checkpoint"
expect 2 "it was taken with --profile, and is continued with no observer" run --resume at
expect 2 "a profile (--profile) needs timing mode" run --profile --mode functional slow.yaml
expect 2 "--ptx needs --profile" run --ptx slow.yaml

if [ -n "${LOCKSTEP_PRELOAD:-}" ] || ! command -v clang >/dev/null; then
    finish
    exit 0
fi
cat >slow.h <<'H'
static __device__ int far(const int *in, int i, int n)
{
    return in[i * 32 % n];
}
H
cat >p.cu <<'P'
#include "slow.h"
__global__ void work(const int *in, int *out, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (int r = 0; r < 20; r++) {
        sum += in[(t + r) % n];
        sum ^= far(in, t + r * 7919, n); // the slow one
    }
    out[t] = sum;
}
int main()
{
    int *in, *out;
    cudaMalloc(&in, 4 << 16), cudaMalloc(&out, 4 * 512);
    for (int i = 0; i < 2; i++) work<<<4, 128>>>(in, out, 1 << 16);
    return cudaDeviceSynchronize() != cudaSuccess;
}
P
"$LOCKSTEP" cc p.cu -o p || exit 1
json program --profile ./p
places program.out >lines
[ "$(head -2 lines | sort | tr '\n' ' ')" = "p.cu:7 slow.h:3 " ] || { cat program.out; wrong "the caller and the header's line are not the first"; }
grep -q 'slow.h:3 (called from$\|slow.h:3 (called from p.cu:7)' program.out || { cat program.out; wrong "it does not say who calls"; }
grep -q '^profile of work: .* in 2 launches$' program.out || wrong "launches are not added up"
[ -z "$(closed program.json)" ] || wrong "the program's profile does not add up: $(closed program.json)"
LOCKSTEP_PROFILE=1 ./p >/dev/null || wrong "a program by itself"
finish
