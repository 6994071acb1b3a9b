/* The promises of every core that there is, with ends whose queues are as small as they can be and as usual: a packet
 * that meets nobody takes the latency that the core answers; nothing is lost, doubled or overtaken by a packet between
 * the same ports; everything arrives; and sides and core can be ticked as far apart as the lookahead says. After every
 * tick the derived facts hold, and each that is broken on purpose is found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/archive.h"
#include "base/check.h"
#include "base/hash.h"
#include "effort.h"
#include "network/network.h"

#define MAX NETWORK_MAX_PORTS

/* Shapes of networks: few ports, more receivers than a word has, and as many of both as there can be. */
static const struct shape {
    unsigned inputs, outputs;
} shapes[] = {{1, 1}, {5, 4}, {15, 12}, {3, 65}, {100, 70}, {256, 256}};
#define SHAPES (sizeof shapes / sizeof *shapes)

/* Traffic and what became of it. */
struct bench {
    struct arena arena;
    struct network *net;
    struct shape shape;
    uint64_t before;      /* ticks before the first one: traffic depends on those since */
    uint64_t until;       /* no packet is sent from this tick on */
    unsigned bytes, rate; /* most of a packet; one in so many chances sends one */
    size_t arena_bytes;   /* after the network was made: it takes no more */
    uint64_t sent[MAX], received[MAX];
    uint64_t newest[MAX][MAX]; /* by output and input: the last packet received */
    uint64_t seen[MAX];        /* by output: what came, and when */
};

static struct network_params params_of(const char *core, unsigned latency, bool least)
{
    if (least)
        return (struct network_params){.flit_bytes = 32,
                                       .injection_flits = 1,
                                       .router_flits = 1,
                                       .ejection_flits = 1,
                                       .boundary_flits = 1,
                                       .internal_speedup = 1,
                                       .core = core,
                                       .latency = latency,
                                       .columns = 16,
                                       .rows = 8,
                                       .virtual_channels = 1,
                                       .router_ticks = 1,
                                       .link_ticks = 1};
    return (struct network_params){.flit_bytes = 32,
                                   .injection_flits = 9,
                                   .router_flits = 8,
                                   .ejection_flits = 8,
                                   .boundary_flits = 16,
                                   .internal_speedup = 2,
                                   .core = core,
                                   .latency = latency,
                                   .columns = latency,
                                   .rows = 128 / latency,
                                   .virtual_channels = 3,
                                   .router_ticks = 1 + latency % 3,
                                   .link_ticks = 1 + latency % 2};
}

static struct bench *open_bench(const struct network_params *params, struct shape shape)
{
    struct bench *b = base_calloc(1, sizeof *b);
    arena_init(&b->arena);
    b->shape = shape;
    b->net = network_create(params, shape.inputs, shape.outputs, &b->arena);
    b->arena_bytes = b->arena.bytes;
    b->bytes = 200;
    b->rate = 3;
    return b;
}

/* The arena may be that of other networks, which other threads tick. */
static void close_bench(struct bench *b)
{
    assert_int_equal(b->arena.bytes, b->arena_bytes);
    arena_free(&b->arena);
    free(b);
}

/* A payload says its sender and its number there. */
static void *payload_of(uint64_t number, unsigned input)
{
    return (void *)(uintptr_t)(number << 9 | input << 1 | 1);
}

static void send_some(struct bench *b, unsigned input, uint64_t tick)
{
    uint64_t random = random_at(input, tick - b->before);
    unsigned bytes = 1 + (unsigned)(random >> 20) % b->bytes;
    if (tick >= b->until || random % b->rate || !network_can_send(b->net, input, bytes))
        return;
    /* Half of it to few outputs, which are crowded. */
    unsigned output = (unsigned)(random >> 40) % (random >> 16 & 1 && b->shape.outputs > 3 ? 3 : b->shape.outputs);
    network_send(b->net, input, output, bytes, payload_of(++b->sent[input], input), tick);
}

static void receive_some(struct bench *b, unsigned output, uint64_t tick)
{
    if (random_at(1000 + output, tick - b->before) % 4 == 0)
        return;
    uintptr_t payload = (uintptr_t)network_receive(b->net, output);
    if (!payload)
        return;
    unsigned input = payload >> 1 & 255;
    assert_true(payload >> 9 > b->newest[output][input]);
    b->newest[output][input] = payload >> 9;
    b->received[output]++;
    b->seen[output] = (b->seen[output] ^ payload ^ (tick - b->before) << 40) * 0x9E3779B97F4A7C15u;
}

static uint64_t sum(const uint64_t *counts)
{
    uint64_t total = 0;
    for (unsigned i = 0; i < MAX; i++)
        total += counts[i];
    return total;
}

static void check_facts(struct bench *b)
{
    struct check c;
    check_init_hear(&c, NULL, NULL);
    network_check(b->net, &c);
    if (c.wrong)
        fail_msg("%s: %s %u is %llu instead of %llu", c.wrong_unit, c.wrong, c.at, (unsigned long long)c.kept,
                 (unsigned long long)c.should_be);
    assert_true(c.stated > 10);
}

/* Everything in step, tick by tick, left out where network_next says that nothing happens. */
static void run_in_step(struct bench *b, uint64_t ticks, bool check)
{
    for (uint64_t tick = b->before + 1; tick < b->before + ticks; tick++) {
        for (unsigned i = 0; i < b->shape.inputs; i++)
            send_some(b, i, tick);
        if (network_next(b->net, tick) == tick)
            network_tick(b->net, tick);
        for (unsigned i = 0; i < b->shape.outputs; i++)
            receive_some(b, i, tick);
        if (check)
            check_facts(b);
    }
}

/* Each side, and the core, as many ticks at once as the lookahead allows, in an order that changes. */
static void run_apart(struct bench *b, uint64_t ticks, unsigned sides, const uint8_t *of_input,
                      const uint8_t *of_output)
{
    const uint64_t lookahead = network_lookahead(b->net);
    network_divide(b->net, sides, of_input, of_output);
    for (uint64_t from = 1; from < ticks; from += lookahead) {
        uint64_t end = from + lookahead < ticks ? from + lookahead : ticks;
        for (unsigned n = 0; n <= sides; n++) {
            unsigned side = (unsigned)(n + from) % (sides + 1);
            for (uint64_t tick = from; tick < end; tick++) {
                for (unsigned i = 0; i < b->shape.inputs && side < sides; i++)
                    if (of_input[i] == side)
                        send_some(b, i, tick);
                if (side == sides)
                    network_tick_core(b->net, tick);
                else
                    network_tick_side(b->net, side, tick, tick);
                for (unsigned i = 0; i < b->shape.outputs && side < sides; i++)
                    if (of_output[i] == side)
                        receive_some(b, i, tick);
            }
        }
    }
}

/* Ports to sides: neighbours together, at most 64. */
static unsigned deal(unsigned ports, unsigned sides, uint8_t *side_of)
{
    for (unsigned i = 0; i < ports; i++)
        side_of[i] = (uint8_t)(i * sides / ports);
    return sides;
}

/* Calls test for every core, latency, shape and size of queues. */
static void each(void (*test)(const struct network_params *params, struct shape shape))
{
    static const unsigned latencies[] = {5, 8, 34};
    for (unsigned k = 0; network_cores()[k]; k++)
        for (unsigned l = 0; l < sizeof latencies / sizeof *latencies; l += effort_step(3))
            for (unsigned s = k % effort_step(2); s < SHAPES; s += effort_step(2))
                for (unsigned least = 0; least < 2; least++) {
                    struct network_params p = params_of(network_core_name(network_cores()[k]), latencies[l], least);
                    test(&p, shapes[s]);
                }
}

static void alone(const struct network_params *params, struct shape shape)
{
    const unsigned inputs[] = {0, shape.inputs / 2, shape.inputs - 1}, outputs[] = {0, shape.outputs - 1};
    for (unsigned i = 0; i < 6; i++) {
        struct bench *b = open_bench(params, shape);
        unsigned input = inputs[i % 3], output = outputs[i / 3], latency = network_latency(b->net, input, output);
        uint64_t tick = 100;
        network_send(b->net, input, output, 32, payload_of(1, input), tick);
        assert_false(network_idle(b->net));
        while (!network_peek(b->net, output) && tick < 400)
            network_tick(b->net, ++tick);
        assert_int_equal(tick - 100, latency);
        assert_true(latency > 2 * network_lookahead(b->net));
        assert_ptr_equal(network_receive(b->net, output), payload_of(1, input));
        assert_true(network_idle(b->net));
        close_bench(b);
    }
}

static void takes_its_latency(void **state)
{
    (void)state;
    each(alone);
}

static void conserve(const struct network_params *params, struct shape shape)
{
    const bool large = shape.inputs > 100;
    struct bench *b = open_bench(params, shape);
    b->until = large ? 60 : 300;
    run_in_step(b, large ? 9000 : 20000, shape.inputs == 15 && params->latency == 8);
    assert_true(sum(b->sent) > 10);
    assert_int_equal(sum(b->sent), sum(b->received));
    assert_true(network_idle(b->net));
    check_facts(b);
    struct network_stats stats = {0};
    network_add_stats(b->net, &stats);
    assert_int_equal(stats.packets, sum(b->sent));
    close_bench(b);
}

static void loses_nothing(void **state)
{
    (void)state;
    each(conserve);
    /* Few packets between many ports, so that most ticks are of one word of each, in which a second step in a tick may
     * bring a packet for another word to the front. */
    const struct network_params steps = params_of("crossbar", 5, false);
    conserve(&steps, shapes[SHAPES - 1]);
}

static void go_apart(const struct network_params *params, struct shape shape)
{
    const uint64_t ticks = shape.inputs > 100 ? 300 : 1500;
    struct bench *one = open_bench(params, shape);
    one->until = ticks;
    run_in_step(one, ticks, false);
    for (unsigned sides = 4; sides <= 7; sides += 3) {
        struct bench *b = open_bench(params, shape);
        uint8_t of_input[MAX], of_output[MAX];
        b->until = ticks;
        deal(shape.inputs, sides, of_input);
        deal(shape.outputs, sides, of_output);
        run_apart(b, ticks, sides, of_input, of_output);
        check_facts(b);
        assert_memory_equal(b->seen, one->seen, sizeof one->seen);
        assert_memory_equal(b->sent, one->sent, sizeof one->sent);
        close_bench(b);
    }
    assert_true(sum(one->received) > 20);
    close_bench(one);
}

static void parts_may_be_a_lookahead_apart(void **state)
{
    (void)state;
    each(go_apart);
}

/* Packets that are under way at the 2^32nd tick go as at any other time, though routers keep 32 bits of when one was
 * sent. */
static void go_late(const struct network_params *params, struct shape shape)
{
    struct network_params oldest = *params;
    oldest.oldest_first = true;
    struct bench *b[2];
    if (shape.inputs >= 100) /* which "ideal" serves by turns, one a tick */
        return;
    for (unsigned i = 0; i < 2; i++) {
        b[i] = open_bench(&oldest, shape);
        b[i]->before = i ? (UINT64_C(1) << 32) - 256 : 0;
        b[i]->until = b[i]->before + 1500;
        run_in_step(b[i], 1500, false);
    }
    assert_memory_equal(b[0]->seen, b[1]->seen, sizeof b[0]->seen);
    close_bench(b[0]);
    close_bench(b[1]);
}

static void ticks_may_be_many(void **state)
{
    (void)state;
    each(go_late);
}

/* Where the channels are longer the parts meet less often. */
static void lookahead_follows_the_channels(void **state)
{
    (void)state;
    unsigned longest = 0;
    for (unsigned k = 0; network_cores()[k]; k++) {
        struct network_params p = params_of(network_core_name(network_cores()[k]), 66, false);
        struct bench *b = open_bench(&p, shapes[1]);
        unsigned lookahead = network_lookahead(b->net);
        assert_in_range(lookahead, 2, NETWORK_MAX_LOOKAHEAD);
        longest = lookahead > longest ? lookahead : longest;
        close_bench(b);
    }
    assert_int_equal(longest, NETWORK_MAX_LOOKAHEAD);
}

static void describe(struct archive *ar, void **payload, const void *context)
{
    (void)context;
    ARCHIVE(ar, *payload);
}

static void save(struct network *net, struct strbuf *content)
{
    struct archive *ar = archive_into(content);
    network_archive(net, ar, describe, NULL);
    assert_string_equal(archive_error(ar), "");
    archive_abandon(ar);
}

/* Saved in the middle of traffic and loaded into another network, which goes on alike. */
static void save_and_go_on(const struct network_params *params, struct shape shape)
{
    struct bench *a = open_bench(params, shape), *b = open_bench(params, shape);
    struct strbuf content = {0}, again = {0};
    a->until = 90;
    run_in_step(a, 40, false);
    save(a->net, &content);
    struct archive *ar = archive_from_bytes(content.text, content.length);
    network_archive(b->net, ar, describe, NULL);
    assert_string_equal(archive_error(ar), "");
    archive_abandon(ar);
    check_facts(b);
    save(b->net, &again);
    assert_true(content.length == again.length && memcmp(content.text, again.text, again.length) == 0);
    for (uint64_t tick = 40; tick < 400; tick++) {
        assert_int_equal(network_next(a->net, tick), network_next(b->net, tick));
        network_tick(a->net, tick);
        network_tick(b->net, tick);
        for (unsigned i = 0; i < shape.outputs; i++)
            assert_ptr_equal(network_receive(a->net, i), network_receive(b->net, i));
    }
    strbuf_free(&content);
    strbuf_free(&again);
    close_bench(a);
    close_bench(b);
}

static void goes_on_elsewhere(void **state)
{
    (void)state;
    each(save_and_go_on);
}

/* A checkpoint's content of any kind leaves a network that can be ticked, or is refused. */
static void spoil(const struct network_params *params, struct shape shape)
{
    struct bench *a = open_bench(params, shape);
    struct strbuf content = {0};
    unsigned refused = 0;
    a->until = 90;
    run_in_step(a, 40, false);
    save(a->net, &content);
    for (uint64_t trial = 0; trial < 40 && shape.inputs <= 100 && params->latency == 8; trial++) {
        struct bench *b = open_bench(params, shape);
        uint64_t at = random_at(1, trial) % content.length;
        char old = content.text[at];
        content.text[at] = (char)random_at(2, trial);
        struct archive *ar = archive_from_bytes(content.text, content.length - trial % 2);
        network_archive(b->net, ar, describe, NULL);
        bool bad = archive_failed(ar);
        refused += bad;
        archive_abandon(ar);
        content.text[at] = old;
        for (uint64_t tick = 40; tick < 80 && !bad; tick++)
            network_tick(b->net, tick);
        close_bench(b);
    }
    assert_true(refused || shape.inputs > 100 || params->latency != 8);
    strbuf_free(&content);
    close_bench(a);
}

static void content_is_not_trusted(void **state)
{
    (void)state;
    each(spoil);
}

/* Each fact of a network in the middle of traffic is broken in turn, found wrong, and put right again. */
static void break_facts(const struct network_params *params, struct shape shape)
{
    if (shape.inputs != 15 && shape.outputs != 70)
        return;
    struct check c;
    struct bench *b = open_bench(params, shape);
    b->until = 100;
    run_in_step(b, 60, false);
    check_init_hear(&c, NULL, NULL);
    network_check(b->net, &c);
    assert_null(c.wrong);
    uint64_t count = c.stated;
    for (uint64_t n = 0; n < count; n += effort_steps(2, 32) * (shape.outputs == 70 ? 7 : 1)) {
        check_init_break(&c, n);
        network_check(b->net, &c);
        assert_non_null(c.broken);
        struct check finder;
        check_init(&finder);
        network_check(b->net, &finder);
        if (!finder.wrong)
            fail_msg("nobody finds that %s is wrong", c.broken);
        check_mend(&c);
    }
    check_facts(b);
    close_bench(b);
}

static void broken_facts_are_found(void **state)
{
    (void)state;
    each(break_facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_its_latency),
        cmocka_unit_test(loses_nothing),
        cmocka_unit_test(parts_may_be_a_lookahead_apart),
        cmocka_unit_test(ticks_may_be_many),
        cmocka_unit_test(lookahead_follows_the_channels),
        cmocka_unit_test(goes_on_elsewhere),
        cmocka_unit_test(content_is_not_trusted),
        cmocka_unit_test(broken_facts_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
