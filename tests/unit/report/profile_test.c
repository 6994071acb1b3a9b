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
    report_profile(array, ptx, &out);
    json_decref(array);
    return out.text ? out.text : strdup("");
}

/* A load in a header's function, which stands in a.cu:7, is used in a.cu:8; behind it a fence. Of 1000 cycles 600 wait
 * for the load, 300 behind the fence. */
static const char
    inlined
        [] = "[" KERNEL("_Z4workPi", 250,
                        INSTR(0, "ld.global.u32 %r1, [%rd1];", AT("far.h", 3) "," AT("a.cu", 7),
                              "\"issues\": 10, \"accesses\": 10, \"transactions\": 320, \"apart\": 1280, \"awaited\": "
                              "600",
                              "\"issued\": 10, \"structural_mem\": 40") "," INSTR(1, "add.u32 %r2, %r2, %r1;",
                                                                                  AT("a.cu", 8), "\"issues\": 10",
                                                                                  "\"issued\": 10, \"data_memory\": "
                                                                                  "600") "," INSTR(2, "membar.gl;",
                                                                                                   AT("a.cu", 9),
                                                                                                   "\"issues\": 10",
                                                                                                   "\"issued\": 10, "
                                                                                                   "\"fence\": 300") "," INSTR(3,
                                                                                                                               "ret;",
                                                                                                                               AT("a.cu",
                                                                                                                                  10),
                                                                                                                               "\"issues\": 10",
                                                                                                                               "\"issued\": 10, \"exit\": 20")) "]";

static void test_costs(void **state)
{
    (void)state;
    char *text = report(inlined, false);
    assert_string_equal(text, "\nprofile of work: 250 cycles, 1000 warp-cycles\n"
                              " cost     own  stand  line\n"
                              " 65.0%    0.0%    5.0%  a.cu:7\n"
                              "                        its value awaited 92%, load/store unit busy 6%\n"
                              " 65.0%   65.0%    5.0%  far.h:3\n"
                              "                        its value awaited 92%, load/store unit busy 6%\n"
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
                              "100.0%  100.0%  100.0%  a.ptx:14\n"
                              "                        issued 100%\n"
                              "\nprofile of r: 5 cycles, 1 warp-cycles\n"
                              " cost     own  stand  line\n"
                              "100.0%  100.0%  100.0%  r.cu:2\n"
                              "                        issued 100%\n");
    free(text);
    text = report("[{\"name\": \"none\"}]", false);
    assert_string_equal(text, "");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_costs), cmocka_unit_test(test_launches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
