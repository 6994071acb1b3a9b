/* The table of a warp's paths, whatever the divergence model: see divergence.h. */
#include "simt/divergence.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bits.h"

#define FIRST_PATHS 16

#define SIMT_MODEL(symbol) extern const struct simt_divergence simt_##symbol;
#include "simt/models.def"
#undef SIMT_MODEL

static const struct simt_divergence *const models[] = {
#define SIMT_MODEL(symbol) &simt_##symbol,
#include "simt/models.def"
#undef SIMT_MODEL
    NULL,
};

const struct simt_divergence *simt_model_find(const char *name)
{
    for (unsigned i = 0; models[i]; i++)
        if (!strcmp(models[i]->name, name))
            return models[i];
    return NULL;
}

const struct simt_divergence *const *simt_models(void)
{
    return models;
}

void simt_paths_reserve(struct simt_paths *paths, uint32_t capacity)
{
    if (capacity <= paths->capacity)
        return;
    size_t old_bytes = paths->capacity * sizeof *paths->table, bytes = capacity * sizeof *paths->table;
    paths->table =
        paths->lent ? base_copy_apart(paths->table, old_bytes, bytes) : base_grow_apart(paths->table, old_bytes, bytes);
    paths->capacity = capacity;
    paths->lent = false;
}

void simt_paths_push(struct simt_paths *paths, struct simt_path path)
{
    if (paths->count == paths->capacity)
        simt_paths_reserve(paths, paths->capacity ? 2 * paths->capacity : FIRST_PATHS);
    paths->table[paths->count++] = path;
    if (paths->count > paths->most)
        paths->most = paths->count;
}

void simt_paths_start(struct simt_paths *paths, const struct simt_divergence *model, uint64_t mask, uint32_t pc,
                      const struct simt_frame *frame)
{
    paths->model = model;
    paths->count = paths->most = paths->asked = 0;
    paths->past = paths->skipped = 0;
    paths->now = NULL;
    if (!mask)
        return;
    simt_paths_push(paths, (struct simt_path){.pc = pc, .until = ISA_PC_NONE, .mask = mask, .frame = *frame});
    paths->now = paths->table;
}

void simt_paths_lend(struct simt_paths *paths, struct simt_path *memory, uint32_t capacity)
{
    simt_paths_free(paths);
    paths->table = memory;
    paths->capacity = capacity;
    paths->lent = true;
}

void simt_paths_free(struct simt_paths *paths)
{
    if (!paths->lent)
        free(paths->table);
    *paths = (struct simt_paths){.model = paths->model};
}

uint64_t simt_lanes_going_to(const uint32_t *next, uint32_t pc, uint64_t mask)
{
    uint64_t same = 0;
    for (uint64_t rest = mask; rest; rest &= rest - 1)
        if (next[mask_first(rest)] == pc)
            same |= BIT64(mask_first(rest));
    return same;
}
