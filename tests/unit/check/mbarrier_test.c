/* The exploration of mbarriers: its programs are proved, and a machine that does its part wrong is found out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "check/mbarrier.h"

static void explore(const struct mbarrier_setup *setup, struct checker_result *result)
{
    struct diag_sink sink;
    diag_init(&sink);
    assert_int_equal(mbarrier_check(setup, result, &sink), 0);
    diag_free(&sink);
}

static void all_programs_are_proved(void **state)
{
    (void)state;
    for (const struct checker_program_name *p = mbarrier_programs; p->name; p++)
        for (unsigned phases = 1; phases <= 4; phases++)
            for (unsigned limits = 0; limits < 2; limits++) {
                struct checker_result r;
                explore(&(struct mbarrier_setup){.program = p->name, .phases = phases, .limits = limits}, &r);
                if (r.verdict != CHECKER_PROVED)
                    fail_msg("%s, %u phases: %s\n%s", p->name, phases, strbuf_text(&r.fault), strbuf_text(&r.trace));
                assert_int_equal(r.quiet, 1);
                checker_free(&r);
            }
}

/* Each program has a thread that waits until others have arrived. */
static void a_lost_wake_up_is_found(void **state)
{
    (void)state;
    for (const struct checker_program_name *p = mbarrier_programs; p->name; p++)
        for (unsigned way = 0; way < 2; way++) {
            struct checker_result r;
            explore(&(struct mbarrier_setup){.program = p->name, .phases = 2, .deaf = way, .hurries = !way}, &r);
            assert_int_equal(r.verdict, CHECKER_FAULT);
            assert_non_null(strstr(strbuf_text(&r.fault), "a lost wake-up: thread "));
            assert_non_null(strstr(strbuf_text(&r.trace), "is suspended at object "));
            checker_free(&r);
        }
}

/* Waits that end in vain hide both, for they look again. */
static void a_limit_heals_a_lost_wake_up(void **state)
{
    (void)state;
    struct checker_result r;
    explore(&(struct mbarrier_setup){.program = "pipeline", .phases = 2, .limits = true, .deaf = true}, &r);
    assert_int_equal(r.verdict, CHECKER_PROVED);
    checker_free(&r);
}

static void a_limit_of_states_ends_the_search(void **state)
{
    (void)state;
    struct checker_result r;
    explore(&(struct mbarrier_setup){.program = "token4", .phases = 3, .states = 100}, &r);
    assert_int_equal(r.verdict, CHECKER_STOPPED);
    assert_string_equal(r.limit, "states");
    checker_free(&r);
}

static void programs_are_known_by_name(void **state)
{
    (void)state;
    struct checker_result r;
    struct diag_sink sink;
    diag_init(&sink);
    assert_int_equal(mbarrier_check(&(struct mbarrier_setup){.program = "lock", .phases = 1}, &r, &sink), -1);
    assert_non_null(strstr(sink.items[0].message, "no program of mbarriers named lock"));
    diag_free(&sink);
    checker_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_programs_are_proved),      cmocka_unit_test(a_lost_wake_up_is_found),
        cmocka_unit_test(a_limit_heals_a_lost_wake_up), cmocka_unit_test(a_limit_of_states_ends_the_search),
        cmocka_unit_test(programs_are_known_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
