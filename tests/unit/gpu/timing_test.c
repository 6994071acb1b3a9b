/* Timing rules, seen by a program that reads %clock and by counters: distance of dependent instructions, initiation
 * intervals, bank conflicts, coalescing, the order in which schedulers issue, and residency. */
#include "gpu_support.h"

/* Cycles that warp 0 takes for `count` copies of body in a second, warm pass of a loop. */
static uint64_t time_of(const char *settings, const char *setup, const char *body, unsigned count, unsigned threads)
{
    struct strbuf text = {0};
    strbuf_add(
        &text, PTX_HEAD
        ".shared .align 16 .b8 s[16384];\n.visible .entry k(.param .u64 p, .param .u64 n)\n{\n" PTX_REGS PTX_BEGIN
        "mov.u32 %r30, 0;\n");
    strbuf_add(&text, setup);
    strbuf_add(&text, "\nLOOP: bar.sync 0; mov.u32 %r28, %clock;\n");
    for (unsigned i = 0; i < count; i++) {
        strbuf_add(&text, body);
        strbuf_add(&text, "\n");
    }
    strbuf_add(&text, "bar.sync 0; mov.u32 %r29, %clock; sub.u32 %r29, %r29, %r28; add.u32 %r30, %r30, 1; setp.lt.u32 "
                      "%p7, %r30, 2; @%p7 bra LOOP;\n"
                      "st.global.u32 [%rd2], %r29; ret;\n}\n");
    struct device d;
    char all[256];
    snprintf(all, sizeof all, "gpu.sms=1 l1i.sets=64 sm.instruction_buffer=8 sm.fetch_width=8 %s", settings);
    device_open(&d, "gtx480", all);
    device_load(&d, strbuf_text(&text));
    uint64_t p = device_buffer(&d, 65536);
    device_run(&d, "k", (struct shape){.grid = 1, .block = threads}, p, 0);
    uint64_t cycles = device_word(&d, p);
    device_close(&d);
    strbuf_free(&text);
    return cycles;
}

/* Cycles per copy of body, times 16. */
static uint64_t slope(const char *settings, const char *setup, const char *body, unsigned threads)
{
    return (time_of(settings, setup, body, 264, threads) - time_of(settings, setup, body, 8, threads)) / 16;
}

/* One warp: exactly; more: but for one cycle in fifty, since they do not begin and end together. */
static void check_slope(const char *settings, const char *setup, const char *body, unsigned threads, uint64_t expected)
{
    uint64_t found = slope(settings, setup, body, threads), slack = threads > 32 ? 16 * expected / 50 + 4 : 0;
    if (found + slack < 16 * expected || found > 16 * expected + slack)
        fail_msg("%s (%s, %u threads): %llu/16 cycles instead of %llu", body, settings, threads,
                 (unsigned long long)found, (unsigned long long)expected);
}

/* Issue, two cycles to the collector and through it, dispatch, latency, two cycles to writeback: a dependent
 * instruction follows after the latency plus a constant. */
#define AROUND 6
static void test_dependent_distance(void **state)
{
    static const struct {
        const char *body;
        unsigned latency;
    } cases[] = {
        {"add.u32 %r6, %r6, 1;", 4},
        {"xor.b32 %r6, %r6, 5;", 1},
        {"max.s32 %r6, %r6, 3;", 13},
        {"mul.lo.u32 %r6, %r6, 3;", 4},
        {"mad.lo.u32 %r6, %r6, 3, 1;", 5},
        {"div.u32 %r6, %r6, 3;", 145},
        {"add.f32 %f1, %f1, 0f3F800000;", 4},
        {"fma.rn.f32 %f1, %f1, 0f3F800000, 0f3F800000;", 1},
        {"rem.u32 %r6, %r6, 3;", 1},
        {"div.rn.f32 %f1, %f1, 0f40000000;", 39},
        {"add.f64 %d1, %d1, 0d3FF0000000000000;", 8},
        {"sqrt.approx.f32 %f1, %f1;", 8},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_slope("", "", cases[i].body, 32, cases[i].latency + AROUND);
    check_slope("sm.latency_int_add=20", "", cases[0].body, 32, 20 + AROUND);
    /* A collector receives one operand a cycle. */
    check_slope("", "", "add.u32 %r6, %r6, %r2;", 32, 4 + AROUND + 1);
    check_slope("", "", "mad.lo.u32 %r6, %r6, %r2, %r5;", 32, 5 + AROUND + 2);
    check_slope("sm.collector_reads=2", "", "mad.lo.u32 %r6, %r6, %r2, %r5;", 32, 5 + AROUND + 1);
    check_slope("sm.collector_reads=3", "", "mad.lo.u32 %r6, %r6, %r2, %r5;", 32, 5 + AROUND);
    /* One bank reads a register once a cycle, even for the same instruction, unless repeats are merged. */
    check_slope("sm.collector_reads=2", "", "add.u32 %r6, %r6, %r6;", 32, 4 + AROUND + 1);
    check_slope("sm.collector_merges=true", "", "add.u32 %r6, %r6, %r6;", 32, 4 + AROUND);
    check_slope("sm.latency_fma=7", "", "fma.rn.f32 %f1, %f1, 0f3F800000, 0f3F800000;", 32, 7 + AROUND);
    check_slope("sm.latency_rem=9", "", "rem.u32 %r6, %r6, 3;", 32, 9 + AROUND);
}

/* Enough warps of independent instructions fill a unit: one instruction per initiation interval and unit. */
static void test_initiation_interval(void **state)
{
    check_slope("", "", "rcp.approx.ftz.f32 %f2, %f1;", 32 * 16, 8 * 16); /* one SFU */
    check_slope("", "", "add.f64 %d2, %d1, %d1;", 32 * 16, 8 * 16);
    check_slope("sm.sfu_units=2 sm.interval_special=20", "", "rcp.approx.ftz.f32 %f2, %f1;", 32 * 16, 20 * 16 / 2);
    /* Integer products: one SFU, or the two SP units. */
    check_slope("sm.interval_int_mul=8", "", "mul.lo.u32 %r6, %r2, 3;", 32 * 16, 8 * 16);
    check_slope("sm.interval_int_mul=8 sm.sfu_multiplies=false", "", "mul.lo.u32 %r6, %r2, 3;", 32 * 16, 8 * 16 / 2);
    check_slope("sm.interval_special=31", "", "rcp.approx.ftz.f32 %f2, %f1;", 32 * 16, 31 * 16);
}

/* n lanes in different words of one bank take n cycles; one word for all lanes takes one. */
static void test_shared_bank_conflicts(void **state)
{
    static const unsigned strides[] = {0, 1, 2, 3, 4, 8, 16, 32, 33, 64};
    for (unsigned i = 0; i < sizeof strides / sizeof strides[0]; i++) {
        unsigned stride = strides[i], degree = 0;
        for (unsigned bank = 0; bank < 32; bank++) {
            unsigned words = 0;
            for (unsigned lane = 0; lane < 32; lane++)
                words += lane * stride % 32 == bank && (stride || !lane);
            degree = words > degree ? words : degree;
        }
        char setup[200];
        snprintf(setup, sizeof setup,
                 "and.b32 %%r6, %%r2, 31; mul.lo.u32 %%r6, %%r6, %u; mov.u32 %%r7, s; add.u32 %%r6, %%r6, %%r7;",
                 4 * stride);
        check_slope("sm.collectors_mem=8", setup, "ld.shared.u32 %r8, [%r6];", 32 * 8, 8 * (degree < 1 ? 1 : degree));
        if (degree > 1) /* two MEM collectors pass on an instruction every other cycle */
            check_slope("", setup, "st.shared.u32 [%r6], %r2;", 32 * 8, 8 * degree);
    }
}

/* Transactions of one access, counted by sets of segments. */
static unsigned distinct(const uint64_t *addresses, unsigned size, unsigned segment)
{
    uint64_t seen[256];
    unsigned count = 0;
    for (unsigned lane = 0; lane < 32; lane++) {
        for (uint64_t at = addresses[lane] / segment; at <= (addresses[lane] + size - 1) / segment; at++) {
            unsigned i = 0;
            while (i < count && seen[i] != at)
                i++;
            if (i == count)
                seen[count++] = at;
        }
    }
    return count;
}

static void test_coalescing(void **state)
{
    static const struct {
        const char *type;
        unsigned size;
        const char *regs, *stored;
    } kinds[] = {{"u8", 1, "%r8", "%r8"},
                 {"u16", 2, "%r8", "%r8"},
                 {"u32", 4, "%r8", "%r8"},
                 {"u64", 8, "%rd8", "%rd8"},
                 {"v4.u32", 16, "{%r8, %r9, %r10, %r11}", "{%r8, %r9, %r10, %r11}"}};
    static const unsigned strides[] = {0, 1, 2, 3, 5, 8, 32, 100};
    for (unsigned arch = 0; arch < 2; arch++) {
        for (unsigned k = 0; k < 5; k++) {
            for (unsigned s = 0; s < 8; s++) {
                for (unsigned store = 0; store < 3; store++) { /* load, store, uncached load */
                    char text[2048];
                    unsigned offset = 16 * s;
                    static const char *const forms[] = {"ld.global.%s %s, [%%rd5+%u];", "st.global.%s [%%rd5+%u], %s;",
                                                        "ld.global.cg.%s %s, [%%rd5+%u];"};
                    char access[128];
                    if (store == 1)
                        snprintf(access, sizeof access, forms[1], kinds[k].type, offset, kinds[k].stored);
                    else
                        snprintf(access, sizeof access, forms[store], kinds[k].type, kinds[k].regs, offset);
                    snprintf(text, sizeof text,
                             "%s.visible .entry k(.param .u64 p, .param .u64 n)\n{\n%s%smul.wide.u32 %%rd5, %%r2, %u; "
                             "add.u64 %%rd5, %%rd5, %%rd1;\n%s ret;\n}\n",
                             PTX_HEAD, PTX_REGS, PTX_BEGIN, strides[s] * kinds[k].size, access);
                    struct device d;
                    device_open(&d, "gtx480", arch ? "gpu.sms=1 sm.coalescing=arch20" : "gpu.sms=1");
                    device_load(&d, text);
                    uint64_t p = device_buffer(&d, 131072), addresses[32];
                    device_run(&d, "k", (struct shape){.grid = 1, .block = 32}, p, 0);
                    for (unsigned lane = 0; lane < 32; lane++)
                        addresses[lane] = p + offset + (uint64_t)lane * strides[s] * kinds[k].size;
                    unsigned size = kinds[k].size;
                    unsigned segment = arch && store == 2 ? 32 : size == 1 ? 32 : size == 2 ? 64 : 128;
                    unsigned expected = distinct(addresses, size, segment);
                    if (device_stat(&d, "sm", "transactions") != expected)
                        fail_msg("%s %s, stride %u: %llu transactions instead of %u", arch ? "arch20" : "arch13",
                                 access, strides[s], (unsigned long long)device_stat(&d, "sm", "transactions"),
                                 expected);
                    device_close(&d);
                }
            }
        }
    }
}

/* Atomics: lanes of a half warp that hit one word go one after another. */
static void test_atomics_serialize(void **state)
{
    for (unsigned words = 1; words <= 32; words *= 2) {
        char text[2048];
        snprintf(text, sizeof text,
                 "%s.visible .entry k(.param .u64 p, .param .u64 n)\n{\n%s%srem.u32 %%r6, %%r2, %u; mul.wide.u32 "
                 "%%rd5, %%r6, 4; add.u64 %%rd5, %%rd5, %%rd1;\n"
                 "red.global.add.u32 [%%rd5], 1; ret;\n}\n",
                 PTX_HEAD, PTX_REGS, PTX_BEGIN, words);
        struct device d;
        device_open(&d, "gtx480", "gpu.sms=1");
        device_load(&d, text);
        device_run(&d, "k", (struct shape){.grid = 1, .block = 32}, device_buffer(&d, 4096), 0);
        assert_int_equal(device_stat(&d, "sm", "transactions"), 2 * (words >= 16 ? 1 : 16 / words));
        device_close(&d);
    }
}

/* Four warps of one scheduler leave a barrier together, with six instructions each in their buffers. */
static void issue_order(const char *scheduler, uint32_t clock[4][6])
{
    struct device d;
    char settings[200];
    snprintf(settings, sizeof settings,
             "gpu.sms=1 sm.schedulers=1 sm.instruction_buffer=8 sm.fetch_width=8 sm.scheduler=%s", scheduler);
    device_open(&d, "gtx480", settings);
    /* sixteen instructions come before the barrier, so that it begins a group that is fetched at once; every warp but
     * the last waits long */
    device_load(&d, PTX_HEAD PTX_KERNEL(
                        "k", PTX_BEGIN "mul.wide.u32 %rd4, %r2, 20; add.u64 %rd2, %rd2, %rd4; mov.u32 %r20, 0; mov.u32 "
                                       "%r20, 1; mov.u32 %r20, 2; mov.u32 %r20, 3; mov.u32 %r20, 4;\n"
                                       "bar.sync 0; mov.u32 %r10, %clock; mov.u32 %r11, %clock; mov.u32 %r12, %clock; "
                                       "mov.u32 %r13, %clock; mov.u32 %r14, %clock; mov.u32 %r15, %clock;\n"
                                       "st.global.u32 [%rd2], %r10; st.global.u32 [%rd2+4], %r11; st.global.u32 "
                                       "[%rd2+8], %r12; st.global.u32 [%rd2+12], %r13; st.global.u32 [%rd2+16], %r14;\n"
                                       "st.global.u32 [%rd2+20], %r15; ret;"));
    uint64_t p = device_buffer(&d, 65536);
    device_run(&d, "k", (struct shape){.grid = 1, .block = 128}, p, 0);
    for (unsigned w = 0; w < 4; w++)
        device_read(&d, clock[w], p + 24ull * 32 * w, 24);
    device_close(&d);
}

static void test_issue_order(void **state)
{
    uint32_t clock[4][6];
    issue_order("lrr", clock);
    uint32_t first = clock[0][0];
    for (unsigned w = 1; w < 4; w++)
        first = clock[w][0] < first ? clock[w][0] : first;
    unsigned start = 0;
    while (clock[start][0] != first)
        start++;
    /* In turn, one a cycle, from the one behind the last to arrive. */
    for (unsigned w = 0; w < 4; w++)
        for (unsigned i = 0; i < 6; i++)
            assert_int_equal(clock[(start + w) % 4][i], first + 4 * i + w);
    issue_order("gto", clock);
    /* The last to arrive runs on; then the others, from the oldest, each to its end. */
    unsigned last = 0, turns = 0, order[4];
    for (unsigned w = 1; w < 4; w++)
        last = clock[w][0] < clock[last][0] ? w : last;
    order[turns++] = last;
    for (unsigned w = 0; w < 4; w++)
        if (w != last)
            order[turns++] = w;
    for (unsigned turn = 0; turn < 4; turn++) {
        for (unsigned i = 1; i < 6; i++)
            assert_int_equal(clock[order[turn]][i], clock[order[turn]][0] + i);
        if (turn)
            assert_true(clock[order[turn]][0] > clock[order[turn - 1]][5]);
    }
}

/* As many blocks as fit are resident together and can wait for each other; one more cannot. */
static void test_residency(void **state)
{
    static const struct {
        unsigned threads;
        uint64_t shared;
        const char *settings;
        unsigned fit;
        const char *limiter;
    } cases[] = {
        {64, 0, "gpu.sms=1", 8, "blocks"},
        {384, 0, "gpu.sms=1", 4, "threads"},
        {64, 10000, "gpu.sms=1", 4, "shared"},
        {96, 0, "gpu.sms=1 sm.warps=10", 3, "warps"},
        {64, 0, "gpu.sms=1 sm.registers=2048 sm.register_unit=8", 4, "registers"},
        {64, 0, "gpu.sms=3 sm.blocks=5", 15, "blocks"},
    };
    static const char text[] = PTX_HEAD PTX_KERNEL(
        "k", PTX_BEGIN "setp.eq.u32 %p1, %r2, 0; @%p1 red.global.add.u32 [%rd1], 1;\n"
                       "WAIT: ld.volatile.global.u32 %r6, [%rd1]; setp.lt.u32 %p1, %r6, %r1; @%p1 bra WAIT; ret;");
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (unsigned more = 0; more < 2; more++) {
            struct device d;
            char settings[200];
            snprintf(settings, sizeof settings, "%s gpu.watch_cycles=30000", cases[i].settings);
            device_open(&d, "gtx480", settings);
            device_load(&d, text);
            uint64_t params[] = {device_buffer(&d, 256), cases[i].fit + more};
            struct shape shape = {
                .grid = cases[i].fit + more, .block = cases[i].threads, .dynamic_shared = cases[i].shared};
            enum gpu_status status = device_try(&d, "k", shape, 2, params);
            if (status != (more ? GPU_HANG : GPU_OK))
                fail_msg("%s, %u blocks: %s", settings, shape.grid, gpu_status_name(status));
            assert_string_equal(d.result.blocks_limited_by, cases[i].limiter);
            device_close(&d);
        }
    }
}

/* Programs that do little but one thing: most cycles go to its cause. */
static void test_stall_causes(void **state)
{
    struct device d;
    device_open(&d, "gtx480", "gpu.sms=1 sm.schedulers=1");
    device_load(
        &d,
        PTX_HEAD ".shared .align 4 .b8 s[8192];\n" PTX_KERNEL("jumps", "L: bra L;")
            PTX_KERNEL("sleeps", "nanosleep.u32 100000; ret;")
                PTX_KERNEL("atomics", "ld.param.u64 %rd1, [p]; atom.global.add.u32 %r1, [%rd1], 1; atom.global.add.u32 "
                                      "%r1, [%rd1], 1; atom.global.add.u32 %r1, [%rd1], 1; ret;")
                    PTX_KERNEL("fences", "ld.param.u64 %rd1, [p]; st.global.u32 [%rd1], 1; membar.gl; st.global.u32 "
                                         "[%rd1], 1; membar.gl; st.global.u32 [%rd1], 1; membar.gl; ret;")
                        PTX_KERNEL("waits", "mov.u32 %r2, %tid.x; setp.ge.u32 %p1, %r2, 32; @%p1 bra B; nanosleep.u32 "
                                            "100000; B: bar.sync 0; ret;")
                            PTX_KERNEL("conflicts", "mov.u32 %r2, %tid.x; and.b32 %r2, %r2, 31; shl.b32 %r2, %r2, 7; "
                                                    "mov.u32 %r3, s; add.u32 %r2, %r2, %r3;\n"
                                                    "ld.shared.u32 %r4, [%r2]; ld.shared.u32 %r5, [%r2]; ld.shared.u32 "
                                                    "%r6, [%r2]; ld.shared.u32 %r7, [%r2];\n"
                                                    "ld.shared.u32 %r8, [%r2]; ld.shared.u32 %r9, [%r2]; ld.shared.u32 "
                                                    "%r10, [%r2]; ld.shared.u32 %r11, [%r2]; ret;"));
    uint64_t p = device_buffer(&d, 256);
    static const struct {
        const char *kernel, *cause;
        uint64_t max_cycles;
        unsigned block, percent; /* of all cycles, at least */
    } cases[] = {
        {"jumps", "control", 5000, 32, 40}, {"sleeps", "sleep", 0, 32, 95}, {"atomics", "atomic", 0, 32, 40},
        {"fences", "fence", 0, 32, 40},     {"waits", "sleep", 0, 64, 90},  {"conflicts", "structural", 0, 512, 60},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t params[] = {p, 0}, end = cases[i].max_cycles;
        struct shape shape = {.grid = 1, .block = cases[i].block, .max_cycles = end};
        assert_int_equal(device_try(&d, cases[i].kernel, shape, 2, params), end ? GPU_LIMIT : GPU_OK);
        uint64_t found = device_stat(&d, "stalls", cases[i].cause);
        if (found * 100 < cases[i].percent * d.result.cycles)
            fail_msg("%s: %s has %llu of %llu cycles", cases[i].kernel, cases[i].cause, (unsigned long long)found,
                     (unsigned long long)d.result.cycles);
    }
    device_close(&d);
}

/* Under protocols that know no remote scope, a remote access takes as long as one at the scope of the device, and
 * longer than one at the scope of the block, which has nothing to wait for or to drop. */
static void test_remote_scope(void **state)
{
    static const char *const settings[] = {"coherence.protocol=gpu", "coherence.protocol=bypass"};
    static const struct {
        const char *remote, *device, *block;
    } cases[] = {
        {"lockstep.ld.acquire.remote.global.u32 %r6, [%rd1];", "ld.acquire.gpu.global.u32 %r6, [%rd1];",
         "ld.acquire.cta.global.u32 %r6, [%rd1];"},
        {"st.global.u32 [%rd1+256], %r2; lockstep.st.release.remote.global.u32 [%rd1], %r2;",
         "st.global.u32 [%rd1+256], %r2; st.release.gpu.global.u32 [%rd1], %r2;",
         "st.global.u32 [%rd1+256], %r2; st.release.cta.global.u32 [%rd1], %r2;"},
        {"st.global.u32 [%rd1+256], %r2; lockstep.atom.acq_rel.remote.global.exch.b32 %r6, [%rd1], 1;",
         "st.global.u32 [%rd1+256], %r2; atom.acq_rel.gpu.global.exch.b32 %r6, [%rd1], 1;",
         "st.global.u32 [%rd1+256], %r2; atom.acq_rel.cta.global.exch.b32 %r6, [%rd1], 1;"},
        {"st.global.u32 [%rd1+256], %r2; lockstep.red.release.remote.add.u32 [%rd1], 1;",
         "st.global.u32 [%rd1+256], %r2; red.release.gpu.add.u32 [%rd1], 1;",
         "st.global.u32 [%rd1+256], %r2; red.release.cta.add.u32 [%rd1], 1;"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (size_t k = 0; k < sizeof settings / sizeof settings[0]; k++) {
            uint64_t remote = time_of(settings[k], "", cases[i].remote, 8, 32);
            assert_int_equal(remote, time_of(settings[k], "", cases[i].device, 8, 32));
            assert_true(remote > time_of(settings[k], "", cases[i].block, 8, 32));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dependent_distance),
        cmocka_unit_test(test_initiation_interval),
        cmocka_unit_test(test_shared_bank_conflicts),
        cmocka_unit_test(test_coalescing),
        cmocka_unit_test(test_atomics_serialize),
        cmocka_unit_test(test_issue_order),
        cmocka_unit_test(test_residency),
        cmocka_unit_test(test_stall_causes),
        cmocka_unit_test(test_remote_scope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
