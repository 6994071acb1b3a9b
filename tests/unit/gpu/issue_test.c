/* How many instructions a scheduler issues in a cycle from the warp it picked (sm.issue_width): as many as the width,
 * the pipeline registers and the scoreboard allow, and none behind a change of control flow. Programs read %clock. */
#include "gpu_support.h"
#include "sm/sm.h"

#define CLOCKS 8

/* One warp issues `text`, which lies in its buffer as a whole and sets %r10 to %r17. Returns the instructions that were
 * issued behind another one in the same cycle. */
static uint64_t clocks_of(const char *settings, const char *text, uint32_t clock[CLOCKS])
{
    char all[256], code[2048];
    snprintf(all, sizeof all,
             "gpu.sms=1 sm.schedulers=1 sm.instruction_buffer=8 sm.fetch_width=8 sm.id_oc_sp=16 sm.result_buses=16 %s",
             settings);
    /* Sixteen instructions fill the first line of the instruction memory: the text is fetched at once. */
    snprintf(code, sizeof code, "%s%s%s",
             PTX_HEAD ".visible .entry k(.param .u64 p, .param .u64 n)\n{\n" PTX_REGS PTX_BEGIN
                      "mov.u32 %r20, 0; mov.u32 %r20, 1; mov.u32 %r20, 2; mov.u32 %r20, 3; mov.u32 %r20, 4; "
                      "mov.u32 %r20, 5; bar.sync 0;\n",
             text,
             "\nst.global.v4.u32 [%rd1], {%r10, %r11, %r12, %r13};\n"
             "st.global.v4.u32 [%rd1+16], {%r14, %r15, %r16, %r17}; ret;\n}\n");
    struct device d;
    device_open(&d, "gtx480", all);
    device_load(&d, code);
    uint64_t p = device_buffer(&d, 256);
    device_run(&d, "k", (struct shape){.grid = 1, .block = 32}, p, 0);
    device_read(&d, clock, p, CLOCKS * sizeof clock[0]);
    uint64_t extra = device_stat(&d, "sm", "extra_issues");
    uint64_t owned = 0;
    for (unsigned i = 0; i < sm_stall_group.count; i++)
        owned += device_stat(&d, "stalls", sm_stall_group.stats[i].name);
    assert_int_equal(owned, d.result.cycles);
    device_close(&d);
    return extra;
}

static void check_groups(const char *settings, unsigned together)
{
    static const char text[] =
        "mov.u32 %r10, %clock; mov.u32 %r11, %clock; mov.u32 %r12, %clock; mov.u32 %r13, %clock; "
        "mov.u32 %r14, %clock; mov.u32 %r15, %clock; mov.u32 %r16, %clock; mov.u32 %r17, %clock;";
    uint32_t clock[CLOCKS];
    uint64_t extra = clocks_of(settings, text, clock);
    for (unsigned i = 0; i < CLOCKS; i++)
        if (clock[i] != clock[0] + i / together)
            fail_msg("%s: instruction %u issued %u cycles behind the first", settings, i, clock[i] - clock[0]);
    if (together == 1)
        assert_int_equal(extra, 0);
    else
        assert_true(extra >= CLOCKS - CLOCKS / together);
}

static void test_width(void **state)
{
    check_groups("sm.issue_width=1", 1);
    check_groups("sm.issue_width=2", 2);
    check_groups("sm.issue_width=4", 4);
    check_groups("sm.issue_width=8", 8);
    /* No more than there are pipeline registers, which two collector ports empty every cycle. */
    check_groups("sm.issue_width=4 sm.id_oc_sp=2", 2);
}

static void test_stops_at_dependence(void **state)
{
    uint32_t clock[CLOCKS];
    clocks_of("sm.issue_width=4",
              "mov.u32 %r10, %clock; mov.u32 %r11, %clock; add.u32 %r18, %r11, 1; mov.u32 %r12, %clock; "
              "mov.u32 %r13, %clock; mov.u32 %r14, 0; mov.u32 %r15, 0; mov.u32 %r16, 0; mov.u32 %r17, 0;",
              clock);
    assert_int_equal(clock[1], clock[0]);
    /* The add waits for %r11, and nobody overtakes it. */
    assert_true(clock[2] >= clock[0] + 4);
    assert_int_equal(clock[3], clock[2]);
}

static void test_different_units_not_needed(void **state)
{
    uint32_t clock[CLOCKS];
    clocks_of("sm.issue_width=3",
              "rcp.approx.ftz.f32 %f1, %f2; mov.u32 %r10, %clock; mov.u32 %r11, %clock; rcp.approx.ftz.f32 %f3, %f4; "
              "rcp.approx.ftz.f32 %f5, %f4; mov.u32 %r12, %clock; mov.u32 %r13, %clock; mov.u32 %r14, 0; "
              "mov.u32 %r15, 0; mov.u32 %r16, 0; mov.u32 %r17, 0;",
              clock);
    assert_int_equal(clock[1], clock[0]); /* SFU, SP, SP in one cycle */
    /* The one SFU register takes the fourth instruction in the next cycle, the fifth in the one after. */
    assert_int_equal(clock[2], clock[0] + 2);
    assert_int_equal(clock[3], clock[0] + 2);
}

static void test_stops_at_control_flow(void **state)
{
    uint32_t clock[CLOCKS];
    static const char text[] = "mov.u32 %r10, %clock; bra NEXT; mov.u32 %r11, 7; NEXT: mov.u32 %r12, %clock; "
                               "mov.u32 %r13, %clock; mov.u32 %r14, 0; mov.u32 %r15, 0; mov.u32 %r16, 0; "
                               "mov.u32 %r17, 0;";
    clocks_of("sm.issue_width=8", text, clock);
    uint32_t wide = clock[2] - clock[0];
    clocks_of("sm.issue_width=1", text, clock);
    uint32_t narrow = clock[2] - clock[0];
    /* With width 1: the branch a cycle later, the wrong instruction met and flushed a cycle after that. */
    assert_int_equal(wide + 2, narrow);
    assert_int_equal(clock[3], clock[2] + 1);
}

/* The SM of a GTX 1080 Ti in its outline: all its sizes are accepted, fill up and run. */
static void test_wide_machine(void **state)
{
    struct device d;
    device_open(
        &d, "gtx480",
        "gpu.sms=1 sm.issue_width=2 sm.schedulers=4 sm.warps=64 sm.threads=2048 sm.blocks=32 sm.registers=65536 "
        "sm.shared_bytes=98304 sm.id_oc_sp=4 sm.oc_ex_sp=4 sm.result_buses=6 sm.sp_units=4 sm.collectors_sp=20 "
        "sm.collectors_sfu=4 sm.collectors_mem=8 sm.ports_sp=4 sm.register_banks=32");
    device_load(&d, PTX_HEAD PTX_KERNEL("k", PTX_BEGIN "add.f32 %f1, %f1, 0f3F800000; add.f32 %f2, %f2, 0f3F800000;\n"
                                                       "add.f32 %f3, %f3, 0f3F800000; add.f32 %f4, %f4, 0f3F800000;\n"
                                                       "bar.sync 0; st.global.u32 [%rd2], %r5; ret;"));
    uint64_t p = device_buffer(&d, 64 * 64 * 4);
    device_run(&d, "k", (struct shape){.grid = 64, .block = 64, .dynamic_shared = 3072}, p, 0);
    assert_int_equal(d.result.blocks_per_sm, 32);
    assert_true(device_stat(&d, "sm", "extra_issues") > 0);
    for (unsigned i = 0; i < 64 * 64; i++)
        assert_int_equal(device_word(&d, p + 4 * i), i);
    device_close(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_width),
        cmocka_unit_test(test_stops_at_dependence),
        cmocka_unit_test(test_different_units_not_needed),
        cmocka_unit_test(test_stops_at_control_flow),
        cmocka_unit_test(test_wide_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
