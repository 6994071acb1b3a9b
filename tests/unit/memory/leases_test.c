/* Leases: deadlines in their order (memory/leases.h); an L1 whose copies end by themselves, by its owner's clock; and
 * the slice behind it, which lets who writes wait for the last lease, each counting for itself. */
#include "slice_bench.h"

#include <stdio.h>

#include "base/strbuf.h"
#include "isa/mod_values.h"
#include "memory/l1.h"

#define LEASE 100u
#define LINE 128u

/* The deadlines */

static void expect_order(struct leases *l)
{
    struct check c;
    check_init(&c);
    leases_check(l, &c);
    fixture_expect_sound(&c);
}

static void test_leases_end_in_their_order(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct leases l;
    leases_init(&l, 4, LEASE, &arena);
    assert_true(leases_next(&l) == CYCLE_NEVER);
    assert_int_equal(leases_take(&l, UINT64_MAX - 1), LEASES_NONE);
    for (uint32_t place = 0; place < 4; place++)
        leases_begin(&l, place, 10 + place);
    leases_begin(&l, 1, 20); /* anew: the last one to end */
    leases_begin(&l, 0, 20);
    expect_order(&l);
    static const uint32_t order[] = {2, 3, 1, 0};
    static const uint64_t ends[] = {112, 113, 120, 120};
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(leases_next(&l), ends[i]);
        assert_int_equal(leases_take(&l, ends[i] - 1), LEASES_NONE);
        assert_int_equal(leases_take(&l, ends[i]), order[i]);
        expect_order(&l);
    }
    assert_int_equal(leases_take(&l, 200), LEASES_NONE);
    leases_begin(&l, 3, 200);
    assert_int_equal(leases_next(&l), 300);
    arena_free(&arena);
}

/* The L1 */

struct l1_bench {
    struct arena arena;
    struct packet_pool packets;
    struct l1 l1;
    uint64_t now;
};

static void open_l1(struct l1_bench *b)
{
    const struct cache_params cache = {.sets = 1,
                                       .ways = 4,
                                       .line_bytes = LINE,
                                       .sector_bytes = LINE,
                                       .mshr_entries = 4,
                                       .mshr_merges = 4,
                                       .miss_room = 1};
    memset(b, 0, sizeof *b);
    b->packets.arena = &b->arena;
    l1_init(&b->l1,
            &(struct l1_setup){.protocol = coherence_find("lease"),
                               .cache = &cache,
                               .packets = &b->packets,
                               .requests = 8,
                               .store_queue = 4,
                               .in_order = true,
                               .lease = LEASE,
                               .now = &b->now},
            &b->arena);
}

static void close_l1(struct l1_bench *b)
{
    struct check c;
    check_init(&c);
    l1_check(&b->l1, &c);
    fixture_expect_sound(&c);
    arena_free(&b->arena);
}

static enum l1_served load(struct l1_bench *b, uint64_t cycle)
{
    struct l1_access access = {
        .address = SLICE_START, .bytes = 4, .waiter = 7, .event = AGENT_LOAD_EVENT, .kind = PACKET_READ};
    b->now = cycle;
    return l1_access(&b->l1, &access);
}

/* The fill comes in a cycle; a load waits for it. */
static void fill(struct l1_bench *b, uint64_t cycle)
{
    const uint8_t *values;
    struct packet *p = packet_ring_pop(&b->l1.requests);
    assert_int_equal(p->kind, PACKET_READ);
    p->is_reply = true;
    memset(packet_data(p), 0x33, PACKET_LINE_BYTES);
    b->now = cycle;
    l1_reply(&b->l1, p);
    packet_free(&b->packets, p);
    assert_true(l1_has_ready(&b->l1));
    assert_int_equal(l1_ready(&b->l1, &values), 7);
    assert_int_equal(values[0], 0x33);
}

/* A copy is there until the cycle in which its lease ends, which counts from that in which it was asked for. */
static void test_a_copy_ends_by_itself(void **state)
{
    (void)state;
    struct l1_bench b;
    open_l1(&b);
    assert_int_equal(load(&b, 1000), L1_WAITS);
    fill(&b, 1060);
    assert_int_equal(load(&b, 1000 + LEASE - 1), L1_SERVED);
    assert_int_equal(load(&b, 1000 + LEASE), L1_WAITS);
    fill(&b, 1000 + LEASE + 1);
    assert_int_equal(load(&b, 1000 + 2 * LEASE - 1), L1_SERVED);
    close_l1(&b);
}

/* A fill that comes when its lease is over serves who waits for it, and is not kept; one that comes a cycle earlier is,
 * for that cycle. */
static void test_a_late_fill_is_not_kept(void **state)
{
    (void)state;
    struct l1_bench b;
    open_l1(&b);
    assert_int_equal(load(&b, 1000), L1_WAITS);
    fill(&b, 1000 + LEASE);
    assert_int_equal(load(&b, 1000 + LEASE), L1_WAITS);
    fill(&b, 1000 + 2 * LEASE - 1);
    assert_int_equal(load(&b, 1000 + 2 * LEASE - 1), L1_SERVED);
    assert_int_equal(load(&b, 1000 + 2 * LEASE), L1_WAITS);
    fill(&b, 1000 + 2 * LEASE + 1);
    close_l1(&b);
}

/* The slice */

static void open_slice(struct slice_bench *b)
{
    slice_bench_open(b, "lease", LEASE, 5);
}

static void close_slice(struct slice_bench *b)
{
    struct check c;
    check_init(&c);
    slice_check(b->slice, &c, b->cycle);
    fixture_expect_sound(&c);
    slice_bench_free(b);
}

static struct packet *send(struct slice_bench *b, unsigned sm, unsigned kind)
{
    struct packet *p = slice_bench_packet(b, sm, kind);
    memset(packet_data(p), 0x44, PACKET_LINE_BYTES);
    if (message_has_mask(kind))
        memset(packet_mask(p), 0xff, PACKET_LINE_BYTES / 8);
    slice_push(b->slice, p, 0, b->cycle);
    return p;
}

/* The cycle in which the line's last lease ends. */
static uint64_t end_of_lease(const struct slice_bench *b)
{
    const struct directory_entry *entry = directory_find(b->slice->directory, 0);
    assert_non_null(entry);
    return b->slice->leases->of[entry - b->slice->directory->entries].end;
}

/* A store is performed in the cycle in which the last lease is over, or behind it, and not before; while it waits, a
 * report says for what. */
static void test_a_store_waits_for_the_last_lease(void **state)
{
    (void)state;
    struct slice_bench b;
    struct strbuf text = {0};
    char said[64];
    open_slice(&b);
    uint64_t asked = b.cycle;
    slice_bench_answer(&b, send(&b, 0, PACKET_READ));
    uint64_t end = end_of_lease(&b);
    assert_true(end >= asked + LEASE); /* an L1 that has asked in that cycle has given its copy up */
    struct packet *store = send(&b, 1, PACKET_WRITE);
    while (b.cycle < end - 1)
        slice_bench_tick(&b);
    assert_int_equal(*b.store.bytes, 0);
    slice_describe_waiting(b.slice, &text);
    snprintf(said, sizeof said, "leased until cycle %llu: ", (unsigned long long)end);
    assert_non_null(strstr(strbuf_text(&text), said));
    assert_non_null(strstr(strbuf_text(&text), "1 accesses wait behind it, the first a write of 0x1000000"));
    assert_int_equal(b.slice->next, end);
    slice_bench_answer(&b, store);
    assert_int_equal(*b.store.bytes, 0x44);
    assert_null(directory_find(b.slice->directory, 0));
    strbuf_free(&text);
    close_slice(&b);
}

/* Each read begins the lease anew. A line that nobody wants is given up when it is over: its place is held no more. */
static void test_a_lease_that_nobody_waits_for_ends(void **state)
{
    (void)state;
    struct slice_bench b;
    open_slice(&b);
    slice_bench_answer(&b, send(&b, 0, PACKET_READ));
    uint64_t first = end_of_lease(&b);
    while (b.cycle < first - 10)
        slice_bench_tick(&b);
    slice_bench_answer(&b, send(&b, 1, PACKET_READ));
    uint64_t last = end_of_lease(&b);
    assert_true(last > first);
    while (b.cycle < last - 1)
        slice_bench_tick(&b);
    assert_true(cache_holds(b.slice->cache, 0));
    slice_bench_tick(&b);
    assert_false(cache_holds(b.slice->cache, 0));
    assert_null(directory_find(b.slice->directory, 0));
    close_slice(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_leases_end_in_their_order),
        cmocka_unit_test(test_a_copy_ends_by_itself),
        cmocka_unit_test(test_a_late_fill_is_not_kept),
        cmocka_unit_test(test_a_store_waits_for_the_last_lease),
        cmocka_unit_test(test_a_lease_that_nobody_waits_for_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
