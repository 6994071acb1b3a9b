/* What a slice remembers of its words (memory/slice_history.h): SMs write and read at random, and a list of all that
 * was ever written says of each read whether its bytes are those of one moment, no further back than it may go, and
 * those of each word such as it may have become since the SM saw it last. */
#include "memory_fixture.h"

#include <stdlib.h>

#include "memory/slice_history.h"

enum { WORDS = 64, SMS = 4, MOST = 300, LINE_WORDS = PACKET_LINE_BYTES / 4 };
#define BASE UINT64_C(0x4000)

/* Memory before a write. */
struct was {
    uint64_t cycle;
    uint8_t bytes[4 * WORDS];
};
struct oracle {
    struct was *was;
    unsigned count;
    uint8_t now[4 * WORDS];
    uint64_t bound[SMS][WORDS]; /* the earliest moment that the SM may see of the word */
};

/* The first write behind the end of a cycle: memory was then as before it. `count`: there is none. */
static unsigned write_after(const struct oracle *o, uint64_t moment)
{
    unsigned from = 0, to = o->count;
    while (from < to) {
        unsigned middle = (from + to) / 2;
        if (o->was[middle].cycle > moment)
            to = middle;
        else
            from = middle + 1;
    }
    return from;
}

/* The earliest moment, from `from` on, whose bytes these are, or UINT64_MAX. */
static uint64_t moment_of(const struct oracle *o, uint64_t from, uint64_t now, uint32_t at, uint32_t bytes,
                          const uint8_t *values)
{
    for (uint64_t moment = from; moment <= now;) {
        unsigned next = write_after(o, moment);
        const uint8_t *memory = next < o->count ? o->was[next].bytes : o->now;
        if (memcmp(memory + at, values, bytes) == 0)
            return moment;
        moment = next < o->count ? o->was[next].cycle : UINT64_MAX;
    }
    return UINT64_MAX;
}

struct bench {
    struct arena arena;
    struct slice_history *history;
    struct oracle o;
    uint64_t seed, cycle;
    unsigned old, reads;
};

static uint32_t draw(struct bench *b, uint32_t below)
{
    return (uint32_t)(fixture_random(&b->seed) % below);
}

static void start(struct bench *b, uint64_t seed, unsigned writes)
{
    *b = (struct bench){.seed = seed, .cycle = 1};
    b->history = history_create(seed, 0, MOST, &b->arena);
    b->o.was = base_calloc(writes + 1, sizeof *b->o.was);
}

static void stop(struct bench *b)
{
    free(b->o.was);
    arena_free(&b->arena);
}

static void write(struct bench *b, unsigned sm, uint32_t at, uint32_t bytes)
{
    struct was *was = &b->o.was[b->o.count++];
    uint32_t line = at / PACKET_LINE_BYTES * PACKET_LINE_BYTES;
    struct byte_mask mask = bytes_of(BASE + at, bytes);
    was->cycle = b->cycle;
    memcpy(was->bytes, b->o.now, sizeof was->bytes);
    history_write(b->history, sm, BASE + line, &mask, b->o.now + line, b->cycle);
    for (uint32_t i = at; i < at + bytes; i++)
        b->o.now[i] = (uint8_t)fixture_random(&b->seed);
    for (uint32_t w = at / 4; w <= (at + bytes - 1) / 4; w++)
        b->o.bound[sm][w] = b->cycle;
}

static void read(struct bench *b, unsigned sm, uint32_t at, uint32_t bytes, uint32_t back)
{
    uint8_t values[PACKET_LINE_BYTES];
    uint64_t reach = back < MOST ? back : MOST, from = b->cycle - (reach < b->cycle ? reach : b->cycle);
    memcpy(values, b->o.now + at, bytes);
    history_read(b->history, sm, BASE + at, bytes, back, values, b->cycle);
    if (moment_of(&b->o, from, b->cycle, at, bytes, values) == UINT64_MAX)
        fail_msg("cycle %llu: SM %u reads %u bytes at %u that were not there since %llu", (unsigned long long)b->cycle,
                 sm, bytes, at, (unsigned long long)from);
    for (uint32_t i = 0, size; i < bytes; i += size) {
        size = 4 - (at + i) % 4 < bytes - i ? 4 - (at + i) % 4 : bytes - i;
        uint64_t *bound = &b->o.bound[sm][(at + i) / 4];
        *bound = moment_of(&b->o, *bound, b->cycle, at + i, size, values + i);
        if (*bound == UINT64_MAX)
            fail_msg("cycle %llu: for SM %u, a word at %u goes backwards", (unsigned long long)b->cycle, sm, at + i);
    }
    b->old += memcmp(values, b->o.now + at, bytes) != 0;
    b->reads++;
}

static void random_reads_see_one_moment(void **state)
{
    for (uint64_t seed = 1; seed <= 12; seed++) {
        enum { WRITES = 1500 };
        struct bench b;
        bool words = seed % 2; /* else any bytes */
        start(&b, seed, WRITES);
        while (b.o.count < WRITES) {
            uint32_t bytes = words ? 4u << draw(&b, 4) : 1 + draw(&b, 40);
            uint32_t at = draw(&b, 2) * PACKET_LINE_BYTES + draw(&b, PACKET_LINE_BYTES + 1 - bytes);
            at = words ? at / bytes * bytes : at;
            unsigned sm = draw(&b, SMS);
            if (draw(&b, 5) < 2)
                write(&b, sm, at, bytes);
            else
                read(&b, sm, at, bytes, draw(&b, 3) ? draw(&b, 2 * MOST) : 0);
            b.cycle += draw(&b, 4) ? draw(&b, 8) : 0;
        }
        assert_in_range(b.old, b.reads / 50, b.reads);
        stop(&b);
    }
}

/* The ring of words is full: what has fallen out of it bounds how far back others go. */
static void what_is_forgotten_is_not_seen(void **state)
{
    struct bench b;
    uint8_t values[4];
    start(&b, 3, 2);
    write(&b, 0, 0, 4);
    b.cycle++;
    write(&b, 0, 4, 4);
    for (uint32_t i = 0; i + 1 < HISTORY_WORDS; i += LINE_WORDS) {
        uint32_t words = HISTORY_WORDS - 1 - i < LINE_WORDS ? HISTORY_WORDS - 1 - i : LINE_WORDS;
        struct byte_mask mask = bytes_of(0, 4 * words);
        uint8_t line[PACKET_LINE_BYTES] = {0};
        history_write(b.history, 2, 2 * BASE + 4 * i, &mask, line, b.cycle);
    }
    unsigned first = 0, second = 0;
    for (unsigned i = 0; i < 64; i++) {
        uint8_t was[4] = {0};
        memcpy(values, b.o.now, 4);
        history_read(b.history, 8 + i, BASE, 4, MOST, values, b.cycle);
        first += memcmp(values, b.o.now, 4) != 0;
        memcpy(values, b.o.now + 4, 4);
        history_read(b.history, 8 + i, BASE + 4, 4, MOST, values, b.cycle);
        second += memcmp(values, was, 4) == 0;
    }
    assert_int_equal(first, 0);
    assert_in_range(second, 1, 63);
    stop(&b);
}

/* Without a look back, or when the time is over, a read has what memory has; but for that, both values of a word that
 * changed once are seen, about as often. */
static void a_read_goes_back_as_far_as_it_may(void **state)
{
    struct bench b;
    start(&b, 7, 1);
    b.cycle = 1000;
    write(&b, 0, 8, 4);
    struct {
        uint32_t later, back, least, most;
    } cases[] = {{100, 0, 0, 0},      {100, 99, 0, 0},           {100, 100, 0, 0},
                 {100, 101, 60, 140}, {MOST - 1, MOST, 60, 140}, {MOST, UINT32_MAX, 0, 0}};
    for (unsigned c = 0; c < sizeof cases / sizeof *cases; c++) {
        unsigned old = 0;
        for (unsigned i = 0; i < 200; i++) {
            uint8_t values[4];
            memcpy(values, b.o.now + 8, 4);
            history_read(b.history, 100 + c * 200 + i, BASE + 8, 4, cases[c].back, values, b.cycle + cases[c].later);
            old += memcmp(values, b.o.now + 8, 4) != 0;
        }
        assert_in_range(old, cases[c].least, cases[c].most);
    }
    stop(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_reads_see_one_moment),
        cmocka_unit_test(what_is_forgotten_is_not_seen),
        cmocka_unit_test(a_read_goes_back_as_far_as_it_may),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
