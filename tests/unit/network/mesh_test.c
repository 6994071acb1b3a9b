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

#include "base/archive.h"
#include "base/check.h"
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

/* 128 nodes send to one: whose packets meet others at many routers gets next to nothing where lanes have turns, and a
 * good part of its share where the oldest packet goes first. */
static void the_oldest_first_share_a_hot_spot(void **state)
{
    (void)state;
    const unsigned ticks = 200000;
    for (unsigned oldest = 0; oldest <= 1; oldest++) {
        struct network_params p = params_of(16, 8, 4);
        struct mesh_net n;
        struct flood f;
        uint64_t least = UINT64_MAX;
        p.oldest_first = oldest;
        open_net(&n, &p, 128, 128);
        flood(&n, ticks, 0, 1, &f);
        uint64_t sent = f.sent, received = f.received, share = f.received / 128;
        for (unsigned i = 0; i < 128; i++)
            least = f.of_input[i] < least ? f.of_input[i] : least;
        assert_true(received > ticks * 9 / 10);
        assert_true(oldest ? least > share / 2 : least < share / 20);
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

/* Networks that share links */

#define SHARING 3
struct sharing {
    struct arena arena;
    struct network *nets[SHARING];
    unsigned count;
    uint64_t tick;
};

static void open_sharing(struct sharing *s, const struct network_params *p, unsigned count, unsigned ports)
{
    *s = (struct sharing){.count = count};
    arena_init(&s->arena);
    for (unsigned i = 0; i < count; i++)
        s->nets[i] = network_create(p, ports, ports, &s->arena);
    network_share(s->nets, count, &s->arena);
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(network_follows(s->nets[i]), i > 0);
}

static void check_sharing(struct sharing *s)
{
    struct check c;
    check_init(&c);
    for (unsigned i = 0; i < s->count; i++)
        network_check(s->nets[i], &c);
    if (c.wrong)
        fail_msg("%s: %s[%u] is %llu and should be %llu", c.wrong_unit, c.wrong, c.at, (unsigned long long)c.kept,
                 (unsigned long long)c.should_be);
}

static void tick_sharing(struct sharing *s)
{
    s->tick++;
    for (unsigned i = s->count; i-- > 0;)
        network_tick(s->nets[i], s->tick);
}

/* Single flits from 0 to 2 or 3 in a row of routers, in some of the networks, as fast as they are taken; the links pass
 * one in each tick, so that each network of those that send gets its part, and one alone all. That the first network
 * uses two virtual channels, and the others one, changes nothing. */
static void a_shared_link_is_given_in_turn(void **state)
{
    (void)state;
    for (unsigned senders = 1; senders < 1 << SHARING; senders++) {
        struct network_params p = params_of(4, 1, 2);
        struct sharing s;
        unsigned received[SHARING] = {0}, sending = (unsigned)__builtin_popcount(senders);
        p.router_flits = 8;
        open_sharing(&s, &p, SHARING, 4);
        while (s.tick < 650) {
            for (unsigned i = 0; i < SHARING; i++)
                if (senders >> i & 1 && network_can_send(s.nets[i], 0, FLIT))
                    network_send(s.nets[i], 0, i || s.tick % 2 ? 2 : 3, FLIT, (void *)1, s.tick);
            tick_sharing(&s);
            for (unsigned i = 0; i < SHARING; i++)
                for (unsigned to = 2; to < 4; to++)
                    received[i] += network_receive(s.nets[i], to) && s.tick > 50;
            if (s.tick % 50 == 0)
                check_sharing(&s);
        }
        for (unsigned i = 0; i < SHARING; i++)
            assert_in_range(received[i], senders >> i & 1 ? 600 / sending - 1 : 0,
                            senders >> i & 1 ? 600 / sending + 1 : 0);
        arena_free(&s.arena);
    }
}

/* Two flits meet at the link from 0 to 1: sent in the same tick, each through its network. The turn begins behind the
 * first network, so that b goes first. Crossings:
 *
 *     tick            3    4    5    6
 *     router 0        b    a
 *     router 1                  b    a      received two ticks later
 *
 * Where the links are not shared, both come together. */
static void two_networks_meet_at_a_link(void **state)
{
    (void)state;
    for (unsigned shared = 0; shared < 2; shared++) {
        struct network_params p = params_of(2, 1, 1);
        struct sharing s;
        uint64_t at[2] = {0};
        open_sharing(&s, &p, 1 + shared, 2);
        if (!shared)
            s.nets[s.count++] = network_create(&p, 2, 2, &s.arena);
        for (unsigned i = 0; i < 2; i++)
            network_send(s.nets[i], 0, 1, FLIT, (void *)1, 0);
        while (s.tick < 20) {
            tick_sharing(&s);
            for (unsigned i = 0; i < 2; i++)
                if (network_receive(s.nets[i], 1))
                    at[i] = s.tick;
        }
        assert_int_equal(at[0], shared ? 8 : 7);
        assert_int_equal(at[1], 7);
        arena_free(&s.arena);
    }
}

/* Nobody receives in the first network, until its lanes are full: the second one then has the links for itself, also
 * where a packet of several flits lies across them. */
static void a_full_network_stops_no_other(void **state)
{
    (void)state;
    for (unsigned flits = 1; flits <= 5; flits += 2) {
        struct network_params p = params_of(4, 1, 1);
        struct sharing s;
        unsigned received = 0;
        p.boundary_flits = p.ejection_flits = 4;
        open_sharing(&s, &p, 2, 4);
        while (s.tick < 700) {
            if (network_can_send(s.nets[0], 0, flits * FLIT))
                network_send(s.nets[0], 0, 3, flits * FLIT, (void *)1, s.tick);
            if (s.tick >= 100 && network_can_send(s.nets[1], 0, FLIT))
                network_send(s.nets[1], 0, 3, FLIT, (void *)1, s.tick);
            tick_sharing(&s);
            received += network_receive(s.nets[1], 3) && s.tick > 200;
        }
        assert_in_range(received, 499, 500);
        check_sharing(&s);
        arena_free(&s.arena);
    }
}

/* Random packets in all networks. Returns a digest of what was received where and when; *left: packets inside. */
static uint64_t stir(struct sharing *s, unsigned ticks, unsigned ports, bool sends, uint64_t *left)
{
    uint64_t seen = 1;
    for (unsigned t = 0; t < ticks; t++) {
        for (unsigned i = 0; i < s->count; i++)
            for (unsigned from = 0; from < ports && sends; from++) {
                uint64_t random = random_at(i * ports + from, s->tick);
                unsigned flits = 1 + (unsigned)(random >> 8) % 5, to = (unsigned)(random >> 32) % ports;
                if (random % 4 || !network_can_send(s->nets[i], from, flits * FLIT))
                    continue;
                network_send(s->nets[i], from, to, flits * FLIT, (void *)(uintptr_t)(s->tick + 1), s->tick);
                ++*left;
            }
        tick_sharing(s);
        for (unsigned i = 0; i < s->count; i++)
            for (unsigned to = 0; to < ports; to++)
                for (void *got; (got = network_receive(s->nets[i], to)); --*left)
                    seen = (seen ^ (uintptr_t)got ^ (uint64_t)(i * ports + to) << 32 ^ s->tick << 48) *
                           0x9E3779B97F4A7C15u;
        if (t % 37 == 0)
            check_sharing(s);
    }
    return seen;
}

static void describe(struct archive *ar, void **payload, const void *context)
{
    (void)context;
    ARCHIVE(ar, *payload); /* the test's payloads are numbers */
}

static void archive_sharing(struct sharing *s, struct archive *ar)
{
    for (unsigned i = 0; i < s->count; i++)
        network_archive(s->nets[i], ar, describe, NULL);
    assert_string_equal(archive_error(ar), "");
    archive_abandon(ar);
}

/* Under load nothing is lost, also with buffers of one flit; and networks that are loaded from a checkpoint go on as
 * those that were saved, whose turn it is included. */
static void sharing_loses_nothing_and_is_saved(void **state)
{
    (void)state;
    for (unsigned trial = 0; trial < 6; trial++) {
        struct network_params p = params_of(4, 2, 1 + trial % 3);
        struct sharing a, b;
        struct strbuf content = {0};
        uint64_t left = 0, left_b;
        p.router_flits = trial < 3 ? 1 : 4;
        p.ejection_flits = trial < 3 ? 1 : 8;
        open_sharing(&a, &p, SHARING, 8);
        open_sharing(&b, &p, SHARING, 8);
        for (unsigned i = 0; i < SHARING && trial % 2; i++) {
            network_vary(a.nets[i], random_stream_of(3, "test", i));
            network_vary(b.nets[i], random_stream_of(3, "test", i));
        }
        stir(&a, 200 + trial, 8, true, &left);
        left_b = left;
        b.tick = a.tick;
        archive_sharing(&a, archive_into(&content));
        archive_sharing(&b, archive_from_bytes(content.text, content.length));
        assert_int_equal(stir(&a, 400, 8, true, &left), stir(&b, 400, 8, true, &left_b));
        stir(&a, 2000, 8, false, &left);
        assert_int_equal(left, 0);
        for (unsigned i = 0; i < SHARING; i++)
            assert_true(network_idle(a.nets[i]));
        strbuf_free(&content);
        arena_free(&a.arena);
        arena_free(&b.arena);
    }
}

/* A network that meets no other is to the tick as one with links of its own. */
static void who_meets_nobody_is_as_if_alone(void **state)
{
    (void)state;
    struct network_params p = params_of(4, 2, 2);
    struct sharing together, alone;
    uint64_t left = 0, left_alone = 0;
    open_sharing(&together, &p, 2, 8);
    open_sharing(&alone, &p, 1, 8);
    together.count = 1; /* nobody sends through the other: its core ticks with the first one's */
    assert_int_equal(stir(&together, 600, 8, true, &left), stir(&alone, 600, 8, true, &left_alone));
    assert_int_equal(left, left_alone);
    arena_free(&together.arena);
    arena_free(&alone.arena);
}

/* Cores that have nothing to share stay alone. */
static void a_crossbar_shares_nothing(void **state)
{
    (void)state;
    struct network_params p = params_of(4, 2, 1);
    struct arena arena = {0};
    struct network *nets[2];
    p.core = "crossbar";
    for (unsigned i = 0; i < 2; i++)
        nets[i] = network_create(&p, 4, 4, &arena);
    network_share(nets, 2, &arena);
    assert_false(network_follows(nets[0]) || network_follows(nets[1]));
    arena_free(&arena);
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
        cmocka_unit_test(the_oldest_first_share_a_hot_spot),
        cmocka_unit_test(channels_pass_each_other),
        cmocka_unit_test(ports_sit_where_they_are_told),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(a_shared_link_is_given_in_turn),
        cmocka_unit_test(two_networks_meet_at_a_link),
        cmocka_unit_test(a_full_network_stops_no_other),
        cmocka_unit_test(sharing_loses_nothing_and_is_saved),
        cmocka_unit_test(who_meets_nobody_is_as_if_alone),
        cmocka_unit_test(a_crossbar_shares_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
