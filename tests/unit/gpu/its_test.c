/* Independent thread scheduling and adaptive reconvergence in a whole device, in both modes: kernels whose lanes wait
 * for others of their warp end with the right values, where the reconvergence stack hangs or gives others; what can
 * never go on is told. */
#include "gpu_support.h"

/* What a kernel is after: words of the buffer, `at` bytes from its begin, each `step` more than the one before. */
struct expected {
    unsigned at, count;
    uint32_t first, step;
};

struct trial {
    const char *name, *text;
    unsigned grid, block;
    struct expected expected[2];
    bool stack_differs; /* under the stack it hangs or leaves other values */
};

#define LANE "and.b32 %r10, %r2, 31; "
#define LOCK(at, label)                                                                                                \
    label ": atom.global.cas.b32 %r6, [%rd1+" at "], 0, 1; setp.ne.u32 %p7, %r6, 0; @%p7 bra " label ";\n"
#define UNLOCK(at) "membar.gl; atom.global.exch.b32 %r6, [%rd1+" at "], 0;\n"
/* Not atomic: only who has the lock may. */
#define COUNT(at)                                                                                                      \
    "ld.volatile.global.u32 %r7, [%rd1+" at "]; add.u32 %r7, %r7, 1; st.volatile.global.u32 [%rd1+" at "], %r7;\n"
#define KERNEL(body) PTX_HEAD PTX_KERNEL("k", PTX_BEGIN LANE body)

static const struct trial trials[] = {
    {"a lock taken in a loop and given back behind it",
     KERNEL(LOCK("0", "TRY") COUNT("128") UNLOCK("0") "ret;\n"),
     2,
     64,
     {{128, 1, 128, 0}},
     true},
    /* Thesis, Example 12: if (c) { lock; work } else { lock }; more; unlock. */
    {"a lock taken on both sides of a branch and given back behind it",
     KERNEL("and.b32 %r11, %r2, 1; setp.eq.u32 %p1, %r11, 0; @%p1 bra EVEN;\n" LOCK("0", "ODD")
                COUNT("132") "bra.uni MORE;\nEVEN:\n" LOCK("0", "TRY") "MORE:\n" COUNT("128") UNLOCK("0") "ret;\n"),
     1,
     64,
     {{128, 1, 64, 0}, {132, 1, 32, 0}},
     true},
    /* Thesis, Example 13: lock A; if (c) { lock B; work; unlock B }; more; unlock A. */
    {"a lock taken inside another one, on one side of a branch",
     KERNEL(LOCK("0", "OUTER") "and.b32 %r11, %r2, 1; setp.eq.u32 %p1, %r11, 0; @%p1 bra MORE;\n" LOCK("64", "INNER")
                COUNT("132") UNLOCK("64") "MORE:\n" COUNT("128") UNLOCK("0") "ret;\n"),
     2,
     32,
     {{128, 1, 64, 0}, {132, 1, 32, 0}},
     true},
    /* Lane l waits until lane l - 1 has gone on: they come to the shuffle one by one. */
    {"a shuffle to which lanes come at different times",
     KERNEL("WAIT: ld.volatile.global.u32 %r6, [%rd1]; setp.ne.u32 %p1, %r6, %r2; @%p1 bra WAIT;\n"
            "add.u32 %r7, %r2, 1; st.volatile.global.u32 [%rd1], %r7;\n"
            "shfl.sync.idx.b32 %r8, %r7, 31, 31, 0xffffffff; add.u32 %r8, %r8, %r2; st.global.u32 [%rd2+128], %r8;\n"
            "vote.sync.ballot.b32 %r9, 1, 0xffffffff; st.global.u32 [%rd1+512], %r9; ret;\n"),
     1,
     32,
     {{128, 32, 32, 1}, {512, 1, UINT32_MAX, 0}},
     true},
    /* Those who read are the side of the branch that goes first. */
    {"barriers of the warp at two places",
     PTX_HEAD ".shared .align 4 .b8 s[64];\n" PTX_KERNEL(
         "k", PTX_BEGIN "mov.u32 %r11, s; setp.ge.u32 %p1, %r2, 16; @%p1 bra READ;\n"
                        "shl.b32 %r12, %r2, 2; add.u32 %r12, %r11, %r12; add.u32 %r13, %r2, 100; st.shared.u32 [%r12], "
                        "%r13; bar.warp.sync 0xffffffff; bra.uni OVER;\n"
                        "READ: bar.warp.sync 0xffffffff; add.u32 %r12, %r2, -16; shl.b32 %r12, %r12, 2; add.u32 %r12, "
                        "%r11, %r12; ld.shared.u32 %r13, [%r12];\n"
                        "OVER: st.global.u32 [%rd2+128], %r13; ret;\n"),
     1,
     32,
     {{128, 16, 100, 1}, {192, 16, 100, 1}},
     true},
    /* Lanes 0-23 come to the barrier together; 24-31 only when the lower half has gone on behind it. */
    {"halves of a warp, of which one is there and the other waits for it",
     KERNEL(
         "setp.lt.u32 %p1, %r2, 16; mov.u32 %r11, 0xffff0000; @%p1 mov.u32 %r11, 0xffff;\n"
         "setp.lt.u32 %p2, %r2, 24; @%p2 bra GO;\nWAIT: ld.volatile.global.u32 %r6, [%rd1]; setp.eq.u32 %p3, %r6, 0; "
         "@%p3 bra WAIT;\n"
         "GO: bar.warp.sync %r11; shfl.sync.idx.b32 %r8, %r2, 0, 0x101f, %r11; setp.ne.u32 %p4, %r2, 0; @%p4 bra "
         "OVER; st.volatile.global.u32 [%rd1], 1;\nOVER: st.global.u32 [%rd2+128], %r8; ret;\n"),
     1,
     32,
     {{128, 16, 0, 0}, {192, 16, 16, 0}},
     true},
    {"two lanes that hand each other a number",
     KERNEL("setp.gt.u32 %p1, %r2, 1; @%p1 bra OVER; mov.u32 %r11, %r2;\n"
            "TURN: ld.volatile.global.u32 %r6, [%rd1]; setp.ne.u32 %p2, %r6, %r11; @%p2 bra TURN;\n"
            "add.u32 %r6, %r6, 1; st.volatile.global.u32 [%rd1], %r6; add.u32 %r11, %r11, 2; setp.lt.u32 %p2, %r11, "
            "20; @%p2 bra TURN;\n"
            "OVER: red.global.add.u32 [%rd1+128], 1; ret;\n"),
     1,
     32,
     {{0, 1, 20, 0}, {128, 1, 32, 0}},
     true},
    /* Of each warp, half the lanes come to another barrier of the block than the others. */
    {"barriers of the block at two places",
     PTX_HEAD ".shared .align 4 .b8 s[256];\n" PTX_KERNEL(
         "k", PTX_BEGIN LANE
         "mov.u32 %r11, s; shl.b32 %r12, %r2, 2; add.u32 %r12, %r11, %r12; setp.ge.u32 %p1, %r10, 16; @%p1 bra READ;\n"
         "add.u32 %r13, %r2, 100; st.shared.u32 [%r12], %r13; bar.sync 0; bra.uni OVER;\n"
         "READ: bar.sync 0; add.u32 %r14, %r2, 16; and.b32 %r14, %r14, 63; shl.b32 %r14, %r14, 2; add.u32 %r14, %r11, "
         "%r14; ld.shared.u32 %r13, [%r14];\n"
         "OVER: st.global.u32 [%rd2+128], %r13; ret;\n"),
     1,
     64,
     {{128 + 64, 16, 132, 1}, {128 + 192, 16, 100, 1}},
     false},
    /* Half the warp waits for the block, the other half for the first half's lock. */
    {"a barrier of the block to which lanes come at different times",
     KERNEL(LOCK("0", "TRY") COUNT("128") UNLOCK("0") "bar.sync 0; ld.volatile.global.u32 %r7, [%rd1+128]; "
                                                      "st.global.u32 [%rd2+256], %r7; ret;\n"),
     1,
     96,
     {{256, 96, 96, 0}},
     true},
    {"lanes that sleep before another one has set what they wait for",
     KERNEL("setp.ne.u32 %p1, %r10, 7; @%p1 bra WAIT; st.volatile.global.u32 [%rd1], 5; bra.uni OVER;\n"
            "SLEEP: nanosleep.u32 200;\nWAIT: ld.volatile.global.u32 %r6, [%rd1]; setp.eq.u32 %p1, %r6, 0; @%p1 bra "
            "SLEEP;\nOVER: st.global.u32 [%rd2+128], 9; ret;\n"),
     1,
     32,
     {{128, 32, 9, 0}},
     true},
    /* The upper half has ended: nobody waits for it. */
    {"a shuffle that names lanes that have ended",
     KERNEL("setp.ge.u32 %p1, %r2, 16; @%p1 bra OVER;\n"
            "shfl.sync.bfly.b32 %r8, %r2, 15, 31, 0xffffffff; st.global.u32 [%rd2+128], %r8;\nOVER: ret;\n"),
     1,
     32,
     {{128, 16, 15, UINT32_MAX}, {192, 16, 0, 0}},
     false},
    /* Depths of a recursion whose lanes wait for each other at each: frames of different depth stay apart. */
    {"a recursion in which lanes wait for others",
     PTX_HEAD ".visible .func f(.param .b64 p, .param .b32 n)\n{\n" PTX_REGS
              "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; setp.eq.u32 %p1, %r1, 0; @%p1 bra OUT;\n" LOCK("0", "TRY")
                  COUNT("128")
                      UNLOCK("0") "add.u32 %r2, %r1, -1;\n"
                                  "{ .param .b64 q; .param .b32 m; st.param.b64 [q], %rd1; "
                                  "st.param.b32 [m], %r2; call.uni f, (q, m); }\n"
                                  "add.u32 %r2, %r2, 1; setp.ne.u32 %p2, %r2, %r1; @%p2 trap;\n"
                                  "OUT: ret;\n}\n" PTX_KERNEL(
                                      "k", PTX_BEGIN "and.b32 %r6, %r2, 3; { .param .b64 q; .param .b32 m; "
                                                     "st.param.b64 [q], %rd1; st.param.b32 [m], %r6; call.uni f, "
                                                     "(q, m); }\nst.global.u32 [%rd2+256], %r2; ret;\n"),
     1,
     32,
     {{128, 1, 48, 0}, {256, 32, 0, 1}},
     true},
};

static bool as_expected(struct device *d, uint64_t buffer, const struct trial *t)
{
    for (unsigned i = 0; i < 2; i++)
        for (unsigned k = 0; k < t->expected[i].count; k++)
            if (device_word(d, buffer + t->expected[i].at + 4 * k) != t->expected[i].first + k * t->expected[i].step)
                return false;
    return true;
}

static void try(const struct trial *t, const char *way, enum gpu_mode mode, const char *settings)
{
    struct device d;
    char all[200];
    snprintf(all, sizeof all, "gpu.sms=2 gpu.watch_cycles=100000 sm.divergence=%s %s", way, settings);
    device_open(&d, "gtx480", all);
    device_load(&d, t->text);
    uint64_t params[] = {device_buffer(&d, 4096), 1};
    struct shape shape = {.grid = t->grid, .block = t->block, .max_cycles = 50000000, .mode = mode};
    enum gpu_status status = device_try(&d, "k", shape, 2, params);
    bool well = status == GPU_OK && as_expected(&d, params[0], t);
    if (well == (t->stack_differs && !strcmp(way, "stack")))
        fail_msg("%s, %s %s, mode %d: %s %s\n%s", t->name, way, settings, (int)mode, gpu_status_name(status),
                 well ? "as expected" : "other values", strbuf_text(&d.text));
    device_close(&d);
}

static void test_lanes_wait_for_lanes(void **state)
{
    for (unsigned i = 0; i < sizeof trials / sizeof trials[0]; i += effort_step(9))
        for (unsigned mode = 0; mode < 2; mode++) {
            enum gpu_mode m = mode ? GPU_FUNCTIONAL : GPU_TIMING;
            try(&trials[i], "its", m, "");
            try(&trials[i], "aware", m, "");
            try(&trials[i], "dwf", m, "");
            try(&trials[i], "stack", m, "");
        }
}

/* Whatever issues, fetches and detects spinning. */
static void test_under_other_machines(void **state)
{
    static const char *const settings[] = {
        "sm.scheduler=lrr sm.issue_width=2", "sm.scheduler=tls sm.fetch=fef sm.instruction_buffer=4",
        "sm.scheduler=gto+bows spin.detector=oracle", "sm.scheduler=gto spin.measure=true",
        "coherence.protocol=vi sm.scheduler=mwf"};
    static const char *const ways[] = {"aware", "its", "dwf"};
    for (unsigned i = 0; i < 3 * sizeof trials / sizeof trials[0]; i++)
        try(&trials[i / 3], ways[i % 3], GPU_TIMING, settings[i % (sizeof settings / sizeof settings[0])]);
}

/* Of lanes that wait for each other at different instructions none goes on: a fault that says so. */
static void test_nobody_goes_on(void **state)
{
    static const char *const texts[] = {
        KERNEL(
            "setp.ge.u32 %p1, %r2, 16; @%p1 bra HIGH; shfl.sync.bfly.b32 %r8, %r2, 1, 31, 0xffffffff; bra.uni OVER;\n"
            "HIGH: bar.sync 0;\nOVER: ret;\n"),
        KERNEL("setp.ge.u32 %p1, %r2, 16; @%p1 bra HIGH; bar.sync 1; bra.uni OVER;\nHIGH: bar.sync 2;\nOVER: ret;\n"),
        KERNEL("setp.ge.u32 %p1, %r2, 16; @%p1 bra HIGH; bar.warp.sync 0xffffffff; bra.uni OVER;\n"
               "HIGH: bar.warp.sync 0xfffffffe;\nOVER: ret;\n"),
    };
    for (unsigned i = 0; i < 2 * sizeof texts / sizeof texts[0]; i++) {
        struct device d;
        bool aware = i / 2 == 1;
        device_open(&d, "gtx480", aware ? "gpu.sms=1 sm.divergence=aware" : "gpu.sms=1 sm.divergence=its");
        device_load(&d, texts[i / 2]);
        uint64_t params[] = {device_buffer(&d, 256), 1};
        struct shape shape = {.grid = 1, .block = 32, .mode = i % 2 ? GPU_FUNCTIONAL : GPU_TIMING};
        assert_int_equal(device_try(&d, "k", shape, 2, params), GPU_FAULT);
        assert_has(strbuf_text(&d.text), aware ? "lanes 16-31 of the warp would wait here for ever for lanes 0-15"
                                               : "lanes 0-15 of the warp would wait here for ever for lanes 16-31");
        device_close(&d);
    }
}

/* Lanes that leave a loop in which they only wait do not meet the others there: when a wait for them hardly ever ends,
 * a lock is handed on soon all the same. */
static void test_aware_delays(void **state)
{
    struct device d;
    device_open(&d, "gtx480", "gpu.sms=2 sm.divergence=aware sm.aware_timeout=60000");
    device_load(&d, trials[0].text);
    uint64_t params[] = {device_buffer(&d, 4096), 1};
    struct shape shape = {.grid = trials[0].grid, .block = trials[0].block, .max_cycles = 1000000};
    assert_int_equal(device_try(&d, "k", shape, 2, params), GPU_OK);
    assert_true(as_expected(&d, params[0], &trials[0]));
    device_close(&d);
}

static uint64_t cycles_of(const char *way, const char *scheduler)
{
    struct device d;
    char settings[120];
    snprintf(settings, sizeof settings, "gpu.sms=2 sm.divergence=%s sm.scheduler=%s", way, scheduler);
    device_open(&d, "gtx480", settings);
    device_load(&d, trials[0].text);
    uint64_t params[] = {device_buffer(&d, 4096), 1};
    struct shape shape = {.grid = trials[0].grid, .block = trials[0].block, .max_cycles = 50000000};
    assert_int_equal(device_try(&d, "k", shape, 2, params), GPU_OK);
    assert_true(as_expected(&d, params[0], &trials[0]));
    uint64_t cycles = d.result.cycles;
    device_close(&d);
    return cycles;
}

/* A spinning warp with lanes elsewhere, perhaps those that have the lock, is not held back: a lock that is given back
 * behind the loop in which it is taken costs about the same with BOWS as without. */
static void test_back_off_spares_who_has_the_lock(void **state)
{
    static const char *const ways[] = {"its", "aware", "dwf"};
    for (unsigned i = 0; i < 3; i++) {
        uint64_t without = cycles_of(ways[i], "gto"), with = cycles_of(ways[i], "gto+bows");
        if (with > 2 * without)
            fail_msg("%s: %llu cycles, %llu with BOWS", ways[i], (unsigned long long)without, (unsigned long long)with);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lanes_wait_for_lanes),
                                       cmocka_unit_test(test_back_off_spares_who_has_the_lock),
                                       cmocka_unit_test(test_under_other_machines),
                                       cmocka_unit_test(test_nobody_goes_on), cmocka_unit_test(test_aware_delays)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
