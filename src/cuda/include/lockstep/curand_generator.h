/* Generators of the host's interface: they draw on the host, in the order that cuRAND documents, and copy what they drew
 * to where the program wants it. XORWOW draws from 4096 sequences in turn, MRG32k3a from 81920, Philox four numbers
 * each from 65536; Sobol's sequences come one dimension after another. */
#ifndef LOCKSTEP_CURAND_GENERATOR_H
#define LOCKSTEP_CURAND_GENERATOR_H

#include <vector>

#include "curand_directions.h"
#include "curand_poisson.h"

struct curandGenerator_st {
    curandRngType_t type;
    bool on_host, ready;
    cudaStream_t stream;
    unsigned long long seed, offset, position; /* position: of the next number behind the offset, for each dimension */
    unsigned dimensions;
    std::vector<curandStateXORWOW_t> xorwow;
    std::vector<curandStateMRG32k3a_t> mrg;
    std::vector<curandStateSobol32_t> sobol32;
    std::vector<curandStateSobol64_t> sobol64;
};

/* Where numbers go: collected, and copied by the piece. */
template <class T> struct lockstep_curand_sink {
    curandGenerator_t generator;
    T *to;
    std::vector<T> room;
    curandStatus_t status;

    void flush()
    {
        if (!room.empty() && status == CURAND_STATUS_SUCCESS) {
            size_t bytes = room.size() * sizeof(T);
            if (generator->on_host)
                memcpy(to, room.data(), bytes);
            else if (cudaMemcpyAsync(to, room.data(), bytes, cudaMemcpyHostToDevice, generator->stream) ||
                     cudaStreamSynchronize(generator->stream))
                status = CURAND_STATUS_LAUNCH_FAILURE;
            to += room.size();
        }
        room.clear();
    }
    void put(T value)
    {
        room.push_back(value);
        if (room.size() == 1u << 18)
            flush();
    }
};

static inline void lockstep_curand_next_sequence(curandStateXORWOW_t *state)
{
    skipahead_sequence(1ull, state);
}
static inline void lockstep_curand_next_sequence(curandStateMRG32k3a_t *state)
{
    skipahead_subsequence(1ull, state);
}
/* So many sequences, each one sequence behind the one before, from the offset on. */
template <class State>
static inline void lockstep_curand_sequences(curandGenerator_t g, std::vector<State> *states, unsigned count)
{
    State state;
    curand_init(g->seed, 0, 0, &state);
    states->clear();
    for (unsigned i = 0; i < count; i++) {
        states->push_back(state);
        skipahead(g->offset / count + (i < g->offset % count), &states->back());
        lockstep_curand_next_sequence(&state);
    }
}
template <class State, class Word>
static inline void lockstep_curand_dimensions(curandGenerator_t g, std::vector<State> *states)
{
    const int bits = 8 * sizeof(Word);
    bool scrambled = g->type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 || g->type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64;
    std::vector<Word> vectors = lockstep_sobol_directions<Word>(g->dimensions, bits);
    states->resize(g->dimensions);
    for (unsigned d = 0; d < g->dimensions; d++)
        lockstep_sobol_init(&vectors[(size_t)d * bits], scrambled ? lockstep_sobol_constant<Word>(d) : 0,
                            (Word)g->offset, &(*states)[d]);
}
static inline bool lockstep_curand_is_quasi(curandGenerator_t g)
{
    return g->type >= CURAND_RNG_QUASI_DEFAULT;
}
static inline void lockstep_curand_prepare(curandGenerator_t g)
{
    if (g->ready)
        return;
    g->ready = true;
    g->position = 0;
    if (g->type == CURAND_RNG_PSEUDO_XORWOW)
        lockstep_curand_sequences(g, &g->xorwow, 4096);
    else if (g->type == CURAND_RNG_PSEUDO_MRG32K3A)
        lockstep_curand_sequences(g, &g->mrg, 81920);
    else if (g->type == CURAND_RNG_QUASI_SOBOL32 || g->type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL32)
        lockstep_curand_dimensions<curandStateSobol32_t, unsigned>(g, &g->sobol32);
    else if (lockstep_curand_is_quasi(g))
        lockstep_curand_dimensions<curandStateSobol64_t, unsigned long long>(g, &g->sobol64);
}

/* A distribution is to these functions what draws `each` numbers at once from a state. */
template <class T, class State, class Draw>
static inline void lockstep_curand_turns(curandGenerator_t g, std::vector<State> *states, size_t n, unsigned each,
                                         const Draw &draw, lockstep_curand_sink<T> *sink)
{
    T out[2];
    for (size_t i = 0; i < n; i += each) {
        draw(&(*states)[(g->offset + g->position++) % states->size()], out);
        for (unsigned k = 0; k < each && i + k < n; k++)
            sink->put(out[k]);
    }
}
template <class T, class Draw>
static inline void lockstep_curand_philox(curandGenerator_t g, size_t n, unsigned each, const Draw &draw,
                                          lockstep_curand_sink<T> *sink)
{
    T out[2];
    curandStatePhilox4_32_10_t state;
    unsigned long long at = g->offset + g->position, end = at + n;
    for (unsigned long long group = at / 4; at < end; group++) {
        curand_init(g->seed, group % 65536, group / 65536 * 4, &state);
        for (unsigned long long number = group * 4; number < group * 4 + 4; number += each) {
            draw(&state, out);
            for (unsigned k = 0; k < each; k++)
                if (number + k == at && at < end) {
                    sink->put(out[k]);
                    at++;
                }
        }
    }
    g->position += n;
}
template <class T, class State, class Draw>
static inline void lockstep_curand_quasi(std::vector<State> *states, size_t n, const Draw &draw,
                                         lockstep_curand_sink<T> *sink)
{
    T out[2];
    for (State &state : *states)
        for (size_t i = 0; i < n / states->size(); i++) {
            draw(&state, out);
            sink->put(out[0]);
        }
}

/* Generates n numbers. Pseudo-random generators draw `each` at once, Philox as many as it says. */
template <class T, class Draw>
static inline curandStatus_t lockstep_curand_generate(curandGenerator_t g, T *to, size_t n, unsigned each,
                                                      unsigned philox_each, const Draw &draw)
{
    if (!g)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (lockstep_curand_is_quasi(g) ? n % g->dimensions : g->type != CURAND_RNG_PSEUDO_PHILOX4_32_10 && n % each)
        return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    lockstep_curand_prepare(g);
    lockstep_curand_sink<T> sink = {g, to, std::vector<T>(), CURAND_STATUS_SUCCESS};
    if (g->type == CURAND_RNG_PSEUDO_XORWOW)
        lockstep_curand_turns(g, &g->xorwow, n, each, draw, &sink);
    else if (g->type == CURAND_RNG_PSEUDO_MRG32K3A)
        lockstep_curand_turns(g, &g->mrg, n, each, draw, &sink);
    else if (g->type == CURAND_RNG_PSEUDO_PHILOX4_32_10)
        lockstep_curand_philox(g, n, philox_each, draw, &sink);
    else if (!g->sobol32.empty())
        lockstep_curand_quasi(&g->sobol32, n, draw, &sink);
    else
        lockstep_curand_quasi(&g->sobol64, n, draw, &sink);
    sink.flush();
    return sink.status;
}

#endif
