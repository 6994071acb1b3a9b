/* A layer's states are written into chunks, each compressed when it is full, and read back chunk by chunk (layer.h). */
#include "check/layer.h"

#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "base/arena.h"
#include "base/check.h"

#define CHUNK_BYTES (1u << 20)
#define LEVEL 1 /* of zstd: the search must not wait for it */

/* Compresses the states in `open` to a chunk, and leaves `open` empty. */
static void close_chunk(struct layer *layer)
{
    size_t bound = ZSTD_compressBound(layer->open.count);
    uint8_t *bytes = base_malloc(bound);
    size_t size = ZSTD_compress(bytes, bound, layer->open.items, layer->open.count, LEVEL);
    contract(!ZSTD_isError(size)); /* there is room for whatever it is */
    struct layer_chunk chunk = {base_realloc(bytes, size), (uint32_t)size, (uint32_t)layer->open.count};
    vec_push(&layer->chunks, chunk);
    layer->bytes += size;
    layer->open.count = 0;
}

void layer_push(struct layer *layer, const uint8_t *bytes, uint32_t size)
{
    contract(!layer->reads && size <= UINT16_MAX);
    if (layer->open.count + size + 2 > CHUNK_BYTES)
        close_chunk(layer);
    vec_reserve(&layer->open, layer->open.count + size + 2);
    uint8_t *to = layer->open.items + layer->open.count;
    to[0] = (uint8_t)size;
    to[1] = (uint8_t)(size >> 8);
    memcpy(to + 2, bytes, size);
    layer->open.count += size + 2;
}

/* Puts the states of the next chunk into `open`, and gives the chunk back. */
static void open_chunk(struct layer *layer)
{
    struct layer_chunk *chunk = &layer->chunks.items[layer->next_chunk++];
    vec_reserve(&layer->open, chunk->raw);
    size_t raw = ZSTD_decompress(layer->open.items, chunk->raw, chunk->bytes, chunk->size);
    contract(raw == chunk->raw);
    layer->open.count = raw;
    layer->at = 0;
    layer->bytes -= chunk->size;
    free(chunk->bytes);
    chunk->bytes = NULL;
}

/* States that were written last stay in `open` if there are no chunks; else they are the last one. */
void layer_read(struct layer *layer)
{
    if (layer->chunks.count && layer->open.count)
        close_chunk(layer);
    layer->reads = true;
    layer->next_chunk = layer->at = 0;
}

const uint8_t *layer_next(struct layer *layer)
{
    contract(layer->reads);
    if (layer->at == layer->open.count) {
        if (layer->next_chunk == layer->chunks.count) {
            layer->chunks.count = layer->open.count = 0;
            layer->reads = false;
            return NULL;
        }
        open_chunk(layer);
    }
    const uint8_t *item = layer->open.items + layer->at;
    layer->at += 2 + (size_t)(item[0] | item[1] << 8);
    return item + 2;
}

uint64_t layer_bytes(const struct layer *layer)
{
    return layer->bytes + layer->open.capacity + layer->chunks.capacity * sizeof *layer->chunks.items;
}

void layer_free(struct layer *layer)
{
    for (size_t i = layer->reads ? layer->next_chunk : 0; i < layer->chunks.count; i++)
        free(layer->chunks.items[i].bytes);
    vec_free(&layer->chunks);
    vec_free(&layer->open);
}
