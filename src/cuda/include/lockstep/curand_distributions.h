/* Uniform, normal and logarithmic normal numbers of all generators. Uniform ones are in (0, 1]. Normal ones of
 * pseudo-random generators come in pairs, of which the state keeps the second one, until a number of the other kind (plain
 * or logarithmic) is asked for; those of quasi-random generators are quantiles, one for each number of the sequence. */
#ifndef LOCKSTEP_CURAND_DISTRIBUTIONS_H
#define LOCKSTEP_CURAND_DISTRIBUTIONS_H

#include "curand_mrg32k3a.h"
#include "curand_philox.h"
#include "curand_sobol.h"
#include "curand_xorwow.h"

LOCKSTEP_RANDOM double lockstep_random_double_of(unsigned x)
{
    return (double)x * 0x1p-32 + 0x1p-33;
}
LOCKSTEP_RANDOM double lockstep_random_double_of(unsigned long long x)
{
    return lockstep_random_double(x >> 11);
}
/* That of the upper 32 bits. */
LOCKSTEP_RANDOM double lockstep_random_half_of(unsigned x)
{
    return lockstep_random_double_of(x);
}
LOCKSTEP_RANDOM double lockstep_random_half_of(unsigned long long x)
{
    return lockstep_random_double_of((unsigned)(x >> 32));
}
LOCKSTEP_RANDOM float lockstep_random_float_of(unsigned x)
{
    return lockstep_random_float(x);
}
LOCKSTEP_RANDOM float lockstep_random_float_of(unsigned long long x)
{
    return lockstep_random_float((unsigned)(x >> 32));
}

/* ---- pseudo-random generators ---- */
#define LOCKSTEP_RANDOM_BITS(STATE)                                                                                    \
    LOCKSTEP_RANDOM float curand_uniform(STATE *state)                                                                 \
    {                                                                                                                  \
        return lockstep_random_float(curand(state));                                                                   \
    }                                                                                                                  \
    LOCKSTEP_RANDOM float2 curand_normal2(STATE *state)                                                                \
    {                                                                                                                  \
        unsigned x = curand(state), y = curand(state);                                                                 \
        return lockstep_random_normal(x, y);                                                                           \
    }                                                                                                                  \
    LOCKSTEP_RANDOM double2 curand_normal2_double(STATE *state)                                                        \
    {                                                                                                                  \
        unsigned x0 = curand(state), x1 = curand(state), y0 = curand(state), y1 = curand(state);                       \
        return lockstep_random_normal(x0, x1, y0, y1);                                                                 \
    }
LOCKSTEP_RANDOM_BITS(curandStateXORWOW_t)
LOCKSTEP_RANDOM_BITS(curandStatePhilox4_32_10_t)
#undef LOCKSTEP_RANDOM_BITS

LOCKSTEP_RANDOM double curand_uniform_double(curandStateXORWOW_t *state)
{
    unsigned x = curand(state), y = curand(state);
    return lockstep_random_double(lockstep_random_53(x, y));
}
/* One draw, of 32 bits; curand_uniform2_double has 53. */
LOCKSTEP_RANDOM double curand_uniform_double(curandStatePhilox4_32_10_t *state)
{
    return lockstep_random_double_of(curand(state));
}

LOCKSTEP_RANDOM float curand_uniform(curandStateMRG32k3a_t *state)
{
    return (float)lockstep_mrg_uniform(state);
}
LOCKSTEP_RANDOM double curand_uniform_double(curandStateMRG32k3a_t *state)
{
    return lockstep_mrg_uniform(state);
}
LOCKSTEP_RANDOM float2 curand_normal2(curandStateMRG32k3a_t *state)
{
    float u = curand_uniform(state), angle = curand_uniform(state) * 6.28318531f;
    return lockstep_random_normal(u, angle);
}
LOCKSTEP_RANDOM double2 curand_normal2_double(curandStateMRG32k3a_t *state)
{
    double u = curand_uniform_double(state), angle = curand_uniform_double(state) * 2.0;
    return lockstep_random_normal(u, angle);
}

/* ---- four at once, of Philox ---- */
LOCKSTEP_RANDOM float4 curand_uniform4(curandStatePhilox4_32_10_t *state)
{
    uint4 x = curand4(state);
    return make_float4(lockstep_random_float(x.x), lockstep_random_float(x.y), lockstep_random_float(x.z),
                       lockstep_random_float(x.w));
}
LOCKSTEP_RANDOM double2 curand_uniform2_double(curandStatePhilox4_32_10_t *state)
{
    uint4 x = curand4(state);
    return make_double2(lockstep_random_double(lockstep_random_53(x.x, x.y)),
                        lockstep_random_double(lockstep_random_53(x.z, x.w)));
}
LOCKSTEP_RANDOM double4 curand_uniform4_double(curandStatePhilox4_32_10_t *state)
{
    double2 a = curand_uniform2_double(state), b = curand_uniform2_double(state);
    double4 r = {a.x, a.y, b.x, b.y};
    return r;
}
LOCKSTEP_RANDOM float4 curand_normal4(curandStatePhilox4_32_10_t *state)
{
    uint4 x = curand4(state);
    float2 a = lockstep_random_normal(x.x, x.y), b = lockstep_random_normal(x.z, x.w);
    return make_float4(a.x, a.y, b.x, b.y);
}
LOCKSTEP_RANDOM double4 curand_normal4_double(curandStatePhilox4_32_10_t *state)
{
    double2 a = curand_normal2_double(state), b = curand_normal2_double(state);
    double4 r = {a.x, a.y, b.x, b.y};
    return r;
}
LOCKSTEP_RANDOM float4 curand_log_normal4(curandStatePhilox4_32_10_t *state, float mean, float stddev)
{
    float4 n = curand_normal4(state);
    return make_float4(expf(mean + stddev * n.x), expf(mean + stddev * n.y), expf(mean + stddev * n.z),
                       expf(mean + stddev * n.w));
}
LOCKSTEP_RANDOM double4 curand_log_normal4_double(curandStatePhilox4_32_10_t *state, double mean, double stddev)
{
    double4 n = curand_normal4_double(state);
    double4 r = {exp(mean + stddev * n.x), exp(mean + stddev * n.y), exp(mean + stddev * n.z),
                 exp(mean + stddev * n.w)};
    return r;
}

/* ---- one of a pair: the flags say which kind is kept, 1 a plain number, 2 a logarithmic one ---- */
#define LOCKSTEP_RANDOM_KEPT(STATE, T, NAME, FLAG, EXTRA, KIND, PARAMETERS, PAIR)                                      \
    LOCKSTEP_RANDOM T NAME PARAMETERS                                                                                  \
    {                                                                                                                  \
        if (state->FLAG == KIND) {                                                                                     \
            state->FLAG = 0;                                                                                           \
            return state->EXTRA;                                                                                       \
        }                                                                                                              \
        T##2 r = PAIR;                                                                                                 \
        state->EXTRA = r.y;                                                                                            \
        state->FLAG = KIND;                                                                                            \
        return r.x;                                                                                                    \
    }
#define LOCKSTEP_RANDOM_PAIRS(STATE)                                                                                   \
    LOCKSTEP_RANDOM float2 curand_log_normal2(STATE *state, float mean, float stddev)                                  \
    {                                                                                                                  \
        float2 n = curand_normal2(state);                                                                              \
        return make_float2(expf(mean + stddev * n.x), expf(mean + stddev * n.y));                                      \
    }                                                                                                                  \
    LOCKSTEP_RANDOM double2 curand_log_normal2_double(STATE *state, double mean, double stddev)                        \
    {                                                                                                                  \
        double2 n = curand_normal2_double(state);                                                                      \
        return make_double2(exp(mean + stddev * n.x), exp(mean + stddev * n.y));                                       \
    }                                                                                                                  \
    LOCKSTEP_RANDOM_KEPT(STATE, float, curand_normal, boxmuller_flag, boxmuller_extra, 1, (STATE * state),             \
                         curand_normal2(state))                                                                        \
    LOCKSTEP_RANDOM_KEPT(STATE, double, curand_normal_double, boxmuller_flag_double, boxmuller_extra_double, 1,        \
                         (STATE * state), curand_normal2_double(state))                                                \
    LOCKSTEP_RANDOM_KEPT(STATE, float, curand_log_normal, boxmuller_flag, boxmuller_extra, 2,                          \
                         (STATE * state, float mean, float stddev), curand_log_normal2(state, mean, stddev))           \
    LOCKSTEP_RANDOM_KEPT(STATE, double, curand_log_normal_double, boxmuller_flag_double, boxmuller_extra_double, 2,    \
                         (STATE * state, double mean, double stddev), curand_log_normal2_double(state, mean, stddev))
LOCKSTEP_RANDOM_PAIRS(curandStateXORWOW_t)
LOCKSTEP_RANDOM_PAIRS(curandStatePhilox4_32_10_t)
LOCKSTEP_RANDOM_PAIRS(curandStateMRG32k3a_t)
#undef LOCKSTEP_RANDOM_PAIRS
#undef LOCKSTEP_RANDOM_KEPT

/* ---- quasi-random generators ---- */
#define LOCKSTEP_RANDOM_QUANTILES(STATE)                                                                               \
    LOCKSTEP_RANDOM float curand_uniform(STATE *state)                                                                 \
    {                                                                                                                  \
        return lockstep_random_float_of(curand(state));                                                                \
    }                                                                                                                  \
    LOCKSTEP_RANDOM double curand_uniform_double(STATE *state)                                                         \
    {                                                                                                                  \
        return lockstep_random_double_of(curand(state));                                                               \
    }                                                                                                                  \
    LOCKSTEP_RANDOM double curand_normal_double(STATE *state)                                                          \
    {                                                                                                                  \
        return lockstep_random_quantile(lockstep_random_double_of(curand(state)));                                     \
    }                                                                                                                  \
    LOCKSTEP_RANDOM float curand_normal(STATE *state)                                                                  \
    {                                                                                                                  \
        return (float)lockstep_random_quantile(lockstep_random_half_of(curand(state)));                                                                     \
    }                                                                                                                  \
    LOCKSTEP_RANDOM float curand_log_normal(STATE *state, float mean, float stddev)                                    \
    {                                                                                                                  \
        return expf(mean + stddev * curand_normal(state));                                                             \
    }                                                                                                                  \
    LOCKSTEP_RANDOM double curand_log_normal_double(STATE *state, double mean, double stddev)                          \
    {                                                                                                                  \
        return exp(mean + stddev * curand_normal_double(state));                                                       \
    }
LOCKSTEP_RANDOM_QUANTILES(curandStateSobol32_t)
LOCKSTEP_RANDOM_QUANTILES(curandStateScrambledSobol32_t)
LOCKSTEP_RANDOM_QUANTILES(curandStateSobol64_t)
LOCKSTEP_RANDOM_QUANTILES(curandStateScrambledSobol64_t)
#undef LOCKSTEP_RANDOM_QUANTILES

#endif
