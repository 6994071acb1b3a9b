/* Warps at barriers, from events that are made here: how long each waits, and who opened the barrier. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "profile/barriers.h"

#define INSTRUCTIONS 8
#define CAUSES 4

/* Where the warps stand: a test may let them do something (works). */
static struct watch_stays *stays;

static int begin_stays(void **state)
{
    (void)state;
    stays = calloc(1, sizeof *stays + (INSTRUCTIONS * CAUSES + 1) * sizeof *stays->counts);
    assert_non_null(stays);
    stays->width = CAUSES;
    stays->nowhere = INSTRUCTIONS * CAUSES;
    return 0;
}

static int end_stays(void **state)
{
    (void)state;
    free(stays);
    return 0;
}

/* From one cycle to another the warp stands at an instruction, for a cause. */
static void works(uint32_t warp, uint32_t pc, uint32_t cause, uint64_t from, uint64_t until)
{
    watch_stays_stand(stays, warp, pc, cause, from);
    watch_stays_stand(stays, warp, 0, 0, until);
}

static struct profile_barriers *fresh(void)
{
    struct profile_barriers *s = calloc(1, profile_barriers_bytes(INSTRUCTIONS));
    assert_non_null(s);
    return s;
}

static void arrive(struct profile_barriers *s, uint32_t warp, uint64_t cycle)
{
    profile_barriers_arrive(s, &(struct lockstep_arrive_event){.cycle = cycle, .warp = warp});
}

/* A warp comes to a barrier, and waits. */
static void come(struct profile_barriers *s, uint32_t warp, uint32_t pc, uint64_t cycle)
{
    arrive(s, warp, cycle);
    profile_barriers_came(s, stays, NULL, warp, pc);
}

static void open(struct profile_barriers *s, uint64_t warps, uint64_t cycle)
{
    profile_barriers_open(s, stays, NULL, NULL, &(struct lockstep_open_event){.cycle = cycle, .warps = warps});
}

static void expect_counts(const struct profile_barriers *s, uint32_t pc, const uint64_t *expected)
{
    for (unsigned i = 0; i < PROFILE_BARRIER_COUNTS; i++)
        if (s->counts[pc * PROFILE_BARRIER_COUNTS + i] != expected[i])
            fail_msg("%s of %u is %llu, not %llu", profile_barrier_name(i), pc,
                     (unsigned long long)s->counts[pc * PROFILE_BARRIER_COUNTS + i], (unsigned long long)expected[i]);
}
/* expect(s, pc, opened, came, waited, waited_most, spread) */
#define expect(s, pc, ...) expect_counts(s, pc, (const uint64_t[PROFILE_BARRIER_COUNTS]){__VA_ARGS__})

/* The last warp comes and opens the barrier, which is told before its issue. */
static void test_last_opens(void **state)
{
    (void)state;
    struct profile_barriers *s = fresh();
    come(s, 1, 3, 100);
    come(s, 2, 3, 140);
    arrive(s, 3, 150);
    open(s, 0xe, 150);
    expect(s, 3, 0, 2, 49 + 9, 49, 0);
    profile_barriers_came(s, stays, NULL, 3, 3);
    expect(s, 3, 1, 3, 58, 49, 50);
    come(s, 1, 3, 200); /* the next time, and two warps in one cycle */
    come(s, 2, 3, 200);
    arrive(s, 3, 200);
    open(s, 0xe, 200);
    profile_barriers_came(s, stays, NULL, 3, 3);
    expect(s, 3, 2, 6, 58, 49, 50);
    free(s);
}

/* Warps that come to one barrier by several instructions: each waits at its own, and the last one's opened it. */
static void test_two_instructions(void **state)
{
    (void)state;
    struct profile_barriers *s = fresh();
    come(s, 0, 1, 10);
    arrive(s, 1, 30);
    open(s, 3, 30);
    profile_barriers_came(s, stays, NULL, 1, 2);
    expect(s, 1, 0, 1, 19, 19, 0);
    expect(s, 2, 1, 1, 0, 0, 20);
    come(s, 0, 1, 40); /* both in one cycle */
    arrive(s, 1, 40);
    open(s, 3, 40);
    profile_barriers_came(s, stays, NULL, 1, 2);
    expect(s, 1, 0, 2, 19, 19, 0);
    expect(s, 2, 2, 2, 0, 0, 20);
    free(s);
}

/* Nobody comes last: a warp that ended, or went by, opened the barrier; or the grid did. */
static void test_opened_from_elsewhere(void **state)
{
    (void)state;
    struct profile_barriers *s = fresh();
    come(s, 0, 1, 10);
    come(s, 5, 2, 25);
    open(s, 0x21, 100);
    expect(s, 1, 0, 1, 89, 89, 0);
    expect(s, 2, 1, 1, 74, 74, 15);
    open(s, 0x21, 200); /* nobody is there */
    expect(s, 2, 1, 1, 74, 74, 15);
    free(s);
}

/* A slot whose threads are other ones waits at no barrier. */
static void test_forgotten(void **state)
{
    (void)state;
    struct profile_barriers *s = fresh();
    come(s, 0, 1, 10);
    come(s, 1, 1, 20);
    profile_barriers_forget(s, 0);
    open(s, 3, 50);
    expect(s, 1, 1, 2, 29, 29, 0);
    free(s);
}

static void test_gather(void **state)
{
    (void)state;
    struct profile_barriers *a = fresh(), *b = fresh();
    uint64_t counts[INSTRUCTIONS * PROFILE_BARRIER_COUNTS] = {0};
    for (unsigned sm = 0; sm < 3; sm++) {
        struct profile_barriers *s = sm ? b : a;
        come(s, 0, 7, 10);
        come(s, 1, 7, 20);
        open(s, 3, sm ? 25 : 60);
    }
    profile_barriers_add(counts, a, INSTRUCTIONS);
    profile_barriers_add(counts, b, INSTRUCTIONS);
    const uint64_t expected[PROFILE_BARRIER_COUNTS] = {3, 6, 49 + 39 + 2 * (14 + 4), 49, 30};
    assert_memory_equal(counts + 7 * PROFILE_BARRIER_COUNTS, expected, sizeof expected);
    free(a);
    free(b);
}

static void launch(struct profile_barriers *s, uint32_t block, uint32_t slot, uint32_t warp)
{
    const uint32_t index[3] = {40 + block, 2, 1};
    profile_lasts_launch(&s->lasts, &(struct lockstep_launch_event){
                                        .warp = slot, .block = block, .block_index = index, .warp_in_block = warp});
    watch_stays_follow(stays, slot, 0);
}

/* Two blocks of two warps: in one the second warp comes late from instruction 5, in the other one the first from 6. What
 * both warps do alike is not what the last one is late for. */
static void test_who_comes_last(void **state)
{
    (void)state;
    struct profile_barriers *s = fresh();
    for (uint32_t slot = 0; slot < 4; slot++)
        launch(s, slot / 2, slot, slot % 2);
    for (unsigned phase = 0; phase < 20; phase++) {
        uint64_t from = 1 + phase * 2000, late = from + 1400;
        for (uint32_t slot = 0; slot < 4; slot++)
            works(slot, 4, 2, from, from + 600);
        works(1, 5, 1, from + 600, late);
        works(2, 6, 3, from + 600, late - 200);
        come(s, 0, 3, from + 600);
        come(s, 3, 3, from + 600);
        arrive(s, 1, late);
        open(s, 3, late);
        profile_barriers_came(s, stays, NULL, 1, 3);
        come(s, 2, 3, late - 200); /* a warp that has ended opens this one */
        open(s, 12, late);
    }
    const struct profile_lasts *const lasts[] = {&s->lasts};
    struct profile_last_list list = profile_lasts_gather(lasts, 1);
    assert_int_equal(list.count, 1);
    const struct profile_last_sum *sum = profile_lasts_find(&list, 3);
    assert_non_null(sum);
    assert_null(profile_lasts_find(&list, 2));
    assert_int_equal(sum->times[0], 20);
    assert_int_equal(sum->times[1], 20);
    assert_int_equal(sum->cycles[0], 20 * 600);
    assert_int_equal(sum->cycles[1], 20 * 800);
    assert_int_equal(sum->again, 38);
    assert_int_equal(sum->worst.block, 40 | UINT64_C(2) << 32 | UINT64_C(1) << 48);
    assert_int_equal(sum->worst.opened, 20);
    assert_int_equal(sum->worst.cycles, 20 * 800);
    assert_int_equal(sum->dids[0].at, 5 * CAUSES + 1);
    assert_in_range(sum->dids[0].last, 20 * 700, 20 * 850);
    assert_int_equal(sum->dids[0].first, 0);
    assert_int_equal(sum->dids[1].at, 6 * CAUSES + 3);
    assert_in_range(sum->dids[1].last, 20 * 500, 20 * 650);
    for (uint32_t i = 0; i < sum->did_count; i++)
        if (sum->dids[i].at == 4 * CAUSES + 2)
            assert_in_range(sum->dids[i].first, 40 * 450, 40 * 620);
    profile_lasts_free(&list);
    free(s);
}

/* A block that begins in the slot of another one is told apart from it. */
static void test_blocks_in_turn(void **state)
{
    (void)state;
    struct profile_barriers *s = fresh();
    for (unsigned round = 0; round < 3; round++) {
        launch(s, round, 0, 0);
        launch(s, round, 1, 1);
        s->lasts.blocks[0] = s->lasts.blocks[1] = 0;
        const uint32_t index[3] = {round, 0, 0};
        profile_lasts_launch(&s->lasts, &(struct lockstep_launch_event){.block_index = index});
        come(s, 0, 2, 1000 * round);
        come(s, 1, 2, 1000 * round + (round == 1 ? 500 : 100));
        open(s, 3, 1000 * round + 600);
    }
    const struct profile_lasts *const lasts[] = {&s->lasts};
    struct profile_last_list list = profile_lasts_gather(lasts, 1);
    assert_int_equal(list.of[0].worst.block, 1);
    assert_int_equal(list.of[0].worst.cycles, 500);
    assert_int_equal(list.of[0].again, 0);
    assert_int_equal(list.of[0].times[1], 3);
    profile_lasts_free(&list);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_last_opens), cmocka_unit_test(test_two_instructions),
                                       cmocka_unit_test(test_opened_from_elsewhere), cmocka_unit_test(test_forgotten),
                                       cmocka_unit_test(test_gather), cmocka_unit_test(test_who_comes_last),
                                       cmocka_unit_test(test_blocks_in_turn)};
    return cmocka_run_group_tests(tests, begin_stays, end_stays);
}
