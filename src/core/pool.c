/* The pool of instructions in flight and their accesses, and the wheels. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hot.h"
#include "core/op.h"
#include "simt/image.h"

#define FIRST_OPS 64

uint32_t core_op_grow(struct core_ops *ops)
{
    if (ops->count == ops->capacity) {
        size_t more = ops->capacity ? 2 * ops->capacity : FIRST_OPS;
        ops->items = base_grow_apart(ops->items, ops->count * sizeof *ops->items, more * sizeof *ops->items);
        ops->capacity = more;
    }
    return (uint32_t)ops->count++;
}

HOT struct simt_access *core_access_new(struct core_ops *ops, struct arena *arena)
{
    struct simt_access *access =
        ops->accesses.count ? ops->accesses.items[--ops->accesses.count] : ARENA_NEW(arena, struct simt_access, 1);
    if (RARELY(ops->samples && !access->texels))
        access->texels = ARENA_NEW(arena, struct simt_texels, 1);
    return access;
}

void core_wheel_init(struct core_wheel *wheel)
{
    memset(wheel->head, 0xFF, sizeof wheel->head);
    memset(wheel->occupied, 0, sizeof wheel->occupied);
    wheel->count = 0;
    wheel->mask = CORE_WHEEL - 1;
}

void core_wheel_begin(struct core_wheel *wheel, uint32_t cycles)
{
    wheel->mask = core_ring_of_cycles(cycles) - 1;
}

HOT uint64_t core_wheel_next_long(const struct core_wheel *wheel, uint64_t from)
{
    unsigned start = (unsigned)from & wheel->mask, words = (wheel->mask + 1) / 64;
    for (unsigned i = 0; i <= words; i++) {
        unsigned word = (start / 64 + i) & (words - 1);
        uint64_t bits = wheel->occupied[word];
        if (i == 0)
            bits &= ~UINT64_C(0) << start % 64;
        if (i == words)
            bits &= mask_low(start % 64);
        if (bits)
            return from + ((word * 64 + mask_first(bits) - start) & wheel->mask);
    }
    return CYCLE_NEVER;
}
