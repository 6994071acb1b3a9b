/* Who misses in the L1 data cache, and loses what lines: a cache of one set, driven as the load/store unit does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lsu/locality.h"

#define LINE(n) ((uint64_t)(n) * 128)

struct fixture {
    struct arena arena;
    struct l1 l1d;
    struct lsu_locality *locality;
    uint32_t fill; /* of the last miss */
};

static void make(struct fixture *f, enum cache_allocate allocate)
{
    struct cache_params params = {.sets = 1,
                                  .ways = 2,
                                  .line_bytes = 128,
                                  .sector_bytes = 128,
                                  .replacement = CACHE_LRU,
                                  .allocate = allocate,
                                  .mshr_entries = 4,
                                  .mshr_merges = 4,
                                  .miss_room = 1};
    *f = (struct fixture){0};
    f->l1d.cache = cache_create(&params, false, &f->arena);
    f->locality = lsu_locality_new(&params, &f->arena);
}

static enum cache_result load(struct fixture *f, unsigned slot, uint64_t address)
{
    struct cache_effect effect;
    uint64_t misses = l1_misses(&f->l1d);
    enum cache_result result = cache_read(f->l1d.cache, address, 4, slot, 4, &effect);
    assert_int_not_equal(result, CACHE_REFUSED);
    lsu_locality_accessed(f->locality, &f->l1d, slot, address, misses);
    f->fill = effect.fill;
    return result;
}

/* A load that misses, and its fill. */
static void bring(struct fixture *f, unsigned slot, uint64_t address)
{
    uint32_t line;
    const uint8_t *data;
    assert_int_equal(load(f, slot, address), CACHE_MISS);
    cache_end_fill(f->l1d.cache, f->fill, NULL);
    lsu_locality_filled(f->locality, &f->l1d, slot);
    assert_int_equal(cache_ready(f->l1d.cache, &line, &data), slot);
}

static void expect(const struct fixture *f, unsigned slot, uint64_t misses, uint64_t lost, uint64_t lost_hits)
{
    const struct lockstep_memory_view *view = &lsu_locality_view(f->locality)[slot];
    assert_int_equal(view->misses, misses);
    assert_int_equal(view->lost, lost);
    assert_int_equal(view->lost_hits, lost_hits);
    assert_int_equal(view->mshrs, 0);
}

static void lines_are_lost_and_missed(enum cache_allocate allocate)
{
    struct fixture f;
    make(&f, allocate);
    bring(&f, 3, LINE(1));
    bring(&f, 5, LINE(2));
    assert_int_equal(load(&f, 5, LINE(1) + 64), CACHE_HIT); /* another's line */
    expect(&f, 5, 1, 0, 0);
    bring(&f, 5, LINE(3)); /* in place of its own */
    expect(&f, 5, 2, 1, 0);
    bring(&f, 5, LINE(4)); /* in place of that of 3 */
    expect(&f, 3, 1, 1, 0);
    bring(&f, 3, LINE(2)); /* which only 5 has lost */
    expect(&f, 3, 2, 1, 0);
    bring(&f, 3, LINE(1));
    expect(&f, 3, 3, 1, 1);
    bring(&f, 7, LINE(8));
    bring(&f, 7, LINE(9));
    expect(&f, 3, 3, 3, 1);
    lsu_locality_launched(f.locality, 3); /* another warp: what it lost is forgotten */
    bring(&f, 3, LINE(1));
    expect(&f, 3, 1, 0, 0);
    arena_free(&f.arena);
}

static void test_lost_lines(void **state)
{
    (void)state;
    lines_are_lost_and_missed(CACHE_ALLOCATE_ON_MISS);
    lines_are_lost_and_missed(CACHE_ALLOCATE_ON_FILL);
}

/* A request holds an MSHR until its fill comes; who joins it holds none. */
static void test_mshrs(void **state)
{
    (void)state;
    struct fixture f;
    make(&f, CACHE_ALLOCATE_ON_MISS);
    assert_int_equal(load(&f, 1, LINE(1)), CACHE_MISS);
    uint32_t fill = f.fill;
    assert_int_equal(load(&f, 2, LINE(1)), CACHE_PENDING);
    const struct lockstep_memory_view *view = lsu_locality_view(f.locality);
    assert_true(view[1].mshrs == 1 && view[1].misses == 1 && view[2].mshrs == 0 && view[2].misses == 0);
    cache_end_fill(f.l1d.cache, fill, NULL);
    lsu_locality_filled(f.locality, &f.l1d, 1);
    assert_int_equal(view[1].mshrs, 0);
    arena_free(&f.arena);
}

/* So many lost lines are remembered, the last ones. */
static void test_memory_is_bounded(void **state)
{
    (void)state;
    struct fixture f;
    make(&f, CACHE_ALLOCATE_ON_MISS);
    for (unsigned i = 0; i < LOCKSTEP_LOST_LINES + 3; i++)
        bring(&f, 0, LINE(i));
    expect(&f, 0, LOCKSTEP_LOST_LINES + 3, LOCKSTEP_LOST_LINES + 1, 0);
    bring(&f, 0, LINE(0)); /* forgotten */
    bring(&f, 0, LINE(2)); /* still known, and then LINE(1) and LINE(3) are not */
    expect(&f, 0, LOCKSTEP_LOST_LINES + 5, LOCKSTEP_LOST_LINES + 3, 1);
    arena_free(&f.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lost_lines),
        cmocka_unit_test(test_mshrs),
        cmocka_unit_test(test_memory_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
