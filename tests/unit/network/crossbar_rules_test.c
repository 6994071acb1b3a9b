/* The rules of the crossbar as timing diagrams, in ticks from the first one after a packet was sent. A flit without
 * hindrance (H head, f others of the same packet; the head spends a step to get the output):
 *
 *     tick       1      2    3       4       5      6    7
 *     H          leaves      router  switch  cross       received
 *     f                 leaves       router+switch       ...      a flit a tick behind
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "network/network.h"

#define SENDERS 8
#define RECEIVERS 4
#define LIMIT 1000

struct crossbar {
    struct arena arena;
    struct network *net;
    struct network_params params;
    uint64_t tick;
};

static struct network_params plain(void)
{
    return (struct network_params){.flit_bytes = 32,
                                   .injection_flits = 64,
                                   .router_flits = 64,
                                   .ejection_flits = 64,
                                   .boundary_flits = 256,
                                   .internal_speedup = 1};
}

static void start(struct crossbar *x, const struct network_params *params)
{
    memset(x, 0, sizeof *x);
    arena_init(&x->arena);
    x->params = *params;
    x->net = network_create(params, SENDERS, RECEIVERS, &x->arena);
}

static void *packet(uintptr_t n)
{
    return (void *)(n + 1);
}

static void send(struct crossbar *x, unsigned input, unsigned flits, uintptr_t n)
{
    network_send(x->net, input, 0, flits * x->params.flit_bytes, packet(n), x->tick);
}

static void tick(struct crossbar *x)
{
    network_tick(x->net, ++x->tick);
}

/* Packet n is the next to be received at output 0, after tick `at` and not before. */
static void expect(struct crossbar *x, uint64_t at, uintptr_t n)
{
    while (x->tick + 1 < at)
        tick(x);
    if (network_peek(x->net, 0))
        fail_msg("packet %u is there before tick %u", (unsigned)n, (unsigned)at);
    if (x->tick < at)
        tick(x);
    if (network_receive(x->net, 0) != packet(n))
        fail_msg("packet %u is not there after tick %u", (unsigned)n, (unsigned)at);
}

/* n bytes are ceil(n / flit) flits; the packet is there when its last flit is:
 *
 *     1 flit      . . . . . . 7
 *     3 flits     . . . . . . . . 9
 */
static void latency(void **state)
{
    static const unsigned widths[] = {16, 32, 40};
    for (unsigned w = 0; w < 3; w++) {
        for (unsigned speedup = 1; speedup <= 2; speedup++) {
            for (unsigned bytes = 8; bytes <= 136; bytes += 32) {
                struct network_params params = plain();
                struct crossbar x;
                params.flit_bytes = widths[w];
                params.internal_speedup = speedup;
                start(&x, &params);
                network_send(x.net, 3, 0, bytes, packet(9), 0);
                unsigned flits = (bytes + widths[w] - 1) / widths[w];
                expect(&x, (speedup == 1 ? 7 : 6) + flits - 1, 9);
                arena_free(&x.arena);
            }
        }
    }
}

/* Packets of n flits behind each other, from one sender or from several to one receiver: a step is lost between them.
 *
 *     n = 2       H f . H f . H f
 *     received          8     11    14
 *
 * Two steps a tick (internal_speedup) hide it: the channel's flit a tick is the limit then. */
static void a_step_between_packets(void **state)
{
    for (unsigned speedup = 1; speedup <= 2; speedup++) {
        for (unsigned senders = 1; senders <= 5; senders += 2) {
            for (unsigned flits = 1; flits <= 5; flits++) {
                struct network_params params = plain();
                struct crossbar x;
                params.internal_speedup = speedup;
                start(&x, &params);
                for (unsigned i = 0; i < 5; i++)
                    send(&x, i % senders, flits, i);
                /* Round robin over the senders; a sender's own packets keep their order. */
                unsigned order[5], count = 0;
                for (unsigned round = 0; count < 5; round++)
                    for (unsigned s = 0; s < senders; s++)
                        if (round * senders + s < 5)
                            order[count++] = round * senders + s;
                unsigned first = (speedup == 1 ? 7 : 6) + flits - 1, apart = speedup == 1 ? flits + 1 : flits;
                for (unsigned i = 0; i < 5; i++)
                    expect(&x, first + i * apart, order[i]);
                arena_free(&x.arena);
            }
        }
    }
}

/* Who waits is served in turn from the one behind the last served, wherever that was:
 *
 *     served        5 | 6 7 0 1 2 3 4 5      all eight ask in the same tick
 */
static void round_robin(void **state)
{
    for (unsigned last = 0; last < SENDERS; last++) {
        struct network_params params = plain();
        struct crossbar x;
        start(&x, &params);
        send(&x, last, 1, 99);
        expect(&x, 7, 99);
        for (unsigned i = 0; i < SENDERS; i++)
            send(&x, i, 1, i);
        uint64_t from = x.tick;
        for (unsigned i = 0; i < SENDERS; i++)
            expect(&x, from + 7 + 2 * i, (last + 1 + i) % SENDERS);
        arena_free(&x.arena);
    }
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Credits. A router buffer of r flits: flit j leaves when the credit of flit j - r is back, two ticks after its
 * switching. An ejection buffer of e flits: flit j is switched when the credit of flit j - e is back, five ticks after
 * its switching (three to the receiver, which passes it on at once, and two back).
 *
 *     r = 1     leaves    1 . . . . 6 . . . 10 . . . 14
 *               switched  . . . 4 . . . 8 . . . 12 . . . 16
 *     e = 1     leaves    1 2 3 4
 *               switched  . . . 4 . . . . 9 . . . . 14
 */
static void credits(void **state)
{
    for (unsigned r = 1; r <= 8; r++) {
        for (unsigned e = 1; e <= 8; e++) {
            for (unsigned flits = 1; flits <= 12; flits++) {
                struct network_params params = plain();
                struct crossbar x;
                uint64_t leaves[16] = {0}, switched[16] = {0};
                params.router_flits = r;
                params.ejection_flits = e;
                for (unsigned j = 0; j < flits; j++) {
                    leaves[j] = j ? leaves[j - 1] + 1 : 1;
                    if (j >= r)
                        leaves[j] = later(leaves[j], switched[j - r] + 2);
                    switched[j] = leaves[j] + (j ? 2 : 3);
                    if (j)
                        switched[j] = later(switched[j], switched[j - 1] + 1);
                    if (j >= e)
                        switched[j] = later(switched[j], switched[j - e] + 5);
                }
                start(&x, &params);
                send(&x, 2, flits, 5);
                expect(&x, switched[flits - 1] + 3, 5);
                arena_free(&x.arena);
            }
        }
    }
}

/* Nobody receives: every buffer fills up. Then one packet is received, and its place goes back to the sender:
 *
 *     tick 1     a flit goes from the ejection buffer into the boundary buffer
 *          3     its credit counts at the router, which switches a flit
 *          5     that one's credit counts at the sender, which sends a flit and has room for another
 */
static void back_pressure(void **state)
{
    for (unsigned size = 1; size <= 7; size += 3) {
        struct network_params params = plain();
        struct crossbar x;
        unsigned sent = 0;
        params.injection_flits = size;
        params.router_flits = size + 1;
        params.ejection_flits = size + 2;
        params.boundary_flits = size + 3;
        start(&x, &params);
        for (unsigned i = 0; i < 200; i++) {
            if (network_can_send(x.net, 1, 32))
                send(&x, 1, 1, sent++);
            tick(&x);
        }
        assert_int_equal(sent, 4 * size + 6);
        assert_ptr_equal(network_receive(x.net, 0), packet(0));
        for (unsigned i = 1; i <= 4; i++) {
            tick(&x);
            assert_false(network_can_send(x.net, 1, 32));
        }
        tick(&x);
        assert_true(network_can_send(x.net, 1, 32));
        arena_free(&x.arena);
    }
}

/* The injection queue takes a packet when all of its flits fit; one flit leaves in every tick.
 *
 *     queue of 9, 5 flits in it     5 more: refused, refused after 0 ticks, taken after 1
 */
static void injection(void **state)
{
    for (unsigned size = 5; size <= 12; size++) {
        for (unsigned flits = 1; flits <= 5; flits++) {
            struct network_params params = plain();
            struct crossbar x;
            params.injection_flits = size;
            start(&x, &params);
            send(&x, 0, 5, 0);
            unsigned too_many = 5 + flits > size ? 5 + flits - size : 0;
            for (unsigned i = 0; i < too_many; i++) {
                assert_false(network_can_send(x.net, 0, 32 * flits));
                tick(&x);
            }
            assert_true(network_can_send(x.net, 0, 32 * flits));
            assert_true(network_can_send(x.net, 1, 32 * 5)); /* another sender's queue is its own */
            arena_free(&x.arena);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(latency), cmocka_unit_test(a_step_between_packets), cmocka_unit_test(round_robin),
        cmocka_unit_test(credits), cmocka_unit_test(back_pressure),          cmocka_unit_test(injection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
