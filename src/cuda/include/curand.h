/* Random numbers for the host's program, as cuRAND's host interface has them, in C++: inline functions that need no
 * library (-lcurand is accepted). Generators draw on the host and copy to the device, so that they take no simulated
 * time. Left out: MTGP32 and MT19937 (CURAND_STATUS_TYPE_ERROR). */
#ifndef CURAND_H_
#define CURAND_H_

#if !defined(__cplusplus)
#error "curand.h is for C++: C programs have no random numbers of cuRAND here"
#endif

#include "lockstep/curand_generator.h"

static inline curandStatus_t lockstep_curand_create(curandGenerator_t *generator, curandRngType_t type, bool on_host)
{
    type = type == CURAND_RNG_PSEUDO_DEFAULT  ? CURAND_RNG_PSEUDO_XORWOW
           : type == CURAND_RNG_QUASI_DEFAULT ? CURAND_RNG_QUASI_SOBOL32
                                              : type;
    bool known = type == CURAND_RNG_PSEUDO_XORWOW || type == CURAND_RNG_PSEUDO_MRG32K3A ||
                 type == CURAND_RNG_PSEUDO_PHILOX4_32_10 ||
                 (type >= CURAND_RNG_QUASI_SOBOL32 && type <= CURAND_RNG_QUASI_SCRAMBLED_SOBOL64);
    if (!known)
        return CURAND_STATUS_TYPE_ERROR;
    *generator = new curandGenerator_st();
    (*generator)->type = type;
    (*generator)->on_host = on_host;
    (*generator)->dimensions = 1;
    return CURAND_STATUS_SUCCESS;
}
static inline curandStatus_t curandCreateGenerator(curandGenerator_t *generator, curandRngType_t rng_type)
{
    return lockstep_curand_create(generator, rng_type, false);
}
static inline curandStatus_t curandCreateGeneratorHost(curandGenerator_t *generator, curandRngType_t rng_type)
{
    return lockstep_curand_create(generator, rng_type, true);
}
static inline curandStatus_t curandDestroyGenerator(curandGenerator_t generator)
{
    if (!generator)
        return CURAND_STATUS_NOT_INITIALIZED;
    delete generator;
    return CURAND_STATUS_SUCCESS;
}
static inline curandStatus_t curandGetVersion(int *version)
{
    *version = CURAND_VERSION;
    return CURAND_STATUS_SUCCESS;
}
static inline curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream)
{
    if (!generator)
        return CURAND_STATUS_NOT_INITIALIZED;
    generator->stream = stream;
    return CURAND_STATUS_SUCCESS;
}
static inline curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator, unsigned long long seed)
{
    if (!generator)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (lockstep_curand_is_quasi(generator))
        return CURAND_STATUS_TYPE_ERROR;
    generator->seed = seed;
    generator->ready = false;
    return CURAND_STATUS_SUCCESS;
}
static inline curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset)
{
    if (!generator)
        return CURAND_STATUS_NOT_INITIALIZED;
    generator->offset = offset;
    generator->ready = false;
    return CURAND_STATUS_SUCCESS;
}
/* All orders are the one that is documented. */
static inline curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order)
{
    if (!generator)
        return CURAND_STATUS_NOT_INITIALIZED;
    bool fits = (order == CURAND_ORDERING_QUASI_DEFAULT) == lockstep_curand_is_quasi(generator);
    return fits ? CURAND_STATUS_SUCCESS : CURAND_STATUS_OUT_OF_RANGE;
}
static inline curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator,
                                                                     unsigned num_dimensions)
{
    if (!generator)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (!lockstep_curand_is_quasi(generator))
        return CURAND_STATUS_TYPE_ERROR;
    if (num_dimensions < 1 || num_dimensions > LOCKSTEP_SOBOL_DIMENSIONS)
        return CURAND_STATUS_OUT_OF_RANGE;
    generator->dimensions = num_dimensions;
    generator->ready = false;
    return CURAND_STATUS_SUCCESS;
}
static inline curandStatus_t curandGenerateSeeds(curandGenerator_t generator)
{
    if (!generator)
        return CURAND_STATUS_NOT_INITIALIZED;
    lockstep_curand_prepare(generator);
    return CURAND_STATUS_SUCCESS;
}

/* ---- numbers ---- */
struct lockstep_curand_bits {
    template <class State> void operator()(State *state, unsigned *out) const
    {
        out[0] = (unsigned)curand(state);
    }
    void operator()(curandStateSobol64_t *state, unsigned long long *out) const
    {
        out[0] = curand(state);
    }
    template <class State> void operator()(State *state, unsigned long long *out) const
    {
        out[0] = (unsigned long long)curand(state) << 32;
    }
};
static inline curandStatus_t curandGenerate(curandGenerator_t generator, unsigned *outputPtr, size_t num)
{
    if (generator && generator->type >= CURAND_RNG_QUASI_SOBOL64)
        return CURAND_STATUS_TYPE_ERROR;
    return lockstep_curand_generate(generator, outputPtr, num, 1, 1, lockstep_curand_bits());
}
static inline curandStatus_t curandGenerateLongLong(curandGenerator_t generator, unsigned long long *outputPtr,
                                                    size_t num)
{
    if (generator && generator->type < CURAND_RNG_QUASI_SOBOL64)
        return CURAND_STATUS_TYPE_ERROR;
    return lockstep_curand_generate(generator, outputPtr, num, 1, 1, lockstep_curand_bits());
}
struct lockstep_curand_uniform {
    template <class State> void operator()(State *state, float *out) const
    {
        out[0] = curand_uniform(state);
    }
    template <class State> void operator()(State *state, double *out) const
    {
        out[0] = curand_uniform_double(state);
    }
    void operator()(curandStatePhilox4_32_10_t *state, double *out) const
    {
        double2 pair = curand_uniform2_double(state);
        out[0] = pair.x;
        out[1] = pair.y;
    }
};
static inline curandStatus_t curandGenerateUniform(curandGenerator_t generator, float *outputPtr, size_t num)
{
    return lockstep_curand_generate(generator, outputPtr, num, 1, 1, lockstep_curand_uniform());
}
static inline curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double *outputPtr, size_t num)
{
    return lockstep_curand_generate(generator, outputPtr, num, 1, 2, lockstep_curand_uniform());
}

/* Pairs of pseudo-random numbers, one number of a quasi-random sequence. */
template <bool Logarithmic> struct lockstep_curand_normal {
    double mean, stddev;
    template <class T> void put(T normal, T *out) const
    {
        double value = mean + stddev * normal;
        *out = (T)(Logarithmic ? exp(value) : value);
    }
    template <class State> static float2 pair(State *state, float)
    {
        return curand_normal2(state);
    }
    template <class State> static double2 pair(State *state, double)
    {
        return curand_normal2_double(state);
    }
    template <class State, class T> void operator()(State *state, T *out) const
    {
        auto n = pair(state, T());
        put(n.x, &out[0]);
        put(n.y, &out[1]);
    }
    template <class State> static float one(State *state, float)
    {
        return curand_normal(state);
    }
    template <class State> static double one(State *state, double)
    {
        return curand_normal_double(state);
    }
    template <class T> void operator()(curandStateSobol32_t *state, T *out) const
    {
        put(one(state, T()), &out[0]);
    }
    template <class T> void operator()(curandStateSobol64_t *state, T *out) const
    {
        put(one(state, T()), &out[0]);
    }
};
static inline curandStatus_t curandGenerateNormal(curandGenerator_t generator, float *outputPtr, size_t n, float mean,
                                                  float stddev)
{
    return lockstep_curand_generate(generator, outputPtr, n, 2, 2, lockstep_curand_normal<false>{mean, stddev});
}
static inline curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double *outputPtr, size_t n,
                                                        double mean, double stddev)
{
    return lockstep_curand_generate(generator, outputPtr, n, 2, 2, lockstep_curand_normal<false>{mean, stddev});
}
static inline curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float *outputPtr, size_t n,
                                                     float mean, float stddev)
{
    return lockstep_curand_generate(generator, outputPtr, n, 2, 2, lockstep_curand_normal<true>{mean, stddev});
}
static inline curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double *outputPtr, size_t n,
                                                           double mean, double stddev)
{
    return lockstep_curand_generate(generator, outputPtr, n, 2, 2, lockstep_curand_normal<true>{mean, stddev});
}
struct lockstep_curand_poisson {
    double lambda;
    template <class State> void operator()(State *state, unsigned *out) const
    {
        out[0] = curand_poisson(state, lambda);
    }
};
static inline curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned *outputPtr, size_t n,
                                                   double lambda)
{
    if (!(lambda > 0.0))
        return CURAND_STATUS_OUT_OF_RANGE;
    return lockstep_curand_generate(generator, outputPtr, n, 1, 1, lockstep_curand_poisson{lambda});
}

/* ---- what kernels' quasi-random states begin with: kept until the program ends ---- */
template <class Word, class Vectors> static inline curandStatus_t lockstep_curand_vectors(Vectors **vectors)
{
    static std::vector<Word> all;
    if (all.empty())
        all = lockstep_sobol_directions<Word>(LOCKSTEP_SOBOL_DIMENSIONS, 8 * sizeof(Word));
    *vectors = (Vectors *)all.data();
    return CURAND_STATUS_SUCCESS;
}
template <class Word> static inline curandStatus_t lockstep_curand_constants(Word **constants)
{
    static std::vector<Word> all;
    for (unsigned d = (unsigned)all.size(); d < LOCKSTEP_SOBOL_DIMENSIONS; d++)
        all.push_back(lockstep_sobol_constant<Word>(d));
    *constants = all.data();
    return CURAND_STATUS_SUCCESS;
}
static inline curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t *vectors[],
                                                         curandDirectionVectorSet_t set)
{
    if (set != CURAND_DIRECTION_VECTORS_32_JOEKUO6 && set != CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6)
        return CURAND_STATUS_OUT_OF_RANGE;
    return lockstep_curand_vectors<unsigned>(vectors);
}
static inline curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t *vectors[],
                                                         curandDirectionVectorSet_t set)
{
    if (set != CURAND_DIRECTION_VECTORS_64_JOEKUO6 && set != CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6)
        return CURAND_STATUS_OUT_OF_RANGE;
    return lockstep_curand_vectors<unsigned long long>(vectors);
}
static inline curandStatus_t curandGetScrambleConstants32(unsigned **constants)
{
    return lockstep_curand_constants<unsigned>(constants);
}
static inline curandStatus_t curandGetScrambleConstants64(unsigned long long **constants)
{
    return lockstep_curand_constants<unsigned long long>(constants);
}

#endif
