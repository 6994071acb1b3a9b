/* The energy model on counters set by hand: every event goes to its component at its price, lanes are weighted, powers
 * follow time, and components make the sums. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "energy/energy.h"

/* One of everything, all counters zero, and the default prices. */
struct world {
    struct sm_stats sm;
    struct cache_stats l1i, l1c, l1d, l2;
    struct dram_stats dram;
    struct network_stats network;
    struct energy_params params;
    struct energy_events events;
};

static void world_init(struct world *w)
{
    *w = (struct world){0};
    struct param_group group = {"energy", "", energy_param_descs, energy_param_count, &w->params, NULL};
    param_defaults(&group, 1);
    w->events = (struct energy_events){
        .sm = &w->sm,
        .l1i = &w->l1i,
        .l1c = &w->l1c,
        .l1d = &w->l1d,
        .l2 = &w->l2,
        .dram = &w->dram,
        .network = &w->network,
        .core_mhz = 700,
        .sms = 15,
        .warp_size = 32,
        .result_buses = 2,
    };
}

#define AT(member) offsetof(struct world, member)
#define TO(member) offsetof(struct energy, member)

/* A thousand of each event, one kind at a time, cost this much and go nowhere else. */
static void test_prices(void **state)
{
    static const struct {
        size_t counter, component;
        uint64_t pj;
    } cases[] = {
        {AT(sm.decoded_instructions), TO(fetch_decode), 3610},
        {AT(l1i.read_hits), TO(fetch_decode), 63400},
        {AT(l1i.read_pending), TO(fetch_decode), 63400},
        {AT(l1i.read_misses), TO(fetch_decode), 2169000},
        {AT(sm.decoded_operations), TO(scheduler), 54900},
        {AT(sm.register_reads), TO(register_file), 32 * 7270},
        {AT(sm.register_writes), TO(register_file), 32 * 5990},
        {AT(sm.other_operands), TO(register_file), 32 * 53000},
        {AT(sm.lanes_int_alu), TO(sp), 25 * 2700},
        {AT(sm.idle_int_alu), TO(sp), 25 * 2700},
        {AT(sm.lanes_int_mul), TO(sp), 213120},
        {AT(sm.lanes_int_mul24), TO(sp), 124320},
        {AT(sm.lanes_fp_add), TO(sp), 29600},
        {AT(sm.lanes_fp_mul), TO(sp), 53280},
        {AT(sm.lanes_fp_div), TO(sp), 48 * 29600},
        {AT(sm.lanes_int_mul32), TO(sfu), 4 * 48400},
        {AT(sm.lanes_int_div), TO(sfu), 40 * 48400},
        {AT(sm.idle_int_div), TO(sfu), 40 * 48400},
        {AT(sm.lanes_sqrt), TO(sfu), 25 * 48400},
        {AT(sm.lanes_log), TO(sfu), 35 * 48400},
        {AT(sm.lanes_exp), TO(sfu), 35 * 48400},
        {AT(sm.lanes_sin), TO(sfu), 12 * 48400},
        {AT(sm.shared_accesses), TO(shared_memory), 2119000},
        {AT(sm.shared_conflict_cycles), TO(shared_memory), 2119000},
        {AT(l1d.read_hits), TO(l1d), 2935000},
        {AT(l1d.read_pending), TO(l1d), 2935000},
        {AT(l1d.read_misses), TO(l1d), 2225000},
        {AT(l1d.write_hits), TO(l1d), 220000},
        {AT(l1d.write_misses), TO(l1d), 2604000},
        {AT(l1c.read_hits), TO(l1c), 1467000},
        {AT(l1c.read_misses), TO(l1c), 1113000},
        {AT(l2.read_hits), TO(l2), 2805000},
        {AT(l2.read_misses), TO(l2), 102000},
        {AT(l2.write_hits), TO(l2), 13850000},
        {AT(l2.write_misses), TO(l2), 15020000},
        {AT(network.flits), TO(network), 1939000},
        {AT(dram.reads), TO(dram), 26950000},
        {AT(dram.writes), TO(dram), 15860000},
        {AT(dram.precharges), TO(dram), 4232000},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct world w;
        struct energy found, expected = {0};
        world_init(&w);
        *(uint64_t *)((char *)&w + cases[i].counter) = 1000;
        energy_compute(&w.params, &w.events, &found);
        *(uint64_t *)((char *)&expected + cases[i].component) = cases[i].pj;
        expected.dynamic = expected.total = cases[i].pj;
        if (memcmp(&found, &expected, sizeof found))
            fail_msg("case %u: dynamic %llu, expected %llu pJ", i, (unsigned long long)found.dynamic,
                     (unsigned long long)cases[i].pj);
    }
}

static void test_powers(void **state)
{
    struct world w;
    struct energy e;
    world_init(&w);
    w.events.cycles = 7000; /* 10 us */
    w.sm.busy_cycles = 14 * 7000 + 6300;
    energy_compute(&w.params, &w.events, &e);
    assert_int_equal(e.constant, 110000000); /* 11 W */
    assert_int_equal(e.leakage, 450000000);  /* 45 W */
    assert_int_equal(e.idle_sms, 1590000);   /* 1.59 W for a tenth of the time of one SM */
    assert_int_equal(e.dynamic, 0);
    assert_int_equal(e.total, 110000000 + 450000000 + 1590000);
    w.events.core_mhz = 1400;
    energy_compute(&w.params, &w.events, &e);
    assert_int_equal(e.constant, 55000000);
}

/* 25.5 W when every result bus is taken by a warp in every cycle, but never more than 0.8 of it. */
static void test_pipeline(void **state)
{
    struct world w;
    struct energy e;
    world_init(&w);
    w.events.cycles = 7000;
    w.sm.warp_instructions = 7000 * 15 * 2 / 10;
    w.sm.thread_instructions = 8 * w.sm.warp_instructions;
    energy_compute(&w.params, &w.events, &e);
    assert_int_equal(e.pipeline, 25500000);
    w.params.gate_lanes = true;
    energy_compute(&w.params, &w.events, &e);
    assert_int_equal(e.pipeline, 25500000 / 4);
    w.params.gate_lanes = false;
    w.sm.warp_instructions *= 9;
    energy_compute(&w.params, &w.events, &e);
    assert_int_equal(e.pipeline, 8 * 25500000);
}

static void test_gated_lanes(void **state)
{
    struct world w;
    struct energy e;
    world_init(&w);
    w.sm.lanes_int_alu = w.sm.idle_int_alu = w.sm.lanes_sqrt = w.sm.idle_sqrt = 10;
    energy_compute(&w.params, &w.events, &e);
    assert_int_equal(e.sp, 20 * 25 * 27 / 10);
    assert_int_equal(e.sfu, 20 * 25 * 484 / 10);
    w.params.gate_lanes = true;
    energy_compute(&w.params, &w.events, &e);
    assert_int_equal(e.sp, 10 * 25 * 27 / 10);
    assert_int_equal(e.sfu, 10 * 25 * 484 / 10);
}

/* Fractions of a pJ are kept until the component's end; counts of a year's simulation do not overflow. */
static void test_rounding_and_size(void **state)
{
    struct world w;
    struct energy e;
    world_init(&w);
    w.sm.decoded_instructions = 1; /* 3.61 */
    w.l1i.read_hits = 1;           /* 63.4 */
    energy_compute(&w.params, &w.events, &e);
    assert_int_equal(e.fetch_decode, 67);
    w.params.decode = 3100; /* 3.1 + 63.4 */
    energy_compute(&w.params, &w.events, &e);
    assert_int_equal(e.fetch_decode, 67);
    w.params.decode = 3099;
    energy_compute(&w.params, &w.events, &e);
    assert_int_equal(e.fetch_decode, 66);
    world_init(&w);
    w.sm.lanes_int_div = UINT64_C(1) << 50;
    w.events.cycles = UINT64_C(1) << 50;
    w.sm.warp_instructions = UINT64_C(1) << 55;
    w.sm.busy_cycles = 15 * w.events.cycles;
    energy_compute(&w.params, &w.events, &e);
    assert_true(e.sfu == (UINT64_C(1) << 50) * 1936);
    assert_true(e.idle_sms == 0);
    unsigned __int128 twice = (unsigned __int128)w.events.cycles * 22000000 / 700;
    assert_true(e.constant == (uint64_t)((twice + 1) / 2));
}

/* With everything counted, the components add up. */
static void test_sums(void **state)
{
    struct world w;
    struct energy e;
    world_init(&w);
    uint64_t *counters = (uint64_t *)&w;
    for (size_t i = 0; i < AT(params) / sizeof(uint64_t); i++)
        counters[i] = 1000 + i * 37;
    w.events.cycles = 123457;
    energy_compute(&w.params, &w.events, &e);
    uint64_t sum = 0;
    const struct stat_group *g = &energy_stat_group;
    unsigned i = 0;
    for (; strcmp(g->stats[i].name, "dynamic") != 0; i++) {
        assert_true(stat_value(&g->stats[i], &e) > 0);
        sum += stat_value(&g->stats[i], &e);
    }
    assert_int_equal(e.dynamic, sum);
    for (i++; strcmp(g->stats[i].name, "total") != 0; i++)
        sum += stat_value(&g->stats[i], &e);
    assert_int_equal(e.total, sum);
    assert_int_equal(i + 1, g->count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prices),
        cmocka_unit_test(test_powers),
        cmocka_unit_test(test_pipeline),
        cmocka_unit_test(test_gated_lanes),
        cmocka_unit_test(test_rounding_and_size),
        cmocka_unit_test(test_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
