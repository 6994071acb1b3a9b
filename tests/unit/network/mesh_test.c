/* The mesh against what can be said of it without it: time lines, the throughput that credits allow, the waiting times
 * of queueing theory, the load that its links can carry; and that at any load nothing is lost, nobody starves and
 * packets of one virtual channel do not hold up those of another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "network/network.h"

#define FLIT 16 /* bytes */

struct mesh_net {
    struct arena arena;
    struct network *net;
    unsigned inputs, outputs;
    uint64_t tick;
};

static struct network_params params_of(unsigned columns, unsigned rows, unsigned channels)
{
    return (struct network_params){.flit_bytes = FLIT,
                                   .injection_flits = 64,
                                   .router_flits = 4,
                                   .ejection_flits = 8,
                                   .boundary_flits = 64,
                                   .internal_speedup = 1,
                                   .core = "mesh",
                                   .latency = 7,
                                   .columns = columns,
                                   .rows = rows,
                                   .virtual_channels = channels,
                                   .router_ticks = 1,
                                   .link_ticks = 1};
}

static void open_net(struct mesh_net *n, const struct network_params *p, unsigned inputs, unsigned outputs)
{
    struct network_refusal refusal;
    assert_false(network_refuses(p, inputs, outputs, &refusal));
    arena_init(&n->arena);
    n->net = network_create(p, inputs, outputs, &n->arena);
    n->inputs = inputs, n->outputs = outputs, n->tick = 0;
}

static void close_net(struct mesh_net *n)
{
    arena_free(&n->arena);
}

static void send(struct mesh_net *n, unsigned input, unsigned output, unsigned flits, uintptr_t payload)
{
    network_send(n->net, input, output, flits * FLIT, (void *)payload, n->tick);
}

/* Ticks until the payload is received, which is the next at its output. */
static unsigned wait_for(struct mesh_net *n, unsigned output, uintptr_t payload)
{
    for (unsigned ticks = 1; ticks < 1000; ticks++) {
        network_tick(n->net, ++n->tick);
        void *got = network_receive(n->net, output);
        if (!got)
            continue;
        assert_int_equal((uintptr_t)got, payload);
        return ticks;
    }
    fail_msg("nothing arrived");
    return 0;
}

/* A packet alone: t leaves the queue, t+2 in the first router, R to cross each router, L on each link, and the channel
 * of two ticks to the ejection buffer begins with its last crossing; a flit more is a tick more. */
static void alone_it_takes_the_time_of_its_way(void **state)
{
    (void)state;
    for (unsigned trial = 0; trial < 60; trial++) {
        struct network_params p = params_of(6, 5, 2);
        struct mesh_net n;
        p.router_ticks = 1 + trial % 3;
        p.link_ticks = 1 + trial / 3 % 4;
        p.router_flits = 16;
        open_net(&n, &p, 30, 30);
        unsigned from = (unsigned)random_at(1, trial) % 30, to = (unsigned)random_at(2, trial) % 30;
        unsigned links = (unsigned)(abs((int)(from % 6) - (int)(to % 6)) + abs((int)(from / 6) - (int)(to / 6)));
        unsigned flits = 1 + (unsigned)random_at(3, trial) % 9;
        unsigned expected = 4 + p.router_ticks + links * (p.router_ticks + p.link_ticks);
        assert_int_equal(network_latency(n.net, from, to), expected);
        send(&n, from, to, flits, 1);
        assert_int_equal(wait_for(&n, to, 1), expected + flits - 1);
        close_net(&n);
    }
}

/* Routers 0, 1 and 2 in a row; a packet of two flits from 0 and one from 1, sent two ticks later, meet at the link from
 * 1 to 2: both heads are at router 1 in tick 5. Of a way out the lane behind the one served last is next, and at first
 * those of the neighbours come before those of inputs, so a's head goes first. Crossings:
 *
 *     tick                          3    4    5    6    7    8    9    10
 *     one channel, router 1         (a0) (a0) a    a    b    b
 *                  router 2                             a    a    b    b
 *     two channels, router 1        (a0) (a0) a    b    a    b
 *                   router 2                            a    .    a    b    b in tick 11
 *
 * With one channel the link belongs to a until its tail has passed. With two (0 + 2 and 1 + 2 differ in parity) it is
 * given flit by flit; but router 2's output, behind which packets are put together, belongs to a. A flit is received
 * two ticks after it has crossed the last router. */
static void two_meet_at_a_link(void **state)
{
    (void)state;
    for (unsigned channels = 1; channels < 3; channels++) {
        struct network_params p = params_of(3, 1, channels);
        struct mesh_net n;
        open_net(&n, &p, 3, 3);
        send(&n, 0, 2, 2, 'a');
        network_tick(n.net, ++n.tick);
        network_tick(n.net, ++n.tick);
        send(&n, 1, 2, 2, 'b');
        uint64_t a = 0, b = 0;
        while (n.tick < 40) {
            network_tick(n.net, ++n.tick);
            void *got = network_receive(n.net, 2);
            if (got == (void *)'a')
                a = n.tick;
            if (got == (void *)'b')
                b = n.tick;
        }
        assert_int_equal(a, channels == 1 ? 10 : 11);
        assert_int_equal(b, channels == 1 ? 12 : 13);
        close_net(&n);
    }
}

/* Single flits from one corner to the other as fast as credits allow: a place in a lane is taken for R + L ticks on
 * the way there, and is free again L + 1 ticks after the flit has left, so that as many places as 2L + R + 1 pass a
 * flit in each tick, and fewer pass in proportion. */
static void credits_limit_a_stream(void **state)
{
    (void)state;
    for (unsigned places = 1; places <= 6; places++) {
        struct network_params p = params_of(4, 4, 1);
        struct mesh_net n;
        unsigned received = 0;
        p.router_flits = places;
        p.ejection_flits = 16;
        open_net(&n, &p, 16, 16);
        while (n.tick < 1050) {
            if (network_can_send(n.net, 0, FLIT))
                send(&n, 0, 15, 1, 1);
            network_tick(n.net, ++n.tick);
            received += network_receive(n.net, 15) && n.tick > 50;
        }
        assert_in_range(received, places < 4 ? 250 * places - 4 : 996, places < 4 ? 250 * places + 4 : 1000);
        close_net(&n);
    }
}

/* Waiting times at a single server: N inputs of one router, each of which sends a flit to its one output with
 * probability load/N in a tick. The mean wait of a discrete-time queue with N such inputs and a service of one tick is
 * (1 - 1/N) load / (2 (1 - load)): Karol, Hluchyj and Morgan (1987), formula 4 for a switch's output queues. */
static void waits_are_those_of_a_queue(void **state)
{
    (void)state;
    const unsigned inputs = 12;
    for (unsigned percent = 30; percent <= 90; percent += 20) {
        struct network_params p = params_of(1, 1, 1);
        struct mesh_net n;
        uint64_t sent = 0, waited = 0;
        p.injection_flits = 1000;
        p.boundary_flits = 1000;
        p.router_flits = 1000;
        open_net(&n, &p, inputs, 1);
        for (unsigned ticks = 0; ticks < 300000; ticks++) {
            for (unsigned i = 0; i < inputs; i++)
                if (random_at(percent * 100 + i, n.tick) % 1200 < percent) {
                    assert_true(network_can_send(n.net, i, FLIT));
                    send(&n, i, 0, 1, n.tick + 1);
                    sent++;
                }
            network_tick(n.net, ++n.tick);
            uintptr_t since = (uintptr_t)network_receive(n.net, 0);
            waited += since ? n.tick - (since - 1) - network_latency(n.net, 0, 0) : 0;
        }
        double load = percent / 100.0, wait = (1 - 1.0 / inputs) * load / (2 * (1 - load));
        double measured = (double)waited / (double)sent;
        assert_true(measured > 0.93 * wait && measured < 1.07 * wait);
        close_net(&n);
    }
}

/* Counts of traffic in which every input always has a packet to send. to: the only output, or any. */
struct flood {
    uint64_t sent, received, of_input[NETWORK_MAX_PORTS];
};

static void flood(struct mesh_net *n, unsigned ticks, int to, unsigned most_flits, struct flood *f)
{
    memset(f, 0, sizeof *f);
    for (unsigned t = 0; t < ticks; t++) {
        for (unsigned i = 0; i < n->inputs; i++) {
            uint64_t random = random_at(i + 7, n->tick);
            unsigned flits = 1 + (unsigned)(random % most_flits), out = (unsigned)(random >> 32) % n->outputs;
            if (!network_can_send(n->net, i, flits * FLIT))
                continue;
            send(n, i, to < 0 ? out : (unsigned)to, flits, i + 1);
            f->sent++;
        }
        network_tick(n->net, ++n->tick);
        for (unsigned o = 0; o < n->outputs; o++)
            for (void *got; (got = network_receive(n->net, o));) {
                f->received++;
                f->of_input[(uintptr_t)got - 1]++;
            }
    }
}

static uint64_t drain(struct mesh_net *n)
{
    uint64_t received = 0;
    for (unsigned t = 0; t < 20000 && !network_idle(n->net); t++) {
        network_tick(n->net, ++n->tick);
        for (unsigned o = 0; o < n->outputs; o++)
            while (network_receive(n->net, o))
                received++;
    }
    return received;
}

/* With all nodes sending to all, half of what is sent crosses the middle: of k x k nodes, k links each way, so that
 * none can send more than 4/k flits a tick (Dally and Towles, chapter 3). XY routing reaches most of it with four
 * channels. */
static void a_saturated_mesh_carries_what_its_links_can(void **state)
{
    (void)state;
    struct network_params p = params_of(8, 8, 4);
    struct mesh_net n;
    struct flood f;
    uint64_t sent, received;
    open_net(&n, &p, 64, 64);
    flood(&n, 3000, -1, 1, &f);
    sent = f.sent, received = f.received;
    flood(&n, 3000, -1, 1, &f);
    double rate = (double)f.received / 3000 / 64;
    assert_true(rate > 0.7 * 4 / 8 && rate <= 4.0 / 8 * 1.02);
    assert_int_equal(received + f.received + drain(&n), sent + f.sent);
    close_net(&n);
}

/* All send to one corner: its output passes a flit in nearly every tick, and though those who are near are served more
 * often, nobody starves. */
static void nobody_starves_at_a_hot_spot(void **state)
{
    (void)state;
    for (unsigned channels = 1; channels <= 4; channels += 3) {
        struct network_params p = params_of(4, 4, channels);
        struct mesh_net n;
        struct flood f;
        uint64_t sent, received, least = UINT64_MAX;
        open_net(&n, &p, 16, 16);
        flood(&n, 40000, 0, 5, &f);
        sent = f.sent, received = f.received;
        for (unsigned i = 0; i < 16; i++)
            least = f.of_input[i] < least ? f.of_input[i] : least;
        assert_true(least > 100);
        assert_true(f.received > 40000 / 3 * 9 / 10); /* packets of three flits on average */
        assert_int_equal(received + drain(&n), sent);
        close_net(&n);
    }
}

/* Nobody receives at output 2, so that packets from 0 to 2 fill their lanes on the way. Packets from 1 to 4 share the
 * link from 1 to 2 with them: in a channel of their own they pass, in the same one they are held up. */
static void channels_pass_each_other(void **state)
{
    (void)state;
    for (unsigned channels = 1; channels <= 2; channels++) {
        struct network_params p = params_of(5, 1, channels);
        struct mesh_net n;
        unsigned received = 0;
        p.boundary_flits = 4;
        p.ejection_flits = 4;
        open_net(&n, &p, 5, 5);
        while (n.tick < 600) {
            if (n.tick < 100 && network_can_send(n.net, 0, FLIT))
                send(&n, 0, 2, 1, 1);
            if (n.tick >= 100 && network_can_send(n.net, 1, FLIT))
                send(&n, 1, 4, 1, 2);
            network_tick(n.net, ++n.tick);
            received += network_receive(n.net, 4) != NULL;
        }
        assert_in_range(received, channels == 1 ? 0 : 480, channels == 1 ? 0 : 500);
        close_net(&n);
    }
}

static void ports_sit_where_they_are_told(void **state)
{
    (void)state;
    struct network_params p = params_of(4, 2, 1);
    struct mesh_net n;
    p.sm_nodes = "0-4/2,7";
    p.slice_nodes = "3,3";
    open_net(&n, &p, 4, 2);
    assert_int_equal(network_latency(n.net, 0, 0), 5 + 2 * 3);
    assert_int_equal(network_latency(n.net, 1, 0), 5 + 2 * 1);
    assert_int_equal(network_latency(n.net, 2, 1), 5 + 2 * 4);
    assert_int_equal(network_latency(n.net, 3, 1), 5 + 2 * 1);
    close_net(&n);
    const struct network_params back = network_back(&p);
    struct network_refusal refusal;
    assert_false(network_refuses(&back, 2, 4, &refusal));
    assert_string_equal(back.sm_nodes, "3,3");
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *sm_nodes, *says;
    } wrong[] = {{"", "list"},     {"1,", "list"},    {"x", "list"},      {"3-1", "list"},    {"0-3/0", "list"},
                 {"0-3 ", "list"}, {"99999", "list"}, {"0-2,8", "named"}, {"0-2", "as many"}, {"0-5", "as many"}};
    struct network_refusal refusal;
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct network_params p = params_of(4, 2, 1);
        p.sm_nodes = wrong[i].sm_nodes;
        assert_true(network_refuses(&p, 4, 1, &refusal));
        assert_non_null(strstr(refusal.why, wrong[i].says));
        assert_non_null(strstr(refusal.names, "network.sm_nodes"));
    }
    struct network_params p = params_of(4, 2, 12);
    assert_true(network_refuses(&p, 100, 1, &refusal) && strstr(refusal.names, "virtual_channels"));
    p = params_of(64, 64, 1);
    assert_true(network_refuses(&p, 4, 4, &refusal) && strstr(refusal.why, "256"));
    p = params_of(16, 16, 12);
    p.router_flits = 4096;
    assert_true(network_refuses(&p, 4, 4, &refusal) && strstr(refusal.names, "router_flits"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alone_it_takes_the_time_of_its_way),
        cmocka_unit_test(two_meet_at_a_link),
        cmocka_unit_test(credits_limit_a_stream),
        cmocka_unit_test(waits_are_those_of_a_queue),
        cmocka_unit_test(a_saturated_mesh_carries_what_its_links_can),
        cmocka_unit_test(nobody_starves_at_a_hot_spot),
        cmocka_unit_test(channels_pass_each_other),
        cmocka_unit_test(ports_sit_where_they_are_told),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
