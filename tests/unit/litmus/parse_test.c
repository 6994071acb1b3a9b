/* The reader of litmus tests: what it understands, and what it says of what it does not. */
#include "litmus_support.h"

static const char message_passing[] = "PTX MP+a-b\n"
                                      "\"said of it: \"quoted\", { not a brace\n"
                                      "{\n x=3; P1:r0=7;\n}\n"
                                      " P0@cta 0,gpu 0        | P1@cta 1, gpu 0        ; // comment\n"
                                      " st.weak x, 1          | L0: ld.acquire.gpu r0, y ;\n"
                                      " st.release.gpu y, r2  | beq r0, 0, L0          ;\n"
                                      "                       | atom.acq_rel.sys.cas r1, [x], 1, 2 ;\n"
                                      "~exists (P1:r0 == 1 /\\ ~(1:r1 = 1 \\/ x != 2))\n";

static void a_test_is_understood(void **state)
{
    (void)state;
    struct litmus_test t;
    read_test(&t, message_passing);
    assert_string_equal(t.name, "MP+a-b");
    assert_int_equal(t.thread_count, 2);
    assert_int_equal(t.threads[1].cta, 1);
    assert_int_equal(t.place_count, 2);
    assert_string_equal(t.places[0].name, "x");
    assert_int_equal(t.places[0].initial, 3);
    assert_int_equal(t.threads[1].initial[0], 7);
    const struct litmus_instr *i = t.threads[0].instrs;
    assert_int_equal(i[0].kind, LITMUS_STORE);
    assert_int_equal(i[0].order, LITMUS_WEAK);
    assert_int_equal(i[1].order, LITMUS_RELEASE);
    assert_int_equal(i[1].scope, LITMUS_GPU);
    assert_true(i[1].a.is_register);
    i = t.threads[1].instrs;
    assert_int_equal(t.threads[1].count, 3);
    assert_int_equal(i[0].order, LITMUS_ACQUIRE);
    assert_int_equal(i[1].kind, LITMUS_BRANCH);
    assert_int_equal(i[1].target, 0);
    assert_int_equal(i[2].update, LITMUS_cas);
    assert_int_equal(i[2].scope, LITMUS_SYS);
    assert_int_equal(t.quantifier, LITMUS_NEVER);
    assert_int_equal(t.term_count, 3);
    /* P1:r0, P1:r1, x */
    assert_true(litmus_holds(&t, &(struct litmus_outcome){{1, 0, 2}}));
    assert_false(litmus_holds(&t, &(struct litmus_outcome){{1, 1, 2}}));
    assert_false(litmus_holds(&t, &(struct litmus_outcome){{1, 0, 3}}));
    assert_false(litmus_holds(&t, &(struct litmus_outcome){{0, 0, 2}}));
    litmus_free(&t);
}

static const struct {
    const char *rows, *condition, *message;
    unsigned line;
} bad[] = {
    {"ld.weak r0, x | ;\n", "", "the text ends before the condition", 5},
    {"ld.weak r0 x | ;\n", "exists (x == 1)", "expected ','", 4},
    {"ldd r0, x | ;\n", "exists (x == 1)", "'ldd' is not known", 4},
    {"ld.release.gpu r0, x | ;\n", "exists (x == 1)", "no such instruction of order 'release'", 4},
    {"ld.acquire.team r0, x | ;\n", "exists (x == 1)", "'team' is not known here", 4},
    {"atom.relaxed.gpu r0, x, 1 | ;\n", "exists (x == 1)", "names what it does", 4},
    {"goto L1 | ;\n", "exists (x == 1)", "P0 has no label 'L1'", 4},
    {"ld.weak x, x | ;\n", "exists (x == 1)", "expected a register", 4},
    {"ld.weak r0, r1 | ;\n", "exists (x == 1)", "addresses in registers", 4},
    {"bar.cta.sync 1, 1, 2 | ;\n", "exists (x == 1)", "a part of the block", 4},
    {"bar.cta.arrive 1 | ;\n", "exists (x == 1)", "sync alone", 4},
    {"bar.cta.sync 16 | ;\n", "exists (x == 1)", "barriers 0 to 15", 4},
    {"st.weak x, 99999999999 | ;\n", "exists (x == 1)", "a number of 32 bits", 4},
    {"st.weak x, 1 | ; st.weak x, 1 ;\n", "exists (x == 1)", "expected '|'", 4},
    {"st.weak x, 1 | ;\n", "exists (x == 1) filter", "nothing behind the condition", 5},
    {"st.weak x, 1 | ;\n", "exists (P5:r0 == 1)", "no thread P5", 5},
    {"st.weak x, 1 | ;\n", "exists (x == )", "expected a place", 5},
    {"st.weak x, 1 | ;\n", "exists (x 1)", "expected '=='", 5},
};

static void what_is_wrong_is_said_where_it_stands(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct litmus_test t;
        struct diag_sink sink;
        struct strbuf text = {0};
        diag_init(&sink);
        strbuf_addf(&text, "PTX bad\n{ }\n P0@cta 0 | P1@cta 1 ;\n %s%s", bad[i].rows, bad[i].condition);
        assert_int_equal(litmus_parse(&t, "text", strbuf_text(&text), text.length, &sink), -1);
        assert_int_equal(sink.count, 1);
        if (!strstr(sink.items[0].message, bad[i].message))
            fail_msg("'%s' says '%s'", bad[i].rows, sink.items[0].message);
        if (sink.items[0].pos.line != bad[i].line)
            fail_msg("'%s' is said of line %u", bad[i].rows, sink.items[0].pos.line);
        strbuf_free(&text);
        litmus_free(&t);
        diag_free(&sink);
    }
}

/* Whatever a text ends with, it is read or refused. */
static void every_beginning_of_a_test_is_refused(void **state)
{
    (void)state;
    for (size_t n = 0; n + 3 < sizeof message_passing; n++) {
        struct litmus_test t;
        struct diag_sink sink;
        diag_init(&sink);
        char *text = malloc(n + 1);
        memcpy(text, message_passing, n);
        assert_int_equal(litmus_parse(&t, "text", text, n, &sink), -1);
        assert_int_equal(sink.count, 1);
        free(text);
        litmus_free(&t);
        diag_free(&sink);
    }
}

static void limits_are_said(void **state)
{
    (void)state;
    struct litmus_test t;
    struct diag_sink sink;
    struct strbuf text = {0};
    diag_init(&sink);
    strbuf_add(&text, "PTX many\n{ ");
    for (unsigned i = 0; i <= LITMUS_PLACES; i++)
        strbuf_addf(&text, "x%u=0; ", i);
    strbuf_add(&text, "}\n P0@cta 0 ;\n exists (x0 == 0)");
    assert_int_equal(litmus_parse(&t, "text", strbuf_text(&text), text.length, &sink), -1);
    assert_non_null(strstr(sink.items[0].message, "more than 8 places"));
    strbuf_free(&text);
    litmus_free(&t);
    diag_free(&sink);
}

static void outcomes_are_kept_in_order(void **state)
{
    (void)state;
    struct litmus_outcomes all = {0};
    for (uint32_t i = 0; i < 100; i++)
        litmus_add(&all, &(struct litmus_outcome){{i * 37 % 20, i % 3}}, 1);
    uint64_t sum = 0;
    for (unsigned i = 0; i < all.count; i++) {
        sum += all.items[i].count;
        if (i)
            assert_true(memcmp(&all.items[i - 1].outcome, &all.items[i].outcome, sizeof all.items[i].outcome) != 0);
    }
    assert_int_equal(sum, 100);
    assert_int_equal(all.count, 60);
    assert_int_equal(litmus_count_of(&all, &(struct litmus_outcome){{0, 0}}), 2);
    assert_int_equal(litmus_count_of(&all, &(struct litmus_outcome){{0, 3}}), 0);
    litmus_outcomes_free(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_test_is_understood),
        cmocka_unit_test(what_is_wrong_is_said_where_it_stands),
        cmocka_unit_test(every_beginning_of_a_test_is_refused),
        cmocka_unit_test(limits_are_said),
        cmocka_unit_test(outcomes_are_kept_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
