/* Direction vectors of Sobol's sequences for up to 20000 dimensions, on the host. Dimension d + 1 belongs to the d-th
 * primitive polynomial over GF(2), by degree and then by value. The first 21 have the initial numbers of Joe and Kuo
 * ("Constructing Sobol sequences with better two-dimensional projections", 2008); the others have odd numbers of our
 * choice, by which each dimension alone is as even, but pairs of them are not looked after. */
#ifndef LOCKSTEP_CURAND_DIRECTIONS_H
#define LOCKSTEP_CURAND_DIRECTIONS_H

#include <vector>

#include "curand_api.h"

#define LOCKSTEP_SOBOL_DIMENSIONS 20000

/* Polynomials are words, bit i for x^i. */
static inline unsigned lockstep_sobol_product(unsigned a, unsigned b, unsigned polynomial, int degree)
{
    unsigned r = 0;
    for (; b; b >>= 1) {
        r ^= b & 1 ? a : 0;
        a <<= 1;
        a ^= a >> degree & 1 ? polynomial : 0;
    }
    return r;
}
static inline unsigned lockstep_sobol_power(unsigned n, unsigned polynomial, int degree)
{
    unsigned r = 1, x = degree == 1 ? 1 : 2;
    for (; n; n >>= 1) {
        r = n & 1 ? lockstep_sobol_product(r, x, polynomial, degree) : r;
        x = lockstep_sobol_product(x, x, polynomial, degree);
    }
    return r;
}
/* True if x has the order 2^degree - 1. */
static inline bool lockstep_sobol_is_primitive(unsigned polynomial, int degree)
{
    unsigned order = (1u << degree) - 1, rest = order;
    if (lockstep_sobol_power(order, polynomial, degree) != 1)
        return false;
    for (unsigned factor = 3; factor * factor <= rest; factor += 2) {
        if (rest % factor == 0 && lockstep_sobol_power(order / factor, polynomial, degree) == 1)
            return false;
        while (rest % factor == 0)
            rest /= factor;
    }
    return rest == 1 || rest == order || lockstep_sobol_power(order / rest, polynomial, degree) != 1;
}

/* The i-th initial number of a dimension, counted from 0: odd, and below 2^(i + 1). */
static inline unsigned lockstep_sobol_initial(unsigned dimension, int i)
{
    static const unsigned char published[20][7] = {{1},
                                                   {1, 3},
                                                   {1, 3, 1},
                                                   {1, 1, 1},
                                                   {1, 1, 3, 3},
                                                   {1, 3, 5, 13},
                                                   {1, 1, 5, 5, 17},
                                                   {1, 1, 5, 5, 5},
                                                   {1, 1, 7, 11, 19},
                                                   {1, 1, 5, 1, 1},
                                                   {1, 1, 1, 3, 11},
                                                   {1, 3, 5, 5, 31},
                                                   {1, 3, 3, 9, 7, 49},
                                                   {1, 1, 1, 15, 21, 21},
                                                   {1, 3, 1, 13, 27, 49},
                                                   {1, 1, 1, 15, 7, 5},
                                                   {1, 3, 1, 15, 13, 25},
                                                   {1, 1, 5, 5, 19, 61},
                                                   {1, 3, 7, 11, 23, 15, 103},
                                                   {1, 3, 7, 13, 13, 15, 69}};
    if (dimension < 20)
        return published[dimension][i];
    unsigned h = (dimension * 32u + (unsigned)i) * 0x9E3779B9u;
    h = (h ^ h >> 15) * 0x85EBCA6Bu;
    return ((h ^ h >> 13) & ((2u << i) - 1)) | 1u;
}

/* The vectors of so many dimensions, one after another, each of `bits` words of so many bits, the first digit's first. */
template <class Word> static inline std::vector<Word> lockstep_sobol_directions(unsigned dimensions, int bits)
{
    std::vector<Word> all;
    for (int i = 0; i < bits; i++)
        all.push_back((Word)1 << (bits - 1 - i));
    unsigned dimension = 0;
    for (int degree = 1; dimension + 1 < dimensions; degree++)
        for (unsigned p = (1u << degree) + 1; p >> degree == 1 && dimension + 1 < dimensions; p += 2) {
            if (!lockstep_sobol_is_primitive(p, degree))
                continue;
            Word v[64];
            for (int i = 0; i < bits; i++) {
                if (i < degree) {
                    v[i] = (Word)lockstep_sobol_initial(dimension, i) << (bits - 1 - i);
                } else {
                    v[i] = v[i - degree] ^ v[i - degree] >> degree;
                    for (int k = 1; k < degree; k++)
                        v[i] ^= p >> (degree - k) & 1 ? v[i - k] : 0;
                }
                all.push_back(v[i]);
            }
            dimension++;
        }
    return all;
}
/* A constant for a scrambled sequence's dimension. */
template <class Word> static inline Word lockstep_sobol_constant(unsigned dimension)
{
    unsigned long long h = (dimension + 1) * 0x9E3779B97F4A7C15ull;
    h = (h ^ h >> 30) * 0xBF58476D1CE4E5B9ull;
    return (Word)((h ^ h >> 27) >> (64 - 8 * sizeof(Word)));
}

#endif
