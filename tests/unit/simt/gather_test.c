/* Lanes that an instruction names wait for each other (simt_divergence.gather): at one instruction, or at any of one
 * number; by hand, under each model that has them wait. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "simt/divergence.h"

static const struct simt_frame outermost = {0};
/* Rules of turns are in divergence_test.c; here they are those of one model where it matters who goes on. */
#define SOME_MODEL "its"
#define EACH_MODEL(model)                                                                                              \
    for (const struct simt_divergence *model, *const *next = simt_models(); (model = *next); next++)                   \
        if (model->gather)

static void expect_top(const struct simt_paths *paths, uint32_t pc, uint64_t mask)
{
    assert_true(paths->count > 0);
    assert_true(paths->model->holds(paths));
    assert_int_equal(paths->now->pc, pc);
    assert_int_equal(paths->now->mask, mask);
}

/* The lanes that stand at pc, whoever has the turn. */
static uint64_t lanes_at(const struct simt_paths *paths, uint32_t pc)
{
    uint64_t lanes = 0;
    assert_true(paths->model->holds(paths));
    for (struct simt_walk walk = simt_walk(paths); simt_walk_next(&walk);)
        lanes |= walk.path->pc == pc ? walk.lanes : 0;
    return lanes;
}

static struct simt_met met;

static enum simt_gathered gather_some(struct simt_paths *paths, uint64_t some, enum simt_gathering how, uint8_t what,
                                      uint32_t key, uint64_t named)
{
    struct simt_awaited awaited = {.how = how, .what = what, .key = key, .named = named};
    return paths->model->gather(paths, some, &awaited, &met);
}

static enum simt_gathered gather(struct simt_paths *paths, enum simt_gathering how, uint8_t what, uint32_t key,
                                 uint64_t named)
{
    return gather_some(paths, paths->now->mask, how, what, key, named);
}

/* Whichever side has the turn first: its lanes, and those of the other. */
static uint64_t start_in_halves(struct simt_paths *paths, const struct simt_divergence *model)
{
    simt_paths_start(paths, model, 0xff, 0, &outermost);
    simt_branch(paths, 0x0f, 10, 1, 20);
    return paths->now->mask;
}

/* Lanes that come to one instruction execute it as one path. */
static void test_one_instruction(void **state)
{
    EACH_MODEL(model)
    {
        struct simt_paths paths = {0};
        uint64_t first = start_in_halves(&paths, model);
        simt_advance(&paths, 15);
        assert_int_equal(gather(&paths, SIMT_GATHER_ONE, 0, 0, first), SIMT_GATHERED);
        expect_top(&paths, 15, first);
        assert_int_equal(gather(&paths, SIMT_GATHER_ONE, 0, 0, 0xff), SIMT_GATHER_WAITS);
        assert_int_equal(paths.now->mask, 0xff & ~first);
        simt_advance(&paths, 15);
        assert_int_equal(gather(&paths, SIMT_GATHER_ONE, 0, 0, 0xff), SIMT_GATHERED);
        expect_top(&paths, 15, 0xff);
        assert_int_equal(met.count, 0);
        simt_paths_free(&paths);
    }
}

/* At different instructions: the last that comes goes on with the turn, the others stand behind theirs; and nobody
 * waits for the same who differs in the number or in the key. */
static void test_different_instructions(void **state)
{
    EACH_MODEL(model)
    {
        struct simt_paths paths = {0};
        uint64_t first = start_in_halves(&paths, model);
        uint32_t waits_at = paths.now->pc;
        assert_int_equal(gather(&paths, SIMT_GATHER_ANY, 3, 0xff, 0xff), SIMT_GATHER_WAITS);
        uint32_t here = paths.now->pc;
        assert_int_equal(paths.now->mask, 0xff & ~first);
        assert_int_equal(gather(&paths, SIMT_GATHER_ANY, 4, 0xff, 0xff), SIMT_GATHER_NOBODY);
        assert_int_equal(gather(&paths, SIMT_GATHER_ANY, 3, 0xfe, 0xff), SIMT_GATHER_NOBODY);
        assert_int_equal(gather(&paths, SIMT_GATHER_ONE, 3, 0xff, 0xff), SIMT_GATHER_NOBODY);
        assert_int_equal(gather(&paths, SIMT_GATHER_BLOCK, 3, 0xff, 0xff), SIMT_GATHER_NOBODY);
        expect_top(&paths, here, 0xff & ~first);
        assert_int_equal(gather(&paths, SIMT_GATHER_ANY, 3, 0xff, 0xff), SIMT_GATHERED);
        expect_top(&paths, here, 0xff & ~first);
        assert_int_equal(met.count, 1);
        assert_int_equal(met.at[0].pc, waits_at);
        assert_int_equal(met.at[0].mask, first);
        assert_int_equal(lanes_at(&paths, waits_at + 1), first);
        simt_paths_free(&paths);
    }
}

/* Lanes whose instruction is the last before branches meet are at the reconvergence point when they have met. */
static void test_met_before_the_point(void **state)
{
    struct simt_paths paths = {0};
    simt_paths_start(&paths, simt_model_find(SOME_MODEL), 0xff, 0, &outermost);
    simt_branch(&paths, 0x0f, 19, 1, 20);
    expect_top(&paths, 19, 0x0f);
    assert_int_equal(gather(&paths, SIMT_GATHER_ANY, 3, 0xff, 0xff), SIMT_GATHER_WAITS);
    assert_int_equal(gather(&paths, SIMT_GATHER_ANY, 3, 0xff, 0xff), SIMT_GATHERED);
    expect_top(&paths, 1, 0xf0);
    assert_int_equal(lanes_at(&paths, 20), 0x0f);
    simt_advance(&paths, 20);
    expect_top(&paths, 20, 0xff);
    assert_int_equal(paths.count, 1);
    simt_paths_free(&paths);
}

/* Lanes at the first of two instructions of one number meet those that have come to the second; these go on, and the
 * others have the second still before them. */
static void test_one_behind_the_other(void **state)
{
    EACH_MODEL(model)
    {
        struct simt_paths paths = {0};
        uint64_t first = start_in_halves(&paths, model);
        simt_advance(&paths, 11);
        assert_int_equal(gather(&paths, SIMT_GATHER_ANY, 3, 0xff, 0xff), SIMT_GATHER_WAITS);
        simt_advance(&paths, 12);
        assert_int_equal(gather(&paths, SIMT_GATHER_ANY, 3, 0xff, 0xff), SIMT_GATHERED);
        expect_top(&paths, 12, 0xff & ~first);
        simt_advance(&paths, 13);
        assert_int_equal(lanes_at(&paths, 12), first); /* they do not come along */
        assert_int_equal(lanes_at(&paths, 13), 0xff & ~first);
        simt_paths_free(&paths);
    }
}

/* Of lanes that stand together, those with one member mask wait without the others. */
static void test_some(void **state)
{
    const struct simt_divergence *model = simt_model_find(SOME_MODEL);
    struct simt_paths paths = {0};
    simt_paths_start(&paths, model, 0xff, 0, &outermost);
    simt_branch(&paths, 0xfc, 5, 1, 20);
    assert_int_equal(gather_some(&paths, 0x0c, SIMT_GATHER_ANY, 3, 0x0f, 0x0f), SIMT_GATHER_WAITS);
    expect_top(&paths, 1, 0x03);
    assert_int_equal(gather(&paths, SIMT_GATHER_ANY, 3, 0x0f, 0x0f), SIMT_GATHERED);
    simt_advance(&paths, 20);
    expect_top(&paths, 5, 0xf0); /* the others of 0x0c wait for it behind */
    simt_advance(&paths, 6);
    expect_top(&paths, 6, 0xfc);
    simt_advance(&paths, 20);
    expect_top(&paths, 20, 0xff);
    simt_paths_free(&paths);
}

/* Lanes at a reconvergence point are let go when others wait for them, those that end are not waited for, and a wait
 * for each other at different places is told. */
static void test_in_vain(void **state)
{
    struct simt_paths paths = {0};
    simt_paths_start(&paths, simt_model_find(SOME_MODEL), 0xff, 0, &outermost);
    simt_branch(&paths, 0x0f, 10, 20, 20);
    assert_int_equal(gather(&paths, SIMT_GATHER_ONE, 0, 0, 0xff), SIMT_GATHER_WAITS);
    expect_top(&paths, 20, 0xf0);
    assert_int_equal(gather(&paths, SIMT_GATHER_ONE, 0, 0, 0xff), SIMT_GATHER_NOBODY);
    expect_top(&paths, 20, 0xf0);
    simt_end(&paths, 0xf0, 21);
    expect_top(&paths, 10, 0x0f);
    assert_int_equal(gather(&paths, SIMT_GATHER_ONE, 0, 0, 0x0f), SIMT_GATHERED);
    simt_paths_free(&paths);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_instruction),
        cmocka_unit_test(test_different_instructions),
        cmocka_unit_test(test_met_before_the_point),
        cmocka_unit_test(test_one_behind_the_other),
        cmocka_unit_test(test_some),
        cmocka_unit_test(test_in_vain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
