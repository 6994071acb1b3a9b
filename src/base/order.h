/* Sorting of long arrays by numbers. */
#ifndef LOCKSTEP_BASE_ORDER_H
#define LOCKSTEP_BASE_ORDER_H

#include <stddef.h>
#include <stdint.h>

/* Sorts `count` items of `size` bytes as `order` compares them, which does so as qsort's functions do. `key` never
 * falls along that order: of two items with different keys, the one with the smaller key comes first. Most keys should
 * differ: those are sorted by their digits, without comparisons, and only items with equal keys are compared. */
void order_sort(void *items, size_t count, size_t size, uint64_t (*key)(const void *),
                int (*order)(const void *, const void *));

#endif
