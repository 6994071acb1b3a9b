/* SMs without operand collectors (sm.direct), by cycles: what one more instruction of a chain costs, of many warps, at a
 * barrier, at a fence. */
#include "gpu_support.h"

/* Kernel k: n times round a loop of `count` times the text. */
static void load(struct device *d, const char *repeated, unsigned count)
{
    struct strbuf text = {0};
    strbuf_add(&text, PTX_HEAD ".visible .entry k(.param .u64 p, .param .u64 n)\n{\n");
    strbuf_add(&text, ".reg .b32 %r<9>; .reg .f32 %f<9>; .reg .f64 %d<9>; .reg .b64 %rd<4>; .reg .pred %p<3>;\n");
    strbuf_add(&text, "ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [n]; cvt.u32.u64 %r5, %rd2; ld.global.u32 %r1, [%rd1];\n"
                      "mov.u32 %r2, %r1; cvt.rn.f32.u32 %f1, %r1; cvt.rn.f64.u32 %d1, %r1; bar.sync 0;\nround:\n");
    for (unsigned i = 0; i < count; i++)
        strbuf_addf(&text, "%s\n", repeated);
    strbuf_add(&text, "sub.u32 %r5, %r5, 1; setp.ne.u32 %p2, %r5, 0; @%p2 bra round;\n"
                      "cvt.rzi.u32.f64 %r3, %d1; cvt.rzi.u32.f32 %r4, %f1; add.u32 %r1, %r1, %r3;\n"
                      "add.u32 %r1, %r1, %r4; st.global.u32 [%rd1], %r1; ret;\n}\n");
    device_load(d, strbuf_text(&text));
    strbuf_free(&text);
}

static uint64_t cycles_with(const char *settings, const char *repeated, unsigned count, unsigned threads, unsigned rounds)
{
    struct device d;
    device_open(&d, "gtx480", settings);
    load(&d, repeated, count);
    uint64_t buffer = device_buffer(&d, 4096);
    device_run(&d, "k", (struct shape){.grid = 1, .block = threads}, buffer, rounds);
    uint64_t cycles = d.result.cycles;
    device_close(&d);
    return cycles;
}

/* Cycles of one round of a loop of so many instructions: what comes before the loop, and its lines as they are fetched
 * for the first time, are the same in runs of more rounds. */
static double round_of(const char *settings, const char *repeated, unsigned count, unsigned threads)
{
    return (double)(cycles_with(settings, repeated, count, threads, 128) -
                    cycles_with(settings, repeated, count, threads, 64)) /
           64;
}

/* Cycles of one repetition more in such a loop. */
static double cost(const char *settings, const char *repeated, unsigned threads)
{
    return (round_of(settings, repeated, 32, threads) - round_of(settings, repeated, 16, threads)) / 16;
}

#define DIRECT                                                                                                         \
    "gpu.sms=1 sm.scheduler=lrr sm.direct=true sm.cores=4 sm.fetch_per_scheduler=true sm.fetch_fills=true sm.instruction_buffer=4 "      \
    "sm.fetch_width=4 l1i.sets=64 l1i.ways=16 l1i.line_bytes=128 sm.sp_units=2 sm.latency_fma=4 sm.interval_fma=2 "    \
    "sm.unit_logic=alu sm.latency_logic=5 sm.interval_logic=2 sm.unit_f64_fma=f64 sm.latency_f64_fma=9 "               \
    "sm.interval_f64_fma=4 sm.unit_int_add=add sm.latency_int_add=4 sm.interval_int_add=2 "
static void assert_close(double found, double expected)
{
    if (found < expected - 0.1 || found > expected + 0.1)
        fail_msg("%.2f cycles, not %.2f", found, expected);
}

#define FMA "fma.rn.f32 %f1, %f1, %f1, %f1;"
#define XOR "xor.b32 %r1, %r1, %r2;"
#define FMA64 "fma.rn.f64 %d1, %d1, %d1, %d1;"
#define ADD "add.u32 %r1, %r1, %r2;"

/* A latency is the distance from an instruction to the next one that needs its result. */
static void latencies_are_distances(void **state)
{
    (void)state;
    assert_close(cost(DIRECT, FMA, 32), 4);
    assert_close(cost(DIRECT, XOR, 32), 5);
    assert_close(cost(DIRECT, FMA64, 32), 9);
    assert_close(cost(DIRECT "sm.latency_fma=2", FMA, 32), 2);
    assert_close(cost(DIRECT "sm.latency_fma=2", FMA XOR, 32), 5); /* chains beside each other */
    assert_true(cost("gpu.sms=1 sm.latency_fma=2 l1i.sets=64 l1i.ways=16", FMA, 32) > 5); /* through collectors */
}

/* Thirty-two warps are eight a core: its units take one instruction each in an interval, and several units or classes
 * beside each other as many, up to one issue a cycle. */
static void intervals_are_rates(void **state)
{
    static const struct {
        const char *settings, *repeated;
        double cycles; /* of eight warps, for one repetition each */
    } cases[] = {
        {"", FMA, 8},
        {"sm.sp_units=1", FMA, 16},
        {"sm.interval_fma=3", FMA, 12},
        {"", XOR, 16},
        {"", ADD, 8}, /* alu and mul by turns */
        {"", FMA64, 32},
        {"", FMA XOR, 16},
        {"", FMA ADD, 16},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char settings[1024];
        snprintf(settings, sizeof settings, DIRECT "%s", cases[i].settings);
        double found = cost(settings, cases[i].repeated, 1024);
        if (found < 0.95 * cases[i].cycles || found > 1.05 * cases[i].cycles)
            fail_msg("%s with %s: %.2f cycles, not %.0f", cases[i].repeated, cases[i].settings, found, cases[i].cycles);
    }
}

/* Arrivals are taken up one after the other, and the answer takes its time. */
static void barriers_take_time(void **state)
{
    (void)state;
    for (unsigned warps = 1; warps <= 16; warps *= 2)
        assert_close(cost(DIRECT "sm.barrier_interval=3 sm.barrier_latency=20", "bar.sync 0;", 32 * warps),
                         20 + 3 * warps);
    assert_close(cost(DIRECT "sm.barrier_interval=8", "bar.sync 0;", 128), 8 * 4); /* without a latency, too */
    assert_true(cost(DIRECT "sm.barrier_interval=3 sm.barrier_latency=20 sm.barrier_result_latency=7",
                     "setp.eq.u32 %p1, %r1, %r2; barrier.red.popc.u32 %r3, 0, %p1;", 32) >= 30);
}

static void fences_take_time(void **state)
{
    static const char set[] = DIRECT "sm.fence_latency=100 sm.fence_latency_sys=300";
    (void)state;
    assert_close(cost(set, "membar.gl;", 32), 100);
    assert_close(cost(set, "membar.sys;", 32), 300);
    assert_true(cost(set, "membar.cta;", 32) < 10);
    assert_close(cost(DIRECT "sm.fence_latency=100", "membar.sys;", 32), 100);
    assert_close(cost(DIRECT "sm.fence_latency_cta=9", "membar.cta;", 32), 9);
    assert_close(cost(DIRECT "sm.fence_latency_cta=30 sm.fence_latency=20", "fence.acq_rel.cta; fence.sc.cta;", 32), 60);
    assert_close(cost(DIRECT "sm.fence_latency_cta=30 sm.fence_latency=20", "membar.gl;", 32), 20);
    /* Where what it waits for takes longer, that is its time. */
    double waits = cost(DIRECT, "st.global.u32 [%rd1], %r1; membar.gl;", 32);
    assert_true(waits > 100);
    assert_close(cost(set, "st.global.u32 [%rd1], %r1; membar.gl;", 32), waits);
}

#define BEHIND(load) load " %r1, [%rd1]; cvt.u64.u32 %rd3, %r1; and.b64 %rd3, %rd3, 0; add.u64 %rd1, %rd1, %rd3;"
/* Loads at the scope of the block are served by the L1D, where the machine has it so; wider ones are not. */
static void block_loads_stay(void **state)
{
    static const char set[] = DIRECT "sm.block_loads_use_l1=true";
    (void)state;
    double plain = cost(DIRECT, BEHIND("ld.global.u32"), 32);
    assert_true(plain < 60);
    assert_close(cost(set, BEHIND("ld.relaxed.cta.global.u32"), 32), plain);
    assert_close(cost(set, BEHIND("ld.acquire.cta.global.u32"), 32), plain);
    assert_true(cost(DIRECT, BEHIND("ld.relaxed.cta.global.u32"), 32) > 100);
    assert_true(cost(set, BEHIND("ld.relaxed.gpu.global.u32"), 32) > 100);
    assert_true(cost(set, BEHIND("ld.volatile.global.u32"), 32) > 100);
}

/* Loads from the L2's channels, whose blocks lie one behind the other: where it has two sides, half of them are far. */
static void far_sides_answer_late(void **state)
{
    static const char load[] = "ld.relaxed.gpu.global.u32 %%r1, [%%rd1+%u]; cvt.u64.u32 %%rd3, %%r1; and.b64 %%rd3, %%rd3, 0; "
                               "add.u64 %%rd1, %%rd1, %%rd3;";
    (void)state;
    unsigned far = 0;
    for (unsigned channel = 0; channel < 4; channel++) {
        char text[256];
        snprintf(text, sizeof text, load, channel * 256);
        double one = cost(DIRECT "partition.channels=4 partition.far_latency=150", text, 32);
        double two = cost(DIRECT "partition.channels=4 partition.sides=2 partition.far_latency=150", text, 32);
        if (two < one + 75)
            assert_close(two, one);
        else
            far += two > one + 149 && two < one + 153;
    }
    assert_int_equal(far, 2);
}

/* Straight code, line by line for the first time: of every five lines, four have been requested with the first. */
static void lines_are_prefetched(void **state)
{
    static const char none[] = DIRECT, four[] = DIRECT "sm.fetch_prefetch=4 l1i.mshr_entries=8";
    (void)state;
    uint64_t lines = 256 / 16, without = cycles_with(none, FMA, 256, 32, 1), with = cycles_with(four, FMA, 256, 32, 1);
    assert_true(without > lines * 100 && with * 2 < without);
    assert_true(cycles_with(DIRECT "sm.fetch_prefetch=4 l1i.mshr_entries=8 gpu.sms=2 sm.l1i_sharers=2", FMA, 256, 32, 1) * 2 <
                without);
    assert_int_equal(cycles_with(none, FMA, 256, 32, 9) - without, cycles_with(four, FMA, 256, 32, 9) - with);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(latencies_are_distances),
        cmocka_unit_test(intervals_are_rates),
        cmocka_unit_test(barriers_take_time),
        cmocka_unit_test(fences_take_time),
        cmocka_unit_test(block_loads_stay),
        cmocka_unit_test(far_sides_answer_late),
        cmocka_unit_test(lines_are_prefetched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
