/* Operators of both __half and __nv_bfloat16. The including header defines, for a 16-bit type S with pair type S2: the
 * scalar and pair arithmetic lockstep_add(a, b) ... on both types; this macro gives them CUDA's names, operators and
 * comparisons. */
#ifndef LOCKSTEP_HALF_OPS_H
#define LOCKSTEP_HALF_OPS_H

#define LOCKSTEP_HALF static __inline__ __host__ __device__

/* Comparisons go through float, which holds every value of both types. They are false when either is NaN, __hne too; the
 * `unordered` forms (u) are true then, and so is the operator !=. */
#define LOCKSTEP_HALF_COMPARE(S, S2, TO_FLOAT, NAME, OP)                                                               \
    LOCKSTEP_HALF bool __h##NAME(S a, S b)                                                                             \
    {                                                                                                                  \
        float x = TO_FLOAT(a), y = TO_FLOAT(b);                                                                        \
        return x == x && y == y && x OP y;                                                                             \
    }                                                                                                                  \
    LOCKSTEP_HALF bool __h##NAME##u(S a, S b)                                                                          \
    {                                                                                                                  \
        float x = TO_FLOAT(a), y = TO_FLOAT(b);                                                                        \
        return x != x || y != y || x OP y;                                                                             \
    }                                                                                                                  \
    LOCKSTEP_HALF S2 __h##NAME##2(S2 a, S2 b)                                                                          \
    {                                                                                                                  \
        return lockstep_pair(__h##NAME(a.x, b.x) ? lockstep_one(a.x) : lockstep_zero(a.x),                             \
                             __h##NAME(a.y, b.y) ? lockstep_one(a.x) : lockstep_zero(a.x));                            \
    }                                                                                                                  \
    LOCKSTEP_HALF S2 __h##NAME##u2(S2 a, S2 b)                                                                         \
    {                                                                                                                  \
        return lockstep_pair(__h##NAME##u(a.x, b.x) ? lockstep_one(a.x) : lockstep_zero(a.x),                          \
                             __h##NAME##u(a.y, b.y) ? lockstep_one(a.x) : lockstep_zero(a.x));                         \
    }                                                                                                                  \
    LOCKSTEP_HALF bool __hb##NAME##u2(S2 a, S2 b)                                                                      \
    {                                                                                                                  \
        return __h##NAME##u(a.x, b.x) && __h##NAME##u(a.y, b.y);                                                       \
    }                                                                                                                  \
    LOCKSTEP_HALF unsigned __h##NAME##2_mask(S2 a, S2 b)                                                               \
    {                                                                                                                  \
        return (__h##NAME(a.x, b.x) ? 0xffffu : 0u) | (__h##NAME(a.y, b.y) ? 0xffff0000u : 0u);                        \
    }                                                                                                                  \
    LOCKSTEP_HALF unsigned __h##NAME##u2_mask(S2 a, S2 b)                                                              \
    {                                                                                                                  \
        return (__h##NAME##u(a.x, b.x) ? 0xffffu : 0u) | (__h##NAME##u(a.y, b.y) ? 0xffff0000u : 0u);                  \
    }                                                                                                                  \
    LOCKSTEP_HALF bool __hb##NAME##2(S2 a, S2 b)                                                                       \
    {                                                                                                                  \
        return __h##NAME(a.x, b.x) && __h##NAME(a.y, b.y);                                                             \
    }                                                                                                                  \
    LOCKSTEP_HALF bool operator OP(S a, S b)                                                                           \
    {                                                                                                                  \
        return TO_FLOAT(a) OP TO_FLOAT(b);                                                                             \
    }                                                                                                                  \
    LOCKSTEP_HALF bool operator OP(S2 a, S2 b)                                                                         \
    {                                                                                                                  \
        return a.x OP b.x && a.y OP b.y;                                                                               \
    }

#define LOCKSTEP_HALF_BINARY(S, S2, NAME, OP)                                                                          \
    LOCKSTEP_HALF S __h##NAME(S a, S b)                                                                                \
    {                                                                                                                  \
        return lockstep_##NAME(a, b);                                                                                  \
    }                                                                                                                  \
    LOCKSTEP_HALF S2 __h##NAME##2(S2 a, S2 b)                                                                          \
    {                                                                                                                  \
        return lockstep_##NAME(a, b);                                                                                  \
    }                                                                                                                  \
    LOCKSTEP_HALF S __h##NAME##_rn(S a, S b)                                                                           \
    {                                                                                                                  \
        return lockstep_##NAME(a, b);                                                                                  \
    }                                                                                                                  \
    LOCKSTEP_HALF S2 __h##NAME##2_rn(S2 a, S2 b)                                                                       \
    {                                                                                                                  \
        return lockstep_##NAME(a, b);                                                                                  \
    }                                                                                                                  \
    LOCKSTEP_HALF S __h##NAME##_sat(S a, S b)                                                                          \
    {                                                                                                                  \
        return lockstep_clamp(lockstep_##NAME(a, b));                                                                  \
    }                                                                                                                  \
    LOCKSTEP_HALF S2 __h##NAME##2_sat(S2 a, S2 b)                                                                      \
    {                                                                                                                  \
        return lockstep_clamp(lockstep_##NAME(a, b));                                                                  \
    }                                                                                                                  \
    LOCKSTEP_HALF S operator OP(S a, S b)                                                                              \
    {                                                                                                                  \
        return lockstep_##NAME(a, b);                                                                                  \
    }                                                                                                                  \
    LOCKSTEP_HALF S2 operator OP(S2 a, S2 b)                                                                           \
    {                                                                                                                  \
        return lockstep_##NAME(a, b);                                                                                  \
    }                                                                                                                  \
    LOCKSTEP_HALF S &operator OP##=(S &a, S b)                                                                         \
    {                                                                                                                  \
        return a = lockstep_##NAME(a, b);                                                                              \
    }                                                                                                                  \
    LOCKSTEP_HALF S2 &operator OP##=(S2 &a, S2 b)                                                                      \
    {                                                                                                                  \
        return a = lockstep_##NAME(a, b);                                                                              \
    }

#if defined(__CUDA__)
/* A function of one number, evaluated in float, which has the digits to make the last rounding right but for near-ties.
 */
#define LOCKSTEP_HALF_UNARY(S, S2, NAME, TO_FLOAT, FROM_FLOAT, EXPRESSION)                                             \
    static __device__ inline S h##NAME(S a)                                                                            \
    {                                                                                                                  \
        float x = TO_FLOAT(a);                                                                                         \
        return FROM_FLOAT(EXPRESSION);                                                                                 \
    }                                                                                                                  \
    static __device__ inline S2 h2##NAME(S2 a)                                                                         \
    {                                                                                                                  \
        return lockstep_pair(h##NAME(a.x), h##NAME(a.y));                                                              \
    }
#else /* as with nvcc, functions of mathematics and shuffles are of device code alone */
#define LOCKSTEP_HALF_UNARY(S, S2, NAME, TO_FLOAT, FROM_FLOAT, EXPRESSION)
#endif

/* To [0, 1], NaN to 0. */
#define LOCKSTEP_HALF_CLAMP(S, S2, TO_FLOAT)                                                                           \
    LOCKSTEP_HALF S lockstep_clamp(S a)                                                                                \
    {                                                                                                                  \
        float x = TO_FLOAT(a);                                                                                         \
        return x > 1.0f ? lockstep_one(a) : x > 0.0f ? a : lockstep_zero(a);                                           \
    }                                                                                                                  \
    LOCKSTEP_HALF S2 lockstep_clamp(S2 a)                                                                              \
    {                                                                                                                  \
        return lockstep_pair(lockstep_clamp(a.x), lockstep_clamp(a.y));                                                \
    }                                                                                                                  \
    /* Negative numbers to 0, -0 as well; NaN stays. */                                                                \
    LOCKSTEP_HALF S lockstep_relu(S a)                                                                                 \
    {                                                                                                                  \
        float x = TO_FLOAT(a);                                                                                         \
        return x > 0.0f || x != x ? a : lockstep_zero(a);                                                              \
    }                                                                                                                  \
    LOCKSTEP_HALF S2 lockstep_relu(S2 a)                                                                               \
    {                                                                                                                  \
        return lockstep_pair(lockstep_relu(a.x), lockstep_relu(a.y));                                                  \
    }

#define LOCKSTEP_HALF_FUNCTIONS(S, S2, TO_FLOAT, FROM_FLOAT)                                                           \
    LOCKSTEP_HALF_CLAMP(S, S2, TO_FLOAT)                                                                               \
    LOCKSTEP_HALF_BINARY(S, S2, add, +)                                                                                \
    LOCKSTEP_HALF_BINARY(S, S2, sub, -)                                                                                \
    LOCKSTEP_HALF_BINARY(S, S2, mul, *)                                                                                \
    LOCKSTEP_HALF S __hdiv(S a, S b)                                                                                   \
    {                                                                                                                  \
        return FROM_FLOAT(TO_FLOAT(a) / TO_FLOAT(b));                                                                  \
    }                                                                                                                  \
    LOCKSTEP_HALF S2 __h2div(S2 a, S2 b)                                                                               \
    {                                                                                                                  \
        return lockstep_pair(__hdiv(a.x, b.x), __hdiv(a.y, b.y));                                                      \
    }                                                                                                                  \
    LOCKSTEP_HALF S operator/(S a, S b)                                                                                \
    {                                                                                                                  \
        return __hdiv(a, b);                                                                                           \
    }                                                                                                                  \
    LOCKSTEP_HALF S2 operator/(S2 a, S2 b)                                                                             \
    {                                                                                                                  \
        return __h2div(a, b);                                                                                          \
    }                                                                                                                  \
    LOCKSTEP_HALF S &operator/=(S &a, S b)                                                                             \
    {                                                                                                                  \
        return a = __hdiv(a, b);                                                                                       \
    }                                                                                                                  \
    LOCKSTEP_HALF S2 &operator/=(S2 &a, S2 b)                                                                          \
    {                                                                                                                  \
        return a = __h2div(a, b);                                                                                      \
    }                                                                                                                  \
    LOCKSTEP_HALF S __hfma(S a, S b, S c)                                                                              \
    {                                                                                                                  \
        return lockstep_fma(a, b, c);                                                                                  \
    }                                                                                                                  \
    LOCKSTEP_HALF S2 __hfma2(S2 a, S2 b, S2 c)                                                                         \
    {                                                                                                                  \
        return lockstep_fma(a, b, c);                                                                                  \
    }                                                                                                                  \
    LOCKSTEP_HALF S __hfma_sat(S a, S b, S c)                                                                          \
    {                                                                                                                  \
        return lockstep_clamp(lockstep_fma(a, b, c));                                                                  \
    }                                                                                                                  \
    LOCKSTEP_HALF S2 __hfma2_sat(S2 a, S2 b, S2 c)                                                                     \
    {                                                                                                                  \
        return lockstep_clamp(lockstep_fma(a, b, c));                                                                  \
    }                                                                                                                  \
    LOCKSTEP_HALF S __hfma_relu(S a, S b, S c)                                                                         \
    {                                                                                                                  \
        return lockstep_relu(lockstep_fma(a, b, c));                                                                   \
    }                                                                                                                  \
    LOCKSTEP_HALF S2 __hfma2_relu(S2 a, S2 b, S2 c)                                                                    \
    {                                                                                                                  \
        return lockstep_relu(lockstep_fma(a, b, c));                                                                   \
    }                                                                                                                  \
    /* a * b + c of complex numbers, real part first. */                                                               \
    LOCKSTEP_HALF S2 __hcmadd(S2 a, S2 b, S2 c)                                                                        \
    {                                                                                                                  \
        S real = lockstep_fma(a.x, b.x, c.x), imaginary = lockstep_fma(a.x, b.y, c.y);                                 \
        return lockstep_pair(lockstep_fma(lockstep_neg(a.y), b.y, real), lockstep_fma(a.y, b.x, imaginary));           \
    }                                                                                                                  \
    LOCKSTEP_HALF S __hneg(S a)                                                                                        \
    {                                                                                                                  \
        return lockstep_neg(a);                                                                                        \
    }                                                                                                                  \
    LOCKSTEP_HALF S2 __hneg2(S2 a)                                                                                     \
    {                                                                                                                  \
        return lockstep_pair(lockstep_neg(a.x), lockstep_neg(a.y));                                                    \
    }                                                                                                                  \
    LOCKSTEP_HALF S operator-(S a)                                                                                     \
    {                                                                                                                  \
        return __hneg(a);                                                                                              \
    }                                                                                                                  \
    LOCKSTEP_HALF S2 operator-(S2 a)                                                                                   \
    {                                                                                                                  \
        return __hneg2(a);                                                                                             \
    }                                                                                                                  \
    LOCKSTEP_HALF S operator+(S a)                                                                                     \
    {                                                                                                                  \
        return a;                                                                                                      \
    }                                                                                                                  \
    LOCKSTEP_HALF S __habs(S a)                                                                                        \
    {                                                                                                                  \
        return lockstep_abs(a);                                                                                        \
    }                                                                                                                  \
    LOCKSTEP_HALF S2 __habs2(S2 a)                                                                                     \
    {                                                                                                                  \
        return lockstep_pair(lockstep_abs(a.x), lockstep_abs(a.y));                                                    \
    }                                                                                                                  \
    LOCKSTEP_HALF_COMPARE(S, S2, TO_FLOAT, eq, ==)                                                                     \
    LOCKSTEP_HALF_COMPARE(S, S2, TO_FLOAT, ne, !=)                                                                     \
    LOCKSTEP_HALF_COMPARE(S, S2, TO_FLOAT, lt, <)                                                                      \
    LOCKSTEP_HALF_COMPARE(S, S2, TO_FLOAT, le, <=)                                                                     \
    LOCKSTEP_HALF_COMPARE(S, S2, TO_FLOAT, gt, >)                                                                      \
    LOCKSTEP_HALF_COMPARE(S, S2, TO_FLOAT, ge, >=)                                                                     \
    LOCKSTEP_HALF bool __hisnan(S a)                                                                                   \
    {                                                                                                                  \
        return TO_FLOAT(a) != TO_FLOAT(a);                                                                             \
    }                                                                                                                  \
    LOCKSTEP_HALF int __hisinf(S a)                                                                                    \
    {                                                                                                                  \
        float x = TO_FLOAT(a);                                                                                         \
        return x == __builtin_inff() ? 1 : x == -__builtin_inff() ? -1 : 0;                                            \
    }                                                                                                                  \
    /* A NaN loses against a number. */                                                                                \
    LOCKSTEP_HALF S __hmax(S a, S b)                                                                                   \
    {                                                                                                                  \
        return __hisnan(a) || __hlt(a, b) ? b : a;                                                                     \
    }                                                                                                                  \
    LOCKSTEP_HALF S __hmin(S a, S b)                                                                                   \
    {                                                                                                                  \
        return __hisnan(a) || __hgt(a, b) ? b : a;                                                                     \
    }                                                                                                                  \
    LOCKSTEP_HALF S2 __hmax2(S2 a, S2 b)                                                                               \
    {                                                                                                                  \
        return lockstep_pair(__hmax(a.x, b.x), __hmax(a.y, b.y));                                                      \
    }                                                                                                                  \
    LOCKSTEP_HALF S2 __hmin2(S2 a, S2 b)                                                                               \
    {                                                                                                                  \
        return lockstep_pair(__hmin(a.x, b.x), __hmin(a.y, b.y));                                                      \
    }                                                                                                                  \
    /* A NaN wins. */                                                                                                  \
    LOCKSTEP_HALF S __hmax_nan(S a, S b)                                                                               \
    {                                                                                                                  \
        return __hisnan(a) ? a : __hisnan(b) ? b : __hmax(a, b);                                                       \
    }                                                                                                                  \
    LOCKSTEP_HALF S __hmin_nan(S a, S b)                                                                               \
    {                                                                                                                  \
        return __hisnan(a) ? a : __hisnan(b) ? b : __hmin(a, b);                                                       \
    }                                                                                                                  \
    LOCKSTEP_HALF S2 __hmax2_nan(S2 a, S2 b)                                                                           \
    {                                                                                                                  \
        return lockstep_pair(__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y));                                              \
    }                                                                                                                  \
    LOCKSTEP_HALF S2 __hmin2_nan(S2 a, S2 b)                                                                           \
    {                                                                                                                  \
        return lockstep_pair(__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y));                                              \
    }                                                                                                                  \
    LOCKSTEP_HALF S2 __hisnan2(S2 a)                                                                                   \
    {                                                                                                                  \
        return lockstep_pair(__hisnan(a.x) ? lockstep_one(a.x) : lockstep_zero(a.x),                                   \
                             __hisnan(a.y) ? lockstep_one(a.x) : lockstep_zero(a.x));                                  \
    }                                                                                                                  \
    LOCKSTEP_HALF_UNARY(S, S2, sqrt, TO_FLOAT, FROM_FLOAT, sqrtf(x))                                                   \
    LOCKSTEP_HALF_UNARY(S, S2, rsqrt, TO_FLOAT, FROM_FLOAT, (float)(1.0 / sqrt((double)x)))                            \
    LOCKSTEP_HALF_UNARY(S, S2, rcp, TO_FLOAT, FROM_FLOAT, 1.0f / x)                                                    \
    LOCKSTEP_HALF_UNARY(S, S2, exp, TO_FLOAT, FROM_FLOAT, expf(x))                                                     \
    LOCKSTEP_HALF_UNARY(S, S2, exp2, TO_FLOAT, FROM_FLOAT, exp2f(x))                                                   \
    LOCKSTEP_HALF_UNARY(S, S2, exp10, TO_FLOAT, FROM_FLOAT, exp10f(x))                                                 \
    LOCKSTEP_HALF_UNARY(S, S2, log, TO_FLOAT, FROM_FLOAT, logf(x))                                                     \
    LOCKSTEP_HALF_UNARY(S, S2, log2, TO_FLOAT, FROM_FLOAT, log2f(x))                                                   \
    LOCKSTEP_HALF_UNARY(S, S2, log10, TO_FLOAT, FROM_FLOAT, log10f(x))                                                 \
    LOCKSTEP_HALF_UNARY(S, S2, sin, TO_FLOAT, FROM_FLOAT, sinf(x))                                                     \
    LOCKSTEP_HALF_UNARY(S, S2, cos, TO_FLOAT, FROM_FLOAT, cosf(x))                                                     \
    LOCKSTEP_HALF_UNARY(S, S2, tanh, TO_FLOAT, FROM_FLOAT, tanhf(x))                                                   \
    LOCKSTEP_HALF_UNARY(S, S2, tanh_approx, TO_FLOAT, FROM_FLOAT, tanhf(x))                                            \
    LOCKSTEP_HALF_UNARY(S, S2, floor, TO_FLOAT, FROM_FLOAT, floorf(x))                                                 \
    LOCKSTEP_HALF_UNARY(S, S2, ceil, TO_FLOAT, FROM_FLOAT, ceilf(x))                                                   \
    LOCKSTEP_HALF_UNARY(S, S2, trunc, TO_FLOAT, FROM_FLOAT, truncf(x))                                                 \
    LOCKSTEP_HALF_UNARY(S, S2, rint, TO_FLOAT, FROM_FLOAT, rintf(x))                                                   \
    LOCKSTEP_HALF_SHUFFLE(S, S2, __shfl_sync, int)                                                                     \
    LOCKSTEP_HALF_SHUFFLE(S, S2, __shfl_up_sync, unsigned)                                                             \
    LOCKSTEP_HALF_SHUFFLE(S, S2, __shfl_down_sync, unsigned)                                                           \
    LOCKSTEP_HALF_SHUFFLE(S, S2, __shfl_xor_sync, int)

#if defined(__CUDA__)
#define LOCKSTEP_HALF_SHUFFLE(S, S2, NAME, LANE)                                                                       \
    static __device__ inline S NAME(unsigned mask, S v, LANE lane, int width = 32)                                     \
    {                                                                                                                  \
        unsigned b = NAME(mask, (unsigned)__builtin_bit_cast(unsigned short, v), lane, width);                         \
        return __builtin_bit_cast(S, (unsigned short)b);                                                               \
    }                                                                                                                  \
    static __device__ inline S2 NAME(unsigned mask, S2 v, LANE lane, int width = 32)                                   \
    {                                                                                                                  \
        return __builtin_bit_cast(S2, NAME(mask, __builtin_bit_cast(unsigned, v), lane, width));                       \
    }
#else
#define LOCKSTEP_HALF_SHUFFLE(S, S2, NAME, LANE)
#endif

/* Conversions between S and integers, called PREFIX2NAME_rn and NAME2SUFFIX_rn, with all roundings. The way from an
 * integer is by double, which holds those of 32 bits; of 64 bits it holds the upper 53, with whether more are set. */
LOCKSTEP_HALF double lockstep_double_of(long long i)
{
    unsigned long long u = i < 0 ? 0ull - (unsigned long long)i : (unsigned long long)i, low = u & 2047;
    double d = (double)(u - low + (low ? 1024 : 0));
    return u >> 53 == 0 ? (double)i : i < 0 ? -d : d;
}
LOCKSTEP_HALF double lockstep_double_of(unsigned long long u)
{
    unsigned long long low = u & 4095;
    return u >> 53 == 0 ? (double)u : (double)(u - low + (low ? 2048 : 0));
}
#define LOCKSTEP_HALF_FROM_INTEGER(S, NAME, T, WIDE, FROM_DOUBLE)                                                      \
    LOCKSTEP_HALF S __##NAME##_rn(T i)                                                                                 \
    {                                                                                                                  \
        return FROM_DOUBLE(lockstep_double_of((WIDE)i), 0);                                                            \
    }                                                                                                                  \
    LOCKSTEP_HALF S __##NAME##_rz(T i)                                                                                 \
    {                                                                                                                  \
        return FROM_DOUBLE(lockstep_double_of((WIDE)i), 1);                                                            \
    }                                                                                                                  \
    LOCKSTEP_HALF S __##NAME##_ru(T i)                                                                                 \
    {                                                                                                                  \
        return FROM_DOUBLE(lockstep_double_of((WIDE)i), 2);                                                            \
    }                                                                                                                  \
    LOCKSTEP_HALF S __##NAME##_rd(T i)                                                                                 \
    {                                                                                                                  \
        return FROM_DOUBLE(lockstep_double_of((WIDE)i), 3);                                                            \
    }
#if defined(__CUDA__)
#define LOCKSTEP_HALF_TO_INTEGER_ROUNDED(S, NAME, T, WIDE)                                                             \
    static __device__ inline T __##NAME##_rn(S a)                                                                      \
    {                                                                                                                  \
        return lockstep_fit<T>(__float2##WIDE##_rn((float)a));                                                         \
    }                                                                                                                  \
    static __device__ inline T __##NAME##_ru(S a)                                                                      \
    {                                                                                                                  \
        return lockstep_fit<T>(__float2##WIDE##_ru((float)a));                                                         \
    }                                                                                                                  \
    static __device__ inline T __##NAME##_rd(S a)                                                                      \
    {                                                                                                                  \
        return lockstep_fit<T>(__float2##WIDE##_rd((float)a));                                                         \
    }
#else
#define LOCKSTEP_HALF_TO_INTEGER_ROUNDED(S, NAME, T, WIDE)
#endif
#define LOCKSTEP_HALF_TO_INTEGER(S, NAME, T, WIDE)                                                                     \
    LOCKSTEP_HALF T __##NAME##_rz(S a)                                                                                 \
    {                                                                                                                  \
        return lockstep_truncate<T>((float)a);                                                                         \
    }                                                                                                                  \
    LOCKSTEP_HALF_TO_INTEGER_ROUNDED(S, NAME, T, WIDE)
#define LOCKSTEP_HALF_TO_BYTE(S, NAME, T)                                                                              \
    LOCKSTEP_HALF T __##NAME##_rz(S a)                                                                                 \
    {                                                                                                                  \
        return (float)a == (float)a ? lockstep_truncate<T>((float)a) : (T)0;                                           \
    }
/* A value outside the type's range becomes its least or greatest number. NaN is what it is as a wider one. */
template <class T, class Wide> static __device__ inline T lockstep_fit(Wide v)
{
    const bool is_signed = (T)-1 < (T)0;
    const Wide top = (Wide)(is_signed ? ~0ull >> (65 - 8 * sizeof(T)) : ~0ull >> (64 - 8 * sizeof(T)));
    const Wide least = is_signed ? (Wide)(-top - 1) : (Wide)0;
    return sizeof(T) == sizeof(Wide) ? (T)v : v > top ? (T)top : v < least ? (T)least : (T)v;
}
/* Towards zero, by the device's instruction or, on the host, by arithmetic. NaN gives there what NVIDIA's headers say: 0, and
 * the highest bit alone of 64. */
template <class T> LOCKSTEP_HALF T lockstep_truncate(float x)
{
    const bool is_signed = (T)-1 < (T)0;
#if defined(__CUDA_ARCH__)
    return is_signed || sizeof(T) < 8 ? lockstep_fit<T>(__float2ll_rz(x)) : lockstep_fit<T>(__float2ull_rz(x));
#else
    const T top = (T)(is_signed ? ~0ull >> (65 - 8 * sizeof(T)) : ~0ull >> (64 - 8 * sizeof(T)));
    const T least = (T)(is_signed ? ~top : 0);
    if (x != x)
        return sizeof(T) == 8 ? (T)(1ull << 63) : (T)0;
    return x >= (float)top ? top : x <= (float)least ? least : (T)x;
#endif
}

#endif
