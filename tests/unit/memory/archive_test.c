/* A memory partition saved in the middle of traffic and loaded into a new one goes on as the first: the same packets
 * are answered in the same cycles, and the statistics end equal. */
#include "memory_fixture.h"

#include "memory/packet_queue.h"

#include <stdlib.h>

#include "base/archive.h"
#include "base/hash.h"

struct side {
    struct arena arena;
    struct store store;
    struct partition *partition;
    uint64_t seen;
    unsigned refused;
    bool early;
};

/* most: the cycles by which requests are delayed at random. held: those for which an adversary holds them, and from before which he
 * has loads answered, if `early`. */
static void start(struct side *s, const struct memory_params *params, uint32_t most, uint32_t held, bool early)
{
    *s = (struct side){.seen = 1, .early = early};
    assert_int_equal(store_init(&s->store, UINT64_C(0x1000000), 1u << 24, NULL), 0);
    store_alloc(&s->store, 1u << 22, 256);
    s->partition = partition_create(params, 0, &s->store, &s->arena);
    if (most)
        partition_vary(s->partition, 1, most);
    if (held)
        partition_oppose(s->partition, early ? 6 : 1, held);
}

static void stop(struct side *s)
{
    partition_destroy(s->partition);
    store_free_all(&s->store);
    arena_free(&s->arena);
}

static struct packet *make_packet(void *context, unsigned sm, unsigned kind)
{
    struct side *s = context;
    if (sm >= 15)
        return NULL;
    union message *m = ARENA_NEW(&s->arena, union message, 1);
    packet_begin(&m->packet, kind);
    return &m->packet;
}

/* A request of this cycle's random kind to a place in channel 0. */
static void request(struct side *s, const struct memory_params *params, uint64_t cycle, unsigned k)
{
    uint64_t random = random_at(k, cycle), most = s->early && random >> 63 ? 1u << 12 : 1u << 20;
    uint64_t address = s->store.start + (random >> 8) % most / 128 * 128;
    struct memory_place place = memory_place_of(&params->partition, address);
    if (random % 4 > 1 || place.channel != 0 || place.slice != k)
        return;
    if (!partition_can_push(s->partition, k)) {
        s->refused++;
        return;
    }
    struct packet *p =
        make_packet(s, (unsigned)(random >> 40) % 15, random % 4 == 0 ? PACKET_READ : PACKET_WRITE);
    p->sm = (uint16_t)((random >> 40) % 15);
    p->address = address;
    p->bytes = (uint8_t)(32u << (random >> 50) % 3);
    access_of(p)->waiter = (uint32_t)cycle;
    if (p->kind == PACKET_WRITE)
        packet_mask(p)[0] = 0xFFFF;
    else
        read_of(p)->ago = (uint32_t)(random >> 32) % 500;
    memset(packet_data(p), (int)random, PACKET_LINE_BYTES);
    partition_push(s->partition, k, p, cycle);
}

static void step(struct side *s, const struct memory_params *params, uint64_t cycle)
{
    for (unsigned k = 0; k < params->partition.slices_per_channel; k++) {
        struct packet *p = random_at(77, cycle) % 8 ? partition_pop(s->partition, k, cycle) : NULL;
        if (p)
            s->seen = (s->seen ^ access_of(p)->waiter ^ cycle << 20 ^ packet_data(p)[0]) * UINT64_C(0x9E3779B97F4A7C15);
        if (partition_next_dram(s->partition) <= cycle)
            partition_tick_dram(s->partition, cycle, cycle);
        request(s, params, cycle, k);
        if (partition_next_l2(s->partition) <= cycle)
            partition_tick_l2(s->partition, cycle);
    }
}

static void save(struct side *s, struct strbuf *content)
{
    const struct packet_source source = {.make = make_packet, .context = s};
    struct archive *ar = archive_into(content);
    store_archive(&s->store, ar);
    partition_archive(s->partition, ar, &source);
    assert_string_equal(archive_error(ar), "");
    archive_abandon(ar);
}

static void load(struct side *s, const struct strbuf *content)
{
    const struct packet_source source = {.make = make_packet, .context = s};
    struct archive *ar = archive_from_bytes(content->text, content->length);
    store_archive(&s->store, ar);
    partition_archive(s->partition, ar, &source);
    assert_string_equal(archive_error(ar), "");
    archive_abandon(ar);
}

static void run(const struct memory_params *params, uint32_t most, uint32_t held, bool early)
{
    for (uint64_t pause = 5; pause < 3000; pause += 173) {
        struct side a, b;
        struct strbuf content = {0}, again = {0};
        start(&a, params, most, held, early);
        for (uint64_t cycle = 1; cycle < pause; cycle++)
            step(&a, params, cycle);
        save(&a, &content);
        start(&b, params, most, held, early);
        load(&b, &content);
        b.seen = a.seen;
        b.refused = a.refused;
        save(&b, &again);
        assert_true(content.length == again.length && memcmp(content.text, again.text, again.length) == 0);
        for (uint64_t cycle = pause; cycle < pause + 1500; cycle++) {
            step(&a, params, cycle);
            step(&b, params, cycle);
            assert_true(a.seen == b.seen && a.refused == b.refused);
        }
        assert_memory_equal(partition_l2_stats(a.partition, 0), partition_l2_stats(b.partition, 0),
                            sizeof(struct cache_stats));
        assert_memory_equal(partition_dram_stats(a.partition), partition_dram_stats(b.partition),
                            sizeof(struct dram_stats));
        assert_true(pause < 1000 || partition_dram_stats(a.partition)->requests > 100);
        strbuf_free(&content);
        strbuf_free(&again);
        stop(&a);
        stop(&b);
    }
}

static void partitions_go_on(void **state)
{
    struct memory_params params = fixture_params();
    run(&params, 0, 0, false);
    run(&params, 8, 0, false);
    run(&params, 0, 200, false);
    run(&params, 0, 800, true);
    params = fixture_sm2();
    run(&params, 0, 0, false);
    run(&params, 100, 0, false);
    run(&params, 10, 900, false);
    params = fixture_pascal();
    run(&params, 0, 0, false);
}

/* Whatever the content, loading ends, and says that it failed or stays in its bounds. */
static void content_is_not_trusted(void **state)
{
    struct memory_params params = fixture_params();
    struct side a;
    struct strbuf content = {0};
    unsigned refused = 0;
    start(&a, &params, 0, 0, false);
    for (uint64_t cycle = 1; cycle < 2000; cycle++)
        step(&a, &params, cycle);
    save(&a, &content);
    for (uint64_t trial = 0; trial < 400; trial++) {
        struct side b;
        uint64_t at = random_at(1, trial) % content.length;
        char old = content.text[at];
        start(&b, &params, 0, 0, false);
        const struct packet_source source = {.make = make_packet, .context = &b};
        content.text[at] = (char)random_at(2, trial);
        struct archive *ar = archive_from_bytes(content.text, content.length - trial % 2);
        store_archive(&b.store, ar);
        partition_archive(b.partition, ar, &source);
        refused += archive_failed(ar);
        archive_abandon(ar);
        content.text[at] = old;
        stop(&b);
    }
    assert_true(refused >= 200);
    strbuf_free(&content);
    stop(&a);
}

/* Who waits for a line is a number of the cache's owner: one that he does not have is refused. */
static void waiters_are_the_owners(void **state)
{
    (void)state;
    struct memory_params params = fixture_params();
    struct arena arena = {0};
    struct strbuf content = {0};
    struct cache_effect effect;
    struct cache *c = cache_create(&params.l2, false, &arena);
    assert_int_equal(cache_read(c, 0x1000, 32, 7, 8, &effect), CACHE_MISS);
    struct archive *ar = archive_into(&content);
    cache_archive(c, ar);
    cache_archive_waiters(c, ar, 8);
    assert_string_equal(archive_error(ar), "");
    archive_abandon(ar);
    for (uint32_t end = 7; end <= 8; end++) {
        c = cache_create(&params.l2, false, &arena);
        ar = archive_from_bytes(content.text, content.length);
        cache_archive(c, ar);
        assert_false(archive_failed(ar));
        cache_archive_waiters(c, ar, end);
        assert_int_equal(archive_failed(ar), end == 7);
        archive_abandon(ar);
    }
    strbuf_free(&content);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(partitions_go_on), cmocka_unit_test(content_is_not_trusted),
                                       cmocka_unit_test(waiters_are_the_owners)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
