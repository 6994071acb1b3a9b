#!/bin/bash
# --use_fast_math: the functions that CUDA lists are the intrinsics of these names, under all their names, and others are as they
# were; the instructions are those that nvcc chooses, where it is installed.
. "$(dirname "$0")/_common.sh"
need_clang
cd "$work" || exit 1
cat >listed.cu <<'P'
#include <cmath>
__global__ void k(float *p)
{
    p[0] = LISTED(sinf)(p[0]), p[1] = LISTED(cosf)(p[1]), p[2] = LISTED(tanf)(p[2]), p[3] = LISTED(expf)(p[3]);
    p[4] = LISTED(exp10f)(p[4]), p[5] = LISTED(logf)(p[5]), p[6] = LISTED(log2f)(p[6]), p[7] = LISTED(log10f)(p[7]);
    p[8] = LISTED(powf)(p[8], p[9]), p[10] = LISTED(tanhf)(p[10]);
    LISTED(sincosf)(p[11], p + 12, p + 13);
}
P
cat >names.cu <<'P'
#include <cmath>
__global__ void k(float *p)
{
    p[0] = std::sin(p[0]), p[1] = cos(p[1]), p[2] = std::exp(p[2]), p[3] = std::pow(p[3], p[4]), p[5] = log(p[5]);
}
P
cat >others.cu <<'P'
#include <cmath>
__global__ void k(float *p, double *q)
{
    p[0] = sinhf(p[0]), p[1] = atanf(p[1]), p[2] = cbrtf(p[2]), q[0] = sin(q[0]), q[1] = exp(q[1]), q[2] = pow(q[2], q[3]);
}
P
ptx()
{
    "$LOCKSTEP" cc --ptx -arch sm_75 "$@" >log 2>&1 || { fail "cc $*" && cat log; }
}
# The approximate instructions of a file, sorted.
approximate()
{
    grep -oE '(sin|cos|ex2|lg2|div|sqrt|tanh)\.approx[a-z.0-9]*' "$1" | sort
}

ptx --use_fast_math '-DLISTED(f)=f' listed.cu -o fast.ptx
ptx --use_fast_math '-DLISTED(f)=__##f' listed.cu -o named.ptx
cmp fast.ptx named.ptx || fail "functions are not the intrinsics"
[ "$(approximate fast.ptx | wc -l)" -gt 12 ] || fail "few approximate instructions: $(approximate fast.ptx)"
ptx '-DLISTED(f)=f' listed.cu -o plain.ptx
[ -z "$(approximate plain.ptx)" ] || fail "approximate without the option: $(approximate plain.ptx)"
ptx --use_fast_math names.cu -o names.ptx
[ "$(approximate names.ptx | tr '\n' ' ')" = "cos.approx.ftz.f32 ex2.approx.ftz.f32 ex2.approx.ftz.f32 lg2.approx.ftz.f32 lg2.approx.ftz.f32 sin.approx.ftz.f32 " ] ||
    fail "other names: $(approximate names.ptx)"
ptx --use_fast_math others.cu -o others.ptx
approximate others.ptx | grep -v '^div' && fail "functions that are not listed"
ptx -ftz=true '-DLISTED(f)=__##f' listed.cu -o flushed.ptx
approximate flushed.ptx | grep -v 'ftz\|tanh' && fail "-ftz=true leaves subnormals"
# Before sm_75 there is no instruction for tanhf.
ptx -arch sm_60 --use_fast_math '-DLISTED(f)=f' listed.cu -o old.ptx
grep -q tanh.approx old.ptx && fail "tanh.approx for sm_60"

nvcc=$(nvidia_tool nvcc)
[ -n "$nvcc" ] || finish
"$nvcc" -ptx -arch=sm_75 --use_fast_math '-DLISTED(f)=f' listed.cu -o theirs.ptx 2>log || { fail "nvcc" && cat log; }
diff <(approximate theirs.ptx) <(approximate fast.ptx) || fail "other instructions than nvcc's"
finish
