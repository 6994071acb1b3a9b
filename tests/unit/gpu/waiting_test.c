/* What waiting costs beside its own time, by cycles: operations on mbarriers, groups of copies, copies in bulk, barriers of
 * clusters, fences one behind the other. Each parameter against the same without it. */
#include "gpu_support.h"

/* Kernel k: before the loop a text, n times round a loop of `count` times another. */
static void load(struct device *d, const char *first, const char *repeated, unsigned count)
{
    struct strbuf text = {0};
    strbuf_add(&text, ".version 8.0\n.target sm_90a\n.address_size 64\n"
                      ".visible .entry k(.param .u64 p, .param .u64 n)\n{\n.shared .align 128 .b8 to[4096];\n"
                      ".shared .align 8 .b64 bar;\n.reg .b32 %r<9>; .reg .f32 %f<129>; .reg .b64 %rd<9>; .reg .pred %p<5>;\n");
    strbuf_add(&text, "ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [n]; cvt.u32.u64 %r5, %rd2; mov.u32 %r6, 0;\n"
                      "mov.u32 %r7, %tid.x; ld.global.u32 %r1, [%rd1];\n");
    strbuf_addf(&text, "%s\nbar.sync 0;\nround:\n", first);
    for (unsigned i = 0; i < count; i++)
        strbuf_addf(&text, "%s\n", repeated);
    strbuf_add(&text, "sub.u32 %r5, %r5, 1; setp.ne.u32 %p2, %r5, 0; @%p2 bra round;\nret;\n}\n");
    device_load(d, strbuf_text(&text));
    strbuf_free(&text);
}

struct piece {
    const char *first, *repeated;
    unsigned threads;
};

static uint64_t cycles_with(const char *settings, const struct piece *piece, unsigned count, unsigned rounds)
{
    struct device d;
    char all[512];
    snprintf(all, sizeof all, "gpu.sms=1 sm.direct=true l1i.sets=64 l1i.ways=16 %s", settings);
    device_open(&d, "gtx480", all);
    load(&d, piece->first, piece->repeated, count);
    uint64_t buffer = device_buffer(&d, 4096);
    device_run(&d, "k", (struct shape){.grid = 1, .block = piece->threads}, buffer, rounds);
    uint64_t cycles = d.result.cycles;
    device_close(&d);
    return cycles;
}

/* Cycles of one repetition more in a loop. */
static double cost(const char *settings, const char *first, const char *repeated, unsigned threads)
{
    const struct piece piece = {first, repeated, threads};
    double many = (double)(cycles_with(settings, &piece, 8, 40) - cycles_with(settings, &piece, 8, 20)) / 20;
    double few = (double)(cycles_with(settings, &piece, 4, 40) - cycles_with(settings, &piece, 4, 20)) / 20;
    return (many - few) / 4;
}
static void assert_about(double found, double expected)
{
    if (found < expected - 4 || found > expected + 4)
        fail_msg("%.2f cycles, not about %.2f", found, expected);
}

#define INIT "mbarrier.init.shared.b64 [bar], 1048575;"
#define ONE "mbarrier.init.shared.b64 [bar], 1;"
#define ARRIVE "mbarrier.arrive.shared.b64 %rd3, [bar];"
#define TEST "mbarrier.test_wait.parity.shared.b64 %p1, [bar], 1; selp.u32 %r2, 1, 0, %p1;"
#define PHASE "mbarrier.arrive.shared.b64 %rd3, [bar]; mbarrier.try_wait.parity.shared.b64 %p1, [bar], %r6; xor.b32 %r6, %r6, 1; selp.u32 %r2, 1, 0, %p1;"

static void mbarriers_take_time(void **state)
{
    (void)state;
    assert_true(cost("", INIT, ARRIVE, 1) < 8);
    assert_about(cost("sm.mbarrier_interval=30", INIT, ARRIVE, 1), 31);
    assert_true(cost("sm.mbarrier_init_interval=30", INIT, ARRIVE, 1) < 8);
    assert_about(cost("sm.mbarrier_init_interval=30", "", INIT, 1), 31);
    double plain = cost("sm.shared_latency=20", INIT, TEST, 1);
    assert_about(cost("sm.shared_latency=20 sm.mbarrier_latency=9", INIT, TEST, 1), plain + 9);
    assert_about(cost("sm.shared_latency=20 sm.mbarrier_latency=9 sm.mbarrier_look=5", INIT, TEST, 1), plain - 15);
    assert_about(cost("sm.mbarrier_interval=30 sm.mbarrier_expect_interval=50", INIT,
                      "mbarrier.arrive.expect_tx.shared.b64 %rd3, [bar], 0;", 1),
                 51);
}

#define EXPECTED                                                                                                       \
    "mbarrier.arrive.expect_tx.shared.b64 %rd3, [bar], 0; mbarrier.try_wait.parity.shared.b64 %p1, [bar], %r6; "       \
    "xor.b32 %r6, %r6, 1; selp.u32 %r2, 1, 0, %p1;"

/* A wait behind the end of its phase has its result when that has settled; one whose phase ended long ago at once, and one behind
 * an operation that has held its warp up. */
static void phases_settle(void **state)
{
    (void)state;
    assert_true(cost("", ONE, PHASE, 1) < 40);
    double settling = cost("sm.mbarrier_settle=200", ONE, PHASE, 1);
    assert_true(settling > 200 && settling < 240);
    assert_about(cost("sm.mbarrier_settle=200", INIT, TEST, 1), cost("", INIT, TEST, 1));
    assert_about(cost("sm.mbarrier_settle=200 sm.mbarrier_expect_interval=60", ONE, EXPECTED, 1),
                 cost("sm.mbarrier_expect_interval=60", ONE, EXPECTED, 1));
    assert_true(cost("sm.mbarrier_settle=200", ONE, EXPECTED, 1) > 200);
}

/* Operations on mbarriers hold shared memory for others, and their warps for no longer. */
static void mbarriers_hold_shared_memory(void **state)
{
    (void)state;
    double alone = cost("", INIT, ARRIVE, 1), many = cost("", INIT, ARRIVE, 512);
    assert_about(cost("sm.mbarrier_pass=3", INIT, ARRIVE, 1), alone);
    double slower = cost("sm.mbarrier_pass=3", INIT, ARRIVE, 512);
    assert_true(many < 24 && slower > 44 && slower < 56); /* 16 warps, by 3 cycles */
}

static void groups_take_time(void **state)
{
    static const char group[] = "cp.async.commit_group; cp.async.wait_group 0;";
    (void)state;
    double plain = cost("", "", group, 32);
    assert_about(cost("sm.copy_commit=40", "", group, 32), plain + 40);
    assert_about(cost("sm.copy_wait=25", "", group, 32), plain + 25);
    static const char copies[] = "cp.async.ca.shared.global [to], [%rd1], 4; cp.async.ca.shared.global [to+4], [%rd1], 4;";
    assert_about(cost("sm.copy_issue=50", "", copies, 1), 2 * 51);
}

#define STORE                                                                                                          \
    "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [to], 1024; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"
#define LOAD                                                                                                           \
    "mbarrier.arrive.expect_tx.shared.b64 %rd3, [bar], 1024; "                                                         \
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [to], [%rd1], 1024, [bar]; "                    \
    "mbarrier.try_wait.parity.shared.b64 %p1, [bar], %r6; xor.b32 %r6, %r6, 1; selp.u32 %r2, 1, 0, %p1;"

static void bulk_copies_take_time(void **state)
{
    (void)state;
    double plain = cost("", "", STORE, 1), load_cycles = cost("sm.bulk_kib=1", ONE, LOAD, 1);
    assert_true(cost("sm.bulk_posted=true", "", STORE, 1) < plain - 50); /* slices acknowledge nothing */
    assert_about(cost("sm.bulk_posted=true", "", STORE " fence.acq_rel.gpu;", 1), cost("", "", STORE " fence.acq_rel.gpu;", 1));
    assert_true(cost("sm.bulk_kib=1 sm.bulk_narrow=4", ONE, LOAD, 1) < load_cycles - 8);
    double woken = cost("sm.bulk_kib=1 sm.mbarrier_wake=100", ONE, LOAD, 1);
    assert_about(cost("sm.bulk_kib=1 sm.mbarrier_wake=100 sm.mbarrier_wake_bytes=40", ONE, LOAD, 1), woken - 60);
}

#define GIVE "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [to], 16;"
#define WORK "add.u32 %r1, %r1, 7; mul.lo.u32 %r1, %r1, %r7; xor.b32 %r1, %r1, %r5;"
#define CLOCK "mov.u32 %r2, %clock; add.u32 %r1, %r1, %r2;"

/* A command keeps its warp's operands: what needs memory, a barrier or the clock waits for that, nothing else does, nor a
 * further command, which the front end takes as soon as it can. */
static void commands_keep_operands(void **state)
{
    static const char keeps[] = "sm.bulk_posted=true sm.bulk_latency=0 sm.bulk_kib=1 sm.bulk_front=10 sm.bulk_issue=300";
    (void)state;
    double work = cost("", "", WORK WORK WORK WORK, 1);
    assert_about(cost(keeps, "", GIVE WORK WORK WORK WORK CLOCK, 1), 300 + cost("", "", CLOCK, 1));
    assert_about(cost(keeps, "", GIVE "ld.shared.u32 %r2, [to]; add.u32 %r1, %r1, %r2;", 1),
                 300 + cost("", "", "ld.shared.u32 %r2, [to]; add.u32 %r1, %r1, %r2;", 1));
    assert_true(cost(keeps, "", GIVE WORK WORK WORK WORK, 1) < work + 20);
    assert_true(cost(keeps, "", GIVE GIVE GIVE GIVE CLOCK, 1) < 340);
    double together = cost("sm.bulk_posted=true sm.bulk_front=150 sm.bulk_issue=1", "", GIVE GIVE GIVE GIVE STORE, 1);
    assert_true(together > 4 * 150 && together < 5 * 150 + 200); /* the fifth leaves when four have been taken */
}

/* Each fence of an SM begins behind the one before. */
static void fences_follow_each_other(void **state)
{
    (void)state;
    double one = cost("sm.fence_latency=100", "", "membar.gl;", 32);
    assert_about(cost("sm.fence_latency=100 sm.fence_interval=20", "", "membar.gl;", 32), one);
    double apart = cost("sm.fence_latency=100", "", "bar.sync 0; membar.gl;", 256);
    double behind = cost("sm.fence_latency=100 sm.fence_interval=20", "", "bar.sync 0; membar.gl;", 256);
    assert_true(behind > apart + 6 * 20 && behind < apart + 8 * 20);
    assert_about(cost("sm.fence_latency=100 sm.fence_latency_proxy=70", "", "fence.proxy.async;", 32), 71);
    assert_true(cost("sm.fence_latency_cta=30", "", "fence.mbarrier_init.release.cluster;", 32) < 8);
}

/* The answer of a barrier does not cut short the wait before a release behind it. */
static void answers_do_not_overtake(void **state)
{
    static const char release[] = "bar.sync 0; st.release.gpu.global.u32 [%rd1], %r1;";
    (void)state;
    assert_true(cost("sm.fence_latency=300", "", release, 64) > 300);
    assert_true(cost("sm.fence_latency=300 sm.barrier_latency=12", "", release, 64) > 300);
}

static void cluster_barriers_take_time(void **state)
{
    static const char meet[] = "barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.aligned;";
    (void)state;
    assert_true(cost("", "", meet, 32) < 30);
    assert_about(cost("sm.cluster_barrier_own=100", "", meet, 32), 102);
    double many = cost("sm.cluster_barrier_own=100 sm.cluster_barrier_interval=5", "", meet, 256);
    assert_true(many > 138 && many < 150);
}

static void elections_have_a_class(void **state)
{
    static const char chain[] = "elect.sync %r2|%p1, -1; @%p1 add.u32 %r1, %r1, %r2;";
    (void)state;
    assert_about(cost("sm.latency_vote=30 sm.latency_elect=9", "", chain, 32),
                 cost("sm.latency_vote=9", "", chain, 32));
    assert_about(cost("sm.latency_vote=30", "", chain, 32), cost("sm.latency_vote=9", "", chain, 32) + 21);
}

/* An instruction of 128 registers and more. */
static void wide_products_are_read(void **state)
{
    (void)state;
    struct device d;
    struct strbuf text = {0};
    strbuf_add(&text, "mov.u64 %rd3, 0x4000004000010000; setp.eq.u32 %p1, %r1, %r1;\n"
                      "wgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {");
    for (unsigned i = 0; i < 128; i++)
        strbuf_addf(&text, "%s%%f%u", i ? ", " : "", i);
    strbuf_add(&text, "}, %rd3, %rd3, %p1, 1, 1, 0, 0;\n");
    device_open(&d, "gtx480", "gpu.sms=1");
    load(&d, "", strbuf_text(&text), 1);
    strbuf_free(&text);
    device_close(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mbarriers_take_time),      cmocka_unit_test(phases_settle),
        cmocka_unit_test(mbarriers_hold_shared_memory), cmocka_unit_test(commands_keep_operands),
        cmocka_unit_test(groups_take_time),         cmocka_unit_test(bulk_copies_take_time),
        cmocka_unit_test(fences_follow_each_other), cmocka_unit_test(answers_do_not_overtake),
        cmocka_unit_test(cluster_barriers_take_time), cmocka_unit_test(elections_have_a_class),
        cmocka_unit_test(wide_products_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
