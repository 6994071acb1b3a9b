/* Random reads of a cache of sectors whose fills come in any order, while lines are given up and memory changes: each
 * reads what memory held when it was taken, or later, and what the cache keeps stays sound. */
#include <stdlib.h>

#include "base/random.h"
#include "memory_fixture.h"

#define LINES 12u
#define SECTOR 32u
#define SECTORS (LINES * PACKET_LINE_BYTES / SECTOR)
#define READS 16u
#define TURNS 20000u

/* A read that waits: the version that each of its sectors had when it was taken. */
struct pending_read {
    uint64_t address;
    uint32_t bytes;
    uint8_t least[PACKET_LINE_BYTES / SECTOR];
    bool waits;
};

struct pending_fill {
    uint64_t address;
    uint32_t bytes, fill;
    uint8_t values[PACKET_LINE_BYTES];
};

struct world {
    struct arena arena;
    struct cache_params params;
    struct cache *cache;
    struct random_stream random;
    uint8_t memory[SECTORS]; /* the version of each sector: what all its bytes are */
    struct pending_read reads[READS];
    struct pending_fill fills[64];
    unsigned fill_count, answered, in_parts;
};

static uint32_t draw(struct world *w, uint32_t below)
{
    return random_below(&w->random, below);
}

static void expect_values(const struct world *w, const struct pending_read *r, const uint8_t *line)
{
    for (uint32_t i = 0; i < r->bytes; i++) {
        uint64_t at = r->address + i;
        uint8_t age = (uint8_t)(w->memory[at / SECTOR] - line[at % PACKET_LINE_BYTES]);
        uint8_t most = (uint8_t)(w->memory[at / SECTOR] - r->least[i / SECTOR]);
        if (age > most)
            fail_msg("byte %u of a read of %u at %u is of version %u: %u was seen before", i, r->bytes,
                     (unsigned)r->address, line[at % PACKET_LINE_BYTES], r->least[i / SECTOR]);
    }
}

static void remember_fill(struct world *w, const struct cache_effect *effect)
{
    struct pending_fill *fill = &w->fills[w->fill_count++];
    *fill = (struct pending_fill){.address = effect->fill_address, .bytes = effect->fill_bytes, .fill = effect->fill};
    for (uint32_t i = 0; i < effect->fill_bytes; i++)
        fill->values[(effect->fill_address + i) % PACKET_LINE_BYTES] = w->memory[(effect->fill_address + i) / SECTOR];
}

/* Some sectors of a line; what the cache leaves over of them is left. */
static void try_read(struct world *w)
{
    uint32_t number = draw(w, READS), first = draw(w, 4), count = 1 + draw(w, 4 - first);
    struct pending_read *r = &w->reads[number];
    struct cache_effect effect;
    if (r->waits)
        return;
    r->address = (uint64_t)draw(w, LINES) * PACKET_LINE_BYTES + first * SECTOR;
    enum cache_result result = cache_read(w->cache, r->address, count * SECTOR, number, 8, &effect);
    if (result == CACHE_REFUSED)
        return;
    r->bytes = effect.bytes;
    w->in_parts += effect.bytes != count * SECTOR;
    memcpy(r->least, &w->memory[r->address / SECTOR], count);
    if (result == CACHE_HIT)
        expect_values(w, r, cache_data(w->cache, effect.line));
    r->waits = result != CACHE_HIT;
    if (result == CACHE_MISS)
        remember_fill(w, &effect);
}

static void take_ready(struct world *w)
{
    uint32_t line;
    const uint8_t *data;
    uint32_t waiter = cache_ready(w->cache, &line, &data);
    if (waiter == CACHE_NO_WAITER)
        return;
    assert_true(w->reads[waiter].waits);
    expect_values(w, &w->reads[waiter], data);
    w->reads[waiter].waits = false;
    w->answered++;
}

static void take_fill(struct world *w)
{
    if (!w->fill_count)
        return;
    uint32_t which = draw(w, w->fill_count);
    cache_end_fill(w->cache, w->fills[which].fill, w->fills[which].values);
    w->fills[which] = w->fills[--w->fill_count];
}

/* As another SM's store behind which this one's fence comes, or a store of this one. */
static void change(struct world *w)
{
    uint32_t sector = draw(w, SECTORS);
    w->memory[sector]++;
    if (draw(w, 2))
        cache_invalidate_clean(w->cache);
    else
        cache_invalidate(w->cache, (uint64_t)sector * SECTOR);
}

static void turn(struct world *w)
{
    uint32_t what = draw(w, 40);
    if (what == 0)
        change(w);
    else if (what < 20)
        try_read(w);
    else if (what < 30)
        take_fill(w);
    else
        take_ready(w);
}

static void run(enum cache_allocate allocate, bool split)
{
    struct world *w = base_calloc(1, sizeof *w);
    arena_init(&w->arena);
    fixture_defaults(cache_param_descs, cache_param_count, &w->params);
    w->params = (struct cache_params){.sets = 2,
                                      .ways = 2,
                                      .line_bytes = PACKET_LINE_BYTES,
                                      .sector_bytes = SECTOR,
                                      .allocate = allocate,
                                      .mshr_entries = 6,
                                      .mshr_merges = 3,
                                      .miss_room = 2,
                                      .split_reads = split};
    w->cache = cache_create(&w->params, true, &w->arena);
    w->random = random_stream_of(1, "cache values", allocate * 2u + split);
    for (unsigned i = 0; i < TURNS; i++) {
        struct check c;
        turn(w);
        check_init(&c);
        cache_check(w->cache, &c);
        fixture_expect_sound(&c);
    }
    print_message("%u answered, %u in parts\n", w->answered, w->in_parts);
    assert_true(w->answered > TURNS / 10);
    assert_true(split ? w->in_parts > TURNS / 200 : !w->in_parts);
    arena_free(&w->arena);
    free(w);
}

static void reads_get_values_where_misses_take_lines(void **state)
{
    (void)state;
    run(CACHE_ALLOCATE_ON_MISS, false);
    run(CACHE_ALLOCATE_ON_MISS, true);
}

static void reads_get_values_where_fills_take_lines(void **state)
{
    (void)state;
    run(CACHE_ALLOCATE_ON_FILL, false);
    run(CACHE_ALLOCATE_ON_FILL, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_get_values_where_misses_take_lines),
        cmocka_unit_test(reads_get_values_where_fills_take_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
