/* Sobol's sequences in the order of Gray codes (Antonov and Saleev 1979): number i + 1 is number i with one direction
 * vector xored, that of the lowest zero bit of i. Direction vectors are the program's, or those of curand.h; scrambled
 * sequences begin with a constant. */
#ifndef LOCKSTEP_CURAND_SOBOL_H
#define LOCKSTEP_CURAND_SOBOL_H

#include "curand_base.h"

typedef unsigned int curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];

/* Of plain and scrambled sequences: types of their own, for overloads. */
#define LOCKSTEP_SOBOL(STATE, WORD, BITS)                                                                              \
    struct STATE {                                                                                                     \
        WORD i, x, c;                                                                                                  \
        WORD direction_vectors[BITS];                                                                                  \
    };                                                                                                                 \
    typedef struct STATE STATE##_t;                                                                                    \
    LOCKSTEP_RANDOM_LONG WORD curand(STATE##_t *state)                                                                 \
    {                                                                                                                  \
        WORD r = state->x;                                                                                             \
        int bit = 0;                                                                                                   \
        while (bit < BITS - 1 && state->i >> bit & 1)                                                                  \
            bit++;                                                                                                     \
        state->x ^= state->direction_vectors[bit];                                                                     \
        state->i++;                                                                                                    \
        return r;                                                                                                      \
    }                                                                                                                  \
    LOCKSTEP_RANDOM_LONG void skipahead(WORD n, STATE##_t *state)                                                      \
    {                                                                                                                  \
        WORD i = state->i + n, changed = (i ^ i >> 1) ^ (state->i ^ state->i >> 1);                                    \
        for (int bit = 0; bit < BITS; bit++)                                                                           \
            if (changed >> bit & 1)                                                                                    \
                state->x ^= state->direction_vectors[bit];                                                             \
        state->i = i;                                                                                                  \
    }                                                                                                                  \
    LOCKSTEP_RANDOM_LONG void lockstep_sobol_init(const WORD *vectors, WORD c, WORD offset, STATE##_t *state)          \
    {                                                                                                                  \
        for (int bit = 0; bit < BITS; bit++)                                                                           \
            state->direction_vectors[bit] = vectors[bit];                                                              \
        state->i = 0;                                                                                                  \
        state->x = state->c = c;                                                                                       \
        skipahead(offset, state);                                                                                      \
    }
LOCKSTEP_SOBOL(curandStateSobol32, unsigned, 32)
LOCKSTEP_SOBOL(curandStateScrambledSobol32, unsigned, 32)
LOCKSTEP_SOBOL(curandStateSobol64, unsigned long long, 64)
LOCKSTEP_SOBOL(curandStateScrambledSobol64, unsigned long long, 64)
#undef LOCKSTEP_SOBOL

LOCKSTEP_RANDOM void curand_init(curandDirectionVectors32_t direction_vectors, unsigned offset,
                                 curandStateSobol32_t *state)
{
    lockstep_sobol_init(direction_vectors, 0, offset, state);
}
LOCKSTEP_RANDOM void curand_init(curandDirectionVectors32_t direction_vectors, unsigned scramble_c, unsigned offset,
                                 curandStateScrambledSobol32_t *state)
{
    lockstep_sobol_init(direction_vectors, scramble_c, offset, state);
}
LOCKSTEP_RANDOM void curand_init(curandDirectionVectors64_t direction_vectors, unsigned long long offset,
                                 curandStateSobol64_t *state)
{
    lockstep_sobol_init(direction_vectors, 0, offset, state);
}
LOCKSTEP_RANDOM void curand_init(curandDirectionVectors64_t direction_vectors, unsigned long long scramble_c,
                                 unsigned long long offset, curandStateScrambledSobol64_t *state)
{
    lockstep_sobol_init(direction_vectors, scramble_c, offset, state);
}

#endif
