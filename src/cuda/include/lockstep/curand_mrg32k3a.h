/* MRG32k3a (L'Ecuyer, "Good parameters and implementations for combined multiple recursive random number generators",
 * 1999): two linear recurrences of order 3 modulo primes m1 and m2 just below 2^32, and the difference of their numbers.
 * To skip is to multiply by a power of the recurrences' matrices. */
#ifndef LOCKSTEP_CURAND_MRG32K3A_H
#define LOCKSTEP_CURAND_MRG32K3A_H

#include "curand_base.h"

struct curandStateMRG32k3a {
    unsigned s1[3], s2[3];
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;

/* A modulus 2^32 - rest, with a rest below 2^15. */
#define LOCKSTEP_MRG_REST1 209u
#define LOCKSTEP_MRG_REST2 22853u

LOCKSTEP_RANDOM unsigned lockstep_mrg_reduce(unsigned long long a, unsigned rest)
{
    a = (a & 0xffffffffu) + (a >> 32) * rest;
    a = (a & 0xffffffffu) + (a >> 32) * rest;
    unsigned long long modulus = 0x100000000ull - rest;
    return (unsigned)(a >= modulus ? a - modulus : a);
}

struct lockstep_mrg_matrix {
    unsigned m[3][3];
};
LOCKSTEP_RANDOM_LONG void lockstep_mrg_times(const lockstep_mrg_matrix *a, unsigned *v, unsigned rest)
{
    unsigned r[3];
    for (int i = 0; i < 3; i++) {
        unsigned long long sum = 0;
        for (int k = 0; k < 3; k++)
            sum += lockstep_mrg_reduce((unsigned long long)a->m[i][k] * v[k], rest);
        r[i] = lockstep_mrg_reduce(sum, rest);
    }
    for (int i = 0; i < 3; i++)
        v[i] = r[i];
}
LOCKSTEP_RANDOM_LONG void lockstep_mrg_square(lockstep_mrg_matrix *a, unsigned rest)
{
    lockstep_mrg_matrix r;
    for (int column = 0; column < 3; column++) {
        unsigned v[3] = {a->m[0][column], a->m[1][column], a->m[2][column]};
        lockstep_mrg_times(a, v, rest);
        for (int i = 0; i < 3; i++)
            r.m[i][column] = v[i];
    }
    *a = r;
}
LOCKSTEP_RANDOM_LONG void lockstep_mrg_power(lockstep_mrg_matrix a, unsigned long long n, unsigned *v, unsigned rest)
{
    for (; n != 0; n >>= 1) {
        if (n & 1)
            lockstep_mrg_times(&a, v, rest);
        if (n > 1)
            lockstep_mrg_square(&a, rest);
    }
}

/* The next number, from 1 to m1. */
LOCKSTEP_RANDOM unsigned lockstep_mrg_next(curandStateMRG32k3a_t *state)
{
    unsigned m1 = 0u - LOCKSTEP_MRG_REST1, m2 = 0u - LOCKSTEP_MRG_REST2, *a = state->s1, *b = state->s2;
    unsigned p1 = lockstep_mrg_reduce(1403580ull * a[1] + 810728ull * (m1 - a[0]), LOCKSTEP_MRG_REST1);
    unsigned p2 = lockstep_mrg_reduce(527612ull * b[2] + 1370589ull * (m2 - b[0]), LOCKSTEP_MRG_REST2);
    a[0] = a[1], a[1] = a[2], a[2] = p1;
    b[0] = b[1], b[1] = b[2], b[2] = p2;
    return p1 > p2 ? p1 - p2 : p1 - p2 + m1;
}
/* Stretched to 32 bits. */
LOCKSTEP_RANDOM unsigned curand(curandStateMRG32k3a_t *state)
{
    return (unsigned)((double)lockstep_mrg_next(state) * 1.000000048662);
}
LOCKSTEP_RANDOM double lockstep_mrg_uniform(curandStateMRG32k3a_t *state)
{
    return (double)lockstep_mrg_next(state) * 2.328306549295728e-10; /* 1 / (m1 + 1) */
}

LOCKSTEP_RANDOM_LONG void skipahead(unsigned long long n, curandStateMRG32k3a_t *state)
{
    const lockstep_mrg_matrix a1 = {{{0, 1, 0}, {0, 0, 1}, {4294156359u, 1403580u, 0}}};
    const lockstep_mrg_matrix a2 = {{{0, 1, 0}, {0, 0, 1}, {4293573854u, 0, 527612u}}};
    lockstep_mrg_power(a1, n, state->s1, LOCKSTEP_MRG_REST1);
    lockstep_mrg_power(a2, n, state->s2, LOCKSTEP_MRG_REST2);
}
/* A subsequence is 2^76 numbers, a sequence 2^127: powers of the same matrices. */
LOCKSTEP_RANDOM_LONG void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a_t *state)
{
    const lockstep_mrg_matrix a1 = {{{82758667u, 1871391091u, 4127413238u},
                                     {3672831523u, 69195019u, 1871391091u},
                                     {3672091415u, 3528743235u, 69195019u}}};
    const lockstep_mrg_matrix a2 = {{{1511326704u, 3759209742u, 1610795712u},
                                     {4292754251u, 1511326704u, 3889917532u},
                                     {3859662829u, 4292754251u, 3708466080u}}};
    lockstep_mrg_power(a1, n, state->s1, LOCKSTEP_MRG_REST1);
    lockstep_mrg_power(a2, n, state->s2, LOCKSTEP_MRG_REST2);
}
LOCKSTEP_RANDOM_LONG void skipahead_sequence(unsigned long long n, curandStateMRG32k3a_t *state)
{
    const lockstep_mrg_matrix a1 = {{{2427906178u, 3580155704u, 949770784u},
                                     {226153695u, 1230515664u, 3580155704u},
                                     {1988835001u, 986791581u, 1230515664u}}};
    const lockstep_mrg_matrix a2 = {{{1464411153u, 277697599u, 1610723613u},
                                     {32183930u, 1464411153u, 1022607788u},
                                     {2824425944u, 32183930u, 2093834863u}}};
    lockstep_mrg_power(a1, n, state->s1, LOCKSTEP_MRG_REST1);
    lockstep_mrg_power(a2, n, state->s2, LOCKSTEP_MRG_REST2);
}
LOCKSTEP_RANDOM void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                                 curandStateMRG32k3a_t *state)
{
    unsigned low = (unsigned)seed ^ 0x55555555u, high = (unsigned)(seed >> 32) ^ 0xAAAAAAAAu;
    for (int i = 0; i < 3; i++) {
        state->s1[i] = seed ? lockstep_mrg_reduce(12345ull * (i == 1 ? high : low), LOCKSTEP_MRG_REST1) : 12345u;
        state->s2[i] = seed ? lockstep_mrg_reduce(12345ull * (i == 1 ? low : high), LOCKSTEP_MRG_REST2) : 12345u;
    }
    state->boxmuller_flag = state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0.0f;
    state->boxmuller_extra_double = 0.0;
    skipahead_subsequence(subsequence, state);
    skipahead(offset, state);
}

#endif
