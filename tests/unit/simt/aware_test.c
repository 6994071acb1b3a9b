/* Adaptive reconvergence by hand. That lanes execute what they would execute alone, and that each goes on:
 * divergence_test.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "simt/divergence.h"

static const struct simt_frame outermost = {0};

static void expect_top(const struct simt_paths *paths, uint32_t pc, uint64_t mask)
{
    assert_true(paths->count > 0);
    assert_true(paths->model->holds(paths));
    assert_int_equal(paths->now->pc, pc);
    assert_int_equal(paths->now->mask, mask);
}

/* Splits take turns, first in, first out; a reconvergence point whose time is over lets go those who stand there, and
 * the others still meet at it; splits that would meet next become one where they stand together. */
static void test_turns_and_timeouts(void **state)
{
    struct simt_paths paths = {.timeout = 3};
    simt_paths_start(&paths, simt_model_find("aware"), 0xff, 0, &outermost);
    simt_branch(&paths, 0x0f, 10, 1, 20);
    expect_top(&paths, 1, 0xf0);
    simt_branch(&paths, 0xf0, 3, 2, 20); /* of all its lanes, and forward: a turn ends nevertheless */
    expect_top(&paths, 10, 0x0f);
    simt_advance(&paths, 20);
    for (unsigned pass = 0; pass < 3; pass++) {
        expect_top(&paths, 3, 0xf0);
        simt_branch(&paths, 0xf0, 3, 4, 20);
    }
    expect_top(&paths, 20, 0x0f); /* let go */
    simt_branch(&paths, 0x0f, 30, 21, ISA_PC_NONE);
    expect_top(&paths, 3, 0xf0);
    simt_branch(&paths, 0x30, 3, 4, 20);
    expect_top(&paths, 30, 0x0f);
    simt_branch(&paths, 0x0f, 32, 31, ISA_PC_NONE);
    expect_top(&paths, 4, 0xc0);
    simt_advance(&paths, 20);
    expect_top(&paths, 3, 0x30);
    simt_advance(&paths, 20);
    expect_top(&paths, 32, 0x0f); /* the reconvergence point is complete, and behind it */
    simt_branch(&paths, 0x0f, 20, 33, ISA_PC_NONE);
    expect_top(&paths, 20, 0xff);
    assert_int_equal(paths.count, 1);
    simt_paths_free(&paths);
}

/* The time of a reconvergence point runs from when lanes last came to it. */
static void test_timeout_restarts(void **state)
{
    struct simt_paths paths = {.timeout = 3};
    simt_paths_start(&paths, simt_model_find("aware"), 0xff, 0, &outermost);
    simt_branch(&paths, 0x0f, 10, 1, 20);
    expect_top(&paths, 1, 0xf0);
    simt_branch(&paths, 0x30, 5, 2, 20);
    expect_top(&paths, 10, 0x0f);
    simt_advance(&paths, 20);
    expect_top(&paths, 2, 0xc0);
    simt_branch(&paths, 0xc0, 2, 3, 20); /* a pass */
    expect_top(&paths, 5, 0x30);
    simt_branch(&paths, 0x30, 5, 6, 20); /* another */
    expect_top(&paths, 2, 0xc0);
    simt_advance(&paths, 20); /* one before the timeout others come */
    for (unsigned pass = 0; pass < 3; pass++) {
        expect_top(&paths, 5, 0x30);
        simt_branch(&paths, 0x30, 5, 6, 20);
    }
    expect_top(&paths, 20, 0xcf);
    simt_paths_free(&paths);
}

/* In a loop that does not end, a pass of a loop that polls counts for many, and so does a sleep. */
static void test_what_counts(void **state)
{
    for (unsigned i = 0; i < 3; i++) {
        struct simt_paths paths = {.timeout = 256};
        simt_paths_start(&paths, simt_model_find("aware"), 0xff, 0, &outermost);
        simt_branch(&paths, 0x0f, 10, 1, 20);
        simt_advance(&paths, 20);
        expect_top(&paths, 10, 0x0f);
        for (unsigned pass = 1; pass < (i ? 2 : 256); pass++) {
            if (i < 2)
                (i ? simt_poll : simt_branch)(&paths, 0x0f, 10, 11, 20);
            else
                simt_yield(&paths);
            expect_top(&paths, 10, 0x0f);
        }
        simt_poll(&paths, 0x0f, 10, 11, 20);
        expect_top(&paths, 20, 0xf0);
        simt_paths_free(&paths);
    }
}

/* Lanes that leave a loop for no reconvergence point of its own stand beside those that stay, above the next
 * reconvergence point. */
static void test_delayed(void **state)
{
    struct simt_paths paths = {0};
    simt_paths_start(&paths, simt_model_find("aware"), 0xff, 0, &outermost);
    simt_branch(&paths, 0x0f, 10, 1, 30);
    simt_branch(&paths, 0xf0, 29, 2, 30);
    simt_poll(&paths, 0x0e, 10, 11, ISA_PC_NONE);
    expect_top(&paths, 29, 0xf0);
    simt_advance(&paths, 30);
    expect_top(&paths, 11, 0x01);
    simt_advance(&paths, 30);
    expect_top(&paths, 10, 0x0e);
    simt_advance(&paths, 30);
    expect_top(&paths, 30, 0xff);
    simt_paths_free(&paths);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_turns_and_timeouts), cmocka_unit_test(test_timeout_restarts),
                                       cmocka_unit_test(test_what_counts), cmocka_unit_test(test_delayed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
