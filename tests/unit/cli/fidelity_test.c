/* Agreement with records: statistics against values worked out by hand, the CSV form and its errors, and the order in
 * which counters explain a difference. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/fidelity.h"

#define HEADING                                                                                                        \
    "case,case_id,machine,scheduler,cycles,warp_instructions,thread_instructions,l1d_accesses,l1d_misses,"             \
    "l2_accesses,l2_misses,dram_reads,dram_writes,blocks_per_sm,stall_idle,stall_scoreboard,stall_pipeline\n"

static void near(double a, double b)
{
    if (!(fabs(a - b) < 1e-9))
        fail_msg("%.12f is not %.12f", a, b);
}

static void test_summary(void **state)
{
    /* Errors 100, 50 and 0 per cent; ratios 2, 1/2 and 1. */
    const struct fidelity_pair pairs[] = {{200, 100}, {100, 200}, {400, 400}};
    struct fidelity_summary s = fidelity_summarize(pairs, 3);
    near(s.mean_error, 50);
    near(s.geometric_mean, 1);
    /* In powers of two: x = 1 0 2, y = 0 1 2, deviations 0 -1 1 and -1 0 1: 1 / sqrt(2 * 2). */
    near(s.correlation, 0.5);
}

static void test_summary_of_proportional_and_opposite(void **state)
{
    const struct fidelity_pair same[] = {{30, 10}, {3000, 1000}, {60, 20}}, opposite[] = {{10, 1000}, {1000, 10}};
    struct fidelity_summary s = fidelity_summarize(same, 3);
    near(s.mean_error, 200);
    near(s.geometric_mean, 3);
    near(s.correlation, 1);
    near(fidelity_summarize(opposite, 2).correlation, -1);
    near(fidelity_error((struct fidelity_pair){75, 100}), 25);
    assert_true(isnan(fidelity_summarize(same, 1).correlation));
}

static int parse(struct fidelity_records *records, const char *text, struct strbuf *message)
{
    struct diag_sink sink;
    diag_init(&sink);
    int rc = fidelity_parse(records, "r.csv", text, &sink);
    assert_int_equal(rc, sink.errors ? -1 : 0);
    diag_format_all(&sink, message);
    diag_free(&sink);
    return rc;
}

static void test_records(void **state)
{
    struct fidelity_records records;
    struct strbuf message = {0};
    assert_int_equal(parse(&records,
                           HEADING "a,0f,m,lrr,1,2,3,4,5,6,7,8,9,10,11,12,13\n"
                                   "b,10,m,gto,5,0,0,0,0,0,0,0,0,0,0,0,0",
                           &message),
                     0);
    assert_int_equal(records.list.count, 2);
    assert_string_equal(records.list.items[0].name, "a");
    assert_string_equal(records.list.items[0].id, "0f");
    for (uint64_t i = 0; i < FIDELITY_COUNTERS; i++)
        assert_int_equal(records.list.items[0].there.value[i], i + 1);
    assert_string_equal(records.list.items[1].machine, "m");
    assert_string_equal(records.list.items[1].sched, "gto");
    fidelity_free(&records);
    strbuf_free(&message);
}

static void test_errors(void **state)
{
    static const char *const bad[][2] = {
        {"", "no records"},
        {HEADING, "no records"},
        {"case,cycles\na,1\n", "r.csv:1"},
        {HEADING "a,0f,m,lrr,1,2\n", "r.csv:2"},
        {HEADING "a,0f,m,lrr,1,2,3,4,5,6,7,8,9,10,11,12,13,14\n", "18 columns"},
        {HEADING "a,0f,m,lrr,1,2,3,4,5,6,7,8,9,10,11,12,x\n", "'x' is not a number"},
        {HEADING "a,0f,m,lrr,0,2,3,4,5,6,7,8,9,10,11,12,13\n", "0 cycles"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct fidelity_records records;
        struct strbuf message = {0};
        assert_int_equal(parse(&records, bad[i][0], &message), -1);
        if (!strstr(strbuf_text(&message), bad[i][1]))
            fail_msg("no '%s' in: %s", bad[i][1], strbuf_text(&message));
        fidelity_free(&records);
        strbuf_free(&message);
    }
}

static void explains(const struct fidelity_counts *here, const struct fidelity_counts *there, const char *expected)
{
    struct strbuf text = {0};
    fidelity_explain(here, there, &text);
    assert_string_equal(strbuf_text(&text), expected);
    strbuf_free(&text);
}

static void test_explanations(void **state)
{
    struct fidelity_counts there = {{0}}, here;
    for (unsigned i = 0; i < FIDELITY_COUNTERS; i++)
        there.value[i] = 100000;
    there.value[FIDELITY_L1D_MISSES] = 90000;
    here = there;
    here.value[FIDELITY_CYCLES] = 101000;
    here.value[FIDELITY_STALL_PIPELINE] = 200000; /* explains nothing: the cycles agree */
    explains(&here, &there, "");
    here.value[FIDELITY_CYCLES] = 101001;
    explains(&here, &there, "pipeline stalls 200000/100000");
    here.value[FIDELITY_STALL_PIPELINE] = 115000;
    explains(&here, &there, "");
    here.value[FIDELITY_L1D_ACCESSES] += 5000; /* stores count on one side only: as accesses and misses alike */
    here.value[FIDELITY_L1D_MISSES] += 5000;
    explains(&here, &there, "");
    here.value[FIDELITY_DRAM_READS] = 102000;
    explains(&here, &there, "");
    here.value[FIDELITY_DRAM_READS] = 102001;
    explains(&here, &there, "DRAM reads 102001/100000");
    here.value[FIDELITY_L1D_MISSES] -= 300;
    explains(&here, &there, "L1D hits 10300/10000");
    here.value[FIDELITY_THREAD_INSTRUCTIONS] = 100001;
    explains(&here, &there, "thread instructions 100001/100000");
}

static void test_few_events_explain_nothing(void **state)
{
    struct fidelity_counts there = {{0}}, here = {{0}};
    here.value[FIDELITY_L2_ACCESSES] = here.value[FIDELITY_L2_MISSES] = 32;
    explains(&here, &there, "");
    here.value[FIDELITY_L2_ACCESSES] = 33;
    explains(&here, &there, "L2 accesses 33/0");
}

static void test_counts_of_a_kernel(void **state)
{
    json_t *kernel = json_loads("{\"cycles\": 7, \"blocks_per_sm\": 3, \"l1d\": {\"reads\": 10, \"writes\": 4, "
                                "\"read_misses\": 2, \"write_misses\": 1}, \"dram\": {\"reads\": 8}, \"stalls\": "
                                "{\"issued\": 50, \"structural\": 5, \"data\": 6, \"fetch\": 7, \"idle\": 8}}",
                                0, NULL);
    struct fidelity_counts counts = fidelity_from_kernel(kernel);
    assert_int_equal(counts.value[FIDELITY_CYCLES], 7);
    assert_int_equal(counts.value[FIDELITY_BLOCKS_PER_SM], 3);
    assert_int_equal(counts.value[FIDELITY_L1D_ACCESSES], 14);
    assert_int_equal(counts.value[FIDELITY_L1D_MISSES], 3);
    assert_int_equal(counts.value[FIDELITY_DRAM_READS], 8);
    assert_int_equal(counts.value[FIDELITY_STALL_PIPELINE], 5);
    assert_int_equal(counts.value[FIDELITY_STALL_SCOREBOARD], 6);
    assert_int_equal(counts.value[FIDELITY_STALL_IDLE], 15);
    json_decref(kernel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_summary),
        cmocka_unit_test(test_summary_of_proportional_and_opposite),
        cmocka_unit_test(test_records),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_explanations),
        cmocka_unit_test(test_few_events_explain_nothing),
        cmocka_unit_test(test_counts_of_a_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
