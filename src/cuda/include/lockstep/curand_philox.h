/* Philox4x32 with ten rounds (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011): four
 * numbers are a function of a counter of 128 bits and a key of 64. The key is the seed, the upper half of the counter
 * the subsequence, the lower half the number's position / 4. */
#ifndef LOCKSTEP_CURAND_PHILOX_H
#define LOCKSTEP_CURAND_PHILOX_H

#include "curand_base.h"

struct curandStatePhilox4_32_10 {
    uint4 ctr, output; /* output: that of ctr */
    uint2 key;
    unsigned STATE; /* numbers of output that are used */
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

LOCKSTEP_RANDOM uint4 curand_Philox4x32_10(uint4 c, uint2 k)
{
    for (int round = 0; round < 10; round++) {
        unsigned long long x = 0xD2511F53ull * c.x, z = 0xCD9E8D57ull * c.z;
        uint4 next;
        next.x = (unsigned)(z >> 32) ^ c.y ^ k.x;
        next.y = (unsigned)z;
        next.z = (unsigned)(x >> 32) ^ c.w ^ k.y;
        next.w = (unsigned)x;
        c = next;
        k.x += 0x9E3779B9u;
        k.y += 0xBB67AE85u;
    }
    return c;
}
/* Goes on by n times four numbers, or by n subsequences. */
LOCKSTEP_RANDOM void lockstep_philox_advance(curandStatePhilox4_32_10_t *state, unsigned long long n,
                                             unsigned long long subsequences)
{
    unsigned long long low = (unsigned long long)state->ctr.y << 32 | state->ctr.x, was = low;
    unsigned long long high = (unsigned long long)state->ctr.w << 32 | state->ctr.z;
    low += n;
    high += subsequences + (low < was);
    state->ctr.x = (unsigned)low;
    state->ctr.y = (unsigned)(low >> 32);
    state->ctr.z = (unsigned)high;
    state->ctr.w = (unsigned)(high >> 32);
    state->output = curand_Philox4x32_10(state->ctr, state->key);
}

LOCKSTEP_RANDOM unsigned curand(curandStatePhilox4_32_10_t *state)
{
    unsigned i = state->STATE++;
    unsigned r = i == 0   ? state->output.x
                 : i == 1 ? state->output.y
                 : i == 2 ? state->output.z
                          : state->output.w;
    if (i == 3) {
        lockstep_philox_advance(state, 1, 0);
        state->STATE = 0;
    }
    return r;
}
/* The next four numbers. */
LOCKSTEP_RANDOM uint4 curand4(curandStatePhilox4_32_10_t *state)
{
    uint4 a = state->output;
    lockstep_philox_advance(state, 1, 0);
    uint4 b = state->output, r = a;
    if (state->STATE == 1) {
        r.x = a.y, r.y = a.z, r.z = a.w, r.w = b.x;
    } else if (state->STATE == 2) {
        r.x = a.z, r.y = a.w, r.z = b.x, r.w = b.y;
    } else if (state->STATE == 3) {
        r.x = a.w, r.y = b.x, r.z = b.y, r.w = b.z;
    }
    return r;
}
LOCKSTEP_RANDOM void skipahead(unsigned long long n, curandStatePhilox4_32_10_t *state)
{
    unsigned used = state->STATE + (unsigned)(n & 3);
    state->STATE = used & 3;
    lockstep_philox_advance(state, n / 4 + used / 4, 0);
}
LOCKSTEP_RANDOM void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t *state)
{
    lockstep_philox_advance(state, 0, n);
}
LOCKSTEP_RANDOM void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                                 curandStatePhilox4_32_10_t *state)
{
    state->key.x = (unsigned)seed;
    state->key.y = (unsigned)(seed >> 32);
    state->ctr.x = (unsigned)(offset / 4);
    state->ctr.y = (unsigned)(offset / 4 >> 32);
    state->ctr.z = (unsigned)subsequence;
    state->ctr.w = (unsigned)(subsequence >> 32);
    state->STATE = (unsigned)(offset & 3);
    state->boxmuller_flag = state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0.0f;
    state->boxmuller_extra_double = 0.0;
    state->output = curand_Philox4x32_10(state->ctr, state->key);
}

#endif
