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
    {"bar.cta.sync 16 | ;\n", "exists (x == 1)", "barriers 0 to 15", 4},
    {"bar.cta.sync 1, 16 | ;\n", "exists (x == 1)", "barriers 0 to 15", 4},
    {"bar.cta.sync 1, 1, 9 | ;\n", "exists (x == 1)", "takes 1 to 8 threads", 4},
    {"bar.sync 1, 64 | ;\n", "exists (x == 1)", "takes 1 to 8 threads", 4},
    {"bar.sync 1, 2, 2 | ;\n", "exists (x == 1)", "expected '|'", 4},
    {"bar.arrive 1 | ;\n", "exists (x == 1)", "must say how many threads", 4},
    {"barrier.red 1 | ;\n", "exists (x == 1)", "sync and arrive", 4},
    {"bar.cta 1 | ;\n", "exists (x == 1)", "is sync or arrive", 4},
    {"ld.volatile.gpu r0, x | ;\n", "exists (x == 1)", "has no scope", 4},
    {"atom.volatile.add r0, x, 1 | ;\n", "exists (x == 1)", "ld.volatile and st.volatile alone", 4},
    {"ld.weak.b64 r0, x | ;\n", "exists (x == 1)", "x has 32 bits", 4},
    {"atom.relaxed.gpu.add r0, h, 1 | ;\n", "exists (x == 1)", "no such atomic of 16 bits", 4},
    {"atom.relaxed.gpu.exch r0, c, 1 | ;\n", "exists (x == 1)", "no such atomic of 8 bits", 4},
    {"suld.relaxed.gpu r0, x | ;\n", "exists (x == 1)", "of order 'relaxed'", 4},
    {"suatom.relaxed.gpu.add r0, x, 1 | ;\n", "exists (x == 1)", "generic proxy alone", 4},
    {"fence.proxy.generic | ;\n", "exists (x == 1)", "no proxy that is known", 4},
    {"fence.proxy.async.shared::cta | ;\n", "exists (x == 1)", "'shared::cta' is not known", 4},
    {"fence.proxy.tensormap::generic.acq_rel.gpu | ;\n", "exists (x == 1)", "of order 'acq_rel'", 4},
    {"cp.async.bulk x, h | ;\n", "exists (x == 1)", "places of one size", 4},
    {"cp.async x, y | ;\n", "exists (x == 1)", "'cp.async' is not known", 4},
    {"mbarrier.arrive m | ;\n", "exists (x == 1)", "there is no mbarrier 'm'", 4},
    {"mbarrier.arrive.acquire.cta b | ;\n", "exists (x == 1)", "'mbarrier.arrive.acquire.cta' is not known", 4},
    {"mbarrier.try_wait b, 0 | ;\n", "exists (x == 1)", "'mbarrier.try_wait' is not known", 4},
    {"mbarrier.try_wait.parity b, 2 | ;\n", "exists (x == 1)", "a parity is 0 or 1", 4},
    {"mbarrier.arrive b | mbarrier.arrive b ;\n", "exists (x == 1)", "of one block", 5},
    {"mbarrier.arrive b | bar.sync 0 ;\n", "exists (x == 1)", "or mbarriers", 5},
    {"cp.async.bulk.wait_group 1 | ;\n", "exists (x == 1)", "waits for all copies", 4},
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
        strbuf_addf(&text, "PTX bad\n{ b16 h; b8 c=1; mbarrier b=2; }\n P0@cta 0 | P1@cta 1 ;\n %s%s", bad[i].rows,
                    bad[i].condition);
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

/* The part in braces, on its own line. */
static const struct {
    const char *given, *message;
} bad_given[] = {
    {"b8 x=256", "a number of 8 bits"},
    {"b8 x=-129", "a number of 8 bits"},
    {"x=4294967296", "a number of 32 bits"},
    {"b64 x=18446744073709551616", "a number of 64 bits"},
    {"b64 x y", "expected '='"},
    {"b24 x=1", "expected '='"},
    {"x", "expected '='"},
    {"x @ global aliases y", "expected a proxy"},
    {"x @ generic y", "expected 'aliases'"},
    {"x=1; x @ generic aliases y", "the name of a place"},
    {"x @ generic aliases y; x @ surface aliases y", "is an alias already"},
    {"x @ generic aliases y; x=1", "has the value of its place"},
    {"x[2]", "arrays are not known"},
    {"P5:r0=1", "no thread P5"},
    {"mbarrier m=9", "of 1 to 8 arrivals"},
    {"mbarrier m", "expected '='"},
};

static void what_is_wrong_in_braces_is_said(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_given / sizeof *bad_given; i++) {
        struct litmus_test t;
        struct diag_sink sink;
        struct strbuf text = {0};
        diag_init(&sink);
        strbuf_addf(&text, "PTX bad\n{ %s; }\n P0@cta 0 ;\n st.weak x, 1 ;\nexists (x == 1)", bad_given[i].given);
        assert_int_equal(litmus_parse(&t, "text", strbuf_text(&text), text.length, &sink), -1);
        if (!strstr(sink.items[0].message, bad_given[i].message))
            fail_msg("'%s' says '%s'", bad_given[i].given, sink.items[0].message);
        assert_int_equal(sink.items[0].pos.line, 2);
        strbuf_free(&text);
        litmus_free(&t);
        diag_free(&sink);
    }
}

static void places_have_sizes(void **state)
{
    (void)state;
    struct litmus_test t;
    read_test(&t,
              "PTX sizes\n{ b8 c=-1; u16 h=65535; x=-2; b64 d=-1; P0:r1=-1; }\n P0@cta 0 ;\n ld.volatile.u8 r0, c ;\n"
              " st.relaxed.sys.b64 d, 18446744073709551615 ;\nexists (c == -1 /\\ d == -1 /\\ h == 0)");
    static const unsigned bits[] = {8, 16, 32, 64};
    static const uint64_t initial[] = {255, 65535, 4294967294, UINT64_MAX};
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(t.places[i].bits, bits[i]);
        assert_int_equal(t.places[i].initial, initial[i]);
    }
    assert_int_equal(t.register_bits, 64);
    assert_int_equal(t.threads[0].initial[0], UINT64_MAX);
    assert_true(t.threads[0].instrs[0].is_volatile);
    assert_int_equal(t.threads[0].instrs[0].order, LITMUS_RELAXED);
    assert_int_equal(t.threads[0].instrs[0].scope, LITMUS_SYS);
    assert_true(litmus_holds(&t, &(struct litmus_outcome){{255, UINT64_MAX, 0}}));
    litmus_free(&t);
}

/* The public suites' form, and PTX's. */
static void barriers_say_whom_they_take(void **state)
{
    (void)state;
    struct litmus_test t;
    read_test(
        &t, "PTX bars\n{ P0:r4=3; }\n P0@cta 0 ;\n bar.cta.sync 2 ;\n bar.cta.sync 1, r4 ;\n bar.cta.arrive 1, 5, 4 ;\n"
            " bar.sync 6 ;\n barrier.cta.sync.aligned 7, 2 ;\n bar.arrive r4, 3 ;\nexists (x == 0)");
    static const struct {
        bool is_register, arrives;
        uint64_t number, threads;
    } expected[] = {{false, false, 2, 0}, {true, false, 0, 0},  {false, true, 5, 4},
                    {false, false, 6, 0}, {false, false, 7, 2}, {true, true, 0, 3}};
    assert_int_equal(t.threads[0].count, 6);
    for (unsigned i = 0; i < 6; i++) {
        const struct litmus_instr *bar = &t.threads[0].instrs[i];
        assert_int_equal(bar->kind, LITMUS_BARRIER);
        assert_int_equal(bar->a.is_register, expected[i].is_register);
        assert_int_equal(bar->a.value, expected[i].number);
        assert_int_equal(bar->b.value, expected[i].threads);
        assert_int_equal(bar->arrives, expected[i].arrives);
    }
    litmus_free(&t);
}

/* Random tests are texts that the reader takes, the same whenever they are asked for. */
static void random_tests_are_read(void **state)
{
    (void)state;
    unsigned differ = 0;
    for (unsigned i = 0; i < 300; i++) {
        struct strbuf text = {0}, again = {0}, other = {0};
        struct litmus_test t;
        litmus_random(7, i, false, &text);
        litmus_random(7, i, false, &again);
        litmus_random(8, i, false, &other);
        assert_string_equal(strbuf_text(&text), strbuf_text(&again));
        differ += strcmp(strbuf_text(&text) + 12, strbuf_text(&other) + 12) != 0;
        read_test(&t, strbuf_text(&text));
        litmus_free(&t);
        strbuf_free(&text);
        strbuf_free(&again);
        strbuf_free(&other);
    }
    assert_true(differ > 290);
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
        cmocka_unit_test(what_is_wrong_in_braces_is_said),
        cmocka_unit_test(places_have_sizes),
        cmocka_unit_test(barriers_say_whom_they_take),
        cmocka_unit_test(random_tests_are_read),
        cmocka_unit_test(every_beginning_of_a_test_is_refused),
        cmocka_unit_test(limits_are_said),
        cmocka_unit_test(outcomes_are_kept_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
