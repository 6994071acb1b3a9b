/* Arithmetic with a stated rounding (__fadd_rn, __dmul_rz ...), conversions between numbers (__float2int_rz ...), and
 * reinterpretation of bits (__float_as_int ...). One PTX instruction each; the letters are rn nearest even, rz towards
 * zero, ru up, rd down. */
#ifndef LOCKSTEP_ARITH_H
#define LOCKSTEP_ARITH_H

/* asm statements without volatile: pure, so that unused and repeated ones vanish. */
#define LOCKSTEP_OP1(NAME, R, RC, A, AC, TEXT)                                                                         \
    LOCKSTEP_DEVICE R NAME(A a)                                                                                        \
    {                                                                                                                  \
        R r;                                                                                                           \
        asm(TEXT " %0, %1;" : "=" RC(r) : AC(a));                                                                      \
        return r;                                                                                                      \
    }
#define LOCKSTEP_OP2(NAME, T, C, TEXT)                                                                                 \
    LOCKSTEP_DEVICE T NAME(T a, T b)                                                                                   \
    {                                                                                                                  \
        T r;                                                                                                           \
        asm(TEXT " %0, %1, %2;" : "=" C(r) : C(a), C(b));                                                              \
        return r;                                                                                                      \
    }
#define LOCKSTEP_OP3(NAME, T, C, TEXT)                                                                                 \
    LOCKSTEP_DEVICE T NAME(T a, T b, T c)                                                                              \
    {                                                                                                                  \
        T r;                                                                                                           \
        asm(TEXT " %0, %1, %2, %3;" : "=" C(r) : C(a), C(b), C(c));                                                    \
        return r;                                                                                                      \
    }

/* ---- rounded arithmetic; MODE is the PTX letter pair (rp is up, rm is down) ---- */
#define LOCKSTEP_ROUNDED(SUFFIX, MODE)                                                                                 \
    LOCKSTEP_OP2(__fadd_##SUFFIX, float, "f", "add." MODE ".f32")                                                      \
    LOCKSTEP_OP2(__fsub_##SUFFIX, float, "f", "sub." MODE ".f32")                                                      \
    LOCKSTEP_OP2(__fmul_##SUFFIX, float, "f", "mul." MODE ".f32")                                                      \
    LOCKSTEP_OP2(__fdiv_##SUFFIX, float, "f", "div." MODE ".f32")                                                      \
    LOCKSTEP_OP3(__fmaf_##SUFFIX, float, "f", "fma." MODE ".f32")                                                      \
    LOCKSTEP_OP1(__frcp_##SUFFIX, float, "f", float, "f", "rcp." MODE ".f32")                                          \
    LOCKSTEP_OP1(__fsqrt_##SUFFIX, float, "f", float, "f", "sqrt." MODE ".f32")                                        \
    LOCKSTEP_OP2(__dadd_##SUFFIX, double, "d", "add." MODE ".f64")                                                     \
    LOCKSTEP_OP2(__dsub_##SUFFIX, double, "d", "sub." MODE ".f64")                                                     \
    LOCKSTEP_OP2(__dmul_##SUFFIX, double, "d", "mul." MODE ".f64")                                                     \
    LOCKSTEP_OP2(__ddiv_##SUFFIX, double, "d", "div." MODE ".f64")                                                     \
    LOCKSTEP_OP3(__fma_##SUFFIX, double, "d", "fma." MODE ".f64")                                                      \
    LOCKSTEP_OP1(__drcp_##SUFFIX, double, "d", double, "d", "rcp." MODE ".f64")                                        \
    LOCKSTEP_OP1(__dsqrt_##SUFFIX, double, "d", double, "d", "sqrt." MODE ".f64")                                      \
    LOCKSTEP_OP1(__double2float_##SUFFIX, float, "f", double, "d", "cvt." MODE ".f32.f64")                             \
    LOCKSTEP_FROM_INTEGER(SUFFIX, MODE, int, int, "r", "s32")                                                          \
    LOCKSTEP_FROM_INTEGER(SUFFIX, MODE, uint, unsigned, "r", "u32")                                                    \
    LOCKSTEP_FROM_INTEGER(SUFFIX, MODE, ll, long long, "l", "s64")                                                     \
    LOCKSTEP_FROM_INTEGER(SUFFIX, MODE, ull, unsigned long long, "l", "u64")                                           \
    LOCKSTEP_OP1(__ll2double_##SUFFIX, double, "d", long long, "l", "cvt." MODE ".f64.s64")                            \
    LOCKSTEP_OP1(__ull2double_##SUFFIX, double, "d", unsigned long long, "l", "cvt." MODE ".f64.u64")
#define LOCKSTEP_FROM_INTEGER(SUFFIX, MODE, NAME, T, C, TYPE)                                                          \
    LOCKSTEP_OP1(__##NAME##2float_##SUFFIX, float, "f", T, C, "cvt." MODE ".f32." TYPE)
LOCKSTEP_ROUNDED(rn, "rn")
LOCKSTEP_ROUNDED(rz, "rz")
LOCKSTEP_ROUNDED(ru, "rp")
LOCKSTEP_ROUNDED(rd, "rm")
#undef LOCKSTEP_ROUNDED
#undef LOCKSTEP_FROM_INTEGER

/* ---- to integer: out of range saturates, NaN gives 0 (32-bit) as cvt does ---- */
#define LOCKSTEP_TO_INTEGER(SUFFIX, MODE)                                                                              \
    LOCKSTEP_OP1(__float2int_##SUFFIX, int, "r", float, "f", "cvt." MODE ".s32.f32")                                   \
    LOCKSTEP_OP1(__float2uint_##SUFFIX, unsigned, "r", float, "f", "cvt." MODE ".u32.f32")                             \
    LOCKSTEP_OP1(__float2ll_##SUFFIX, long long, "l", float, "f", "cvt." MODE ".s64.f32")                              \
    LOCKSTEP_OP1(__float2ull_##SUFFIX, unsigned long long, "l", float, "f", "cvt." MODE ".u64.f32")                    \
    LOCKSTEP_OP1(__double2int_##SUFFIX, int, "r", double, "d", "cvt." MODE ".s32.f64")                                 \
    LOCKSTEP_OP1(__double2uint_##SUFFIX, unsigned, "r", double, "d", "cvt." MODE ".u32.f64")                           \
    LOCKSTEP_OP1(__double2ll_##SUFFIX, long long, "l", double, "d", "cvt." MODE ".s64.f64")                            \
    LOCKSTEP_OP1(__double2ull_##SUFFIX, unsigned long long, "l", double, "d", "cvt." MODE ".u64.f64")
LOCKSTEP_TO_INTEGER(rn, "rni")
LOCKSTEP_TO_INTEGER(rz, "rzi")
LOCKSTEP_TO_INTEGER(ru, "rpi")
LOCKSTEP_TO_INTEGER(rd, "rmi")
#undef LOCKSTEP_TO_INTEGER

LOCKSTEP_DEVICE double __int2double_rn(int a)
{
    return (double)a;
}
LOCKSTEP_DEVICE double __uint2double_rn(unsigned a)
{
    return (double)a;
}

/* rsqrt has no rounded PTX form: the double quotient has error below 2^-52, so the rounding is right but for near-ties.
 */
LOCKSTEP_DEVICE float __frsqrt_rn(float a)
{
    return (float)(1.0 / __nvvm_sqrt_rn_d((double)a));
}

/* ---- fast forms: by the instructions, whose subnormals are 0 with -ftz=true ---- */
#ifdef LOCKSTEP_FLUSH
#define LOCKSTEP_FTZ ".ftz"
#else
#define LOCKSTEP_FTZ ""
#endif
LOCKSTEP_OP2(__fdividef, float, "f", "div.approx" LOCKSTEP_FTZ ".f32")
LOCKSTEP_OP1(__saturatef, float, "f", float, "f", "cvt.sat.f32.f32")
LOCKSTEP_OP1(lockstep_ex2_approx, float, "f", float, "f", "ex2.approx" LOCKSTEP_FTZ ".f32")
LOCKSTEP_OP1(lockstep_lg2_approx, float, "f", float, "f", "lg2.approx" LOCKSTEP_FTZ ".f32")
LOCKSTEP_OP1(__sinf, float, "f", float, "f", "sin.approx" LOCKSTEP_FTZ ".f32")
LOCKSTEP_OP1(__cosf, float, "f", float, "f", "cos.approx" LOCKSTEP_FTZ ".f32")
LOCKSTEP_OP1(lockstep_rsqrt_approx, float, "f", float, "f", "rsqrt.approx" LOCKSTEP_FTZ ".f32")
LOCKSTEP_DEVICE void __sincosf(float a, float *s, float *c)
{
    *s = __sinf(a);
    *c = __cosf(a);
}
LOCKSTEP_DEVICE float __tanf(float a)
{
    return __fdividef(__sinf(a), __cosf(a));
}
LOCKSTEP_OP1(__tanhf, float, "f", float, "f", "tanh.approx.f32")
LOCKSTEP_DEVICE float __expf(float a)
{
    return lockstep_ex2_approx(a * 1.44269504f);
}
LOCKSTEP_DEVICE float __exp10f(float a)
{
    return lockstep_ex2_approx(a * 3.32192809f);
}
LOCKSTEP_DEVICE float __log2f(float a)
{
    return lockstep_lg2_approx(a);
}
LOCKSTEP_DEVICE float __logf(float a)
{
    return lockstep_lg2_approx(a) * 0.693147181f;
}
LOCKSTEP_DEVICE float __log10f(float a)
{
    return lockstep_lg2_approx(a) * 0.301029996f;
}
LOCKSTEP_DEVICE float __powf(float a, float b)
{
    return lockstep_ex2_approx(b * lockstep_lg2_approx(a));
}

/* ---- bits ---- */
#define LOCKSTEP_BIT_CAST(NAME, R, A)                                                                                  \
    LOCKSTEP_DEVICE R NAME(A a)                                                                                        \
    {                                                                                                                  \
        return __builtin_bit_cast(R, a);                                                                               \
    }
LOCKSTEP_BIT_CAST(__float_as_int, int, float)
LOCKSTEP_BIT_CAST(__float_as_uint, unsigned, float)
LOCKSTEP_BIT_CAST(__int_as_float, float, int)
LOCKSTEP_BIT_CAST(__uint_as_float, float, unsigned)
LOCKSTEP_BIT_CAST(__double_as_longlong, long long, double)
LOCKSTEP_BIT_CAST(__longlong_as_double, double, long long)
#undef LOCKSTEP_BIT_CAST
LOCKSTEP_DEVICE int __double2loint(double a)
{
    return (int)__double_as_longlong(a);
}
LOCKSTEP_DEVICE int __double2hiint(double a)
{
    return (int)(__double_as_longlong(a) >> 32);
}
LOCKSTEP_DEVICE double __hiloint2double(int high, int low)
{
    return __builtin_bit_cast(double, (unsigned long long)(unsigned)high << 32 | (unsigned)low);
}

#undef LOCKSTEP_OP1
#undef LOCKSTEP_OP2
#undef LOCKSTEP_OP3

#endif
