/* Schedulers that put blocks in order: mwf and saws, through their interface. */
#include "sched_bench.h"

static const char *const both[] = {"mwf:patience=0", "saws:patience=0"};

/* One after the other of these warps is preferred: the order of preference, to its end. */
static void expect_order(const struct bench *b, uint64_t ready, const unsigned *order)
{
    for (; ready; ready &= ~BIT64(*order++))
        assert_int_equal(ask(b, ready), *order);
}

/* So many warps of the block wait at a barrier, from that cycle on. */
static void wait_at_barrier(struct bench *b, unsigned block, uint64_t warps, uint64_t since)
{
    b->waiting = (b->waiting & ~b->blocks[block].warps) | warps;
    b->blocks[block].arrived = mask_count(warps);
    b->blocks[block].first_arrival = warps ? since : 0;
}

/* The example of the BAWS paper, Figure 7: twelve warps of three blocks. */
static uint64_t begin_example(struct bench *b, const char *name)
{
    bench_start(b, name, 0, 0);
    for (unsigned i = 0; i < 3; i++)
        launch_block(b, i, i, 4 * i, 4);
    assert_int_equal(cycle(b, 1, BIT64(0)), 0);
    assert_int_equal(cycle(b, 2, BIT64(7)), 7);
    wait_at_barrier(b, 0, BIT64(2), 1);
    wait_at_barrier(b, 1, BIT64(5) | BIT64(7), 2);
    wait_at_barrier(b, 2, BIT64(9) | BIT64(10) | BIT64(11), 1);
    return mask_low(12) & ~b->waiting;
}

static void test_example_of_the_paper(void **state)
{
    static const unsigned lrr[] = {8, 4, 6, 1, 3, 0}, gto[] = {8, 4, 6, 0, 1, 3};
    struct bench b;
    expect_order(&b, begin_example(&b, "mwf"), lrr); /* lrr is what it does when nothing is said */
    bench_end(&b);
    expect_order(&b, begin_example(&b, "mwf:inner=lrr"), lrr);
    bench_end(&b);
    expect_order(&b, begin_example(&b, "mwf:inner=gto"), gto);
    bench_end(&b);
}

/* Blocks 0 and 2 were hit in the same cycle, block 1 a cycle later; saws is gto inside a block. */
static void test_saws_order(void **state)
{
    static const unsigned gto[] = {0, 1, 3, 8, 4, 6}, lrr[] = {1, 3, 0, 8, 4, 6}, cleared[] = {8, 4, 6, 0, 1, 2, 3};
    struct bench b;
    expect_order(&b, begin_example(&b, "saws"), gto);
    /* The barrier of block 0 opens: it goes behind those that still wait for one. */
    wait_at_barrier(&b, 0, 0, 0);
    expect_order(&b, mask_low(12) & ~b.waiting, cleared);
    bench_end(&b);
    expect_order(&b, begin_example(&b, "saws:inner=lrr"), lrr);
    bench_end(&b);
    /* The cycle counts, not how many came: what makes the difference to mwf. */
    bench_start(&b, "saws", 0, 0);
    launch_block(&b, 0, 0, 0, 4);
    launch_block(&b, 1, 1, 4, 4);
    wait_at_barrier(&b, 0, mask_low(3), 20);
    wait_at_barrier(&b, 1, BIT64(4), 19);
    assert_int_equal(ask(&b, BIT64(3) | BIT64(5)), 5);
    bench_end(&b);
}

/* Nobody waits: blocks in the order of their launch, or by slot; in a block, who issued last decides. */
static void test_no_barrier(void **state)
{
    for (unsigned i = 0; i < 2; i++) {
        struct bench b;
        bench_start(&b, both[i], 0, 0);
        launch_block(&b, 0, 7, 0, 2);
        launch_block(&b, 1, 3, 2, 2);
        launch_block(&b, 2, 5, 4, 2);
        expect_order(&b, mask_low(6), (const unsigned[]){2, 3, 4, 5, 0, 1});
        assert_int_equal(cycle(&b, 1, mask_low(6)), 2);
        static const unsigned lrr[] = {3, 2, 4, 5, 0, 1}, gto[] = {2, 3, 4, 5, 0, 1};
        expect_order(&b, mask_low(6), i == 0 ? lrr : gto);
        bench_end(&b);
        bench_start(&b, i == 0 ? "mwf:ties=slot" : "saws:ties=slot", 0, 0);
        launch_block(&b, 0, 7, 0, 2);
        launch_block(&b, 1, 3, 2, 2);
        expect_order(&b, mask_low(4), (const unsigned[]){0, 1, 2, 3});
        bench_end(&b);
    }
}

/* Equal counts go by the blocks' order too; lower ones issue whenever the higher ones cannot. */
static void test_lower_ones_issue(void **state)
{
    struct bench b;
    uint64_t ready = begin_example(&b, "mwf");
    launch_block(&b, 3, 3, 12, 4);
    wait_at_barrier(&b, 3, BIT64(12) | BIT64(13), 0);
    expect_order(&b, ready | BIT64(14) | BIT64(15), (const unsigned[]){8, 4, 6, 14, 15, 1, 3, 0});
    assert_int_equal(cycle(&b, 10, BIT64(0) | BIT64(14)), 14);
    assert_int_equal(cycle(&b, 11, BIT64(0)), 0);
    assert_int_equal(cycle(&b, 12, BIT64(3)), 3);
    assert_int_equal(cycle(&b, 13, ready), 8);
    bench_end(&b);
}

/* Each scheduler issues its own warps in the order that is common to both. */
static void test_two_schedulers(void **state)
{
    static const unsigned even[] = {8, 4, 6, 0}, odd[] = {1, 3};
    for (unsigned s = 0; s < 2; s++) {
        struct bench b;
        uint64_t mine = s ? UINT64_C(0xAAAAAAAAAAAAAAAA) : UINT64_C(0x5555555555555555);
        uint64_t ready = begin_example(&b, "mwf") & mine;
        expect_order(&b, ready, s ? odd : even);
        bench_end(&b);
    }
}

/* A new block in a slot begins with its first warp, whatever was issued there last. */
static void test_slot_is_used_again(void **state)
{
    for (unsigned i = 0; i < 2; i++) {
        struct bench b;
        bench_start(&b, both[i], 0, 0);
        launch_block(&b, 0, 0, 0, 4);
        assert_int_equal(cycle(&b, 1, BIT64(2)), 2);
        assert_int_equal(ask(&b, mask_low(4)), i == 0 ? 3 : 2);
        launch_block(&b, 0, 1, 0, 4);
        assert_int_equal(ask(&b, mask_low(4)), 0);
        bench_end(&b);
    }
}

static void test_exit_counts(void **state)
{
    for (unsigned on = 0; on < 2; on++) {
        struct bench b;
        bench_start(&b, on ? "mwf:exit_counts=on" : "mwf", 0, 0);
        for (unsigned i = 0; i < 2; i++)
            launch_block(&b, i, i, 4 * i, 4);
        wait_at_barrier(&b, 0, BIT64(0), 1);
        end(&b, 4);
        assert_int_equal(ask(&b, BIT64(1) | BIT64(5)), 1); /* one at a barrier here, one ended there */
        end(&b, 6);
        assert_int_equal(ask(&b, BIT64(1) | BIT64(5)), on ? 5 : 1);
        bench_end(&b);
    }
}

/* A warp of the last block gets its turn after `patience` cycles, and none sooner. */
static void test_patience(void **state)
{
    static const char *const names[] = {"mwf:patience=50", "saws:patience=50"};
    for (unsigned i = 0; i < 4; i++) {
        struct bench b;
        unsigned turns[8] = {0};
        bench_start(&b, i < 2 ? names[i] : both[i - 2], 0, 0);
        launch_block(&b, 0, 0, 0, 2);
        launch_block(&b, 1, 1, 2, 2);
        for (uint64_t now = 1; now <= 1000; now++)
            turns[cycle(&b, now, mask_low(4))]++;
        assert_true(i < 2 ? turns[2] >= 5 && turns[3] >= 5 && turns[2] + turns[3] <= 20 : !turns[2] && !turns[3]);
        bench_end(&b);
    }
}

/* Table 1 of the paper: eight blocks, counters of six bits. */
static void test_hardware(void **state)
{
    const struct lockstep_scheduler *mwf = sched_find("mwf");
    assert_int_equal(mwf->hardware_bits(48, 8, 2, NULL), 48);
    assert_int_equal(mwf->hardware_bits(64, 32, 4, NULL), 32 * 7);
    assert_int_equal(mwf->hardware_bits(1, 1, 1, NULL), 1);
    assert_null(sched_find("gto")->hardware_bits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example_of_the_paper),
        cmocka_unit_test(test_saws_order),
        cmocka_unit_test(test_no_barrier),
        cmocka_unit_test(test_lower_ones_issue),
        cmocka_unit_test(test_two_schedulers),
        cmocka_unit_test(test_slot_is_used_again),
        cmocka_unit_test(test_exit_counts),
        cmocka_unit_test(test_patience),
        cmocka_unit_test(test_hardware),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
