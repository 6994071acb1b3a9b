/* Numbers with the distribution of Poisson: for small means the product of uniform numbers (Knuth), up to 4000 the
 * transformed rejection of Hörmann ("The transformed rejection method for generating Poisson random variables", 1993:
 * PTRS), beyond that a rounded normal number. Quasi-random generators take one number for each, through the sum of
 * probabilities. */
#ifndef LOCKSTEP_CURAND_POISSON_H
#define LOCKSTEP_CURAND_POISSON_H

#include "curand_distributions.h"

template <class State> LOCKSTEP_RANDOM_LONG unsigned lockstep_poisson_product(State *state, double lambda)
{
    unsigned k = 0;
    float product = expf((float)lambda);
    do {
        k++;
        product *= curand_uniform(state);
    } while (product > 1.0f);
    return k - 1;
}
template <class State> LOCKSTEP_RANDOM_LONG unsigned lockstep_poisson_rejection(State *state, double lambda)
{
    double b = 0.931 + 2.53 * sqrt(lambda), a = -0.059 + 0.02483 * b;
    double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), sure = 0.9277 - 3.6224 / (b - 2.0), log_lambda = log(lambda);
    for (;;) {
        double u = curand_uniform_double(state) - 0.5, v = curand_uniform_double(state);
        double s = 0.5 - fabs(u), k = floor((2.0 * a / s + b) * u + lambda + 0.43);
        if (s >= 0.07 && v <= sure)
            return (unsigned)k;
        if (k < 0.0 || s <= 0.0 || (s < 0.013 && v > s))
            continue;
        if (log(v * inverse_alpha / (a / (s * s) + b)) <= k * log_lambda - lambda - lgamma(k + 1.0))
            return (unsigned)k;
    }
}
LOCKSTEP_RANDOM unsigned lockstep_poisson_normal(double normal, double lambda)
{
    double k = sqrt(lambda) * normal + lambda + 0.5;
    return k < 0.0 ? 0 : (unsigned)k;
}
#define LOCKSTEP_POISSON(STATE)                                                                                        \
    LOCKSTEP_RANDOM_LONG unsigned curand_poisson(STATE *state, double lambda)                                          \
    {                                                                                                                  \
        if (lambda < 64.0)                                                                                             \
            return lockstep_poisson_product(state, lambda);                                                            \
        if (lambda <= 4000.0)                                                                                          \
            return lockstep_poisson_rejection(state, lambda);                                                          \
        return lockstep_poisson_normal(curand_normal_double(state), lambda);                                           \
    }
LOCKSTEP_POISSON(curandStateXORWOW_t)
LOCKSTEP_POISSON(curandStatePhilox4_32_10_t)
LOCKSTEP_POISSON(curandStateMRG32k3a_t)
#undef LOCKSTEP_POISSON
LOCKSTEP_RANDOM_LONG uint4 curand_poisson4(curandStatePhilox4_32_10_t *state, double lambda)
{
    unsigned r[4];
    for (int i = 0; i < 4; i++)
        r[i] = curand_poisson(state, lambda);
    return make_uint4(r[0], r[1], r[2], r[3]);
}

/* The least k whose sum of probabilities exceeds u. */
LOCKSTEP_RANDOM_LONG unsigned lockstep_poisson_quantile(double u, double lambda)
{
    if (lambda > 500.0)
        return lockstep_poisson_normal(lockstep_random_quantile(u), lambda);
    double probability = exp(-lambda), sum = probability;
    unsigned k = 0;
    while (sum < u && probability + sum > sum) {
        k++;
        probability *= lambda / k;
        sum += probability;
    }
    return k;
}
#define LOCKSTEP_POISSON(STATE)                                                                                        \
    LOCKSTEP_RANDOM_LONG unsigned curand_poisson(STATE *state, double lambda)                                          \
    {                                                                                                                  \
        return lockstep_poisson_quantile(curand_uniform_double(state), lambda);                                        \
    }
LOCKSTEP_POISSON(curandStateSobol32_t)
LOCKSTEP_POISSON(curandStateScrambledSobol32_t)
LOCKSTEP_POISSON(curandStateSobol64_t)
LOCKSTEP_POISSON(curandStateScrambledSobol64_t)
#undef LOCKSTEP_POISSON

#endif
