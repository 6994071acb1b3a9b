/* Machines beside cards: rows of CSV and their errors, which rows meet and of which kind they are, and the figures of a
 * kind against values worked out by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/hardware/cards.h"

#define HEADING "what,type,parameter,median,least,unit,repetitions\n"

static int parse(struct hardware_rows *rows, const char *program, const char *text, struct strbuf *message)
{
    struct diag_sink sink;
    diag_init(&sink);
    int rc = hardware_parse(rows, program, "r.csv", text, &sink);
    assert_int_equal(rc, sink.errors ? -1 : 0);
    if (message)
        diag_format_all(&sink, message);
    diag_free(&sink);
    return rc;
}

static void test_rows(void **state)
{
    struct hardware_rows rows = {0};
    /* A heading may come again, as in the output of several runs, and other columns may be there in another order. */
    assert_int_equal(parse(&rows, "rates", "# card\n" HEADING "add_f32,f32,rate,122.5,123,op,7\n" HEADING
                                           "add_f32,f32,latency,4.25,4,cycles,7\n",
                           NULL),
                     0);
    assert_int_equal(parse(&rows, "memory", "source,unit,what,type,parameter,median,conditions\n"
                                            "S1,cycles,chase KB,ca,4,33,\"one lane, \"\"cold\"\"\"\n\n",
                           NULL),
                     0);
    assert_int_equal(rows.list.count, 3);
    const struct hardware_row *r = &rows.list.items[2];
    assert_string_equal(r->program, "memory");
    assert_string_equal(r->what, "chase KB");
    assert_string_equal(r->parameter, "4");
    assert_string_equal(r->source, "S1");
    assert_string_equal(r->conditions, "one lane, \"cold\"");
    assert_true(r->value == 33);
    assert_string_equal(rows.list.items[1].source, "");
    assert_ptr_equal(hardware_find(&rows, r), r);
    struct hardware_row other = *r;
    other.unit = "ns";
    assert_null(hardware_find(&rows, &other));
    other = *r;
    other.program = "rates";
    assert_null(hardware_find(&rows, &other));
    hardware_rows_free(&rows);
}

static void refused(const char *text, const char *why)
{
    struct hardware_rows rows = {0};
    struct strbuf message = {0};
    assert_int_equal(parse(&rows, "rates", text, &message), -1);
    if (!strstr(strbuf_text(&message), why))
        fail_msg("%s: expected '%s' in: %s", text, why, strbuf_text(&message));
    strbuf_free(&message);
    hardware_rows_free(&rows);
}

static void test_errors(void **state)
{
    refused("what,type,parameter,median\na,b,c,1\n", "r.csv:1: error: no measurements: a column 'unit' is missing");
    refused(HEADING "a,b,c,1,1,cycles\n", "r.csv:2: error: a row without the 7 columns of the heading");
    refused(HEADING "a,b,c,1,1,cycles,7,8\n", "r.csv:2: error: a row without the 7 columns");
    refused(HEADING "a,b,c,one,1,cycles,7\n", "'one' is not a number");
    refused(HEADING "a,b,c,nan,1,cycles,7\n", "'nan' is not a number");
    refused(HEADING "a,b,c,,1,cycles,7\n", "'' is not a number");
    refused(HEADING "a,b,c,1,1,cycles,7\na,b,c,2,2,cycles,7\n", "r.csv:3: error: a row is there twice: a, b, c, cycles");
    refused("1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17\n", "more than 16 columns");
}

static enum hardware_kind kind(const char *program, const char *what, const char *parameter, const char *unit)
{
    return hardware_kind_of(
        &(struct hardware_row){.program = program, .what = what, .type = "", .parameter = parameter, .unit = unit});
}

static void test_kinds(void **state)
{
    assert_int_equal(kind("rates", "add_f32", "rate", "operations/cycle/SM"), HARDWARE_rates);
    assert_int_equal(kind("rates", "add_f32", "latency", "cycles"), HARDWARE_latencies);
    assert_int_equal(kind("memory", "chase KB", "4", "cycles"), HARDWARE_ladders);
    assert_int_equal(kind("memory", "L2 hit by SM", "4", "cycles"), HARDWARE_none);
    assert_int_equal(kind("sync", "nanosleep; ns", "4", "cycles"), HARDWARE_none);
    assert_int_equal(kind("sync", "__syncthreads; warps", "4", "cycles"), HARDWARE_barriers);
    assert_int_equal(kind("atomics", "lock; SMs", "4", "slowest/fastest contender"), HARDWARE_none);
    assert_int_equal(kind("none", "add_f32", "rate", "cycles"), HARDWARE_none);
    assert_int_equal(hardware_kind_named("launches", 8), HARDWARE_launches);
    assert_int_equal(hardware_kind_named("launch", 6), HARDWARE_none);
}

static void near(double a, double b)
{
    if (!(fabs(a - b) < 1e-9))
        fail_msg("%.12f is not %.12f", a, b);
}

static void test_scores(void **state)
{
    struct hardware_rows card = {0}, here = {0};
    hardware_pairs pairs = {0};
    assert_int_equal(parse(&card, "rates", HEADING "a,u,rate,100,,op,7\n"
                                                   "b,u,rate,10,,op,7\n"
                                                   "c,u,rate,1,,op,7\n"
                                                   "d,u,rate,5,,op,7\n"
                                                   "e,u,rate,0,,op,7\n"
                                                   "a,u,latency,4,,cycles,7\n",
                           NULL),
                     0);
    assert_int_equal(parse(&here, "rates", HEADING "c,u,rate,2,,op,1\n"
                                                   "b,u,rate,5,,op,1\n"
                                                   "a,u,rate,105,,op,1\n"
                                                   "e,u,rate,1,,op,1\n"
                                                   "a,u,latency,4,,cycles,1\n"
                                                   "x,u,rate,7,,op,1\n",
                           NULL),
                     0);
    hardware_join(&card, &here, 1u << HARDWARE_rates, &pairs);
    assert_int_equal(pairs.count, 3); /* neither what is 0, nor latencies, nor what one side alone has */
    struct hardware_score s = hardware_score(&card, &pairs, HARDWARE_rates);
    assert_int_equal(s.rows, 5);
    assert_int_equal(s.count, 3);
    assert_int_equal(s.within, 1); /* 5, 50 and 100 per cent off: the aim is 10 */
    near(s.mean_error, 155.0 / 3);
    near(s.ratio, cbrt(1.05 * 0.5 * 2));
    assert_string_equal(s.worst[0]->there->what, "c");
    assert_string_equal(s.worst[1]->there->what, "b");
    assert_string_equal(s.worst[2]->there->what, "a");
    vec_free(&pairs);
    memset(&pairs, 0, sizeof pairs);
    hardware_join(&card, &here, HARDWARE_ALL, &pairs);
    assert_int_equal(pairs.count, 4);
    s = hardware_score(&card, &pairs, HARDWARE_latencies);
    assert_int_equal(s.count, 1);
    near(s.mean_error, 0);
    assert_true(isnan(s.correlation));
    assert_null(s.worst[1]);
    assert_int_equal(hardware_score(&card, &pairs, HARDWARE_barriers).count, 0);
    vec_free(&pairs);
    hardware_rows_free(&card);
    hardware_rows_free(&here);
}

/* The cards that come with Lockstep can be read, each row has a program's name, and what machines are held to are
 * cards. */
static void test_cards(void **state)
{
    struct hardware_cards cards;
    struct diag_sink sink;
    diag_init(&sink);
    assert_int_equal(hardware_cards_read(&cards, LOCKSTEP_SOURCE_DIR "/hardware", &sink), 0);
    for (const struct yaml_node *e = yaml_get(cards.doc.root, "cards")->children; e; e = e->next) {
        struct hardware_rows rows = {0};
        if (hardware_card_rows(&cards, e->key->text, &rows, &sink) < 0)
            fail_msg("%s: %s", e->key->text, sink.items[0].message);
        hardware_rows_free(&rows);
    }
    for (const struct yaml_node *e = yaml_get(cards.doc.root, "machines")->children; e; e = e->next) {
        hardware_holds holds = {0};
        assert_int_equal(hardware_holds_of(&cards, e->key->text, &holds, &sink), 0);
        assert_true(holds.count > 0);
        for (size_t i = 0; i < holds.count; i++) {
            assert_true(holds.items[i].kinds != 0);
            assert_non_null(hardware_card(&cards, holds.items[i].card, &sink));
        }
        vec_free(&holds);
    }
    assert_int_equal(sink.errors, 0);
    assert_null(hardware_card(&cards, "h101", &sink));
    assert_string_equal(sink.items[0].message, "there is no card with measurements 'h101'");
    hardware_cards_free(&cards);
    diag_free(&sink);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),   cmocka_unit_test(test_errors), cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_scores), cmocka_unit_test(test_cards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
