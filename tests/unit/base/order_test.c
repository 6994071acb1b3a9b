/* Sorting by keys against qsort: any number of items, keys that differ in few bits or many, and keys that are alike. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/order.h"
#include "base/random.h"

/* An item that is sorted by `first`, then by `second`; both may be alike, `rest` never is. */
struct item {
    uint64_t first;
    uint32_t second;
    uint32_t rest[3];
};

static int in_order(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    int differ = (x->first > y->first) - (x->first < y->first);
    differ = differ ? differ : (x->second > y->second) - (x->second < y->second);
    return differ ? differ : (x->rest[0] > y->rest[0]) - (x->rest[0] < y->rest[0]);
}

static uint64_t whole(const void *item)
{
    return ((const struct item *)item)->first;
}

/* Falls nowhere, but is alike where the order is not. */
static uint64_t upper(const void *item)
{
    return ((const struct item *)item)->first >> 5;
}

static uint64_t none(const void *item)
{
    (void)item;
    return 7;
}

static void as_by_comparisons(void **state)
{
    static const uint64_t masks[] = {UINT64_MAX, 0xffff, 0xff00ff0000, 3, 0};
    static const size_t counts[] = {0, 1, 2, 63, 64, 65, 300, 5000};
    uint64_t (*const keys[])(const void *) = {whole, upper, none};
    (void)state;
    for (unsigned m = 0; m < 5; m++)
        for (unsigned c = 0; c < 8; c++)
            for (unsigned k = 0; k < 3; k++) {
                struct random_stream random = random_stream_of(m * 8 + c, "order", k);
                struct item *a = calloc(counts[c] + 1, sizeof *a), *b = calloc(counts[c] + 1, sizeof *b);
                for (uint32_t i = 0; i < counts[c]; i++) {
                    uint64_t high = random_below(&random, UINT32_MAX), low = random_below(&random, UINT32_MAX);
                    a[i] = (struct item){(high << 32 | low) & masks[m], random_below(&random, 4), {i, ~i, 5}};
                }
                memcpy(b, a, counts[c] * sizeof *a);
                order_sort(a, counts[c], sizeof *a, keys[k], in_order);
                qsort(b, counts[c], sizeof *b, in_order);
                assert_memory_equal(a, b, counts[c] * sizeof *a);
                free(a);
                free(b);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_by_comparisons)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
