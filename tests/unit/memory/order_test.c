/* Orders (memory/order.h): what a release or fence waits for, and what orders and kernels ask of an L1. Programs of the
 * checker see a wait that is too short only where a message happens to be late; here each thing that is waited for is
 * missing once. */
#include "agent_bench.h"

#include "isa/mod_values.h"
#include "memory/order.h"

/* The message that waits for the network first goes there and comes back. */
static void serve(struct agent_bench *b)
{
    assert_true(b->requests.count > 0);
    bench_reply(b, packet_ring_pop(&b->requests), BENCH_MEMORY);
}

static void open_bench(struct agent_bench *b, const struct coherence_protocol *protocol)
{
    bench_start(b, protocol, 2, 4, 2);
}

static bool is_there(struct agent_bench *b)
{
    const uint8_t *values;
    return bench_load(b, bench_line(0), 4, &values) == AGENT_SERVED;
}

/* The store leaves the L1, if the protocol sends it, and is acknowledged. */
static void arrive(struct agent_bench *b)
{
    if (agent_drains(&b->agent))
        agent_drain(&b->agent);
    serve(b);
}

/* Waits in the SM */

static void test_a_release_waits_for_its_own_accesses(void **unused)
{
    struct block_order block = {0};
    struct order_wait wait;
    order_begin(&wait, L1_RELEASE, &block);
    assert_true(order_reached(&wait, &block, 0, 0));
    assert_false(order_reached(&wait, &block, 1, 0));
    assert_false(order_reached(&wait, &block, 0, 1)); /* a store of its era that nobody in the block orders before it */
}

static void test_a_release_waits_for_what_its_block_ordered_before(void **unused)
{
    struct block_order block = {0};
    struct order_wait wait;
    uint8_t before = block_order_era(&block);
    block_order_add(&block, before);
    block_order_synchronise(&block);
    uint8_t beside = block_order_era(&block);
    block_order_add(&block, beside);
    order_begin(&wait, L1_RELEASE, &block);
    assert_false(order_reached(&wait, &block, 0, 0));
    block_order_done(&block, beside);
    assert_false(order_reached(&wait, &block, 0, 0));
    block_order_add(&block, block_order_era(&block));
    block_order_done(&block, before);
    assert_true(order_reached(&wait, &block, 0, 0));
}

/* Waits for a flush */

static bool asks(const struct coherence_protocol *protocol, unsigned order, enum l1_order_action action)
{
    return protocol->orders[order] & action;
}

/* The L1 has written something: an order that flushes waits until that has arrived, another is over at once. */
static void expect_wait(const struct coherence_protocol *protocol, unsigned order)
{
    struct agent_bench b;
    const struct block_order block = {0};
    struct order_wait wait;
    open_bench(&b, protocol);
    bench_store(&b, bench_line(0), 1);
    order_begin(&wait, (enum l1_order)order, &block);
    assert_int_equal(order_step(&wait, &b.agent, false), ORDER_WAITS);
    assert_false(agent_drains(&b.agent));
    if (asks(protocol, order, L1_ORDER_FLUSH)) {
        assert_int_equal(order_step(&wait, &b.agent, true), ORDER_FLUSHES);
        assert_int_equal(order_step(&wait, &b.agent, true), ORDER_WAITS);
        arrive(&b);
    }
    assert_int_equal(order_step(&wait, &b.agent, true), ORDER_OVER);
    bench_stop(&b);
}

/* The L1 has a line of what others may have written: an order that drops drops it. */
static void expect_drop(const struct coherence_protocol *protocol, unsigned order)
{
    struct agent_bench b;
    open_bench(&b, protocol);
    bench_fetch(&b, bench_line(0));
    order_drop(&b.agent, (enum l1_order)order);
    assert_int_equal(is_there(&b), !asks(protocol, order, L1_ORDER_DROP));
    bench_stop(&b);
}

static void test_orders_do_what_the_protocol_says(void **unused)
{
    unsigned drops = 0, flushes = 0;
    for (const struct coherence_protocol *const *p = coherence_list(); *p; p++)
        for (unsigned order = 0; order < L1_ORDERS && (*p)->registration; order++) {
            expect_wait(*p, order);
            expect_drop(*p, order);
            drops += asks(*p, order, L1_ORDER_DROP);
            flushes += asks(*p, order, L1_ORDER_FLUSH);
        }
    assert_true(drops > 10 && flushes > 10);
}

/* Kernels */

static bool read_nines(void *context, uint64_t address, uint8_t *to, uint32_t bytes)
{
    *(uint64_t *)context = address;
    memset(to, 9, bytes);
    return true;
}

/* A line that the L1 keeps over the end of a kernel has the values that the host has put there. */
static void test_a_kernel_begins_with_the_hosts_values(void **unused)
{
    struct agent_bench b;
    const uint8_t *values;
    uint64_t seen = 0;
    open_bench(&b, coherence_find("denovo-b"));
    bench_store(&b, bench_line(0), 1);
    serve(&b);
    order_begin_kernel(&b.agent, read_nines, &seen);
    assert_int_equal(bench_load(&b, bench_line(0), 4, &values), AGENT_SERVED);
    assert_int_equal(values[0], 9);
    assert_int_equal(values[BENCH_LINE - 1], 9);
    assert_int_equal(seen, bench_line(0));
    bench_stop(&b);
}

static void test_a_kernel_ends_with_a_flush(void **unused)
{
    for (const struct coherence_protocol *const *p = coherence_list(); *p; p++) {
        struct agent_bench b;
        if (!(*p)->registration)
            continue;
        open_bench(&b, *p);
        assert_false(order_ends_kernel(&b.agent));
        bench_store(&b, bench_line(0), 1);
        bool waits = !b.requests.count; /* else it is being registered */
        assert_true(order_ends_kernel(&b.agent));
        assert_true(order_end_kernel(&b.agent));
        assert_int_equal(agent_drains(&b.agent), waits);
        assert_false(order_ends_kernel(&b.agent));
        assert_false(order_end_kernel(&b.agent));
        arrive(&b);
        assert_true(agent_idle(&b.agent));
        bench_stop(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_release_waits_for_its_own_accesses),
        cmocka_unit_test(test_a_release_waits_for_what_its_block_ordered_before),
        cmocka_unit_test(test_orders_do_what_the_protocol_says),
        cmocka_unit_test(test_a_kernel_begins_with_the_hosts_values),
        cmocka_unit_test(test_a_kernel_ends_with_a_flush),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
