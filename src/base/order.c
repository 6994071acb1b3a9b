/* A radix sort from the lowest digit on: see order.h. */
#include "base/order.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bits.h"

#define DIGIT_BITS 8
#define DIGITS (64 / DIGIT_BITS)
#define DIGIT_VALUES (1u << DIGIT_BITS)
#define FEW 64 /* items that comparisons sort as fast */

struct keyed {
    uint64_t key;
    size_t from; /* the item's number before it is sorted */
};

/* Moves `from` to `to`, by one digit; items with the same one stay as they were. */
static void sort_digit(struct keyed *to, const struct keyed *from, size_t count, unsigned shift)
{
    size_t places[DIGIT_VALUES + 1] = {0};
    for (size_t i = 0; i < count; i++)
        places[(from[i].key >> shift) % DIGIT_VALUES + 1]++;
    for (unsigned i = 1; i < DIGIT_VALUES; i++)
        places[i] += places[i - 1];
    for (size_t i = 0; i < count; i++)
        to[places[(from[i].key >> shift) % DIGIT_VALUES]++] = from[i];
}

/* Returns the one of both arrays that has the sorted keys; `keys` has them before, `differ` the bits in which they
 * differ. */
static struct keyed *sort_keys(struct keyed *keys, struct keyed *other, size_t count, uint64_t differ)
{
    for (unsigned digit = 0; digit < DIGITS; digit++) {
        unsigned shift = digit * DIGIT_BITS;
        if (!((differ >> shift) % DIGIT_VALUES))
            continue;
        sort_digit(other, keys, count, shift);
        struct keyed *sorted = other;
        other = keys;
        keys = sorted;
    }
    return keys;
}

/* Items with equal keys stand together: puts those in order among themselves. */
static void sort_equals(char *items, const struct keyed *keys, size_t count, size_t size,
                        int (*order)(const void *, const void *))
{
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && keys[end].key == keys[first].key;)
            end++;
        if (end - first > 1)
            qsort(items + first * size, end - first, size, order);
    }
}

void order_sort(void *items, size_t count, size_t size, uint64_t (*key)(const void *),
                int (*order)(const void *, const void *))
{
    if (count < FEW) {
        if (count)
            qsort(items, count, size, order);
        return;
    }
    struct keyed *keys = base_malloc(2 * count * sizeof *keys);
    uint64_t differ = 0;
    for (size_t i = 0; i < count; i++) {
        keys[i] = (struct keyed){key((char *)items + i * size), i};
        differ |= keys[i].key ^ keys[0].key;
    }
    const struct keyed *sorted = sort_keys(keys, keys + count, count, differ);
    char *copy = base_malloc(count * size);
    memcpy(copy, items, count * size);
    for (size_t i = 0; i < count; i++)
        memcpy((char *)items + i * size, copy + sorted[i].from * size, size);
    sort_equals(items, sorted, count, size, order);
    free(copy);
    free(keys);
}
