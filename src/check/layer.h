/* The states of one depth, which wait to be looked at: written one after the other, then read in the same order. States
 * that follow each other are much alike, so they are kept compressed, in chunks; those that were read are given back.
 */
#ifndef LOCKSTEP_CHECK_LAYER_H
#define LOCKSTEP_CHECK_LAYER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct layer_chunk {
    uint8_t *bytes;
    uint32_t size, raw; /* compressed, and as it is */
};

struct layer {
    VEC(struct layer_chunk) chunks;
    VEC(uint8_t) open;     /* being written, or read: sizes of two bytes and states, one after the other */
    size_t next_chunk, at; /* to be read: the chunk behind `open`, and the place in that */
    uint64_t bytes;        /* of compressed chunks */
    bool reads;
};

/* A state of this size, below 64 KiB, behind all others. */
void layer_push(struct layer *layer, const uint8_t *bytes, uint32_t size);
/* Reading begins: nothing is written any more until all is read. */
void layer_read(struct layer *layer);
/* The next state, which stays until the one behind it is asked for; NULL: there is none, and the layer is empty. */
const uint8_t *layer_next(struct layer *layer);
/* The memory that it takes. */
uint64_t layer_bytes(const struct layer *layer);
void layer_free(struct layer *layer);

#endif
