/* The report of profiles, from results that are written here: what a line costs, alone and with what it calls, and the
 * sentences. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/profile_report.h"

#define AT(file, line) "{\"file\": \"/none/" file "\", \"line\": " #line ", \"function\": null}"
#define INSTR(pc, text, places, counts, cycles)                                                                        \
    "{\"pc\": " #pc ", \"text\": \"" text "\", \"ptx_file\": \"a.ptx\", \"ptx_line\": 1" #pc ", \"places\": [" places  \
    "], \"counts\": {" counts "}, \"cycles\": {" cycles "}}"
#define KERNEL(name, cycles, instructions)                                                                             \
    "{\"name\": \"" name "\", \"cycles\": " #cycles ", \"profile\": {\"instructions\": [" instructions "]}}"

static char *report(const char *kernels, bool ptx)
{
    json_error_t error;
    json_t *array = json_loads(kernels, 0, &error);
    struct strbuf out = {0};
    if (!array)
        fail_msg("%s at column %d", error.text, error.column);
    report_profile(array, ptx, 0, &out);
    json_decref(array);
    return out.text ? out.text : strdup("");
}

/* A load in a header's function, which stands in a.cu:7, is used in a.cu:8; behind it a fence. Of 1000 cycles 600 wait
 * for the load, 300 behind the fence. */
static const char inlined[] = "[" KERNEL(
    "_Z4workPi", 250,
    INSTR(
        0, "ld.global.u32 %r1, [%rd1];", AT("far.h", 3) "," AT("a.cu", 7),
        "\"issues\": 10, \"accesses\": 10, \"transactions\": 320, \"hits\": 32, \"l2_accesses\": 200, \"l2_misses\": "
        "50, \"dram_bytes\": 6400, \"apart\": 1280, \"awaited\": "
        "600",
        "\"issued\": 10, \"structural_mem\": 40") "," INSTR(1, "add.u32 %r2, %r2, %r1;", AT("a.cu", 8),
                                                            "\"issues\": 10",
                                                            "\"issued\": 10, \"data_memory\": "
                                                            "600") "," INSTR(2, "membar.gl;", AT("a.cu", 9),
                                                                             "\"issues\": 10",
                                                                             "\"issued\": 10, "
                                                                             "\"fence\": 300") "," INSTR(3, "ret;",
                                                                                                         AT("a.cu", 10),
                                                                                                         "\"issues\": "
                                                                                                         "10",
                                                                                                         "\"issued\": "
                                                                                                         "10, "
                                                                                                         "\"exit\": "
                                                                                                         "20")) "]";

static void test_costs(void **state)
{
    (void)state;
    char *text = report(inlined, false);
    assert_string_equal(text, "\nprofile of work: 250 cycles, 1000 warp-cycles\n"
                              " cost     own  stand  line\n"
                              " 65.0%    0.0%    5.0%  a.cu:7\n"
                              "                        its value awaited 92%, load/store unit busy 6%\n"
                              "                        32 transactions each, hits L1 10% L2 75%, DRAM 640 B\n"
                              " 65.0%   65.0%    5.0%  far.h:3\n"
                              "                        its value awaited 92%, load/store unit busy 6%\n"
                              "                        32 transactions each, hits L1 10% L2 75%, DRAM 640 B\n"
                              " 31.0%   31.0%   31.0%  a.cu:9\n"
                              "                        fence 97%\n"
                              "  3.0%    3.0%    3.0%  a.cu:10\n"
                              "                        ended, waits for its block 67%, issued 33%\n"
                              "  1.0%    1.0%   61.0%  a.cu:8\n"
                              "                        issued 100%\n"
                              "- 60% of warp-cycles wait for the value that the load of far.h:3 (called from\n"
                              "  a.cu:7) brings: 32.0 transactions an access, its lanes lie 128 bytes apart.\n"
                              "- 30% of warp-cycles go to a.cu:9: fence.\n");
    free(text);
    text = report(inlined, true);
    assert_non_null(strstr(text, "\n         65.0%           ld.global.u32 %r1, [%rd1];      its value awaited 92%\n"));
    free(text);
}

/* Launches of a kernel are one report; a line that calls itself counts once; without places the lines are the PTX's;
 * kernels without a profile have none. */
static void test_launches(void **state)
{
    (void)state;
    char *text = report("[" KERNEL("k", 10, INSTR(4, "ret;", "", "\"issues\": 1", "\"issued\": 1")) "," KERNEL(
                            "k", 20,
                            INSTR(4, "ret;", "", "\"issues\": 1",
                                  "\"issued\": 3")) "," KERNEL("r", 5,
                                                               INSTR(0, "ret;", AT("r.cu", 2) "," AT("r.cu", 2), "",
                                                                     "\"issued\": 1")) ", {\"name\": \"none\"}]",
                        false);
    assert_string_equal(text, "\nprofile of k: 30 cycles, 4 warp-cycles in 2 launches\n"
                              " cost     own  stand  line\n"
                              "100.0%  100.0%  100.0%  a.ptx:14          ret;\n"
                              "                        issued 100%\n"
                              "\nprofile of r: 5 cycles, 1 warp-cycles\n"
                              " cost     own  stand  line\n"
                              "100.0%  100.0%  100.0%  r.cu:2\n"
                              "                        issued 100%\n");
    free(text);
    text = report("[" KERNEL("k", 10,
                             INSTR(4, "ret;", "", "", "\"issued\": 1") "," INSTR(1000000000000, "ret;", "", "",
                                                                                 "\"issued\": 1")) "]",
                  false); /* no program has so many */
    assert_non_null(strstr(text, "profile of k: 10 cycles, 1 warp-cycles\n"));
    free(text);
    text = report("[{\"name\": \"none\"}]", false);
    assert_string_equal(text, "");
    free(text);
}

#define HEADER(name, line, function)                                                                                   \
    "{\"file\": \"/usr/include/none/" name "\", \"line\": " #line ", \"function\": \"" function "\"}"

/* A line of a header that came with the compiler has its row; sentences name the line that users wrote. */
static void test_headers(void **state)
{
    (void)state;
    char *text = report(
        "[" KERNEL(
            "k", 10,
            INSTR(
                0, "atom;", HEADER("device_atomic_functions.hpp", 112, "atomicAdd") "," AT("a.cu", 7), "",
                "\"atomic\": 400") "," INSTR(1, "atom;",
                                             HEADER("device_atomic_functions.hpp", 113, "atomicAdd") "," AT("a.cu", 7),
                                             "",
                                             "\"atomic\": 200") "," INSTR(2, "membar.gl;",
                                                                          HEADER("a.h", 1, "inner") "," HEADER(
                                                                              "b.h", 9,
                                                                              "outer") "," AT("l.h", 3) "," AT("a.cu",
                                                                                                               9),
                                                                          "",
                                                                          "\"fence\": 300") "," INSTR(3, "ret;",
                                                                                                      AT("a.cu", 10),
                                                                                                      "",
                                                                                                      "\"issued\": "
                                                                                                      "100")) "]",
        false);
    assert_non_null(strstr(text, " 60.0%    0.0%   60.0%  a.cu:7\n"));
    assert_non_null(strstr(text, " 40.0%   40.0%   40.0%  device_atomic_functions.hpp:112\n"));
    assert_non_null(strstr(text, "- 60% of warp-cycles go to a.cu:7 (atomicAdd): atomic.\n"
                                 "- 30% of warp-cycles go to l.h:3 (outer, called from a.cu:9): fence.\n"));
    free(text);
}

#define CALL(outer, pc, places, function, first, count, cycles)                                                        \
    "{\"outer\": " #outer ", \"pc\": " #pc ", \"ptx_line\": 1" #pc ", \"places\": [" places                            \
    "], \"function\": \"" function "\", \"first\": " #first ", \"count\": " #count                                     \
    ", \"counts\": {}, \"cycles\": {\"fence\": " #cycles "}}"
#define CALLS(calls)                                                                                                                                          \
    "{\"name\": \"k\", \"cycles\": 10, \"profile\": {\"instructions\": [" INSTR(0, "membar.gl;", AT("f.cu", 2), "\"issues\": 8", "\"fence\": 600") "," INSTR( \
        1, "call f;", AT("g.cu", 5), "\"issues\": 3",                                                                                                         \
        "\"fence\": 50") "," INSTR(2, "call f;", AT("k.cu", 8), "",                                                                                           \
                                   "\"fence\": 50") "," INSTR(3, "call g;", AT("k.cu", 9), "",                                                                \
                                                              "\"fence\": 200") "," INSTR(4, "ret;", AT("k.cu", 10),                                          \
                                                                                          "",                                                                 \
                                                                                          "\"issued\": 100") "], "                                            \
                                                                                                             "\"calls"                                        \
                                                                                                             "\": "                                           \
                                                                                                             "[" calls                                        \
                                                                                                             "]}}"

/* What a called function costs stands at the lines of its calls, and of those around them, as well as at its own. The
 * contexts of two launches are one, in whatever order they come. */
static void test_calls(void **state)
{
    (void)state;
    char *text = report(
        "[" CALLS(CALL(0, 2, AT("k.cu", 8), "f", 0, 1, 100) "," CALL(0, 3, AT("k.cu", 9), "g", 1, 1, 50) "," CALL(
            2, 1, AT("g.cu", 5), "f", 0, 1, 500)) "," CALLS(CALL(0, 3, AT("k.cu", 9), "g", 1, 1,
                                                                 50) "," CALL(1, 1, AT("g.cu", 5), "f", 0, 1,
                                                                              300) "," CALL(0, 2, AT("k.cu", 8), "f", 0,
                                                                                            1, 300)) "]",
        false);
    assert_string_equal(text, "\nprofile of k: 20 cycles, 2000 warp-cycles in 2 launches\n"
                              " cost     own  stand  line\n"
                              " 65.0%   20.0%   65.0%  k.cu:9\n"
                              "                        fence 100%\n"
                              " 60.0%   60.0%   60.0%  f.cu:2\n"
                              "                        fence 100%\n"
                              " 45.0%    5.0%   45.0%  g.cu:5\n"
                              "                        fence 100%\n"
                              " 25.0%    5.0%   25.0%  k.cu:8\n"
                              "                        fence 100%\n"
                              " 10.0%   10.0%   10.0%  k.cu:10\n"
                              "                        issued 100%\n"
                              " cost     own     calls  called function\n"
                              " 60.0%   60.0%        16  f\n"
                              "        called from g.cu:5 67%, k.cu:8 33%\n"
                              " 45.0%    5.0%         6  g\n"
                              "        called from k.cu:9\n"
                              "- 60% of warp-cycles go to f.cu:2 (called mostly from g.cu:5, from k.cu:9):\n"
                              "  fence.\n");
    free(text);
}

/* Sentences are about the instruction that has the cycles, though its line has others; what they say of it depends on
 * what it is. */
static void test_sentences(void **state)
{
    (void)state;
    char *text = report(
        "[" KERNEL(
            "k", 10,
            INSTR(
                0, "ld.global.u32 %r1, [%rd1];", AT("a.cu", 7),
                "\"accesses\": 10, \"transactions\": 10, \"hits\": 4, \"awaited\": 200",
                "\"issued\": 10") "," INSTR(1, "atom;", AT("a.cu", 7),
                                            "\"accesses\": 10, \"transactions\": 320, \"apart\": 4",
                                            "\"atomic\": 250, \"data_memory\": 340") "," INSTR(2,
                                                                                               "@%p1 "
                                                                                               "div.rn.f64 "
                                                                                               "%fd1, %fd2, "
                                                                                               "%fd3;",
                                                                                               AT("a.cu", 8),
                                                                                               "\"awaited\": "
                                                                                               "140",
                                                                                               "\"issued\": "
                                                                                               "20") "," INSTR(3,
                                                                                                               "bar."
                                                                                                               "sync "
                                                                                                               "0;",
                                                                                                               AT("a."
                                                                                                                  "cu",
                                                                                                                  9),
                                                                                                               "",
                                                                                                               "\"barri"
                                                                                                               "er\": "
                                                                                                               "380")) "]",
        false);
    assert_non_null(strstr(text, "- 38% of warp-cycles go to a.cu:9: barrier.\n"
                                 "- 25% of warp-cycles go to a.cu:7: atomic; 32.0 transactions an access, its\n"
                                 "  lanes meet at one address.\n"
                                 "- 20% of warp-cycles wait for the value that the load of a.cu:7 brings: 40% of\n"
                                 "  its transactions hit the L1.\n"));
    free(text);
    text = report("[" KERNEL("k", 10,
                             INSTR(0, "@%p1 div.rn.f64 %fd1, %fd2, %fd3;", AT("a.cu", 8), "\"awaited\": 140",
                                   "\"data_arithmetic\": 140")) "]",
                  false);
    assert_non_null(strstr(text, "div.rn.f64.\n"));
    free(text);
}

/* Lanes that have parted take their turns: the share of those that stand aside, of cycles that are work, is lost. */
static void test_parted(void **state)
{
    (void)state;
    char *text = report(
        "[" KERNEL(
            "k", 10,
            INSTR(0, "bra L;", AT("a.cu", 7), "\"issues\": 10, \"active\": 320, \"splits\": 5",
                  "\"issued\": 200") "," INSTR(1, "bra M;", AT("a.cu", 8),
                                               "\"issues\": 10, \"active\": 320, \"splits\": 1",
                                               "\"issued\": 100") "," INSTR(2, "add.u32 %r1, %r1, 1;", AT("a.cu", 9),
                                                                            "\"issues\": 20, \"active\": 160",
                                                                            "\"fetch\": 410, \"atomic\": 290")) "]",
        false);
    assert_non_null(strstr(text, "- 41% of warp-cycles go to a.cu:9: instruction fetch.\n"
                                 "- 31% of warp-cycles are lost to lanes that stand aside: they part most at\n"
                                 "  a.cu:7, in 50% of its branches; 20.0 of 32 lanes go on at a time.\n"
                                 "- 29% of warp-cycles go to a.cu:9: atomic.\n"));
    free(text);
}

#define USE(line, places) "{\"pc\": 1, \"ptx_line\": " #line ", \"places\": [" places "]}"
#define LOCK(name, taken, failed, given, held, waited, handovers, handed, most)                                        \
    "{\"name\": \"" name "\", \"taken\": " #taken ", \"failed\": " #failed                                             \
    ", \"failed_inside\": 1, \"given\": " #given ", \"held\": " #held ", \"warps_waited\": " #waited                   \
    ", \"handovers\": " #handovers ", \"handed\": " #handed ", \"most_waited\": " #most ", \"takes\": [" USE(          \
        7, AT("l.h", 4) "," AT("a.cu", 9)) "], \"gives\": [" USE(8, AT("l.h", 6) "," AT("a.cu", 9)) "]}"
#define POLL(name, polls, waits, waited, warps_waited, handovers, handed, polled_at, written_at)                       \
    "{\"name\": \"" name "\", \"polls\": " #polls ", \"waits\": " #waits ", \"waited\": " #waited                      \
    ", \"warps_waited\": " #warps_waited ", \"handovers\": " #handovers ", \"handed\": " #handed                       \
    ", \"polled_at\": [" polled_at "], \"written_at\": [" written_at "]}"
/* A launch of 1000 warp-cycles. */
#define WAITS(words, polls)                                                                                            \
    "{\"name\": \"k\", \"cycles\": 10, \"profile\": {\"instructions\": [" INSTR(                                       \
        0, "ret;", "", "\"issues\": 1", "\"issued\": 1000") "], \"words\": [" words "], \"polls\": [" polls "]}}"
#define LINES                                                                                                          \
    " cost     own  stand  line\n"                                                                                     \
    "100.0%  100.0%  100.0%  a.ptx:10          ret;\n"                                                                 \
    "                        issued 100%\n"

/* Locks and polled words of two launches are added up, by name; a word that was never given back is no lock. */
static void test_words(void **state)
{
    (void)state;
    char *text = report(
        "[" WAITS(LOCK("cool", 2, 0, 2, 20, 8, 1, 5, 1) "," LOCK("hot", 10, 3, 9, 100, 300, 4, 20, 2),
                  POLL("flag", 9, 3, 60, 130, 2, 90, USE(7, AT("a.cu", 3)),
                       USE(8, AT("a.cu", 5)) "," USE(
                           9, AT("a.cu", 5)))) "," WAITS(LOCK("hot", 5, 1, 5, 40, 500, 1, 5,
                                                              7) "," LOCK("sem", 3, 0, 0, 0, 40, 0, 0, 1),
                                                         POLL("flag", 1, 1, 20, 20, 1, 30, USE(7, AT("a.cu", 3)),
                                                              USE(8,
                                                                  AT("a.cu", 5))) "," POLL("other", 5, 1, 30, 25, 0, 0,
                                                                                           USE(12, "") "," USE(13, ""),
                                                                                           "")) "]",
        false);
    assert_string_equal(text, "\nprofile of k: 20 cycles, 2000 warp-cycles in 2 launches\n" LINES
                              " wait      taken    failed      held   handed  waiting  word\n"
                              " 40.0%        15         6        10        5        7  hot\n"
                              "        taken at l.h:4 (called from a.cu:9), given back at l.h:6\n"
                              "  2.0%         3         1         0        0        1  sem\n"
                              "        taken at l.h:4 (called from a.cu:9), never given back\n"
                              " wait      waits     polls    cycles   handed  waiting  polled word\n"
                              "  7.5%         4        10        20       40        0  flag\n"
                              "        polled at a.cu:3, written at a.cu:5\n"
                              "  1.2%         1         5        30        -        0  other\n"
                              "        polled at line 12 of the PTX and line 13 of the PTX\n"
                              "- 40% of warp-cycles have a thread that waits for lock hot, taken at l.h:4\n"
                              "  (called from a.cu:9) and held 10 cycles at a time by 14 sections, given back\n"
                              "  at l.h:6.\n"
                              "- 8% of warp-cycles have a thread that polls flag at a.cu:3, which a.cu:5\n"
                              "  writes: 4 waits of 20 cycles.\n");
    free(text);
    text = report("[" WAITS(LOCK("sem", 3, 0, 0, 0, 400, 0, 0, 1),
                            POLL("flag", 1, 1, 20, 200, 0, 0, USE(7, AT("a.cu", 3) "," AT("a.cu", 9)),
                                 USE(8, AT("a.cu", 5)) "," USE(9, AT("a.cu", 6)))) "]",
                  false);
    assert_non_null(strstr(text, "- 40% of warp-cycles have a thread that waits for word sem, taken at l.h:4\n"
                                 "  (called from a.cu:9), never given back.\n"
                                 "- 20% of warp-cycles have a thread that polls flag at a.cu:3 (called from\n"
                                 "  a.cu:9), which a.cu:5 and a.cu:6 write: 1 wait of 20 cycles.\n"));
    free(text);
}

/* The sentence on a word has the calls around the instruction that takes it, inlined ones and others. */
static void test_words_in_calls(void **state)
{
    (void)state;
    char *text = report("[" CALLS(CALL(0, 3, AT("k.cu", 9), "g", 1, 1, 50) "], \"words\": [" LOCK("hot", 10, 3, 9, 90,
                                                                                                  600, 4, 20, 2)) "]",
                        false);
    assert_non_null(strstr(text, "taken at l.h:4\n"
                                 "  (called from a.cu:9, in a function called from k.cu:9) and held 10 cycles at a\n"));
    free(text);
}

/* A lock that two calls of a line take, of which the second one's threads waited longer, is said to be taken there;
 * and no sentence tells of its attempts again, but of others'. */
static void test_words_taken(void **state)
{
    (void)state;
#define TAKE(pc, line) "{\"pc\": " #pc ", \"ptx_line\": 1, \"places\": [" AT("l.h", 4) "," AT("a.cu", line) "]}"
#define EDGE(pc, line, cycles)                                                                                         \
    "{\"from\": " TAKE(pc, line) ", \"to\": " TAKE(1, 9) ", \"times\": 1, \"cycles\": " #cycles "}"
    char *text = report(
        "[{\"name\": \"k\", \"cycles\": 10, \"profile\": {\"instructions\": [" INSTR(
            1, "atom.cas;", AT("l.h", 4) "," AT("a.cu", 9), "\"issues\": 1",
            "\"atomic\": 200") "," INSTR(2, "atom.cas;", AT("l.h", 4) "," AT("a.cu", 12), "\"issues\": 1",
                                         "\"atomic\": 500") "," INSTR(3, "atom.add;", AT("a.cu", 20), "\"issues\": 1",
                                                                      "\"atomic\": 300") "], \"words\": [{\"name\": "
                                                                                         "\"hot\", \"given\": 2, "
                                                                                         "\"held\": 20, "
                                                                                         "\"warps_waited\": 600, "
                                                                                         "\"takes\": [" TAKE(1, 9) "," TAKE(
                                                                                             2,
                                                                                             12) "], "
                                                                                                 "\"gives\""
                                                                                                 ": [" USE(
                                                                                                     8,
                                                                                                     AT("l."
                                                                                                        "h",
                                                                                                        6)) "], "
                                                                                                            "\"graph_"
                                                                                                            "sites\": "
                                                                                                            "[" EDGE(1, 9, 40) "," EDGE(
                                                                                                                2, 12,
                                                                                                                360) "]"
                                                                                                                     "}"
                                                                                                                     "]"
                                                                                                                     "}"
                                                                                                                     "}"
                                                                                                                     "]",
        false);
    assert_non_null(strstr(text, "- 60% of warp-cycles have a thread that waits for lock hot, taken at l.h:4\n"
                                 "  (called mostly from a.cu:12) and held 10 cycles at a time by 2 sections, given\n"
                                 "  back at l.h:6.\n"
                                 "- 30% of warp-cycles go to a.cu:20: atomic.\n"));
    free(text);
}

/* Warps wait for a busy load/store unit at whatever access: the sentence names the line that takes most of its turns.
 */
static void test_busy(void **state)
{
    (void)state;
    char *text = report(
        "[" KERNEL(
            "k", 10,
            INSTR(0, "st.global.u32 [%rd1], %r1;", AT("a.cu", 7),
                  "\"issues\": 10, \"accesses\": 10, "
                  "\"transactions\": 320, \"apart\": 1280",
                  "\"structural_mem\": 300") "," INSTR(1, "ld.param.u64 %rd2, [k_param_0];", AT("a.cu", 3),
                                                       "\"issues\": 10",
                                                       "\"structural_mem\": 400") "," INSTR(2,
                                                                                            "ld.shared.u32 %r1, [%r2];",
                                                                                            AT("a.cu", 9),
                                                                                            "\"issues\": 20, "
                                                                                            "\"accesses\": 20, "
                                                                                            "\"passes\": 60",
                                                                                            "\"issued\": 300")) "]",
        false);
    assert_non_null(strstr(text, "- 70% of warp-cycles wait for the load/store unit, 80% of whose turns a.cu:7\n"
                                 "  takes: 32.0 transactions an access, its lanes lie 128 bytes apart.\n"));
    free(text);
}

/* Words of an array, of which none stands out, have one sentence; one that costs twice as much as others has its own.
 */
static void test_variables(void **state)
{
    (void)state;
    char *text = report("[" WAITS(LOCK("locks+4", 10, 3, 9, 90, 40, 0, 0, 1) "," LOCK(
                                      "locks", 10, 3, 1, 110, 30, 0, 0, 1) "," LOCK("one", 1, 3, 1, 5, 39, 0, 0, 1),
                                  POLL("flags+8", 9, 3, 60, 130, 0, 0, USE(7, AT("a.cu", 3)),
                                       "") "," POLL("flags", 9, 2, 30, 60, 0, 0, USE(7, AT("a.cu", 3)), "")) "]",
                        false);
    assert_non_null(strstr(text, "- Waits for 2 locks of locks add up to 7% of warp-cycles: taken at l.h:4 (called\n"
                                 "  from a.cu:9) and held 20 cycles at a time by 10 sections, given back at l.h:6.\n"
                                 "- 13% of warp-cycles have a thread that polls flags+8 at a.cu:3: 3 waits of 20\n"
                                 "  cycles.\n"));
    free(text);
    text = report("[" WAITS("", POLL("flags+8", 9, 3, 60, 30, 0, 0, USE(7, AT("a.cu", 3)), "") "," POLL(
                                    "flags", 9, 2, 40, 25, 0, 0, USE(7, AT("a.cu", 3)), USE(8, AT("a.cu", 5)))) "]",
                  false);
    assert_non_null(strstr(text, "- Waits for 2 polled words of flags add up to 6% of warp-cycles: polled at\n"
                                 "  a.cu:3: 5 waits of 20 cycles.\n"));
    free(text);
}

/* Lines keep to a narrow terminal, where they can be broken. */
static void test_narrow(void **state)
{
    (void)state;
    json_t *kernels = json_loads(inlined, 0, NULL);
    struct strbuf out = {0};
    assert_non_null(kernels);
    report_profile(kernels, false, 56, &out);
    assert_non_null(strstr(out.text, " 65.0%    0.0%    5.0%  a.cu:7\n"
                                     "                        its value awaited 92%\n"
                                     "                        32 transactions each, hits L1\n"
                                     "                        10% L2 75%, DRAM 640 B\n"));
    assert_non_null(strstr(out.text, "- 60% of warp-cycles wait for the value that the load of\n"
                                     "  far.h:3 (called from a.cu:7) brings: 32.0 transactions\n"
                                     "  an access, its lanes lie 128 bytes apart.\n"));
    strbuf_free(&out);
    json_decref(kernels);
}

#define BARRIER(pc, places, opened, came, waited, most, spread)                                                        \
    "{\"pc\": " #pc ", \"ptx_line\": 1" #pc ", \"places\": [" places "], \"opened\": " #opened ", \"came\": " #came    \
    ", \"waited\": " #waited ", \"waited_most\": " #most ", \"spread\": " #spread "}"
#define BARRIERS(barriers)                                                                                             \
    "{\"name\": \"k\", \"cycles\": 10, \"profile\": {\"instructions\": [" INSTR(                                       \
        0, "ret;", "", "\"issues\": 1", "\"issued\": 1000") "], "                                                      \
                                                            "\"barriers\": [" barriers "]}}"

/* Barriers of two launches are added up, by instruction; those that cost little are left out. */
static void test_barriers(void **state)
{
    (void)state;
    char *text =
        report("[" BARRIERS(BARRIER(3, AT("a.cu", 4), 2, 8, 50, 20, 30) "," BARRIER(5, "", 1, 4, 9, 9, 9)) "," BARRIERS(
                   BARRIER(3, AT("a.cu", 4), 2, 8, 40, 35, 40) "," BARRIER(7, AT("b.h", 1) "," AT("a.cu", 6), 3, 6, 600,
                                                                           100, 90)) "]",
               false);
    assert_string_equal(text, "\nprofile of k: 20 cycles, 2000 warp-cycles in 2 launches\n" LINES
                              " wait     opened      came      most   spread           barrier\n"
                              " 30.0%         3         6       100       30\n"
                              "        b.h:1 (called from a.cu:6)\n"
                              "  4.5%         4        16        35       18           a.cu:4\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_costs),
                                       cmocka_unit_test(test_launches),
                                       cmocka_unit_test(test_headers),
                                       cmocka_unit_test(test_sentences),
                                       cmocka_unit_test(test_parted),
                                       cmocka_unit_test(test_calls),
                                       cmocka_unit_test(test_words_in_calls),
                                       cmocka_unit_test(test_words),
                                       cmocka_unit_test(test_barriers),
                                       cmocka_unit_test(test_words_taken),
                                       cmocka_unit_test(test_variables),
                                       cmocka_unit_test(test_narrow),
                                       cmocka_unit_test(test_busy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
