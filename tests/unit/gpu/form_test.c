/* Warps formed anew (dynamic warp formation) in a whole device: threads that go to another warp, those that cannot, and
 * what it costs. That they take along all that they have: random_test.c. */
#include "gpu_support.h"

/* Of two warps those threads stay for which `stays` is true, meet at a barrier, and go round a loop of 40 passes. */
#define STAYING(stays, inside)                                                                                         \
    PTX_HEAD PTX_KERNEL("k", PTX_BEGIN "and.b32 %r10, %r2, 31; shr.u32 %r11, %r2, 5; mov.u32 %r12, %r2; " stays        \
                                       " @%p1 bra STAY; ret;\nSTAY: bar.sync 0; mov.u32 %r13, 0;\n"                    \
                                       "LOOP: " inside "add.u32 %r13, %r13, 1; setp.lt.u32 %p2, %r13, 40; @%p2 bra "   \
                                       "LOOP;\nst.global.u32 [%rd2], %r12; ret;\n")
#define WORK                                                                                                           \
    "mad.lo.u32 %r12, %r12, 5, %r13; xor.b32 %r12, %r12, %r2; mad.lo.u32 %r12, %r12, 9, %r12; add.u32 %r12, %r12, "    \
    "3;\n"
/* The lower half of one warp and the upper half of the other; every second lane of both. */
#define HALVES "setp.lt.u32 %p1, %r10, 16; setp.eq.u32 %p3, %r11, 0; xor.pred %p1, %p1, %p3; not.pred %p1, %p1;"
#define EVEN "and.b32 %r14, %r2, 1; setp.eq.u32 %p1, %r14, 0;"

struct outcome {
    uint64_t instructions, moved, refilled, cycles;
    uint32_t words[64];
};

static struct outcome run(const char *text, const char *settings)
{
    struct device d;
    struct outcome o = {0};
    device_open(&d, "gtx480", settings);
    device_load(&d, text);
    uint64_t at = device_buffer(&d, 256);
    device_run(&d, "k", (struct shape){.grid = 1, .block = 64}, at, 0);
    o.instructions = device_stat(&d, "sm", "warp_instructions");
    o.moved = device_stat(&d, "sm", "threads_moved");
    o.refilled = device_stat(&d, "sm", "warps_refilled");
    o.cycles = d.result.cycles;
    device_read(&d, o.words, at, sizeof o.words);
    device_close(&d);
    return o;
}

static void same_words(const struct outcome *a, const struct outcome *b)
{
    assert_memory_equal(a->words, b->words, sizeof a->words);
}

/* Half a warp and the other half of another are one. */
static void test_two_halves(void **state)
{
    static const char text[] = STAYING(HALVES, WORK);
    struct outcome stack = run(text, "gpu.sms=1"), dwf = run(text, "gpu.sms=1 sm.divergence=dwf");
    same_words(&stack, &dwf);
    assert_int_equal(stack.moved, 0);
    assert_int_equal(dwf.moved, 16);
    assert_true(dwf.instructions * 10 < stack.instructions * 6);
}

/* Threads of one lane are in the way of each other, unless warps begin in different lanes. */
static void test_lanes(void **state)
{
    static const char text[] = STAYING(EVEN, WORK);
    struct outcome stack = run(text, "gpu.sms=1"), straight = run(text, "gpu.sms=1 sm.divergence=dwf"),
                   rotated = run(text, "gpu.sms=1 sm.divergence=dwf sm.form_lanes=rotated");
    same_words(&stack, &straight);
    same_words(&stack, &rotated);
    assert_int_equal(straight.moved, 0);
    assert_int_equal(straight.instructions, stack.instructions);
    assert_int_equal(rotated.moved, 16);
    assert_true(rotated.instructions * 10 < stack.instructions * 6);
}

/* Where all lanes of a bank have one decoder, the rows of two warps are read one after the other. */
static void test_rows(void **state)
{
    static const char text[] = STAYING(HALVES, WORK);
    struct outcome lanes = run(text, "gpu.sms=1 sm.divergence=dwf"),
                   rows = run(text, "gpu.sms=1 sm.divergence=dwf sm.form_reads=rows");
    same_words(&lanes, &rows);
    assert_int_equal(lanes.instructions, rows.instructions);
    assert_true(rows.cycles > lanes.cycles);
}

/* The threads of the warp that is left part at every pass: the other one has threads again. */
static void test_refilled(void **state)
{
    static const char text[] = STAYING(
        HALVES, "and.b32 %r15, %r2, 3; and.b32 %r16, %r13, 3; setp.eq.u32 %p4, %r15, %r16; @%p4 bra SIDE;\n" WORK
                "bra.uni OVER;\nSIDE: " WORK "OVER: ");
    struct outcome stack = run(text, "gpu.sms=1"), dwf = run(text, "gpu.sms=1 sm.divergence=dwf");
    same_words(&stack, &dwf);
    assert_true(dwf.refilled > 0);
}

/* A kernel that names lanes keeps its threads where they are. */
static void test_named_lanes(void **state)
{
    static const char text[] = STAYING(HALVES, WORK "activemask.b32 %r14; ");
    struct outcome stack = run(text, "gpu.sms=1"), dwf = run(text, "gpu.sms=1 sm.divergence=dwf sm.form_lanes=rotated");
    same_words(&stack, &dwf);
    assert_int_equal(dwf.moved, 0);
    assert_int_equal(dwf.instructions, stack.instructions);
}

/* A fault names the thread, in whichever warp it is. */
static void test_fault(void **state)
{
    static const char text[] = STAYING(
        HALVES, WORK "setp.eq.u32 %p5, %r2, 51; mov.u64 %rd9, 64; @%p5 st.global.u32 [%rd9], %r12; setp.lt.u32 %p6, "
                     "%r13, 20; ");
    struct device d;
    device_open(&d, "gtx480", "gpu.sms=1 sm.divergence=dwf sm.form_lanes=rotated");
    device_load(&d, text);
    uint64_t params[] = {device_buffer(&d, 256), 0};
    assert_int_equal(device_try(&d, "k", (struct shape){.grid = 1, .block = 64}, 2, params), GPU_FAULT);
    assert_has(strbuf_text(&d.text), "thread (51,0,0)");
    device_close(&d);
}

/* A branch inside critical sections ends at the unlock: lanes come there while others' are given back, and each gives
 * back its own. */
static const char sections[] = PTX_HEAD PTX_KERNEL(
    "k", PTX_BEGIN "mul.lo.u32 %r10, %r5, 747796405; add.u32 %r10, %r10, 12345; mov.u32 %r11, 0;\n"
                   "LOOP: mul.lo.u32 %r10, %r10, 1664525; add.u32 %r10, %r10, 1013904223; shr.u32 %r12, %r10, 10;\n"
                   "rem.u32 %r12, %r12, 5; mul.wide.u32 %rd5, %r12, 4; add.u64 %rd5, %rd1, %rd5;\n"
                   "lockstep.lock.b32 [%rd5]; ld.volatile.global.u32 %r13, [%rd5+128]; add.u32 %r13, %r13, 1;\n"
                   "st.volatile.global.u32 [%rd5+128], %r13; and.b32 %r14, %r10, 1048576; setp.eq.u32 %p1, %r14, 0;\n"
                   "@%p1 bra GIVE; nanosleep.u32 100;\nGIVE: lockstep.unlock.b32 [%rd5];\n"
                   "add.u32 %r11, %r11, 1; setp.lt.u32 %p2, %r11, 4; @%p2 bra LOOP; ret;\n");

static void test_unlock_behind_a_branch(void **state)
{
    static const char *const settings[] = {"sm.scheduler=gto", "sm.scheduler=lrr", "sm.form_lanes=rotated",
                                           "sm.scheduler=tls sm.form_lanes=rotated"};
    for (unsigned i = 0; i < sizeof settings / sizeof settings[0]; i++)
        for (unsigned block = 64; block <= 256; block *= 2) {
            struct device d;
            char all[120];
            uint32_t sum = 0;
            snprintf(all, sizeof all, "gpu.sms=1 sm.divergence=dwf %s", settings[i]);
            device_open(&d, "gtx480", all);
            device_load(&d, sections);
            uint64_t params[] = {device_buffer(&d, 256), 0};
            assert_int_equal(gpu_fill(d.gpu, params[0], 0xff, 128, &d.sink), 0);
            assert_int_equal(device_try(&d, "k", (struct shape){.grid = 1, .block = block}, 2, params), GPU_OK);
            for (unsigned k = 0; k < 5; k++) {
                assert_int_equal(device_word(&d, params[0] + 4 * k), UINT32_MAX);
                sum += device_word(&d, params[0] + 128 + 4 * k);
            }
            assert_int_equal(sum, 4 * block);
            device_close(&d);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_halves),
        cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_refilled),
        cmocka_unit_test(test_named_lanes),
        cmocka_unit_test(test_fault),
        cmocka_unit_test(test_unlock_behind_a_branch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
