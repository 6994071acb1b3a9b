/* A network saved in the middle of traffic and loaded into another one, divided otherwise, goes on as the first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/archive.h"
#include "base/hash.h"
#include "network/network.h"

#define PORTS 12

static const struct network_params params = {.flit_bytes = 32,
                                             .injection_flits = 9,
                                             .router_flits = 8,
                                             .ejection_flits = 8,
                                             .boundary_flits = 16,
                                             .internal_speedup = 2};

static void describe(struct archive *ar, void **payload, const void *context)
{
    (void)context;
    ARCHIVE(ar, *payload); /* the test's payloads are numbers */
}

/* One tick of random traffic; what arrived is mixed into *seen. */
static void step(struct network *net, uint64_t tick, uint64_t *seen)
{
    for (unsigned i = 0; i < PORTS; i++) {
        uint64_t random = random_at(i, tick);
        unsigned bytes = 1 + (unsigned)(random >> 8) % 160;
        void *payload = random % 7 ? (void *)(uintptr_t)(tick * PORTS + i + 1) : NULL;
        if (random % 3 == 0 && network_can_send(net, i, bytes))
            network_send(net, i, (unsigned)(random >> 20) % PORTS, bytes, payload, tick);
    }
    network_tick(net, tick);
    for (unsigned i = 0; i < PORTS; i++)
        if (random_at(100 + i, tick) % 2 && network_peek(net, i))
            *seen = (*seen ^ (uintptr_t)network_receive(net, i) ^ (uint64_t)i << 40) * 0x9E3779B97F4A7C15u;
}

static void save(struct network *net, struct strbuf *content)
{
    struct archive *ar = archive_into(content);
    network_archive(net, ar, describe, NULL);
    assert_string_equal(archive_error(ar), "");
    archive_abandon(ar);
}

static void go_on_elsewhere(bool varies)
{
    static const uint8_t sides_a[PORTS] = {0, 1, 1, 0, 2, 2, 0}, sides_b[PORTS] = {1, 1, 1, 0, 0, 3, 2, 1, 0};
    for (uint64_t pause = 3; pause < 400; pause += 13) {
        struct arena arena = {0};
        struct strbuf content = {0}, again = {0};
        struct network *a = network_create(&params, PORTS, PORTS, &arena);
        struct network *b = network_create(&params, PORTS, PORTS, &arena);
        uint64_t seen_a = 1, seen_b;
        if (varies) {
            network_vary(a, random_stream_of(1, "test", 0));
            network_vary(b, random_stream_of(1, "test", 0));
        }
        network_divide(a, 4, sides_a, sides_b);
        network_divide(b, 4, sides_b, sides_b);
        for (uint64_t tick = 1; tick < pause; tick++)
            step(a, tick, &seen_a);
        save(a, &content);
        seen_b = seen_a;
        struct archive *ar = archive_from_bytes(content.text, content.length);
        network_archive(b, ar, describe, NULL);
        assert_string_equal(archive_error(ar), "");
        archive_abandon(ar);
        save(b, &again);
        assert_true(content.length == again.length && memcmp(content.text, again.text, again.length) == 0);
        for (uint64_t tick = pause; tick < pause + 400; tick++) {
            assert_true(network_next(a, tick) >= tick && network_idle(a) == network_idle(b));
            step(a, tick, &seen_a);
            step(b, tick, &seen_b);
            assert_true(seen_a == seen_b);
        }
        struct network_stats sum_a = {0}, sum_b = {0};
        network_add_stats(a, &sum_a);
        network_add_stats(b, &sum_b);
        assert_memory_equal(&sum_a, &sum_b, sizeof sum_a);
        strbuf_free(&content);
        strbuf_free(&again);
        arena_free(&arena);
    }
}

static void goes_on_elsewhere(void **unused)
{
    go_on_elsewhere(false);
    go_on_elsewhere(true);
}

/* Content of any kind leaves a network that can be ticked, or is refused. */
static void content_is_not_trusted(void **unused)
{
    struct arena arena = {0};
    struct strbuf content = {0};
    struct network *net = network_create(&params, PORTS, PORTS, &arena);
    uint64_t seen = 1;
    unsigned refused = 0;
    for (uint64_t tick = 1; tick < 50; tick++)
        step(net, tick, &seen);
    save(net, &content);
    for (uint64_t trial = 0; trial < 3000; trial++) {
        struct network *other = network_create(&params, PORTS, PORTS, &arena);
        uint64_t at = random_at(1, trial) % content.length;
        char old = content.text[at];
        content.text[at] = (char)random_at(2, trial);
        struct archive *ar = archive_from_bytes(content.text, content.length - trial % 2);
        network_archive(other, ar, describe, NULL);
        refused += archive_failed(ar);
        archive_abandon(ar);
        content.text[at] = old;
    }
    assert_true(refused > 1500);
    strbuf_free(&content);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(goes_on_elsewhere), cmocka_unit_test(content_is_not_trusted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
