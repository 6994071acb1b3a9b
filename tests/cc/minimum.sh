#!/bin/sh
# min and max of integers become one instruction each, as with nvcc: neither a comparison nor a branch, which would make the
# lanes of a warp diverge and give the loop around them one more condition.
. "$(dirname "$0")/_common.sh"
need_clang

cat >"$work/minimum.cu" <<'END'
__global__ void ends(const int *a, const unsigned *b, const long long *c, const unsigned long long *d, unsigned long long *out)
{
    unsigned i = threadIdx.x;
    out[i] = min(a[i], a[i + 1]) + max(b[i], b[i + 1]) + min(c[i], c[i + 1]) + max(d[i], d[i + 1]) + min(b[i], 7) + umin(b[i], b[0]);
}
END
"$LOCKSTEP" cc --ptx "$work/minimum.cu" -o "$work/minimum.ptx" || fail "lockstep cc"
for form in min.s32 max.u32 min.s64 max.u64 min.u32; do
    grep -q "$form" "$work/minimum.ptx" || fail "no $form"
done
! grep -n 'setp\|selp\|bra' "$work/minimum.ptx" || fail "a comparison"
finish
