/* Random streams: one for each unit that varies something, so that no unit's numbers depend on what another does. The
 * n-th number of a stream is a function of the seed, the unit's name and n alone, whatever the number of threads and
 * whichever cycles are skipped. A stream's only state is how many numbers were drawn. */
#ifndef LOCKSTEP_BASE_RANDOM_H
#define LOCKSTEP_BASE_RANDOM_H

#include <stdint.h>

struct random_stream {
    uint64_t key;   /* made of the seed and the unit's name */
    uint64_t drawn; /* how many numbers were taken; the part that a checkpoint holds */
};

/* The stream of unit `number` among those of the same name. */
struct random_stream random_stream_of(uint64_t seed, const char *unit, uint64_t number);
/* Draws the next number: 0..below - 1, each as likely (to one part in 2^32 / below). below is 1 or more. */
uint32_t random_below(struct random_stream *stream, uint32_t below);

/* A latency's random lengthening. */
struct jitter {
    struct random_stream stream;
    uint32_t most; /* cycles; 0: the latency is constant, and nothing is drawn */
};

/* The cycles by which the next latency is longer: 0..most. */
static inline uint32_t jitter_next(struct jitter *j)
{
    return j->most ? random_below(&j->stream, j->most + 1) : 0;
}

#endif
