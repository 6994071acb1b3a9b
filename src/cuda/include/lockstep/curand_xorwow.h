/* XORWOW (Marsaglia, "Xorshift RNGs", 2003): five words shifted and xored, which is linear over GF(2), and a counter
 * that is added. To skip n steps is to multiply the words by the n-th power of the step's matrix. By the theorem of
 * Cayley and Hamilton that power is a polynomial in the matrix of degree below 160: x^n modulo the characteristic
 * polynomial, whose values for powers of two stand in curand_xorwow_jumps.def. One is applied in 160 steps. */
#ifndef LOCKSTEP_CURAND_XORWOW_H
#define LOCKSTEP_CURAND_XORWOW_H

#include "curand_base.h"

struct curandStateXORWOW {
    unsigned d, v[5];
    int boxmuller_flag, boxmuller_flag_double; /* the second number of a pair is kept */
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;

#if defined(__CUDA__)
static __device__ const unsigned lockstep_xorwow_jumps_device[131][5] = {
#include "curand_xorwow_jumps.def"
};
#endif
static const unsigned lockstep_xorwow_jumps_host[131][5] = {
#include "curand_xorwow_jumps.def"
};

LOCKSTEP_RANDOM unsigned lockstep_xorwow_word(int row, int word)
{
#if defined(__CUDA_ARCH__)
    return lockstep_xorwow_jumps_device[row][word];
#else
    return lockstep_xorwow_jumps_host[row][word];
#endif
}
LOCKSTEP_RANDOM void lockstep_xorwow_step(unsigned *v)
{
    unsigned t = v[0] ^ v[0] >> 2;
    v[0] = v[1];
    v[1] = v[2];
    v[2] = v[3];
    v[3] = v[4];
    v[4] = (v[4] ^ v[4] << 4) ^ (t ^ t << 1);
}
LOCKSTEP_RANDOM_LONG void lockstep_xorwow_apply(unsigned *state, int row)
{
    unsigned v[5], sum[5] = {0, 0, 0, 0, 0};
    for (int i = 0; i < 5; i++)
        v[i] = state[i];
    for (int word = 0; word < 5; word++) {
        unsigned bits = lockstep_xorwow_word(row, word);
        for (int bit = 0; bit < 32; bit++) {
            unsigned mask = 0 - (bits >> bit & 1u);
            for (int i = 0; i < 5; i++)
                sum[i] ^= mask & v[i];
            lockstep_xorwow_step(v);
        }
    }
    for (int i = 0; i < 5; i++)
        state[i] = sum[i];
}
/* Steps of 2^first each. */
LOCKSTEP_RANDOM_LONG void lockstep_xorwow_skip(unsigned *state, unsigned long long n, int first)
{
    unsigned v[5];
    if (n == 0)
        return;
    for (int i = 0; i < 5; i++)
        v[i] = state[i];
    for (int row = first; n != 0; row++, n >>= 1)
        if (n & 1)
            lockstep_xorwow_apply(v, row);
    for (int i = 0; i < 5; i++)
        state[i] = v[i];
}

LOCKSTEP_RANDOM unsigned curand(curandStateXORWOW_t *state)
{
    lockstep_xorwow_step(state->v);
    state->d += 362437;
    return state->v[4] + state->d;
}
LOCKSTEP_RANDOM void skipahead(unsigned long long n, curandStateXORWOW_t *state)
{
    lockstep_xorwow_skip(state->v, n, 0);
    state->d += 362437u * (unsigned)n;
}
/* A sequence is 2^67 numbers, after which the counter is the same again. */
LOCKSTEP_RANDOM void skipahead_sequence(unsigned long long n, curandStateXORWOW_t *state)
{
    lockstep_xorwow_skip(state->v, n, 67);
}
LOCKSTEP_RANDOM void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
                                 curandStateXORWOW_t *state)
{
    unsigned low = 1099087573u * ((unsigned)seed ^ 0xaad26b49u);
    unsigned high = 2591861531u * ((unsigned)(seed >> 32) ^ 0xf7dcefddu);
    state->d = 6615241u + low + high;
    state->v[0] = 123456789u + low;
    state->v[1] = 362436069u ^ low;
    state->v[2] = 521288629u + high;
    state->v[3] = 88675123u ^ high;
    state->v[4] = 5783321u + low;
    state->boxmuller_flag = state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0.0f;
    state->boxmuller_extra_double = 0.0;
    skipahead_sequence(sequence, state);
    skipahead(offset, state);
}

#endif
