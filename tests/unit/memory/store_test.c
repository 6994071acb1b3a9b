/* The device memory store: first fit, alignment, freed space found again and zero, bounds. */
#include "memory_fixture.h"

#define START UINT64_C(0x80000000)

static void allocations_are_first_fit(void **state)
{
    struct store s;
    assert_int_equal(store_init(&s, START, 1 << 20, NULL), 0);
    uint64_t a = store_alloc(&s, 100, 256), b = store_alloc(&s, 1, 256), c = store_alloc(&s, 0, 1);
    assert_int_equal(a, START);
    assert_int_equal(b, START + 256);
    assert_int_equal(c, START + 100); /* the gap before b */
    assert_int_equal(s.used, 102);
    store_at(&s, a)[99] = 7;
    assert_int_equal(store_release(&s, a), 0);
    assert_int_equal(store_release(&s, a), -1);
    assert_int_equal(store_release(&s, b + 1), -1);
    assert_int_equal(store_release(&s, c), 0);
    assert_int_equal(store_alloc(&s, 256, 256), START);
    assert_int_equal(store_at(&s, START)[99], 0);
    assert_int_equal(store_alloc(&s, 300, 4), START + 260);
    assert_int_equal(s.peak, 1 + 256 + 300);
    store_free_all(&s);
}

static void cleared_ranges_are_zero_and_no_more(void **state)
{
    struct store s;
    assert_int_equal(store_init(&s, START, 1 << 20, NULL), 0);
    uint64_t a = store_alloc(&s, 40000, 256), bounds[][2] = {{0, 40000}, {1, 5}, {100, 12388}, {4096, 8192}, {4095, 8193}, {7, 7}};
    for (unsigned i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        memset(store_at(&s, a), 9, 40000);
        store_clear(&s, a + bounds[i][0], a + bounds[i][1]);
        for (unsigned k = 0; k < 40000; k++)
            assert_int_equal(store_at(&s, a)[k], k >= bounds[i][0] && k < bounds[i][1] ? 0 : 9);
    }
    store_free_all(&s);
}

static void blocks_have_bounds(void **state)
{
    struct store s;
    assert_int_equal(store_init(&s, START, 1 << 20, NULL), 0);
    uint64_t a = store_alloc(&s, 100, 256), b = store_alloc(&s, 100, 256);
    assert_null(store_find(&s, START - 1));
    assert_non_null(store_find(&s, a));
    assert_non_null(store_find(&s, a + 99));
    assert_null(store_find(&s, a + 100));
    assert_int_equal(store_find(&s, b + 50)->start, b);
    assert_true(store_covers(&s, a, 100));
    assert_false(store_covers(&s, a, 101));
    assert_false(store_covers(&s, a + 100, 1));
    assert_true(store_covers(&s, b + 99, 1));
    store_free_all(&s);
}

static void a_full_store_refuses(void **state)
{
    struct store s;
    assert_int_equal(store_init(&s, START, 4096, NULL), 0);
    assert_int_equal(store_alloc(&s, 4097, 1), 0);
    assert_int_equal(store_alloc(&s, 4096, 1), START);
    assert_int_equal(store_alloc(&s, 1, 1), 0);
    assert_int_equal(store_release(&s, START), 0);
    assert_int_equal(store_alloc(&s, UINT64_MAX, 1), 0);
    assert_int_equal(store_alloc(&s, 16, 3), 0);
    store_free_all(&s);
    assert_int_equal(store_init(&s, 0, 4096, NULL), -1);
    assert_int_equal(store_init(&s, START, 0, NULL), -1);
}

/* Against a map of bytes: no two blocks overlap, and none could have been placed lower. */
static void random_allocations_never_overlap(void **state)
{
    enum { SIZE = 4096, BLOCKS = 64 };
    struct store s;
    uint8_t owner[SIZE] = {0};
    uint64_t at[BLOCKS] = {0}, size[BLOCKS] = {0}, seed = 1;
    assert_int_equal(store_init(&s, START, SIZE, NULL), 0);
    for (unsigned round = 0; round < 5000; round++) {
        unsigned i = fixture_random(&seed) % BLOCKS;
        if (at[i]) {
            assert_int_equal(store_release(&s, at[i]), 0);
            memset(owner + (at[i] - START), 0, size[i]);
            at[i] = 0;
            continue;
        }
        size[i] = 1 + fixture_random(&seed) % 200;
        uint64_t align = 1u << (fixture_random(&seed) % 7), expected = 0;
        for (uint64_t from = 0; from + size[i] <= SIZE && !expected; from += align) {
            uint64_t n = 0;
            while (n < size[i] && !owner[from + n])
                n++;
            expected = n == size[i] ? START + from : 0;
        }
        at[i] = store_alloc(&s, size[i], align);
        assert_int_equal(at[i], expected);
        if (at[i])
            memset(owner + (at[i] - START), 1, size[i]);
    }
    store_free_all(&s);
}

static void addresses_are_host_addresses_when_free(void **state)
{
    struct store a, b;
    uint64_t start = UINT64_C(0x600000000000);
    assert_int_equal(store_init(&a, start, 1 << 20, NULL), 0);
    assert_int_equal(store_init(&b, start, 1 << 20, NULL), 0); /* taken now */
    if (a.identity)
        assert_int_equal((uintptr_t)store_at(&a, start + 5), start + 5);
    assert_false(b.identity);
    *store_at(&a, start) = 1;
    assert_int_equal(*store_at(&b, start), 0);
    store_free_all(&a);
    store_free_all(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_are_first_fit),
        cmocka_unit_test(cleared_ranges_are_zero_and_no_more),
        cmocka_unit_test(blocks_have_bounds),
        cmocka_unit_test(a_full_store_refuses),
        cmocka_unit_test(addresses_are_host_addresses_when_free),
        cmocka_unit_test(random_allocations_never_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
