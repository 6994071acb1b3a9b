/* Growable arrays: `VEC(struct thing) things;` then vec_push(&things, value). Freed with vec_free. */
#ifndef LOCKSTEP_BASE_VEC_H
#define LOCKSTEP_BASE_VEC_H

#include <stddef.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/hot.h"

#define VEC(type)        \
    struct {             \
        type *items;     \
        size_t count;    \
        size_t capacity; \
    }

#define vec_reserve(v, n)                                                                           \
    do {                                                                                            \
        if (RARELY((v)->capacity < (size_t)(n))) {                                                  \
            (v)->capacity = (size_t)(n) > 2 * (v)->capacity ? (size_t)(n) : 2 * (v)->capacity;      \
            (v)->items = base_realloc((v)->items, (v)->capacity * sizeof *(v)->items);              \
        }                                                                                           \
    } while (0)

#define vec_push(v, ...)                                  \
    do {                                                  \
        vec_reserve((v), (v)->count + 1);                 \
        (v)->items[(v)->count++] = __VA_ARGS__;           \
    } while (0)

#define vec_free(v)                              \
    do {                                         \
        free((v)->items);                        \
        (v)->items = NULL;                       \
        (v)->count = (v)->capacity = 0;          \
    } while (0)

#endif
