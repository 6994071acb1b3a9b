/* The cache: replacement, MSHRs, sectors, write policies, invalidation, refusals. Addresses of set 0 of the L1's
 * geometry with linear index are multiples of 4096. */
#include <stdlib.h>

#include "memory_fixture.h"

#define ROOM 8
#define LINE 128
#define SET0(n) ((uint64_t)(n)*4096)

struct fixture {
    struct arena arena;
    struct cache_params params;
    struct cache *cache;
    struct cache_effect effect;
};

static struct fixture *make(struct fixture *f, bool with_data)
{
    f->cache = cache_create(&f->params, with_data, &f->arena);
    return f;
}

static void expect_sound(struct fixture *f)
{
    struct check c;
    check_init(&c);
    cache_check(f->cache, &c);
    fixture_expect_sound(&c);
}

static int setup(void **state)
{
    struct fixture *f = base_calloc(1, sizeof(*f));
    arena_init(&f->arena);
    fixture_defaults(cache_param_descs, cache_param_count, &f->params);
    f->params.set_index = CACHE_INDEX_LINEAR;
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    if (f->cache)
        expect_sound(f);
    arena_free(&f->arena);
    free(f);
    return 0;
}

static enum cache_result read_at(struct fixture *f, uint64_t address, uint32_t waiter)
{
    expect_sound(f);
    return cache_read(f->cache, address, 4, waiter, ROOM, &f->effect);
}

static uint32_t take(struct fixture *f)
{
    uint32_t line;
    const uint8_t *data;
    expect_sound(f);
    return cache_ready(f->cache, &line, &data);
}

/* What a read would be, but for places. */
static enum cache_result look(const struct cache *c, uint64_t address, uint32_t bytes)
{
    uint32_t line;
    enum cache_presence presence = cache_find(c, address, bytes, &line);
    return presence >= CACHE_THERE ? CACHE_HIT : presence == CACHE_COMING ? CACHE_PENDING : CACHE_MISS;
}

/* Brings a line in and takes its waiter. */
static void bring(struct fixture *f, uint64_t address)
{
    assert_int_equal(read_at(f, address, 99), CACHE_MISS);
    cache_fill(f->cache, f->effect.fill_address, f->effect.fill_bytes, NULL);
    assert_int_equal(take(f), 99);
}

static void a_miss_is_filled_and_hits(void **state)
{
    struct fixture *f = make(*state, true);
    uint8_t values[PACKET_LINE_BYTES];
    uint32_t line;
    const uint8_t *data;
    for (unsigned i = 0; i < sizeof(values); i++)
        values[i] = (uint8_t)i;
    assert_int_equal(read_at(f, 1000, 5), CACHE_MISS);
    assert_int_equal(f->effect.fill_address, 1000 / LINE * LINE);
    assert_int_equal(f->effect.fill_bytes, LINE);
    assert_false(f->effect.writeback);
    assert_int_equal(read_at(f, 1004, 6), CACHE_PENDING);
    assert_int_equal(look(f->cache, 1004, 4), CACHE_PENDING);
    assert_false(cache_has_ready(f->cache));
    assert_int_equal(take(f), CACHE_NO_WAITER);
    cache_fill(f->cache, 1000 / LINE * LINE, LINE, values);
    assert_int_equal(cache_ready(f->cache, &line, &data), 5);
    assert_int_equal(data[1000 % LINE], 1000 % LINE);
    assert_ptr_equal(cache_data(f->cache, line), cache_data(f->cache, f->effect.line));
    assert_int_equal(take(f), 6);
    assert_int_equal(take(f), CACHE_NO_WAITER);
    assert_false(cache_has_pending(f->cache));
    assert_int_equal(read_at(f, 1000, 7), CACHE_HIT);
    assert_int_equal(cache_data(f->cache, f->effect.line)[1000 % LINE], 1000 % LINE);
    const struct cache_stats *s = cache_stats_of(f->cache);
    assert_int_equal(s->reads, 3);
    assert_int_equal(s->read_misses, 1);
    assert_int_equal(s->read_pending, 1);
    assert_int_equal(s->read_hits, 1);
}

static void the_least_recently_used_line_goes(void **state)
{
    struct fixture *f = make(*state, false);
    for (unsigned i = 0; i < 4; i++)
        bring(f, SET0(i));
    assert_int_equal(read_at(f, SET0(0), 0), CACHE_HIT);
    bring(f, SET0(4));
    assert_int_equal(look(f->cache, SET0(0), 4), CACHE_HIT);
    assert_int_equal(look(f->cache, SET0(1), 4), CACHE_MISS);
    assert_int_equal(look(f->cache, SET0(2), 4), CACHE_HIT);
}

static void fifo_ignores_use(void **state)
{
    struct fixture *f = *state;
    f->params.replacement = CACHE_FIFO;
    make(f, false);
    for (unsigned i = 0; i < 4; i++)
        bring(f, SET0(i));
    assert_int_equal(read_at(f, SET0(0), 0), CACHE_HIT);
    bring(f, SET0(4));
    assert_int_equal(look(f->cache, SET0(0), 4), CACHE_MISS);
}

/* With aged, one of the `oldest` of a set is given up, now this one, now that one. */
static void gives_up_one_of(struct fixture *f, unsigned percent, unsigned oldest)
{
    enum { WAYS = 8 };
    unsigned order[WAYS], gone[WAYS] = {0}; /* the lines that are there, the oldest first */
    f->params.replacement = CACHE_AGED;
    f->params.aged = percent;
    f->params.ways = WAYS;
    make(f, false);
    for (unsigned i = 0; i < WAYS; i++)
        bring(f, SET0(order[i] = i));
    for (unsigned i = WAYS; i < 100; i++) {
        if (i % 3 == 0) { /* a use makes a line the youngest */
            assert_int_equal(read_at(f, SET0(order[0]), 0), CACHE_HIT);
            unsigned used = order[0];
            memmove(order, order + 1, (WAYS - 1) * sizeof order[0]);
            order[WAYS - 1] = used;
        }
        bring(f, SET0(i));
        unsigned lost = 0;
        while (lost < WAYS && look(f->cache, SET0(order[lost]), 4) == CACHE_HIT)
            lost++;
        assert_true(lost < oldest);
        gone[lost]++;
        memmove(order + lost, order + lost + 1, (WAYS - 1 - lost) * sizeof order[0]);
        order[WAYS - 1] = i;
        for (unsigned k = 0; k < WAYS; k++)
            assert_int_equal(look(f->cache, SET0(order[k]), 4), CACHE_HIT);
    }
    for (unsigned k = 0; k < oldest; k++)
        assert_true(gone[k] > 20 / oldest);
}
static void aged_gives_up_one_of_the_oldest(void **state)
{
    gives_up_one_of(*state, 20, 2);
}
static void aged_gives_up_one_of_more(void **state)
{
    gives_up_one_of(*state, 50, 4);
}
static void aged_gives_up_any_line(void **state)
{
    gives_up_one_of(*state, 100, 8);
}

static void reserved_lines_are_no_victims(void **state)
{
    struct fixture *f = make(*state, false);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(read_at(f, SET0(i), i), CACHE_MISS);
    assert_int_equal(read_at(f, SET0(4), 4), CACHE_REFUSED);
    assert_int_equal(cache_stats_of(f->cache)->refused_line, 1);
    cache_fill(f->cache, SET0(2), LINE, NULL);
    assert_int_equal(read_at(f, SET0(4), 4), CACHE_MISS);
    assert_int_equal(look(f->cache, SET0(2), 4), CACHE_MISS);
}

static void merges_and_entries_are_limited(void **state)
{
    struct fixture *f = make(*state, false);
    for (unsigned i = 0; i < f->params.mshr_merges; i++)
        assert_int_equal(read_at(f, 64 * i % LINE, i), i ? CACHE_PENDING : CACHE_MISS);
    assert_int_equal(read_at(f, 0, 100), CACHE_REFUSED);
    assert_int_equal(cache_stats_of(f->cache)->refused_merge, 1);
    for (unsigned i = 1; i < f->params.mshr_entries; i++)
        assert_int_equal(read_at(f, (uint64_t)i * LINE, i), CACHE_MISS);
    assert_int_equal(read_at(f, SET0(1), 0), CACHE_REFUSED);
    assert_int_equal(cache_stats_of(f->cache)->refused_mshr, 1);
    cache_fill(f->cache, LINE, LINE, NULL);
    assert_int_equal(read_at(f, SET0(1), 0), CACHE_REFUSED); /* its waiter still holds the MSHR */
    assert_int_equal(take(f), 1);
    assert_int_equal(read_at(f, SET0(1), 0), CACHE_MISS);
}

/* A refused read is refused again without a look until something that could help it has happened, and no longer: each
 * cause of refusal has its own helpers. */
static void a_refusal_stands_until_it_can_be_helped(void **state)
{
    struct fixture *f = make(*state, false);
    const struct cache_stats *stats = cache_stats_of(f->cache);
    assert_false(cache_refuses_again(f->cache, 0, 4, ROOM));
    for (unsigned i = 0; i < f->params.mshr_entries; i++)
        assert_int_equal(read_at(f, (uint64_t)i * LINE, i), CACHE_MISS);
    assert_int_equal(read_at(f, SET0(1), 0), CACHE_REFUSED); /* no MSHR */
    assert_true(cache_refuses_again(f->cache, SET0(1), 4, ROOM));
    assert_int_equal(stats->refused_mshr, 2);
    assert_false(cache_refuses_again(f->cache, SET0(1), 8, ROOM));
    assert_false(cache_refuses_again(f->cache, SET0(2), 4, ROOM));
    assert_false(cache_refuses_again(f->cache, SET0(1), 4, 0)); /* for another reason */
    assert_int_equal(stats->refused_queue, 0);
    cache_fill(f->cache, LINE, LINE, NULL);
    assert_true(cache_refuses_again(f->cache, SET0(1), 4, ROOM)); /* the MSHR is held by its waiter */
    assert_int_equal(stats->refused_mshr, 3);
    assert_int_equal(take(f), 1);
    assert_false(cache_refuses_again(f->cache, SET0(1), 4, ROOM));
    assert_int_equal(stats->refused_mshr, 3);
    assert_int_equal(read_at(f, SET0(1), 0), CACHE_MISS);
    assert_false(cache_refuses_again(f->cache, SET0(1), 4, ROOM));
}

static void a_refusal_for_want_of_a_line_is_helped_by_a_fill(void **state)
{
    struct fixture *f = make(*state, false);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(read_at(f, SET0(i), i), CACHE_MISS);
    assert_int_equal(read_at(f, SET0(4), 4), CACHE_REFUSED);
    assert_true(cache_refuses_again(f->cache, SET0(4), 4, ROOM));
    assert_int_equal(cache_stats_of(f->cache)->refused_line, 2);
    cache_fill(f->cache, SET0(2), LINE, NULL);
    assert_false(cache_refuses_again(f->cache, SET0(4), 4, ROOM));
    assert_int_equal(read_at(f, SET0(4), 4), CACHE_MISS);
}

/* Pascal's L2: 64 sets of 16 lines, 1024 fills of 1024 accesses. */
static void as_many_fills_as_lines_each_with_many_accesses(void **state)
{
    struct fixture *f = *state;
    f->params = fixture_pascal().l2;
    make(f, false);
    for (unsigned i = 0; i < 1024; i++)
        assert_int_equal(read_at(f, i * LINE, i), CACHE_MISS);
    assert_int_equal(read_at(f, 1024 * LINE, 0), CACHE_REFUSED);
    for (unsigned i = 1; i < 1024; i++)
        assert_int_equal(read_at(f, 7 * LINE, 5000 + i), CACHE_PENDING);
    assert_int_equal(read_at(f, 7 * LINE, 0), CACHE_REFUSED);
    assert_int_equal(cache_stats_of(f->cache)->refused_mshr, 1);
    assert_int_equal(cache_stats_of(f->cache)->refused_merge, 1);
    cache_fill(f->cache, 7 * LINE, LINE, NULL);
    assert_int_equal(take(f), 7);
    for (unsigned i = 1; i < 1024; i++)
        assert_int_equal(take(f), 5000 + i);
    assert_int_equal(take(f), CACHE_NO_WAITER);
    for (unsigned i = 0; i < 1024; i++) {
        if (i == 7)
            continue;
        cache_fill(f->cache, i * LINE, LINE, NULL);
        assert_int_equal(take(f), i);
    }
    assert_false(cache_has_pending(f->cache));
    assert_int_equal(read_at(f, 1024 * LINE, 0), CACHE_MISS);
}

static void the_miss_queue_must_have_room(void **state)
{
    struct fixture *f = make(*state, false);
    assert_int_equal(cache_read(f->cache, 0, 4, 0, 1, &f->effect), CACHE_REFUSED);
    assert_int_equal(cache_read(f->cache, 0, 4, 0, 2, &f->effect), CACHE_MISS);
    assert_int_equal(cache_read(f->cache, 0, 4, 1, 1, &f->effect), CACHE_REFUSED); /* also to join */
    assert_int_equal(cache_fetch(f->cache, LINE, 4, 1, 2, &f->effect), CACHE_REFUSED);
    assert_int_equal(cache_fetch(f->cache, LINE, 4, 1, 3, &f->effect), CACHE_MISS);
    assert_int_equal(cache_stats_of(f->cache)->refused_queue, 3);
    cache_fill(f->cache, 0, LINE, NULL);
    assert_int_equal(cache_read(f->cache, 0, 4, 0, 0, &f->effect), CACHE_HIT);
}

static void waiters_come_in_order_of_fills(void **state)
{
    struct fixture *f = make(*state, false);
    read_at(f, 0, 1);
    read_at(f, LINE, 2);
    read_at(f, 4, 3);
    read_at(f, LINE + 4, 4);
    cache_fill(f->cache, LINE, LINE, NULL);
    cache_fill(f->cache, 0, LINE, NULL);
    assert_int_equal(take(f), 2);
    assert_int_equal(take(f), 4);
    assert_int_equal(take(f), 1);
    assert_int_equal(take(f), 3);
}

static void dirty_victims_are_written_back(void **state)
{
    struct fixture *f = make(*state, true);
    const uint64_t mask[2] = {0xf0, 0};
    bring(f, SET0(0));
    assert_int_equal(cache_write(f->cache, SET0(0) + 4, 4, mask, false, CACHE_NO_WAITER, ROOM, &f->effect), CACHE_HIT);
    cache_data(f->cache, f->effect.line)[4] = 77;
    cache_set_tag(f->cache, f->effect.line, 1234);
    for (unsigned i = 1; i < 4; i++)
        bring(f, SET0(i));
    assert_int_equal(read_at(f, SET0(4), 0), CACHE_MISS);
    assert_true(f->effect.writeback);
    assert_int_equal(f->effect.writeback_address, SET0(0));
    assert_int_equal(f->effect.writeback_mask[0], 0xf0);
    assert_int_equal(f->effect.writeback_mask[1], 0);
    assert_int_equal(f->effect.writeback_data[4], 77);
    assert_int_equal(f->effect.writeback_tag, 1234);
}

static void flushing_finds_every_dirty_line(void **state)
{
    struct fixture *f = make(*state, false);
    const uint64_t mask[2] = {1, 0};
    uint32_t cursor = 0, seen = 0;
    for (unsigned i = 0; i < 3; i++) {
        bring(f, (uint64_t)i * LINE);
        cache_write(f->cache, (uint64_t)i * LINE, 1, mask, false, CACHE_NO_WAITER, ROOM, &f->effect);
    }
    while (cache_next_dirty(f->cache, &cursor, &f->effect))
        seen |= 1u << f->effect.writeback_address / LINE;
    assert_int_equal(seen, 7);
    cursor = 0;
    assert_false(cache_next_dirty(f->cache, &cursor, &f->effect));
}

static void a_fill_keeps_bytes_written_meanwhile(void **state)
{
    struct fixture *f = *state;
    uint8_t values[PACKET_LINE_BYTES];
    uint32_t line;
    const uint8_t *data;
    const uint64_t mask[2] = {2, 0};
    make(f, true);
    memset(values, 9, sizeof(values));
    assert_int_equal(cache_write(f->cache, 1, 1, mask, true, 3, ROOM, &f->effect), CACHE_MISS);
    cache_data(f->cache, f->effect.line)[1] = 5;
    cache_fill(f->cache, 0, LINE, values);
    assert_int_equal(cache_ready(f->cache, &line, &data), 3);
    assert_int_equal(data[0], 9);
    assert_int_equal(data[1], 5);
    assert_int_equal(cache_data(f->cache, line)[1], 5);
}

static void sectors_are_filled_one_by_one(void **state)
{
    struct fixture *f = *state;
    f->params.sector_bytes = 32;
    make(f, false);
    assert_int_equal(cache_read(f->cache, 32, 32, 1, ROOM, &f->effect), CACHE_MISS);
    assert_int_equal(f->effect.fill_address, 32);
    assert_int_equal(f->effect.fill_bytes, 32);
    assert_int_equal(cache_read(f->cache, 64, 32, 2, ROOM, &f->effect),
                     CACHE_MISS); /* its own fill into the same line */
    assert_int_equal(cache_read(f->cache, 40, 4, 3, ROOM, &f->effect), CACHE_PENDING);
    assert_int_equal(cache_read(f->cache, 32, 64, 4, ROOM, &f->effect),
                     CACHE_REFUSED); /* two fills cannot be waited for */
    cache_fill(f->cache, 64, 32, NULL);
    assert_int_equal(take(f), 2);
    assert_int_equal(look(f->cache, 64, 32), CACHE_HIT);
    assert_int_equal(look(f->cache, 32, 32), CACHE_PENDING);
    assert_int_equal(look(f->cache, 0, 32), CACHE_MISS);
    cache_fill(f->cache, 32, 32, NULL);
    assert_int_equal(take(f), 1);
    assert_int_equal(take(f), 3);
    assert_int_equal(cache_read(f->cache, 32, 64, 4, ROOM, &f->effect), CACHE_HIT);
    assert_int_equal(cache_read(f->cache, 0, 128, 5, ROOM, &f->effect), CACHE_MISS);
    assert_int_equal(f->effect.fill_address, 0);
    assert_int_equal(f->effect.fill_bytes, 128);
}

/* With split_reads each part of a read is served, waits or is requested by itself. */
static void reads_are_split(void **state)
{
    struct fixture *f = *state;
    f->params.sector_bytes = 32;
    f->params.split_reads = true;
    make(f, false);
    assert_int_equal(cache_read(f->cache, 32, 32, 1, ROOM, &f->effect), CACHE_MISS);
    assert_int_equal(f->effect.bytes, 32);
    assert_int_equal(cache_read(f->cache, 16, 96, 2, ROOM, &f->effect),
                     CACHE_MISS); /* what is absent before the fill */
    assert_int_equal(f->effect.bytes, 16);
    assert_int_equal(f->effect.fill_address, 0);
    assert_int_equal(f->effect.fill_bytes, 32);
    assert_int_equal(cache_read(f->cache, 32, 80, 3, ROOM, &f->effect), CACHE_PENDING); /* what the fill brings */
    assert_int_equal(f->effect.bytes, 32);
    assert_int_equal(cache_read(f->cache, 64, 48, 4, ROOM, &f->effect), CACHE_MISS); /* what is absent behind it */
    assert_int_equal(f->effect.bytes, 48);
    assert_int_equal(f->effect.fill_address, 64);
    assert_int_equal(f->effect.fill_bytes, 64);
    cache_fill(f->cache, 0, 32, NULL);
    assert_int_equal(take(f), 2);
    assert_int_equal(cache_read(f->cache, 0, 64, 5, ROOM, &f->effect), CACHE_PENDING); /* its line stays until then */
    assert_int_equal(f->effect.bytes, 64);
    assert_int_equal(cache_read(f->cache, 0, 128, 6, ROOM, &f->effect), CACHE_HIT); /* two fills bring the rest */
    assert_int_equal(f->effect.bytes, 32);
    assert_int_equal(cache_stats_of(f->cache)->refused_mshr, 0);
}

/* A fill that has no line yet keeps no sectors: who wants some that are there, too, cannot wait for it. */
static void a_fill_without_a_line_keeps_no_sectors(void **state)
{
    struct fixture *f = *state;
    f->params.sector_bytes = 32;
    f->params.allocate = CACHE_ALLOCATE_ON_FILL;
    make(f, true);
    assert_int_equal(cache_read(f->cache, 0, 32, 1, ROOM, &f->effect), CACHE_MISS);
    assert_int_equal(cache_read(f->cache, 32, 32, 2, ROOM, &f->effect), CACHE_MISS);
    cache_fill(f->cache, 0, 32, (uint8_t[PACKET_LINE_BYTES]){0});
    assert_int_equal(take(f), 1);
    assert_int_equal(cache_read(f->cache, 0, 64, 3, ROOM, &f->effect), CACHE_REFUSED);
    assert_int_equal(cache_read(f->cache, 32, 32, 3, ROOM, &f->effect), CACHE_PENDING);
}

static void lazy_writes_fetch_nothing(void **state)
{
    struct fixture *f = *state;
    const uint64_t part[2] = {UINT64_C(0xff) << 32, 0}, rest[2] = {UINT64_C(0xffffff) << 40, 0};
    f->params.sector_bytes = 32;
    make(f, false);
    assert_int_equal(cache_write(f->cache, 32, 8, part, false, CACHE_NO_WAITER, 1, &f->effect), CACHE_HIT);
    assert_int_equal(cache_stats_of(f->cache)->write_misses, 1);
    assert_int_equal(look(f->cache, 32, 8), CACHE_MISS); /* a part of a sector cannot be read */
    assert_int_equal(cache_write(f->cache, 40, 24, rest, false, CACHE_NO_WAITER, 1, &f->effect), CACHE_HIT);
    assert_int_equal(look(f->cache, 32, 32), CACHE_HIT);
    assert_int_equal(cache_write(f->cache, SET0(1), 4, (uint64_t[2]){15, 0}, false, CACHE_NO_WAITER, 0, &f->effect),
                     CACHE_REFUSED);
    assert_int_equal(cache_write(f->cache, 64, 4, (uint64_t[2]){0, 15}, false, CACHE_NO_WAITER, 1, &f->effect),
                     CACHE_HIT);
    assert_int_equal(cache_read(f->cache, 64, 4, 1, ROOM, &f->effect), CACHE_MISS);
    assert_int_equal(f->effect.fill_address, 64);
    cache_fill(f->cache, 64, 32, NULL);
    assert_int_equal(take(f), 1);
    uint32_t cursor = 0;
    assert_true(cache_next_dirty(f->cache, &cursor, &f->effect));
    assert_int_equal(f->effect.writeback_mask[0], UINT64_C(0xffffffff) << 32);
    assert_int_equal(f->effect.writeback_mask[1], 15);
}

static void lines_on_fill_reserve_nothing(void **state)
{
    struct fixture *f = *state;
    f->params.allocate = CACHE_ALLOCATE_ON_FILL;
    make(f, true);
    uint8_t values[PACKET_LINE_BYTES] = {42};
    uint32_t line;
    const uint8_t *data;
    for (unsigned i = 0; i < 6; i++) /* more than the set's ways */
        assert_int_equal(read_at(f, SET0(i), i), CACHE_MISS);
    assert_int_equal(read_at(f, SET0(3), 9), CACHE_PENDING);
    assert_int_equal(look(f->cache, SET0(3), 4), CACHE_PENDING);
    cache_fill(f->cache, SET0(3), LINE, values);
    assert_int_equal(cache_ready(f->cache, &line, &data), 3);
    assert_int_equal(data[0], 42);
    assert_int_not_equal(line, CACHE_NO_LINE);
    assert_int_equal(take(f), 9);
    assert_int_equal(read_at(f, SET0(3), 0), CACHE_HIT);
}

static void invalidation_drops_fills_under_way(void **state)
{
    struct fixture *f = make(*state, true);
    uint8_t old[PACKET_LINE_BYTES] = {1};
    uint32_t line;
    const uint8_t *data;
    bring(f, LINE);
    assert_int_equal(read_at(f, 0, 1), CACHE_MISS);
    assert_true(cache_invalidate(f->cache, LINE));
    assert_false(cache_invalidate(f->cache, LINE));
    cache_invalidate_all(f->cache);
    assert_int_equal(read_at(f, 0, 2), CACHE_REFUSED); /* must not join a fill that was asked for before */
    cache_fill(f->cache, 0, LINE, old);
    assert_int_equal(cache_ready(f->cache, &line, &data), 1);
    assert_int_equal(line, CACHE_NO_LINE);
    assert_int_equal(data[0], 1);
    assert_int_equal(read_at(f, 0, 2), CACHE_MISS);
}

/* A read of two sectors, one of which is there, gets both when the line is dropped before the other has come. */
static void invalidation_keeps_sectors_for_who_waits(void **state)
{
    struct fixture *f = *state;
    uint8_t first[PACKET_LINE_BYTES] = {[0] = 7, [32] = 1}, second[PACKET_LINE_BYTES] = {[0] = 1, [32] = 8};
    uint32_t line;
    const uint8_t *data;
    f->params.sector_bytes = 32;
    make(f, true);
    assert_int_equal(read_at(f, 0, 1), CACHE_MISS);
    cache_fill(f->cache, 0, 32, first);
    assert_int_equal(take(f), 1);
    assert_int_equal(cache_read(f->cache, 0, 64, 2, ROOM, &f->effect), CACHE_MISS);
    assert_int_equal(f->effect.fill_address, 32);
    cache_invalidate_clean(f->cache);
    cache_end_fill(f->cache, f->effect.fill, second);
    assert_int_equal(cache_ready(f->cache, &line, &data), 2);
    assert_int_equal(data[0], 7);
    assert_int_equal(data[32], 8);
}

static void a_store_gives_up_a_line_being_filled(void **state)
{
    struct fixture *f = make(*state, false);
    assert_int_equal(read_at(f, 0, 1), CACHE_MISS);
    assert_true(cache_invalidate(f->cache, 0));
    assert_int_equal(read_at(f, 0, 2), CACHE_REFUSED);
    assert_int_equal(read_at(f, LINE, 3), CACHE_MISS);
    cache_fill(f->cache, 0, LINE, NULL);
    assert_int_equal(take(f), 1);
    assert_int_equal(look(f->cache, 0, 4), CACHE_MISS);
    cache_fill(f->cache, LINE, LINE, NULL);
    assert_int_equal(look(f->cache, LINE, 4), CACHE_HIT);
    cache_invalidate_clean(f->cache);
    assert_int_equal(look(f->cache, LINE, 4), CACHE_MISS);
}

static void timing_only_caches_join_what_was_dropped(void **state)
{
    struct fixture *f = make(*state, false);
    cache_set_timing_only(f->cache);
    assert_int_equal(read_at(f, 0, 1), CACHE_MISS);
    assert_true(cache_invalidate(f->cache, 0)); /* a store: the line is still being filled, and stays */
    assert_int_equal(read_at(f, 0, 2), CACHE_PENDING);
    cache_invalidate_clean(f->cache);
    assert_int_equal(read_at(f, 0, 3), CACHE_PENDING);
    cache_fill(f->cache, 0, LINE, NULL);
    for (uint32_t waiter = 1; waiter <= 3; waiter++)
        assert_int_equal(take(f), waiter);
    assert_int_equal(look(f->cache, 0, 4), CACHE_HIT);
    assert_true(cache_invalidate(f->cache, 0));
    assert_int_equal(look(f->cache, 0, 4), CACHE_MISS);
}

static void fills_without_a_line_bring_none_after_an_invalidation(void **state)
{
    struct fixture *f = *state;
    f->params.allocate = CACHE_ALLOCATE_ON_FILL;
    make(f, false);
    assert_int_equal(read_at(f, 0, 1), CACHE_MISS);
    cache_invalidate_all(f->cache);
    cache_fill(f->cache, 0, LINE, NULL);
    assert_int_equal(take(f), 1);
    assert_int_equal(look(f->cache, 0, 4), CACHE_MISS);
}

static void hashed_sets_follow_fermi(void **state)
{
    struct fixture *f = *state;
    f->params.set_index = CACHE_INDEX_HASHED;
    f->params.ways = 1;
    make(f, false);
    /* Set of address 0 is 0; bit 13 alone gives set 1, which bit 7 undoes; bit 16 and bit 12 do not take part. */
    bring(f, 0);
    bring(f, 1u << 13);
    assert_int_equal(look(f->cache, 0, 4), CACHE_HIT);
    bring(f, (1u << 13) | (1u << 7));
    assert_int_equal(look(f->cache, 0, 4), CACHE_MISS);
    bring(f, (1u << 19) | (16u << 7));
    assert_int_equal(look(f->cache, (1u << 13) | (1u << 7), 4), CACHE_MISS);
    bring(f, (1u << 17) | (8u << 7) | (1u << 16) | (1u << 12));
    assert_int_equal(look(f->cache, (1u << 19) | (16u << 7), 4), CACHE_MISS);
}

/* Every aligned block of lines fills the sets evenly, and lines a power of two apart have sets of their own. */
static void folded_sets_part_powers_of_two(void **state)
{
    struct fixture *f = *state;
    f->params.set_index = CACHE_INDEX_FOLDED;
    f->params.sets = 64;
    f->params.ways = 1;
    make(f, false);
    for (unsigned block = 0; block < 9; block++) {
        uint64_t first = (uint64_t)(block * block + 1) * 7919 << 13;
        for (unsigned i = 0; i < 64; i++)
            bring(f, first + i * 128);
        for (unsigned i = 0; i < 64; i++)
            assert_int_equal(look(f->cache, first + i * 128, 4), CACHE_HIT);
    }
    for (unsigned shift = 7; shift < 37; shift++) { /* as far as eight times six bits of the line's number go */
        uint64_t first = (uint64_t)(shift - 6) << 44;
        for (unsigned i = 0; i < 64; i++)
            bring(f, first + ((uint64_t)i << shift));
        for (unsigned i = 0; i < 64; i++)
            assert_int_equal(look(f->cache, first + ((uint64_t)i << shift), 4), CACHE_HIT);
    }
}

static void installed_lines_hit(void **state)
{
    struct fixture *f = *state;
    f->params.sector_bytes = 32;
    make(f, false);
    cache_install(f->cache, 32, 32);
    assert_int_equal(look(f->cache, 32, 32), CACHE_HIT);
    assert_int_equal(look(f->cache, 0, 32), CACHE_MISS);
}

/* cache_took tells which line took another's place, once. */
static void a_place_that_is_given_away_is_told(void **state)
{
    struct fixture *f = *state;
    uint32_t line, first;
    uint64_t from;
    f->params.ways = 2;
    make(f, false);
    assert_false(cache_took(f->cache, &line, &from));
    bring(f, SET0(0));
    assert_true(cache_took(f->cache, &first, &from));
    assert_true(from == CACHE_NO_ADDRESS);
    assert_true(cache_still_holds(f->cache, first, SET0(0)));
    bring(f, SET0(1));
    assert_true(cache_took(f->cache, &line, &from) && line != first && from == CACHE_NO_ADDRESS);
    assert_int_equal(read_at(f, SET0(1), 1), CACHE_HIT);
    assert_false(cache_took(f->cache, &line, &from));
    bring(f, SET0(2));
    assert_true(cache_took(f->cache, &line, &from));
    assert_int_equal(line, first);
    assert_true(from == SET0(0));
    cache_invalidate(f->cache, SET0(2)); /* a place that was left is nobody's */
    bring(f, SET0(3));
    assert_true(cache_took(f->cache, &line, &from) && line == first && from == CACHE_NO_ADDRESS);
}

static void ways_can_be_fewer(void **state)
{
    struct fixture *f = *state;
    f->params.ways = 3;
    make(f, false);
    assert_int_equal(cache_ways_in(f->cache, 3 * SET0(1)), 3);
    assert_int_equal(cache_ways_in(f->cache, 9 * SET0(1)), 3);
    assert_int_equal(cache_ways_in(f->cache, 3 * SET0(1) - 1), 2);
    assert_int_equal(cache_ways_in(f->cache, 1), 1);
    bring(f, SET0(1));
    cache_set_ways(f->cache, 3);
    assert_int_equal(look(f->cache, SET0(1), 4), CACHE_HIT);
    cache_set_ways(f->cache, 2);
    assert_int_equal(look(f->cache, SET0(1), 4), CACHE_MISS);
    for (unsigned i = 1; i <= 3; i++)
        bring(f, SET0(i) + LINE * 31);
    assert_int_equal(look(f->cache, SET0(1) + LINE * 31, 4), CACHE_MISS);
    assert_int_equal(look(f->cache, SET0(2) + LINE * 31, 4), CACHE_HIT);
    assert_int_equal(look(f->cache, SET0(3) + LINE * 31, 4), CACHE_HIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        TEST(a_miss_is_filled_and_hits),
        TEST(the_least_recently_used_line_goes),
        TEST(fifo_ignores_use),
        TEST(aged_gives_up_one_of_the_oldest),
        TEST(aged_gives_up_one_of_more),
        TEST(aged_gives_up_any_line),
        TEST(reserved_lines_are_no_victims),
        TEST(merges_and_entries_are_limited),
        TEST(a_refusal_stands_until_it_can_be_helped),
        TEST(a_refusal_for_want_of_a_line_is_helped_by_a_fill),
        TEST(as_many_fills_as_lines_each_with_many_accesses),
        TEST(the_miss_queue_must_have_room),
        TEST(waiters_come_in_order_of_fills),
        TEST(dirty_victims_are_written_back),
        TEST(flushing_finds_every_dirty_line),
        TEST(a_fill_keeps_bytes_written_meanwhile),
        TEST(sectors_are_filled_one_by_one),
        TEST(reads_are_split),
        TEST(a_fill_without_a_line_keeps_no_sectors),
        TEST(lazy_writes_fetch_nothing),
        TEST(lines_on_fill_reserve_nothing),
        TEST(invalidation_drops_fills_under_way),
        TEST(invalidation_keeps_sectors_for_who_waits),
        TEST(a_store_gives_up_a_line_being_filled),
        TEST(timing_only_caches_join_what_was_dropped),
        TEST(fills_without_a_line_bring_none_after_an_invalidation),
        TEST(hashed_sets_follow_fermi),
        TEST(folded_sets_part_powers_of_two),
        TEST(installed_lines_hit),
        TEST(a_place_that_is_given_away_is_told),
        TEST(ways_can_be_fewer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
