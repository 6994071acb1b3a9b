/* Tallies: counts that go up and down at sets of ports are those of 64 plain counters, whatever the way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash.h"
#include "network/tally.h"

static void same(const struct tally *t, const unsigned *counts, unsigned limit)
{
    uint64_t some = 0, full = 0;
    for (unsigned port = 0; port < 64; port++) {
        assert_int_equal(tally_count(t, port), counts[port]);
        some |= counts[port] ? BIT64(port) : 0;
        full |= limit && counts[port] == limit ? BIT64(port) : 0;
    }
    assert_true(tally_some(t) == some);
    if (limit)
        assert_true(tally_full(t) == full);
}

/* Sets at random; for some time more goes up, then more down. Full ports stay where they are, as do empty ones. */
static void counts_as_counters_do(void **state)
{
    const unsigned limits[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 64, 67, 300, 4096, TALLY_MOST, 0};
    for (unsigned l = 0; l < sizeof limits / sizeof limits[0]; l++) {
        struct tally t;
        unsigned counts[64] = {0}, limit = limits[l];
        tally_init(&t, limit);
        for (uint64_t i = 0; i < 4000; i++) {
            uint64_t up = random_at(1, i), down = random_at(2, i);
            if (i / 250 % 2)
                up &= random_at(3, i);
            else
                down &= random_at(3, i);
            up &= limit ? ~tally_full(&t) : ~UINT64_C(0);
            down &= tally_some(&t);
            tally_move(&t, up & ~down, down & ~up);
            for (unsigned port = 0; port < 64; port++)
                counts[port] += mask_has(up, port) - mask_has(down, port);
            same(&t, counts, limit);
        }
    }
}

/* How a count was reached leaves no trace in what is asked. */
static void counts_can_be_set(void **state)
{
    const unsigned limit = 20;
    unsigned counts[64] = {0};
    struct tally t, copy;
    tally_init(&t, limit);
    tally_init(&copy, limit);
    for (uint64_t i = 0; i < 2000; i++) {
        unsigned port = (unsigned)(random_at(4, i) % 64);
        counts[port] = (unsigned)(random_at(5, i) % (limit + 1));
        tally_set(&t, port, counts[port]);
        same(&t, counts, limit);
        uint64_t up = random_at(6, i) & ~tally_full(&t);
        tally_move(&t, up, 0);
        tally_copy(&copy, &t, up);
        tally_move(&t, 0, up);
        tally_move(&copy, 0, up);
        same(&t, counts, limit);
        tally_copy(&copy, &t, ~up);
        same(&copy, counts, limit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_as_counters_do),
        cmocka_unit_test(counts_can_be_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
