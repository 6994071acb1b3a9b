/* Generated programs: every row of every dimension comes soon; every protocol is looked at under some tens of them, in
 * small configurations; and capacities of several sets, ways and places. That they find faults is shown by
 * unit.check.mutations. With LOCKSTEP_LONG there are more programs, and more states of each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/checker.h"
#include "effort.h"

static bool is_long(void)
{
    return getenv("LOCKSTEP_LONG") != NULL;
}

static struct checker_setup setup_of(const char *protocol)
{
    return (struct checker_setup){.protocol = coherence_find(protocol),
                                  .accesses = 2,
                                  .together = 4,
                                  .states = is_long() ? 100000 : 6000,
                                  .memory = UINT64_C(1) << 30};
}

/* There may be more states than are looked at. */
static void expect_no_fault(const struct checker_setup *setup)
{
    struct checker_result result;
    struct diag_sink sink;
    diag_init(&sink);
    assert_int_equal(checker_run(setup, &result, &sink), 0);
    if (result.verdict == CHECKER_FAULT)
        fail_msg("%s, %s: %s\n%s", setup->protocol->name, setup->program, strbuf_text(&result.fault),
                 strbuf_text(&result.trace));
    assert_true(result.verdict == CHECKER_PROVED || strcmp(result.limit, "states") == 0);
    checker_free(&result);
    diag_free(&sink);
}

static void look_at(struct checker_setup *setup, unsigned programs)
{
    char name[32];
    checker_defaults(setup);
    for (uint64_t number = 0; programs > 0; number++) {
        if (!checker_generates(setup, number))
            continue;
        snprintf(name, sizeof name, "g%" PRIu64, number);
        setup->program = name;
        expect_no_fault(setup);
        programs--;
    }
}

static const char *const protocols[] = {"vi",   "rsp",         "denovo-b", "denovo-b-eager",
                                        "hlrc", "hlrc-scoped", "msi",      "lease"};
#define PROTOCOLS (sizeof protocols / sizeof *protocols)

static void protocols_have_no_fault(void **state)
{
    (void)state;
    for (unsigned i = 0; i < PROTOCOLS; i++) {
        struct checker_setup setup = setup_of(protocols[i]);
        look_at(&setup, is_long() ? 300 : SANITIZED ? 2 : 15);
    }
}

static void capacities_make_no_fault(void **state)
{
    (void)state;
    for (unsigned i = 0; i < PROTOCOLS; i++) {
        struct checker_setup setup = setup_of(protocols[i]);
        setup.lines = 3;
        setup.sets = 2;
        setup.l2sets = 2;
        setup.fills = 2;
        setup.stores = 2;
        setup.merges = 1;
        look_at(&setup, is_long() ? 100 : SANITIZED ? 1 : 4);
    }
}

/* Programs that alone, of those that are known, see a change of memory/order.c and block_order.h. */
static void particular_programs_have_no_fault(void **state)
{
    static const struct {
        const char *protocol, *program;
        uint32_t ways, fills;
    } particular[] = {
        /* A fence waits for what its block has ordered before it: a load of another thread of the block, which has
         * handed on by a fence at the scope of the block, that waits for nothing. */
        {"vi", "g1051000", 2, 2},
        /* An acquire at remote scope drops the lines of its L1. */
        {"hlrc-scoped", "g3725", 0, 0},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof particular / sizeof *particular; i++) {
        struct checker_setup setup = setup_of(particular[i].protocol);
        setup.program = particular[i].program;
        setup.ways = particular[i].ways;
        setup.fills = particular[i].fills;
        setup.accesses = 3;
        setup.together = 5;
        setup.states = SANITIZED && !is_long() ? 20000 : 250000;
        checker_defaults(&setup);
        expect_no_fault(&setup);
    }
}

/* The words of the programs that a protocol with remote scope has, among the first ones. */
static void every_row_comes_soon(void **state)
{
    static const char *const words[] = {
#define GENERATE(dimension, row, doc) #row,
#include "check/generate.def"
#undef GENERATE
    };
    (void)state;
    struct strbuf all = {0};
    struct checker_setup setup = setup_of("rsp");
    checker_defaults(&setup);
    for (uint64_t number = 0; number < 400; number++) {
        char name[32];
        snprintf(name, sizeof name, "g%" PRIu64, number);
        if (checker_generates(&setup, number))
            checker_describe(name, &all);
        strbuf_add(&all, " ");
    }
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        char word[32];
        if (words[i][0] == 's' && words[i][1] <= '9') /* a size: its words of bytes are told */
            snprintf(word, sizeof word, " %s ", words[i] + 1);
        else
            snprintf(word, sizeof word, " %s ", words[i]);
        for (char *at = strchr(word, '_'); at && word[1] <= '9'; at = strchr(at, '_'))
            *at = '+';
        if (strcmp(words[i], "none") != 0 && strcmp(words[i], "nothing") != 0 && !strstr(strbuf_text(&all), word))
            fail_msg("no program has%s", word);
    }
    strbuf_free(&all);
}

static void programs_have_numbers(void **state)
{
    (void)state;
    struct checker_result result;
    struct diag_sink sink;
    struct strbuf text = {0};
    struct checker_setup setup = setup_of("vi");
    checker_defaults(&setup);
    diag_init(&sink);
    uint64_t number = 0;
    while (checker_generates(&setup, number))
        number++;
    char name[32];
    snprintf(name, sizeof name, "g%" PRIu64, number);
    setup.program = name; /* its rows do not go together */
    assert_int_equal(checker_run(&setup, &result, &sink), -1);
    setup.program = "g12x";
    assert_int_equal(checker_run(&setup, &result, &sink), -1);
    checker_describe("lock", &text);
    assert_string_equal(strbuf_text(&text), "");
    struct strbuf again = {0};
    checker_describe("g6", &text);
    checker_describe("g1451526", &again); /* behind all combinations */
    assert_string_equal(strbuf_text(&text), strbuf_text(&again));
    strbuf_free(&again);
    setup.program = "lock";
    setup.sets = 3;
    assert_int_equal(checker_run(&setup, &result, &sink), -1);
    diag_free(&sink);
    strbuf_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(protocols_have_no_fault),
        cmocka_unit_test(capacities_make_no_fault),
        cmocka_unit_test(particular_programs_have_no_fault),
        cmocka_unit_test(every_row_comes_soon),
        cmocka_unit_test(programs_have_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
