/* The crossbar: the time line of one packet, throughput of packets of n flits, fairness, credits and back-pressure,
 * order, conservation, and skipping of ticks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "network/network.h"
#include "sim/cycle.h"

#define SENDERS 15
#define RECEIVERS 12

struct fixture {
    struct arena arena;
    struct network *net;
    uint64_t cycle;
};

static struct network_params params_of(bool sm2)
{
    struct network_params p = {.flit_bytes = 32,
                               .injection_flits = 9,
                               .router_flits = 8,
                               .ejection_flits = 8,
                               .boundary_flits = 16,
                               .internal_speedup = 1};
    if (sm2)
        p = (struct network_params){.flit_bytes = 40,
                                    .injection_flits = 256,
                                    .router_flits = 64,
                                    .ejection_flits = 64,
                                    .boundary_flits = 64,
                                    .internal_speedup = 2};
    return p;
}

static void make(struct fixture *f, const struct network_params *params)
{
    memset(f, 0, sizeof(*f));
    arena_init(&f->arena);
    f->net = network_create(params, SENDERS, RECEIVERS, &f->arena);
}

static void *number(uintptr_t n)
{
    return (void *)(n + 1);
}

static void send(struct fixture *f, unsigned input, unsigned output, unsigned flits, uintptr_t n)
{
    assert_true(network_can_send(f->net, input, flits * 32));
    network_send(f->net, input, output, flits * 32, number(n), f->cycle);
}

static void tick(struct fixture *f)
{
    network_tick(f->net, ++f->cycle);
}

/* Ticks until something has arrived at output, at most `limit`; the number of ticks. */
static unsigned wait(struct fixture *f, unsigned output, unsigned limit)
{
    for (unsigned n = 1; n <= limit; n++) {
        tick(f);
        if (network_peek(f->net, output))
            return n;
    }
    fail_msg("nothing arrived");
    return 0;
}

static void defaults_are_the_3_2_2_configuration(void **state)
{
    const uint64_t expected[] = {32, 9, 8, 8, 16, 1, 0, 7}; /* what comes behind is the mesh's */
    assert_true(network_param_count > 8);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(network_param_descs[i].default_value, expected[i]);
}

static void a_lone_packet_takes_its_time(void **state)
{
    for (unsigned sm2 = 0; sm2 < 2; sm2++) {
        struct network_params p = params_of(sm2);
        p.flit_bytes = 32;
        for (unsigned flits = 1; flits <= 8; flits++) {
            struct fixture f;
            make(&f, &p);
            send(&f, 3, 7, flits, 42);
            assert_int_equal(wait(&f, 7, 100), (sm2 ? 6 : 7) + flits - 1);
            assert_int_equal(network_arrivals(f.net, 0), 1u << 7);
            assert_false(network_idle(f.net));
            assert_ptr_equal(network_receive(f.net, 7), number(42));
            assert_null(network_receive(f.net, 7));
            assert_true(network_idle(f.net));
            assert_int_equal(network_arrivals(f.net, 0), 0);
            arena_free(&f.arena);
        }
    }
}

/* Ticks between arrivals at output 0 when `senders` inputs always have packets of `flits` for it, over many packets,
 * times 100. */
static unsigned spacing(bool sm2, unsigned flits, unsigned senders)
{
    struct network_params p = params_of(sm2);
    struct fixture f;
    unsigned received = 0;
    uint64_t first = 0, last = 0;
    p.flit_bytes = 32;
    make(&f, &p);
    while (received < 200) {
        for (unsigned i = 0; i < senders; i++)
            if (network_can_send(f.net, i, flits * 32))
                send(&f, i, 0, flits, 0);
        tick(&f);
        while (network_receive(f.net, 0)) {
            last = f.cycle;
            if (++received == 50)
                first = f.cycle;
        }
    }
    arena_free(&f.arena);
    return (unsigned)((last - first) * 100 / 150);
}

static void a_step_is_lost_between_packets(void **state)
{
    assert_int_equal(spacing(false, 1, 1), 200); /* n + 1 steps for n flits */
    assert_int_equal(spacing(false, 1, 4), 200);
    assert_int_equal(spacing(false, 2, 3), 300);
    assert_int_equal(spacing(false, 5, 1), 600);
    assert_int_equal(spacing(false, 5, 12), 600);
    assert_int_equal(spacing(true, 1, 1), 100); /* two steps a tick: the channel is the limit */
    assert_int_equal(spacing(true, 1, 4), 100);
    assert_int_equal(spacing(true, 4, 12), 400);
}

static void waiting_inputs_are_served_in_turn(void **state)
{
    struct network_params p = params_of(false);
    struct fixture f;
    unsigned served[SENDERS] = {0}, order[64], count = 0;
    make(&f, &p);
    while (count < 60) {
        for (unsigned i = 0; i < 5; i++)
            if (network_can_send(f.net, i, 32))
                send(&f, i, 2, 1, i);
        tick(&f);
        for (void *got; count < 60 && (got = network_receive(f.net, 2));) {
            order[count++] = (unsigned)((uintptr_t)got - 1);
            served[order[count - 1]]++;
        }
    }
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(served[i], 12);
    for (unsigned i = 1; i < count; i++)
        assert_int_equal(order[i], (order[i - 1] + 1) % 5);
    arena_free(&f.arena);
}

/* 2000 packets of five inputs that always have some for output 2: how many each had served, and how many came after
 * another input than the one before it in turn. */
static unsigned out_of_turn(uint64_t seed, unsigned served[5], uint64_t *order)
{
    struct network_params p = params_of(false);
    struct fixture f;
    unsigned before = 4, count = 0, others = 0;
    make(&f, &p);
    memset(served, 0, 5 * sizeof *served);
    *order = 0;
    if (seed)
        network_vary(f.net, random_stream_of(seed, "test", 0));
    while (count < 2000) {
        for (unsigned i = 0; i < 5; i++)
            if (network_can_send(f.net, i, 32))
                send(&f, i, 2, 1, i);
        tick(&f);
        for (void *got; count < 2000 && (got = network_receive(f.net, 2)); count++) {
            unsigned input = (unsigned)((uintptr_t)got - 1);
            others += input != (before + 1) % 5;
            served[input]++;
            *order = *order * UINT64_C(0x9E3779B97F4A7C15) + input;
            before = input;
        }
    }
    arena_free(&f.arena);
    return others;
}

static void a_seed_changes_turns_now_and_then(void **state)
{
    unsigned served[5];
    uint64_t first, again, other;
    assert_int_equal(out_of_turn(0, served, &first), 0);
    assert_in_range(out_of_turn(1, served, &first), 2000 / 20, 2000 / 5);
    for (unsigned i = 0; i < 5; i++)
        assert_in_range(served[i], 300, 500);
    out_of_turn(1, served, &again);
    out_of_turn(2, served, &other);
    assert_true(first == again && first != other);
}

static void different_outputs_do_not_disturb_each_other(void **state)
{
    struct network_params p = params_of(false);
    struct fixture f;
    make(&f, &p);
    for (unsigned i = 0; i < RECEIVERS; i++)
        send(&f, i, (i + 5) % RECEIVERS, 4, i);
    for (unsigned n = 0; n < 10; n++)
        tick(&f);
    for (unsigned i = 0; i < RECEIVERS; i++)
        assert_ptr_equal(network_receive(f.net, (i + 5) % RECEIVERS), number(i));
    arena_free(&f.arena);
}

static void the_injection_queue_is_bounded(void **state)
{
    struct network_params p = params_of(false);
    struct fixture f;
    make(&f, &p);
    send(&f, 0, 0, 5, 0);
    assert_false(network_can_send(f.net, 0, 5 * 32));
    assert_true(network_can_send(f.net, 0, 4 * 32));
    assert_true(network_can_send(f.net, 1, 5 * 32));
    tick(&f);
    assert_true(network_can_send(f.net, 0, 5 * 32));
    arena_free(&f.arena);
}

/* Nobody receives: the buffers fill up and stop, and everything comes out in order afterwards. */
static void back_pressure_loses_nothing(void **state)
{
    struct network_params p = params_of(false);
    struct fixture f;
    uintptr_t sent = 0, got = 0;
    make(&f, &p);
    for (unsigned n = 0; n < 300; n++) {
        if (network_can_send(f.net, 4, 32))
            send(&f, 4, 9, 1, sent++);
        tick(&f);
    }
    assert_int_equal(sent, 16 + 8 + 8 + 9); /* boundary, ejection, router, injection */
    assert_int_equal(network_next(f.net, f.cycle + 1), CYCLE_NEVER);
    for (void *packet; (packet = network_receive(f.net, 9));)
        assert_ptr_equal(packet, number(got++));
    assert_int_equal(got, 16);
    assert_int_not_equal(network_next(f.net, f.cycle + 1), CYCLE_NEVER);
    while (got < sent) {
        tick(&f);
        for (void *packet; (packet = network_receive(f.net, 9));)
            assert_ptr_equal(packet, number(got++));
    }
    assert_true(network_idle(f.net));
    arena_free(&f.arena);
}

static void a_packet_larger_than_every_buffer_passes(void **state)
{
    struct network_params p = params_of(false);
    struct fixture f;
    make(&f, &p);
    send(&f, 0, 0, 40, 7);
    assert_int_equal(wait(&f, 0, 200), 7 + 39);
    arena_free(&f.arena);
}

/* Empty packets take their time but are not received. */
static void empty_packets_vanish(void **state)
{
    struct network_params p = params_of(false);
    struct fixture f;
    make(&f, &p);
    network_send(f.net, 0, 3, 32, NULL, 0);
    network_send(f.net, 0, 3, 32, NULL, 0);
    send(&f, 0, 3, 1, 5);
    network_send(f.net, 0, 3, 32, NULL, 0);
    assert_int_equal(wait(&f, 3, 100), 7 + 2 + 2); /* two packets before it, two ticks each */
    for (unsigned n = 0; n < 20; n++)
        tick(&f);
    assert_int_equal(network_arrivals(f.net, 0), 1u << 3);
    assert_false(network_idle(f.net));
    assert_ptr_equal(network_receive(f.net, 3), number(5));
    assert_null(network_receive(f.net, 3));
    assert_int_equal(network_arrivals(f.net, 0), 0);
    assert_true(network_idle(f.net));
    arena_free(&f.arena);
}

static uint32_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

/* Deals the ports to `sides` sides at random. */
static void divide(struct network *net, unsigned sides, uint64_t *seed)
{
    uint8_t of_input[SENDERS], of_output[RECEIVERS];
    for (unsigned i = 0; i < SENDERS; i++)
        of_input[i] = (uint8_t)(next_random(seed) % sides);
    for (unsigned i = 0; i < RECEIVERS; i++)
        of_output[i] = (uint8_t)(next_random(seed) % sides);
    network_divide(net, sides, of_input, of_output);
}

static uint64_t all_arrivals(const struct network *net, unsigned sides)
{
    uint64_t arrivals = 0;
    for (unsigned i = 0; i < sides; i++)
        arrivals |= network_arrivals(net, i);
    return arrivals;
}

/* Bursts in a wide network, mostly between ports of side 0, in twice the same: in one all sides are ticked and read, in
 * the other only those that do not rest. Often that is side 0 alone, whose ports are in one word of inputs and in one
 * of outputs; now and then a flit leaves these words, or another side competes. The same packets arrive in the same
 * ticks. */
static void resting_sides_change_nothing(void **state)
{
    enum { INPUTS = 132, OUTPUTS = 80, SIDES = 3, TICKS = 79 * 256 };
    for (unsigned way = 0; way < 4; way++) {
        struct network_params p = params_of(way % 2);
        p.router_flits = way < 2 ? p.router_flits : 1; /* the flits of a packet come some ticks apart */
        struct arena arena = {0};
        struct network *all = network_create(&p, INPUTS, OUTPUTS, &arena),
                       *few = network_create(&p, INPUTS, OUTPUTS, &arena);
        uint8_t of_input[INPUTS], of_output[OUTPUTS];
        uint64_t seed = 11 + way, awake = mask_low(SIDES), alone = 0;
        uintptr_t sent = 0, received = 0;
        for (unsigned i = 0; i < INPUTS; i++)
            of_input[i] = (uint8_t)(i / 44);
        for (unsigned i = 0; i < OUTPUTS; i++)
            of_output[i] = (uint8_t)(i / 28);
        network_divide(all, SIDES, of_input, of_output);
        network_divide(few, SIDES, of_input, of_output);
        for (uint64_t tick = 1; tick < TICKS; tick++) {
            bool burst = tick < TICKS - 2048 && tick % 256 < (way < 2 ? 24 : 96), mixed = tick % 4096 < 512;
            for (unsigned n = 0; n < 3 && burst; n++) {
                unsigned input = next_random(&seed) % (mixed ? INPUTS : 5), bytes = 8 + next_random(&seed) % 90;
                input = n == 1 && tick % 8 == 0 ? 64 + input % 64 : input; /* waits where inputs of side 0 do */
                unsigned output = next_random(&seed) % (mixed || n == 2 ? OUTPUTS : 3);
                assert_int_equal(network_can_send(all, input, bytes), network_can_send(few, input, bytes));
                if (!network_can_send(all, input, bytes))
                    continue;
                network_send(all, input, output, bytes, number(++sent), tick);
                network_send(few, input, output, bytes, number(sent), tick);
                awake |= BIT64(of_input[input]);
            }
            network_listen(few, awake);
            for (unsigned i = 0; i < SIDES; i++) {
                network_tick_side(all, i, tick, tick);
                if (mask_has(awake, i))
                    network_tick_side(few, i, tick, tick);
            }
            network_tick_core(all, tick);
            uint64_t told = network_tick_core(few, tick);
            alone += awake == 1 && told == 1;
            for (unsigned i = 1; i < SIDES; i++)
                mask_put(&awake, i, mask_has(told, i) || !network_side_rests(few, i, tick + 1));
            for (unsigned i = 0; i < OUTPUTS; i++) {
                void *packet = network_receive(all, i);
                assert_ptr_equal(packet, network_receive(few, i));
                received += packet != NULL;
            }
        }
        assert_int_equal(received, sent);
        assert_true(network_idle(all) && network_idle(few));
        assert_in_range(sent, 2000, 2 * TICKS);
        assert_in_range(alone, 200, TICKS);
        arena_free(&arena);
    }
    (void)state;
}

/* Random traffic through three networks, one ticked every cycle, one only when it says so, and one in parts, whose
 * order changes and to which the ports are dealt anew now and then: the same packets arrive at the same cycles, each
 * exactly once, in order between the same ends. With and without a seed. */
static void random_traffic_is_conserved_and_skips(void **state)
{
    enum { CYCLES = 30000, SIDES = 3 };
    for (unsigned way = 0; way < 4; way++) {
        const bool sm2 = way & 1, varies = way & 2;
        struct network_params p = params_of(sm2);
        struct fixture every, some, parts;
        uint64_t seed = 3 + sm2, deal = 5, ticks = 0;
        uintptr_t sent = 0, received = 0;
        uintptr_t last[SENDERS][RECEIVERS] = {{0}};
        make(&every, &p);
        make(&some, &p);
        make(&parts, &p);
        if (varies) {
            network_vary(every.net, random_stream_of(seed, "test", 0));
            network_vary(some.net, random_stream_of(seed, "test", 0));
            network_vary(parts.net, random_stream_of(seed, "test", 0));
        }
        for (uint64_t cycle = 1; cycle < CYCLES || (received < sent && cycle < 2 * CYCLES); cycle++) {
            if (cycle % 501 == 1)
                divide(parts.net, SIDES, &deal);
            for (unsigned n = next_random(&seed) % 4; n > 0 && cycle < CYCLES && cycle % 2000 < 1200; n--) {
                unsigned input = next_random(&seed) % SENDERS,
                         output = next_random(&seed) % (cycle % 5000 < 2000 ? 2 : RECEIVERS),
                         bytes = 1 + next_random(&seed) % 160;
                bool room = network_can_send(every.net, input, bytes);
                assert_int_equal(room, network_can_send(some.net, input, bytes));
                assert_int_equal(room, network_can_send(parts.net, input, bytes));
                if (!room)
                    continue;
                void *payload = number(++sent << 8 | input << 4 | output);
                network_send(every.net, input, output, bytes, payload, cycle);
                network_send(some.net, input, output, bytes, payload, cycle);
                network_send(parts.net, input, output, bytes, payload, cycle);
            }
            network_tick(every.net, cycle);
            if (network_next(some.net, cycle) == cycle) {
                network_tick(some.net, cycle);
                ticks++;
            }
            unsigned first = next_random(&deal) % (SIDES + 1);
            for (unsigned i = 0; i <= SIDES; i++)
                if ((first + i) % (SIDES + 1) == SIDES)
                    network_tick_core(parts.net, cycle);
                else
                    network_tick_side(parts.net, (first + i) % (SIDES + 1), cycle, cycle);
            assert_int_equal(network_arrivals(every.net, 0), network_arrivals(some.net, 0));
            assert_int_equal(network_arrivals(every.net, 0), all_arrivals(parts.net, SIDES));
            for (unsigned output = 0; output < RECEIVERS; output++) {
                if (next_random(&seed) % 3 == 0)
                    continue;
                void *a = network_receive(every.net, output);
                assert_ptr_equal(a, network_receive(some.net, output));
                assert_ptr_equal(a, network_receive(parts.net, output));
                if (!a)
                    continue;
                uintptr_t n = (uintptr_t)a - 1;
                assert_int_equal(n & 15, output);
                assert_true(n >> 8 > last[n >> 4 & 15][output]);
                last[n >> 4 & 15][output] = n >> 8;
                received++;
            }
        }
        assert_int_equal(received, sent);
        assert_true(sent > 5000);
        assert_true(network_idle(every.net) && network_idle(some.net) && network_idle(parts.net));
        assert_true(ticks < CYCLES);
        struct network_stats a = {0}, b = {0}, c = {0};
        network_add_stats(every.net, &a);
        network_add_stats(some.net, &b);
        network_add_stats(parts.net, &c);
        assert_memory_equal(&a, &b, sizeof a);
        assert_memory_equal(&a, &c, sizeof a);
        assert_int_equal(a.packets, sent);
        arena_free(&every.arena);
        arena_free(&some.arena);
        arena_free(&parts.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_the_3_2_2_configuration),
        cmocka_unit_test(a_lone_packet_takes_its_time),
        cmocka_unit_test(a_step_is_lost_between_packets),
        cmocka_unit_test(waiting_inputs_are_served_in_turn),
        cmocka_unit_test(a_seed_changes_turns_now_and_then),
        cmocka_unit_test(different_outputs_do_not_disturb_each_other),
        cmocka_unit_test(the_injection_queue_is_bounded),
        cmocka_unit_test(back_pressure_loses_nothing),
        cmocka_unit_test(a_packet_larger_than_every_buffer_passes),
        cmocka_unit_test(empty_packets_vanish),
        cmocka_unit_test(random_traffic_is_conserved_and_skips),
        cmocka_unit_test(resting_sides_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
